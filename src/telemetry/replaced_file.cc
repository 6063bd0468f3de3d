#include "telemetry/replaced_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file.h"

namespace forebay {

Result<void> replace_file(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".new";
  {
    const UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!fd.valid()) return system_error("write", path, errno);
    if (auto written = write_all(fd.get(), content, path); !written) {
      ::unlink(temporary.c_str());
      return written;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return system_error("write", path, errno);
  return {};
}

}  // namespace forebay
