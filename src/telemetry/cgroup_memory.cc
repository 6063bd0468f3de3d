#include "telemetry/machine_collectors.h"
#include "telemetry/text_cursor.h"

namespace forebay {
namespace {

constexpr std::uint64_t kNoLimit = 1ull << 60;  // v1 writes 2^63 rounded down to a page for "none"

std::optional<std::uint64_t> parse_statistic(std::string_view text, std::string_view key) {
  TextCursor cursor(text);
  while (!cursor.at_end()) {
    TextCursor line(cursor.line());
    if (line.word() == key) return line.number();
  }
  return std::nullopt;
}

}  // namespace

CgroupMemory::CgroupMemory(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    candidates_.push_back({KeptFile(folder + "/memory.current"), KeptFile(folder + "/memory.max"),
                           KeptFile(folder + "/memory.stat"), "inactive_file"});
    candidates_.push_back({KeptFile(folder + "/memory.usage_in_bytes"),
                           KeptFile(folder + "/memory.limit_in_bytes"), KeptFile(folder + "/memory.stat"),
                           "total_inactive_file"});
  }
}

void CgroupMemory::append_to(Sample& sample, ReadBuffer& buffer) {
  used_.reset();
  for (Files& files : candidates_) {
    const auto usage_text = files.usage.read(buffer);
    const auto usage =
        usage_text ? parse_number(usage_text->substr(0, usage_text->find('\n'))) : std::nullopt;
    if (!usage) continue;
    sample.add(Metric::kCgroupMemoryBytes, static_cast<double>(*usage));
    std::uint64_t droppable = 0;
    if (const auto text = files.statistics.read(buffer))
      droppable = parse_statistic(*text, files.inactive_key).value_or(0);
    used_ = static_cast<double>(*usage - std::min(*usage, droppable));
    if (const auto text = files.limit.read(buffer)) {
      const auto limit = parse_number(text->substr(0, text->find('\n')));
      if (limit && *limit < kNoLimit)
        sample.add(Metric::kCgroupMemoryLimitBytes, static_cast<double>(*limit));
    }
    return;
  }
}

}  // namespace forebay
