#include "supervisor/pseudo_terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace forebay {

Result<PseudoTerminal> open_pseudo_terminal(std::optional<WindowSize> size) {
  PseudoTerminal pair;
  pair.master = UniqueFd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.master.valid()) return system_error("open", "a pseudo-terminal", errno);
  if (::grantpt(pair.master.get()) != 0 || ::unlockpt(pair.master.get()) != 0)
    return system_error("open", "a pseudo-terminal", errno);
  // By descriptor where the kernel can (4.13): the name may mean another terminal in another mount namespace.
  int slave = ::ioctl(pair.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) {
    char name[128];
    if (::ptsname_r(pair.master.get(), name, sizeof name) != 0)
      return system_error("open", "a pseudo-terminal", errno);
    slave = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
  if (slave < 0) return system_error("open", "a pseudo-terminal", errno);
  pair.slave = UniqueFd(slave);
  termios settings{};
  if (::tcgetattr(slave, &settings) == 0) {
    settings.c_iflag |= IUTF8;
    ::tcsetattr(slave, TCSANOW, &settings);
  }
  set_window_size(pair.master.get(), size.value_or(WindowSize{}));
  ::fcntl(pair.master.get(), F_SETFL, O_RDWR | O_NONBLOCK);
  return pair;
}

void set_window_size(int terminal, WindowSize size) {
  winsize value{};
  value.ws_row = size.rows;
  value.ws_col = size.columns;
  ::ioctl(terminal, TIOCSWINSZ, &value);
}

std::optional<LineKeys> line_keys(int master) {
  termios settings{};
  if (::tcgetattr(master, &settings) != 0 || (settings.c_lflag & ICANON) == 0 ||
      (settings.c_lflag & ISIG) == 0)
    return std::nullopt;
  return LineKeys{static_cast<char>(settings.c_cc[VINTR]), static_cast<char>(settings.c_cc[VSUSP]),
                  static_cast<char>(settings.c_cc[VEOF])};
}

pid_t foreground_group(int master) {
  const pid_t group = ::tcgetpgrp(master);
  return group > 0 ? group : 0;
}

}  // namespace forebay
