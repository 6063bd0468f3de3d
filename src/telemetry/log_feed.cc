#include "telemetry/log_feed.h"

#include <algorithm>

namespace forebay {

LogFeed::LogFeed() {
  first_.reserve(kRoom);
  tail_.reserve(kTailRoom);
}

void LogFeed::add(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (tail_.empty()) {
    const std::size_t fits = std::min(bytes.size(), kRoom - first_.size());
    first_.append(bytes.substr(0, fits));
    bytes.remove_prefix(fits);
    if (bytes.empty()) return;
  }
  const std::string_view end = bytes.substr(bytes.size() - std::min(bytes.size(), kTailPiece));
  dropped_ += bytes.size() - end.size();
  for (std::string_view rest = end; !rest.empty();) {
    const std::size_t fits = std::min(rest.size(), kTailRoom - tail_at_);
    if (tail_wrapped_) {
      dropped_ += fits;
      tail_.replace(tail_at_, fits, rest.substr(0, fits));
    } else {
      tail_.append(rest.substr(0, fits));
    }
    rest.remove_prefix(fits);
    tail_at_ += fits;
    if (tail_at_ == kTailRoom) {
      tail_at_ = 0;
      tail_wrapped_ = true;
    }
  }
}

bool LogFeed::take(Batch& batch) {
  batch.first.clear();
  batch.last.clear();
  batch.first.reserve(kRoom);
  batch.last.reserve(kTailRoom);
  std::size_t turn = 0;
  {
    const std::lock_guard lock(mutex_);
    batch.dropped = dropped_;
    batch.first.swap(first_);
    batch.last.swap(tail_);
    if (tail_wrapped_) turn = tail_at_;
    tail_at_ = 0;
    tail_wrapped_ = false;
  }
  std::ranges::rotate(batch.last, batch.last.begin() + static_cast<std::ptrdiff_t>(turn));
  return !batch.first.empty() || !batch.last.empty();
}

}  // namespace forebay
