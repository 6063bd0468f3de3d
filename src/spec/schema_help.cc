#include <algorithm>

#include "base/nearest.h"
#include "spec/schema.h"
#include "spec/schema_text.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

constexpr std::size_t kStep = 4;

class HelpPage {
 public:
  explicit HelpPage(int width) : width_(static_cast<std::size_t>(std::clamp(width, 40, 120))) {}

  std::string whole() {
    heading(tr("JOB FILE"));
    paragraph(tr("One YAML file says everything about a job; every field may be left out. Sizes, times and "
                 "money carry their unit. \"forebay job check FILE\" explains a file without running it; "
                 "\"forebay help job KEY\" shows one field."),
              kStep);
    heading(tr("FIELDS"));
    for (const Field* field : fields_below("")) entry(*field, kStep);
    heading(tr("EXAMPLE"));
    out_ +=
        "    name: resnet-photos\n"
        "    environment:\n"
        "      requirements: requirements.txt\n"
        "    run: python train.py --data photos\n"
        "    outputs:\n"
        "      - {from: checkpoints/, to: /results/$FOREBAY_RUN}\n"
        "    policy:\n"
        "      max_duration: 12h\n";
    return out_;
  }

  std::string one(const Field& field) {
    entry(field, 0);
    if (const std::string example = example_file(field); !example.empty()) {
      out_ += "\n";
      paragraph(tr("Example:"), kStep);
      for (std::string_view rest = example; !rest.empty();) {
        const std::size_t end = rest.find('\n');
        out_ += std::string(2 * kStep, ' ') + std::string(rest.substr(0, end)) + "\n";
        rest.remove_prefix(end + 1);
      }
    }
    return out_;
  }

 private:
  void heading(std::string_view text) { out_ += fmt::format("{}{}\n", out_.empty() ? "" : "\n", text); }
  void paragraph(std::string_view text, std::size_t indent) { out_ += wrapped(text, indent, width_); }

  void entry(const Field& field, std::size_t indent) {
    out_ += fmt::format("{}{}{}\n", std::string(indent, ' '), field.key,
                        field.is_required ? fmt::format("  ({})", tr("required")) : "");
    const std::size_t inner = indent + kStep;
    paragraph(tr(field.meaning), inner);
    if (const std::string notation = notation_of(field, [](std::string_view text) { return tr(text); });
        !notation.empty())
      paragraph(say(tr("Value: {0}."), notation), inner);
    if (!field.default_text.empty()) paragraph(say(tr("Left out: {0}."), tr(field.default_text)), inner);
    if (!field.example.empty())
      paragraph(say(tr("Example: {0}"), fmt::format("{}: {}", leaf_name(field), field.example)), inner);
    if (!field.is_honoured_locally)
      paragraph(tr("No effect, or refused, on this machine in this release."), inner);
    out_ += "\n";
    for (const Field* child : fields_below(field.key)) entry(*child, indent + kStep);
  }

  std::size_t width_;
  std::string out_;
};

// "outputs.to" and "outputs[0].to" are "outputs[].to"; a leaf name stands for its field if no other has it.
const Field* field_meant(std::string_view key) {
  std::string name;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key[i] == '[') {
      i = std::min(key.find(']', i), key.size() - 1);
      continue;
    }
    name += key[i];
  }
  const Field* by_leaf = nullptr;
  int leaves = 0;
  for (const Field& field : job_fields()) {
    std::string plain(field.key);
    if (const std::size_t list = plain.find("[]"); list != std::string::npos) plain.erase(list, 2);
    if (plain == name) return &field;
    if (leaf_name(field) != name) continue;
    by_leaf = &field;
    ++leaves;
  }
  return leaves == 1 ? by_leaf : nullptr;
}

}  // namespace

std::optional<std::string> job_help(std::string_view key, int width) {
  if (key.empty()) return HelpPage(width).whole();
  const Field* field = field_meant(key);
  if (field == nullptr) return std::nullopt;
  return HelpPage(width).one(*field);
}

std::optional<std::string_view> nearest_job_key(std::string_view key) {
  std::vector<std::string_view> keys;
  for (const Field& field : job_fields()) keys.push_back(field.key);
  if (const auto nearest = nearest_name(key, keys)) return nearest;
  for (const Field& field : job_fields())
    if (nearest_name(key, {leaf_name(field)})) return field.key;
  return std::nullopt;
}

}  // namespace forebay
