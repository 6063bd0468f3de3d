#include "control/hook_channel.h"

#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <vector>

#include <fmt/format.h>

#include "base/environment_variable.h"
#include "base/file.h"

namespace forebay {
namespace {

constexpr long kTmpfsMagic = 0x01021994;              // statfs(2)
constexpr unsigned long long kRoomNeeded = 32 << 20;  // rings of some thirty processes

bool is_memory_with_room(const std::string& folder) {
  struct statfs info{};
  return ::statfs(folder.c_str(), &info) == 0 && info.f_type == kTmpfsMagic &&
         static_cast<unsigned long long>(info.f_bavail) * static_cast<unsigned long long>(info.f_bsize) >=
             kRoomNeeded;
}

std::vector<std::string> memory_folders() {
  std::vector<std::string> folders;
  if (const auto runtime = environment_variable("XDG_RUNTIME_DIR"); runtime && !runtime->empty())
    folders.push_back(*runtime);
  folders.emplace_back("/dev/shm");
  return folders;
}

// Only a folder of this name may be removed by following the record's link.
std::string channel_name(const std::string& run_id) {
  return fmt::format("forebay-{}-{}-hook", ::getuid(), run_id);
}

}  // namespace

Result<std::string> make_hook_channel(const RunDirectory& directory, const std::string& run_id) {
  remove_hook_channel(directory);
  for (const std::string& folder : memory_folders()) {
    const std::string path = join_path(folder, channel_name(run_id));
    if (!is_memory_with_room(folder)) continue;
    // The link first: whatever dies next, the folder can be found. mkdir refuses what somebody else put
    // there.
    if (::symlink(path.c_str(), directory.hook_channel().c_str()) != 0) continue;
    if (::mkdir(path.c_str(), 0700) == 0) return path;
    ::unlink(directory.hook_channel().c_str());
  }
  FOREBAY_CHECK(make_directories(directory.hook_channel()));
  return directory.hook_channel();
}

void remove_hook_channel(const RunDirectory& directory) {
  const std::string link = directory.hook_channel();
  char target[PATH_MAX];
  const ssize_t length = ::readlink(link.c_str(), target, sizeof target - 1);
  if (length > 0) {
    const std::string path(target, static_cast<std::size_t>(length));
    const std::string run_id = directory.path().substr(directory.path().rfind('/') + 1);
    struct stat info{};
    const bool is_ours = path.ends_with("/" + channel_name(run_id)) && ::lstat(path.c_str(), &info) == 0 &&
                         S_ISDIR(info.st_mode) && info.st_uid == ::getuid();
    if (is_ours) (void)remove_tree(path);
  }
  (void)remove_tree(link);
}

}  // namespace forebay
