#include "telemetry/progress_parser.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "telemetry/progress_number.h"

namespace forebay {
namespace {

constexpr double kLargestCount = 1e15;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '/' || c == '.' || c == '-';
}

std::optional<std::int64_t> as_count(double value) {
  if (!(value >= 0 && value < kLargestCount) || value != std::floor(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

enum class Key { kNone, kStep, kEpoch, kLoss, kRemaining, kValidation };

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// `name` is in lower case, without what stands before the last '/' or '.'; `group` is that.
Key classify(std::string_view name, std::string_view group) {
  for (const std::string_view part : {name, group})
    for (const std::string_view other : {"val", "eval", "test", "dev_"})
      if (part.starts_with(other) ||
          part.find(std::string("_") + std::string(other)) != std::string_view::npos)
        return Key::kValidation;
  if (is_one_of(name, {"step", "steps", "global_step", "iter", "iters", "iteration", "iterations", "batch",
                       "update", "num_updates"}))
    return Key::kStep;
  if (is_one_of(name, {"epoch", "epochs", "ep"})) return Key::kEpoch;
  if (is_one_of(name, {"loss", "train_loss", "training_loss", "total_loss", "loss_train", "avg_loss",
                       "batch_loss", "train_loss_step"}))
    return Key::kLoss;
  if (name == "eta") return Key::kRemaining;
  return Key::kNone;
}

// Walks over a line, name by name.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : line_(line) {}

  ProgressLine read() {
    read_bar();
    for (std::size_t at = 0; at < line_.size();) {
      if (is_letter(line_[at]))
        at = read_name(at);
      else if (is_digit(line_[at]))
        at = read_leading_number(at);
      else
        ++at;
    }
    if (!found_.fraction && found_.step && found_.total_steps && *found_.total_steps > 0)
      found_.fraction = static_cast<double>(*found_.step) / static_cast<double>(*found_.total_steps);
    if (found_.fraction && !(*found_.fraction >= 0 && *found_.fraction <= 1)) found_.fraction.reset();
    return found_;
  }

  bool counts_bytes() const { return counts_bytes_; }

 private:
  std::string_view rest(std::size_t at) const { return line_.substr(std::min(at, line_.size())); }

  // "10/100", "10 of 100", "10": a count and, where given, of how many.
  std::size_t read_count(std::size_t at, std::optional<double>& value, std::optional<double>& total) {
    const PrintedNumber number = read_printed_number(rest(at));
    if (number.length == 0) return at;
    value = number.value;
    at += number.length;
    std::size_t next = at;
    while (next < line_.size() && line_[next] == ' ') ++next;
    if (rest(next).starts_with("/"))
      ++next;
    else if (rest(next).starts_with("of "))
      next += 3;
    else
      return at;
    while (next < line_.size() && line_[next] == ' ') ++next;
    const PrintedNumber of = read_printed_number(rest(next));
    if (of.length == 0 || !is_digit(line_[next])) return at;
    total = of.value;
    return next + of.length;
  }

  void set_step(std::optional<double> value, std::optional<double> total) {
    if (!value || found_.step) return;
    found_.step = as_count(*value);
    if (found_.step && total) found_.total_steps = as_count(*total);
  }

  void set_epoch(std::optional<double> value, std::optional<double> total) {
    if (!value || found_.epoch || !(*value >= 0 && *value < 1e9)) return;
    found_.epoch = *value;
    if (total && *total > 0 && *total < 1e9) found_.total_epochs = *total;
  }

  // A name and, if it is one we know, the number that follows it after a few separators.
  std::size_t read_name(std::size_t at) {
    std::size_t end = at;
    while (end < line_.size() && is_name(line_[end])) ++end;
    std::array<char, 48> lowered{};
    std::size_t length = std::min(end - at, lowered.size());
    for (std::size_t i = 0; i < length; ++i)
      lowered[i] = static_cast<char>(is_letter(line_[at + i]) ? line_[at + i] | 0x20 : line_[at + i]);
    std::string_view name(lowered.data(), length);
    std::size_t after = end;
    while (name.size() > 1 && is_digit(name.back()) && end - at <= lowered.size()) {  // "epoch3"
      name.remove_suffix(1);
      --after;
    }
    while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.remove_suffix(1);
    const std::size_t slash = name.find_last_of("/.");
    const std::string_view group =
        slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    const Key key = classify(name, group);
    const bool of_validation = key == Key::kValidation;
    const bool after_validation = after_validation_;
    after_validation_ = of_validation;  // "val loss 2.2": the word before decides
    if (key == Key::kNone || of_validation) return end;
    std::size_t value_at = after;
    for (int separators = 0; value_at < line_.size() && separators < 16; ++separators, ++value_at)
      if (std::string_view(" \t:=[('\"").find(line_[value_at]) == std::string_view::npos) break;
    return read_value(key, value_at, end, after_validation);
  }

  std::size_t read_value(Key key, std::size_t at, std::size_t otherwise, bool of_validation) {
    std::optional<double> value, total;
    if (key == Key::kRemaining) {
      std::size_t length = 0;
      if (const auto clock = read_printed_clock(rest(at), length))
        found_.eta_seconds = *clock;
      else if (const PrintedNumber number = read_printed_number(rest(at));
               number.length > 0 && rest(at + number.length).starts_with("s")) {
        found_.eta_seconds = number.value;
        length = number.length;
      }
      return std::max(at + length, otherwise);
    }
    const std::size_t end = read_count(at, value, total);
    if (end == at) return otherwise;
    if (key == Key::kLoss && !of_validation && !found_.loss) found_.loss = *value;
    if (key == Key::kStep) set_step(value, total);
    if (key == Key::kEpoch) {
      set_epoch(value, total);
      return std::max(read_place_in_epoch(end), otherwise);
    }
    return std::max(end, otherwise);
  }

  // After an epoch: "][  10/5005]" counts batches, " [6400/60000 (11%)]" counts samples: only how far it is.
  std::size_t read_place_in_epoch(std::size_t at) {
    std::size_t next = at;
    while (next < line_.size() &&
           (line_[next] == ']' || line_[next] == ' ' || line_[next] == ':' || line_[next] == ','))
      ++next;
    if (next >= line_.size() || line_[next] != '[') return at;
    for (++next; next < line_.size() && line_[next] == ' ';) ++next;
    std::optional<double> value, total;
    const std::size_t end = read_count(next, value, total);
    if (!value || !total || *total <= 0) return at;
    if (rest(end).starts_with(" ("))
      found_.fraction = *value / *total;
    else
      set_step(value, total);
    return end;
  }

  // "45/100 [=====>" and "45/100 ━━━" at the front (Keras), rates like "3.6 it/s" or "30ms/step" anywhere.
  std::size_t read_leading_number(std::size_t at) {
    const PrintedNumber number = read_printed_number(rest(at));
    if (number.length == 0) return at + 1;
    const std::size_t end = at + number.length;
    const bool first = line_.substr(0, at).find_first_not_of(' ') == std::string_view::npos;
    if (first && rest(end).starts_with("/")) {
      std::optional<double> value, total;
      const std::size_t stop = read_count(at, value, total);
      if (total && (rest(stop).starts_with(" [") || rest(stop).starts_with(" \xe2\x94\x81"))) {
        set_step(value, total);
        return stop;
      }
    }
    return std::max(read_rate(number.value, end), end);
  }

  std::size_t read_rate(double value, std::size_t at) {
    while (at < line_.size() && line_[at] == ' ') ++at;
    std::size_t end = at;
    while (end < line_.size() && is_letter(line_[end])) ++end;
    if (end == at || end >= line_.size() || line_[end] != '/') return at;
    const std::string_view unit = line_.substr(at, end - at);
    std::size_t per_end = end + 1;
    while (per_end < line_.size() && is_letter(line_[per_end])) ++per_end;
    const std::string_view per = line_.substr(end + 1, per_end - end - 1);
    if (is_one_of(per, {"s", "sec", "second"}) && unit.size() <= 16 && value >= 0) {
      if (unit.ends_with("B"))
        counts_bytes_ = true;
      else
        set_rate(value, unit);
      return per_end;
    }
    const double seconds = unit == "s"    ? value
                           : unit == "ms" ? value * 1e-3
                           : unit == "us" ? value * 1e-6
                                          : 0;
    if (seconds > 0 && is_one_of(per, {"it", "step", "batch", "iter"})) {
      set_rate(1 / seconds, per);
      return per_end;
    }
    return at;
  }

  void set_rate(double value, std::string_view unit) {
    if (found_.rate || !std::isfinite(value)) return;
    found_.rate = value;
    found_.rate_unit = unit;
  }

  // tqdm: "  45%|███   | 45/100 [00:12<00:15,  3.60it/s, loss=0.1]".
  void read_bar() {
    const std::size_t mark = line_.find("%|");
    if (mark == std::string_view::npos) return;
    std::size_t begin = mark;
    while (begin > 0 && mark - begin < 8 && (is_digit(line_[begin - 1]) || line_[begin - 1] == '.')) --begin;
    const PrintedNumber percent = read_printed_number(line_.substr(begin, mark - begin));
    if (percent.length == 0 || begin + percent.length != mark) return;
    found_.fraction = percent.value / 100;
    std::size_t at = line_.find('|', mark + 2);
    if (at == std::string_view::npos) return;
    for (++at; at < line_.size() && line_[at] == ' ';) ++at;
    std::optional<double> value, total;
    const std::size_t end = read_count(at, value, total);
    // "450M/1.00G": a scaled count, which says nothing about steps.
    if (total && (end >= line_.size() || !is_letter(line_[end]))) set_step(value, total);
    const std::size_t left = line_.find('<', end);
    std::size_t length = 0;
    if (left != std::string_view::npos)
      if (const auto clock = read_printed_clock(rest(left + 1), length)) found_.eta_seconds = *clock;
  }

  std::string_view line_;
  ProgressLine found_;
  bool counts_bytes_ = false;
  bool after_validation_ = false;
};

}  // namespace

ProgressLine parse_progress_line(std::string_view line) {
  LineReader reader(line);
  ProgressLine found = reader.read();
  if (reader.counts_bytes()) return {};
  return found;
}

}  // namespace forebay
