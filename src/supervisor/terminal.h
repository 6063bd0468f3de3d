// The terminal in front of a person: raw mode that is always taken back, and the signals that concern a
// display.
#pragma once

#include <signal.h>
#include <termios.h>

#include <array>
#include <optional>
#include <vector>

#include "base/file.h"

namespace forebay {

// Every key is passed on as it is; the old settings come back when this goes away. Does nothing for what is
// no terminal.
class RawTerminal {
 public:
  explicit RawTerminal(int fd) : fd_(fd) {}
  RawTerminal(const RawTerminal&) = delete;
  ~RawTerminal() { leave(); }
  void enter();
  void leave();
  bool is_raw() const { return is_raw_; }

 private:
  int fd_;
  termios old_{};
  bool is_raw_ = false;
};

// Is this process in the foreground of the terminal, so that it may read keys without being stopped?
bool may_read_terminal(int fd);

// SIGINT, SIGTERM, SIGHUP, SIGWINCH and SIGCONT as readable bytes. They interrupt a blocked write. One object
// at a time in a process; the old handlers come back when it goes away. A signal that is ignored from the
// start (nohup) stays ignored.
class SignalPipe {
 public:
  SignalPipe();
  SignalPipe(const SignalPipe&) = delete;
  ~SignalPipe();
  int descriptor() const { return reading_.get(); }
  std::vector<int> take();  // the numbers that came

 private:
  UniqueFd reading_, writing_;
  struct Saved {
    int number = 0;
    struct sigaction old{};
  };
  std::vector<Saved> saved_;
  struct sigaction old_pipe_{};
};

}  // namespace forebay
