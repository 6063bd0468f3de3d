#include "supervisor/socket_address.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/environment_variable.h"
#include "base/hash.h"

namespace forebay {
namespace {

constexpr int kBacklog = 64;
constexpr int kConnectAttempts = 100;
constexpr Duration kConnectPause{20'000'000};

// An address holds 107 bytes; a longer path is reached through a descriptor of its folder, which stays open
// meanwhile.
struct Address {
  sockaddr_un name{};
  UniqueFd folder;
};

Result<Address> address_of(const std::string& path) {
  Address address;
  address.name.sun_family = AF_UNIX;
  std::string text = path;
  if (text.size() >= sizeof address.name.sun_path) {
    const std::filesystem::path whole(path);
    address.folder = UniqueFd(::open(whole.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!address.folder.valid()) return system_error("open", whole.parent_path().string(), errno);
    text = fmt::format("/proc/self/fd/{}/{}", address.folder.get(), whole.filename().string());
    if (text.size() >= sizeof address.name.sun_path)
      return system_error("use as a socket", path, ENAMETOOLONG);
  }
  std::memcpy(address.name.sun_path, text.c_str(), text.size() + 1);
  return address;
}

Result<ListeningSocket> listen_at(const std::string& path) {
  FOREBAY_TRY(const Address address, address_of(path));
  ListeningSocket listening{UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), path};
  if (!listening.fd.valid()) return system_error("open", "a socket", errno);
  ::unlink(path.c_str());
  if (::bind(listening.fd.get(), reinterpret_cast<const sockaddr*>(&address.name), sizeof address.name) != 0)
    return system_error("make the socket", path, errno);
  if (::chmod(path.c_str(), 0600) != 0 || ::listen(listening.fd.get(), kBacklog) != 0) {
    const int error_number = errno;
    ::unlink(path.c_str());
    return system_error("listen on", path, error_number);
  }
  return listening;
}

// A folder nobody else can write to or put in our way.
Result<std::string> private_folder() {
  const std::string base = environment_variable("XDG_RUNTIME_DIR").value_or("");
  const std::string folder = !base.empty() && base[0] == '/' ? join_path(base, "forebay")
                                                             : fmt::format("/tmp/forebay-{}", ::getuid());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return system_error("create the folder", folder, errno);
  struct stat info{};
  if (::lstat(folder.c_str(), &info) != 0) return system_error("look at", folder, errno);
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::getuid() || (info.st_mode & 077) != 0)
    return make_error(ErrorCode::kPermissionDenied, "use the folder", folder,
                      "it belongs to somebody else or is open to others",
                      "Remove it, or set XDG_RUNTIME_DIR to a folder of your own");
  return folder;
}

}  // namespace

Result<ListeningSocket> listen_for_clients(const RunDirectory& directory) {
  auto beside = listen_at(directory.file("control.sock"));
  if (beside) return beside;
  // Some network and Windows-backed file systems cannot hold sockets.
  FOREBAY_TRY(const std::string folder, private_folder());
  return listen_at(join_path(folder, sha256_hex(directory.path()).substr(0, 24) + ".sock"));
}

Result<UniqueFd> connect_to_socket(const std::string& path) {
  auto address = address_of(path);
  if (!address)
    return make_error(ErrorCode::kUnavailable, "reach the supervisor at", path, address.error().cause);
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return system_error("open", "a socket", errno);
  // A queue that is full for a moment (many clients at once) is tried again.
  for (int attempt = 0;
       ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address->name), sizeof address->name) != 0;
       ++attempt) {
    if (errno != EAGAIN || attempt >= kConnectAttempts)
      return make_error(ErrorCode::kUnavailable, "reach the supervisor at", path, std::strerror(errno));
    system_clock().sleep(kConnectPause);
  }
  return fd;
}

}  // namespace forebay
