#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "telemetry/machine_collectors.h"
#include "telemetry/machine_parts.h"
#include "telemetry/text_cursor.h"

namespace forebay {
namespace {

struct Mount {
  std::string point, type, source, device;  // device as "8:1"
};

// mountinfo writes blanks in paths as \040.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool octal = text[i] == '\\' && i + 3 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '3' &&
                       text[i + 2] >= '0' && text[i + 2] <= '7' && text[i + 3] >= '0' && text[i + 3] <= '7';
    if (!octal) {
      out += text[i];
      continue;
    }
    out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return out;
}

// "36 35 98:0 /root /mount options … - ext4 /dev/sda1 super options"
std::optional<Mount> parse_mount(std::string_view line) {
  const std::size_t separator = line.find(" - ");
  if (separator == std::string_view::npos) return std::nullopt;
  TextCursor front(line.substr(0, separator)), back(line.substr(separator + 3));
  if (!front.skip_words(2)) return std::nullopt;
  Mount mount;
  mount.device = front.word();
  front.skip_words(1);
  mount.point = unescape(front.word());
  mount.type = back.word();
  mount.source = unescape(back.word());
  if (mount.point.empty() || mount.type.empty()) return std::nullopt;
  return mount;
}

bool holds(const std::string& point, const std::string& path) {
  if (point == "/") return true;
  return path == point || path.starts_with(point + "/");
}

std::optional<Mount> mount_of(const std::string& path, const std::string& proc) {
  const auto text = read_file(proc + "/self/mountinfo", 8u << 20);
  if (!text) return std::nullopt;
  std::optional<Mount> best;
  TextCursor cursor(*text);
  while (!cursor.at_end()) {
    auto mount = parse_mount(cursor.line());
    // Later mounts cover earlier ones on the same point.
    if (mount && holds(mount->point, path) && (!best || mount->point.size() >= best->point.size()))
      best = std::move(mount);
  }
  return best;
}

// The whole disk under a device number: /sys/dev/block/8:1 links to …/block/sda/sda1.
std::string disk_of(const std::string& device, const std::string& sys) {
  std::error_code failed;
  std::filesystem::path path = std::filesystem::canonical(sys + "/dev/block/" + device, failed);
  if (failed) return {};
  if (path_exists((path / "partition").string())) path = path.parent_path();
  return path.filename().string();
}

bool is_network_type(std::string_view type) {
  for (const std::string_view each :
       {"nfs", "nfs4", "cifs", "smb3", "lustre", "ceph", "glusterfs", "gpfs", "beegfs", "9p", "afs", "wekafs",
        "fuse.sshfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.goofys", "fuse.rclone", "fuse.juicefs",
        "fuse.ossfs"})
    if (type == each) return true;
  return false;
}

}  // namespace

Json describe_disks(const MachineSources& sources) {
  Json disks = Json::array();
  for (const std::string& name : list_disks(sources.proc, sources.sys)) {
    Json disk = Json::object({{"name", name}});
    const std::string folder = sources.sys + "/block/" + name;
    if (const auto sectors = read_number_file(folder + "/size"); sectors && *sectors < (1ull << 50))
      disk.set("size_bytes", *sectors * 512);
    if (const auto rotational = read_number_file(folder + "/queue/rotational"))
      disk.set("rotational", *rotational == 1);
    disks.push(std::move(disk));
  }
  return disks;
}

Json describe_working_folder(const MachineSources& sources) {
  Json folder = Json::object();
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::canonical(sources.working_folder, failed);
  if (failed) return folder;
  folder.set("path", path.string());
  if (const auto mount = mount_of(path.string(), sources.proc)) {
    folder.set("file_system", mount->type);
    folder.set("device", mount->source);
    if (const std::string disk = disk_of(mount->device, sources.sys); !disk.empty()) folder.set("disk", disk);
    folder.set("on_network", is_network_type(mount->type));
    folder.set("in_memory", mount->type == "tmpfs" || mount->type == "ramfs");
  }
  struct statvfs space{};
  if (::statvfs(path.c_str(), &space) == 0 && space.f_blocks > 0) {
    folder.set("total_bytes", static_cast<std::uint64_t>(space.f_blocks) * space.f_frsize);
    folder.set("free_bytes", static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize);
  }
  return folder;
}

Json describe_shared_memory() {
  Json shared = Json::object();
  struct statvfs space{};
  if (::statvfs("/dev/shm", &space) != 0 || space.f_blocks == 0) return shared;
  shared.set("total_bytes", static_cast<std::uint64_t>(space.f_blocks) * space.f_frsize);
  shared.set("free_bytes", static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize);
  return shared;
}

Json describe_memory(const MachineSources& sources) {
  Json memory = Json::object();
  std::optional<double> usable;
  if (const auto text = read_file(sources.proc + "/meminfo", 64u << 10)) {
    TextCursor cursor(*text);
    while (!cursor.at_end()) {
      TextCursor line(cursor.line());
      const std::string_view key = line.word();
      const auto kibibytes = line.number();
      if (!kibibytes || *kibibytes > (1ull << 50)) continue;
      if (key == "MemTotal:") {
        memory.set("total_bytes", *kibibytes * 1024);
        usable = static_cast<double>(*kibibytes) * 1024;
      }
      if (key == "SwapTotal:") memory.set("swap_total_bytes", *kibibytes * 1024);
    }
  }
  if (const auto limit = cgroup_memory_limit(sources); limit && (!usable || *limit < *usable)) {
    memory.set("limit_bytes", static_cast<std::int64_t>(*limit));
    usable = *limit;
  }
  if (usable) memory.set("usable_bytes", static_cast<std::int64_t>(*usable));
  return memory;
}

}  // namespace forebay
