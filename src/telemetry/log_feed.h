// Between the thread that writes the log and the one that reads progress from it: a bounded buffer that never
// makes the writer wait.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace forebay {

// While the reader keeps up, all bytes pass in order. When the buffer is full the middle of a burst is left
// out and its end kept (pieces of it, in a ring): the last lines are where errors are.
class LogFeed {
 public:
  struct Batch {
    std::string first;          // in order, nothing left out before it but what the last batch said
    std::string last;           // the end of a burst, after a hole; empty when nothing was left out
    std::uint64_t dropped = 0;  // bytes left out so far, all batches
  };

  LogFeed();
  // Any thread, one at a time. Locks for the time of a copy of at most `kRoom` bytes.
  void add(std::string_view bytes);
  // Swaps the content into `batch`, whose strings are used again. False when there is nothing.
  bool take(Batch& batch);

  static constexpr std::size_t kRoom = 256u << 10, kTailRoom = 64u << 10, kTailPiece = 8u << 10;

 private:
  std::mutex mutex_;
  std::string first_, tail_;
  std::size_t tail_at_ = 0;  // where the next byte goes, once the tail has wrapped
  bool tail_wrapped_ = false;
  std::uint64_t dropped_ = 0;
};

}  // namespace forebay
