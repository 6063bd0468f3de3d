#include <algorithm>

#include "telemetry/machine_collectors.h"
#include "telemetry/text_cursor.h"

namespace forebay {
namespace {

constexpr std::size_t kMostDisks = 256;
constexpr double kSector = 512;  // diskstats counts these whatever the device's own size is

bool is_stacked_or_virtual(std::string_view name) {
  for (const std::string_view prefix : {"loop", "ram", "zram", "dm-", "md", "sr", "fd", "drbd"})
    if (name.starts_with(prefix)) return true;
  return false;
}

bool ends_in_digit(std::string_view name) {
  return !name.empty() && name.back() >= '0' && name.back() <= '9';
}

// Where /sys cannot say what is a partition (many containers): by the kernel's naming.
bool looks_like_partition(std::string_view name) {
  if (name.starts_with("nvme") || name.starts_with("mmcblk") || name.starts_with("nbd")) {
    const std::size_t at = name.rfind('p');
    return at != std::string_view::npos && at + 1 < name.size() && at > 0 && name[at - 1] >= '0' &&
           name[at - 1] <= '9' && ends_in_digit(name);
  }
  return ends_in_digit(name);
}

bool is_whole_disk(const std::string& name, const std::string& sys) {
  if (name.empty() || name.size() > 64 || name.find('/') != std::string::npos || is_stacked_or_virtual(name))
    return false;
  if (path_exists(sys + "/block")) return path_exists(sys + "/block/" + name);
  return !looks_like_partition(name);
}

struct DiskLine {
  std::string_view name;
  double read_bytes = 0, written_bytes = 0, busy_seconds = 0;
};

// "8 0 sda reads merged sectors ms writes merged sectors ms in_flight io_ms weighted …"
std::optional<DiskLine> parse_disk_line(std::string_view text) {
  TextCursor line(text);
  DiskLine disk;
  if (!line.skip_words(2)) return std::nullopt;
  disk.name = line.word();
  std::uint64_t values[10];
  for (std::uint64_t& value : values) {
    const auto number = line.number();
    if (!number) return std::nullopt;
    value = *number;
  }
  disk.read_bytes = static_cast<double>(values[2]) * kSector;
  disk.written_bytes = static_cast<double>(values[6]) * kSector;
  disk.busy_seconds = static_cast<double>(values[9]) * 1e-3;
  return disk;
}

}  // namespace

std::vector<std::string> list_disks(const std::string& proc, const std::string& sys) {
  std::vector<std::string> names;
  const auto text = read_file(proc + "/diskstats", 1u << 20);
  if (!text) return names;
  TextCursor cursor(*text);
  while (!cursor.at_end() && names.size() < kMostDisks) {
    const auto disk = parse_disk_line(cursor.line());
    if (disk && is_whole_disk(std::string(disk->name), sys)) names.emplace_back(disk->name);
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

DiskUsage::DiskUsage(const std::string& proc, const std::string& sys)
    : file_(proc + "/diskstats"), sys_(sys), names_(list_disks(proc, sys)) {}

void DiskUsage::append_to(Sample& sample, ReadBuffer& buffer) {
  const auto text = file_.read(buffer);
  if (!text) return;
  TextCursor cursor(*text);
  while (!cursor.at_end()) {
    const auto disk = parse_disk_line(cursor.line());
    if (!disk || std::ranges::find(ignored_, disk->name) != ignored_.end()) continue;
    auto at = std::ranges::find(names_, disk->name);
    if (at == names_.end()) {
      const std::string name(disk->name);
      if (names_.size() >= kMostDisks || !is_whole_disk(name, sys_)) {
        if (ignored_.size() < 4 * kMostDisks) ignored_.push_back(name);
        continue;
      }
      names_.push_back(name);
      at = names_.end() - 1;
    }
    const auto index = static_cast<std::uint16_t>(at - names_.begin());
    sample.add(Metric::kDiskReadBytes, disk->read_bytes, index);
    sample.add(Metric::kDiskWriteBytes, disk->written_bytes, index);
    sample.add(Metric::kDiskBusySeconds, disk->busy_seconds, index);
  }
}

}  // namespace forebay
