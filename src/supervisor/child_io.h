// The descriptors between a child and its supervisor: pipes, or one pty.
#pragma once

#include "base/file.h"
#include "base/result.h"
#include "supervisor/child.h"

namespace forebay {

struct ChildIo {
  UniqueFd child_input, child_output, child_error;  // given to the child, closed here once it has them
  UniqueFd output, error;  // read here, non-blocking; with a pty `output` is its master and `error` is empty
  UniqueFd input;          // written here, non-blocking; empty when the child's input is /dev/null
  UniqueFd terminal;       // a duplicate of the master, for window size and keys
};

Result<ChildIo> open_child_io(const ChildSpec& spec);

}  // namespace forebay
