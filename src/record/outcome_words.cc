#include "record/outcome_words.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/message.h"
#include "base/text.h"

namespace forebay {
namespace {

// scripts/check_translations.py sees to it that what src/supervisor says of an end is here.
constexpr std::array kSentences = std::to_array<std::string_view>({
    msgid("the command succeeded"),
    msgid("the command ended with code {0}"),
    msgid("the command was ended by signal {0} ({1})"),
    msgid("the job ran out of memory and ended with code {0}"),
    msgid("stopped by Ctrl-C"),
    msgid("stopped on request"),
    msgid("stopped before it was started"),
    msgid("stopped: the supervisor was asked to end (is the machine shutting down?)"),
    msgid("stopped: the process that watches over the job was killed"),
    msgid("stopped: the log could not be written any more ({0})"),
    msgid("stopped after {0}: the budget is spent"),
    msgid("stopped after {0}, as the probe wanted"),
    msgid("stopped after {0} steps, as the probe wanted"),
    msgid("stopped after {0}: the limit max_duration is {1}"),
    msgid("stopped as hung: no step, no line of output and no I/O for {0} (limit hang_stop {1})"),
    msgid("stopped as idle: no CPU, GPU, I/O, step or output for {0} (limit idle_stop {1})"),
    msgid("killed: it needed more memory than its limit of {0} ({1})"),
    msgid("killed by the kernel: it needed more memory than its limit of {0} ({1})"),
    msgid("killed by the kernel: the machine or the container ran out of memory"),
    msgid("there is no file {0}"),
    msgid("there is no command {0} in the PATH"),
    msgid("{0} cannot be executed: its first line ends in a carriage return (Windows line ends). Convert it "
          "with: sed -i 's/\\r$//' {1}"),
    msgid("{0} cannot be executed: its interpreter {1} does not exist"),
    msgid("{0} cannot be executed: its program loader or a library folder it names does not exist"),
    msgid("the submission was interrupted before the run was started; nothing ran"),
    msgid("the run's supervisor was killed while the run was {0}; its processes were ended, its log is kept"),
    msgid("the machine was started again while the run was {0}; its log is kept"),
    msgid("the command succeeded, but the supervisor was killed while outputs were saved; `forebay outputs "
          "{0} --save` does it"),
    msgid("the command succeeded, but its outputs were not all saved: {0}"),
    msgid("another process took the run over"),
    msgid("the job asks for {0}, this machine has {1}"),
    msgid("{0} failed: {1}"),
});
// What is said behind any of them.
constexpr std::array kEndings = std::to_array<std::string_view>({
    msgid("; and its outputs were not all saved: {0}"),
    msgid(" (attempt {0})"),
});
// What fills their fields.
constexpr std::array kParts = std::to_array<std::string_view>({
    msgid("last measured {0}, the largest {1} ({2})"),
    msgid("last measured {0}"),
    msgid("the limit is {0}"),
    msgid("{0} of {1} allowed in {2} processes"),
    msgid("{0} of {1} allowed in {2} process"),
    msgid("{0} in {1} processes"),
    msgid("{0} in {1} process"),
    msgid("{0} CPU cores"),
    msgid("{0} of memory"),
    msgid("{0} of free disk space"),
    msgid("{0} GPUs"),
});

// The values of the fields of a pattern that the whole text fits; fields come in their order, once each.
std::optional<std::vector<std::string>> fitting(std::string_view pattern, std::string_view text) {
  std::vector<std::string> values;
  while (true) {
    const std::size_t field = pattern.find('{');
    const std::string_view before = pattern.substr(0, field);
    if (!text.starts_with(before)) return std::nullopt;
    text.remove_prefix(before.size());
    if (field == std::string_view::npos) return text.empty() ? std::optional(values) : std::nullopt;
    pattern.remove_prefix(pattern.find('}', field) + 1);
    const std::string_view after = pattern.substr(0, pattern.find('{'));
    const bool is_last = after.size() == pattern.size();
    if (is_last && !text.ends_with(after)) return std::nullopt;
    const std::size_t end = is_last ? text.size() - after.size() : text.find(after);
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    values.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

constexpr int kDeepest = 4;
std::string in_language(std::string_view language, std::string_view sentence, int depth);

std::optional<std::string> translated(std::string_view language, std::span<const std::string_view> patterns,
                                      std::string_view text, int depth) {
  for (const std::string_view pattern : patterns) {
    auto values = fitting(pattern, text);
    if (!values) continue;
    for (std::string& value : *values) value = in_language(language, value, depth + 1);
    return render_in(language, Text{std::string(pattern), std::move(*values)});
  }
  return std::nullopt;
}

std::string in_language(std::string_view language, std::string_view sentence, int depth) {
  if (depth > kDeepest) return std::string(sentence);
  for (const std::string_view pattern : kEndings) {
    const std::size_t at = sentence.find(pattern.substr(0, pattern.find('{')));
    if (at == std::string_view::npos || at == 0) continue;
    if (auto ending = translated(language, {&pattern, 1}, sentence.substr(at), depth))
      return in_language(language, sentence.substr(0, at), depth + 1) + *ending;
  }
  if (auto found = translated(language, kSentences, sentence, depth)) return *found;
  if (depth > 0)
    if (auto found = translated(language, kParts, sentence, depth)) return *found;
  return std::string(tr_in(language, sentence));
}

}  // namespace

std::string outcome_sentence_in(std::string_view language, std::string_view sentence) {
  return in_language(language, sentence, 0);
}

std::string outcome_sentence(std::string_view sentence) {
  return outcome_sentence_in(current_language(), sentence);
}

}  // namespace forebay
