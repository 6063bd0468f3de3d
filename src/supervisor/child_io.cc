#include "supervisor/child_io.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "supervisor/pseudo_terminal.h"

namespace forebay {
namespace {

constexpr int kPipeSize = 1 << 20;

struct Pipe {
  UniqueFd reading, writing;
};

Result<Pipe> open_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("open", "a pipe", errno);
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  // A roomy pipe lets the job write on while we are busy; refused beyond a user's share, which does no harm.
  ::fcntl(ends[1], F_SETPIPE_SZ, kPipeSize);
  return pipe;
}

void make_non_blocking(const UniqueFd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

Result<UniqueFd> duplicate(const UniqueFd& fd) {
  UniqueFd copy(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) return system_error("duplicate", "a descriptor", errno);
  return copy;
}

Result<void> open_terminal_io(const ChildSpec& spec, ChildIo& io) {
  FOREBAY_TRY(PseudoTerminal pair, open_pseudo_terminal(spec.window_size));
  FOREBAY_TRY(io.child_error, duplicate(pair.slave));
  FOREBAY_TRY(io.terminal, duplicate(pair.master));
  if (spec.input == InputSource::kClient) {
    FOREBAY_TRY(io.child_input, duplicate(pair.slave));
    FOREBAY_TRY(io.input, duplicate(pair.master));
  }
  io.child_output = std::move(pair.slave);
  io.output = std::move(pair.master);
  return {};
}

Result<void> open_pipe_io(const ChildSpec& spec, ChildIo& io) {
  FOREBAY_TRY(Pipe output, open_pipe());
  io.output = std::move(output.reading);
  io.child_output = std::move(output.writing);
  make_non_blocking(io.output);
  if (spec.separate_error) {
    FOREBAY_TRY(Pipe error, open_pipe());
    io.error = std::move(error.reading);
    io.child_error = std::move(error.writing);
    make_non_blocking(io.error);
  } else {
    FOREBAY_TRY(io.child_error, duplicate(io.child_output));
  }
  if (spec.input == InputSource::kClient) {
    FOREBAY_TRY(Pipe input, open_pipe());
    io.child_input = std::move(input.reading);
    io.input = std::move(input.writing);
    make_non_blocking(io.input);
  }
  return {};
}

}  // namespace

Result<ChildIo> open_child_io(const ChildSpec& spec) {
  ChildIo io;
  FOREBAY_CHECK(spec.use_pty ? open_terminal_io(spec, io) : open_pipe_io(spec, io));
  if (!io.child_input.valid()) {
    io.child_input = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!io.child_input.valid()) return system_error("open", "/dev/null", errno);
  }
  return io;
}

}  // namespace forebay
