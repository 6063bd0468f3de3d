#include "environment/snapshot_index.h"

#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "base/file.h"

namespace forebay {
namespace {

constexpr std::string_view kFirstLine = "forebay-snapshot-index 1\n";
constexpr std::int64_t kRacyNs = 1'000'000'000;  // coarse clocks of file systems tick at 1 s at worst
constexpr std::size_t kSizeLimit = 256u << 20;

template <typename Number>
bool take_number(std::string_view& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

}  // namespace

SnapshotIndex::SnapshotIndex(std::string path) : path_(std::move(path)) {
  const auto content = read_file(path_, kSizeLimit);
  if (!content || !content->starts_with(kFirstLine)) return;
  std::string_view left = std::string_view(*content).substr(kFirstLine.size());
  while (!left.empty()) {
    // "<sha256> <size> <modified> <changed> <inode> <path>NUL"
    const std::size_t end = left.find('\0');
    if (end == std::string_view::npos) return;
    std::string_view line = left.substr(0, end);
    left.remove_prefix(end + 1);
    if (line.size() < 66 || line[64] != ' ') return;
    Row row;
    row.sha256 = line.substr(0, 64);
    line.remove_prefix(65);
    if (!take_number(line, row.size) || !take_number(line, row.modified_ns) ||
        !take_number(line, row.changed_ns) || !take_number(line, row.inode))
      return;
    rows_.emplace(std::string(line), std::move(row));
  }
}

std::optional<std::string> SnapshotIndex::find(const ListedEntry& entry) const {
  const auto found = rows_.find(entry.path);
  if (found == rows_.end()) return std::nullopt;
  const Row& row = found->second;
  if (row.size != entry.size || row.modified_ns != entry.modified_ns || row.changed_ns != entry.changed_ns ||
      row.inode != entry.inode)
    return std::nullopt;
  return row.sha256;
}

void SnapshotIndex::remember(const ListedEntry& entry, const std::string& sha256, std::int64_t now_ns) {
  if (entry.changed_ns > now_ns - kRacyNs || entry.modified_ns > now_ns - kRacyNs) return;
  rows_[entry.path] = Row{sha256, entry.size, entry.modified_ns, entry.changed_ns, entry.inode};
  is_changed_ = true;
}

void SnapshotIndex::save() const {
  if (!is_changed_) return;
  std::string content(kFirstLine);
  for (const auto& [path, row] : rows_) {
    fmt::format_to(std::back_inserter(content), "{} {} {} {} {} {}", row.sha256, row.size, row.modified_ns,
                   row.changed_ns, row.inode, path);
    content += '\0';
  }
  if (content.size() > kSizeLimit) return;
  (void)write_file_atomic(path_, content);
}

}  // namespace forebay
