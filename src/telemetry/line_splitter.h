// Cuts a byte stream from a terminal into lines: at newlines and carriage returns, without escape sequences.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace forebay {

class LineSplitter {
 public:
  using Sink = std::function<void(std::string_view line)>;
  static constexpr std::size_t kLongest = 2048;  // bytes of a line that are kept; the rest of it is skipped

  void add(std::string_view bytes, const Sink& sink);
  // What has come since the last line end, as a line.
  void flush(const Sink& sink);
  // The stream has a hole here: what was begun is not a line.
  void hole();
  bool has_partial() const { return !line_.empty(); }

 private:
  enum class Escape { kNone, kBegun, kControl, kString, kStringEscape };
  void end_line(const Sink& sink);
  bool in_escape(char c);
  std::string line_;
  Escape escape_ = Escape::kNone;
};

}  // namespace forebay
