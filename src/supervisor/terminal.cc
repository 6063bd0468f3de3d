#include "supervisor/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "supervisor/client.h"

namespace forebay {
namespace {

std::atomic<int> signal_target{-1};

void note_signal(int number) {
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t ignored = ::write(signal_target.load(), &byte, 1);
  errno = saved;
}

}  // namespace

void RawTerminal::enter() {
  if (is_raw_ || ::tcgetattr(fd_, &old_) != 0) return;
  termios raw = old_;
  ::cfmakeraw(&raw);
  is_raw_ = ::tcsetattr(fd_, TCSADRAIN, &raw) == 0;
}

void RawTerminal::leave() {
  if (!is_raw_) return;
  is_raw_ = false;
  // From the background this would stop us with the terminal still raw.
  sigset_t set, before;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTTOU);
  ::pthread_sigmask(SIG_BLOCK, &set, &before);
  ::tcsetattr(fd_, TCSADRAIN, &old_);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool may_read_terminal(int fd) {
  if (::isatty(fd) == 0) return true;
  const pid_t foreground = ::tcgetpgrp(fd);
  return foreground < 0 || foreground == ::getpgrp();
}

std::optional<WindowSize> terminal_size(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return std::nullopt;
  return WindowSize{size.ws_row, size.ws_col};
}

SignalPipe::SignalPipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  reading_ = UniqueFd(ends[0]);
  writing_ = UniqueFd(ends[1]);
  signal_target = writing_.get();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT}) {
    Saved saved{number, {}};
    ::sigaction(number, nullptr, &saved.old);
    if (saved.old.sa_handler == SIG_IGN) continue;
    struct sigaction action{};
    action.sa_handler = note_signal;  // without SA_RESTART: a blocked write returns
    ::sigaction(number, &action, nullptr);
    saved_.push_back(saved);
  }
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &old_pipe_);
}

SignalPipe::~SignalPipe() {
  if (!reading_.valid()) return;
  for (const Saved& saved : saved_) ::sigaction(saved.number, &saved.old, nullptr);
  ::sigaction(SIGPIPE, &old_pipe_, nullptr);
  signal_target = -1;
}

std::vector<int> SignalPipe::take() {
  std::vector<int> numbers;
  unsigned char byte = 0;
  while (::read(reading_.get(), &byte, 1) == 1) numbers.push_back(byte);
  return numbers;
}

}  // namespace forebay
