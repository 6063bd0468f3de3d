// Reads one ring file of the hook channel (docs/hook-channel.md). The file belongs to the job: nothing in it
// is believed unchecked, and it is read with pread, never mapped, because the job may cut it short at any
// moment.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace forebay {

enum class SpanKind : std::uint16_t {
  kDataWait = 1,
  kOptimizerStep = 2,
  kBackward = 3,
  kHostSync = 4,
  kCheckpointSave = 5,
  kForward = 6,
  kEpochBegin = 7,
  kCollective = 8,
  kWorkerFetch = 9,
  kOutOfMemory = 10,
  kValidation = 11,
};

// As docs/hook-channel.md names it.
std::string_view span_name(SpanKind kind);

// One checked record: times are within [0, 2^62), duration not negative, start + duration does not overflow.
struct HookRecord {
  SpanKind kind = SpanKind::kDataWait;
  bool on_other_thread = false;
  std::uint32_t thread = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::optional<std::int64_t> a;
  std::optional<double> b;
  std::int64_t step = 0;  // training steps completed when the span ended
  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

struct RingHeader {
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;  // 0 = unknown
  std::uint64_t capacity = 0;
  std::uint64_t head = 0;
  std::int64_t created_monotonic_ns = 0, created_wall_ns = 0;
  std::int32_t rank = -1, local_rank = -1, world_size = -1;
  bool ended_in_order = false;
  std::uint64_t facts_sequence = 0;
  std::uint32_t facts_length = 0;
  std::int64_t parent = 0;  // 0 = unknown
};

constexpr std::size_t kRingHeaderSize = 128;
constexpr std::uint64_t kRingRecords = 8192;  // offset of the first record
constexpr std::size_t kRingRecordSize = 64;
constexpr std::size_t kLongestFacts = kRingRecords - kRingHeaderSize;

// Both tolerate any bytes. The header: nothing = not ready yet (no magic); an error = damaged, with the
// reason.
Result<std::optional<RingHeader>> parse_ring_header(std::string_view bytes);
// Nothing when the values cannot be true or the kind is not known. The record's number is checked by the
// caller.
std::optional<HookRecord> parse_hook_record(std::string_view bytes);

// Not thread-safe.
class HookRing {
 public:
  using Sink = std::function<void(const HookRecord&)>;

  // `fd` must be a regular file of this user (checked by the caller). `file` is its name, for messages.
  HookRing(UniqueFd fd, std::string file) : fd_(std::move(fd)), file_(std::move(file)) {}

  // Reads the header, so that is_ready() can be asked before the first drain.
  void prepare() { (void)refresh_header(); }
  // Hands every new whole record to `sink`, in order. Afterwards lost() has grown by what was overwritten
  // before it was read; a gap is told by calling `on_gap` at its place. Returns how many records were handed
  // on; an error = damaged, give it up.
  Result<std::size_t> drain(const Sink& sink, const std::function<void()>& on_gap, std::int64_t now_ns);
  // The facts, when they have changed since the last call and stand still.
  std::optional<std::string> changed_facts();

  bool is_ready() const { return header_.has_value(); }
  const RingHeader& header() const { return *header_; }
  const std::string& file() const { return file_; }
  std::uint64_t records() const { return records_; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t refused() const { return refused_; }  // records whose values cannot be true
  bool has_more() const { return header_ && position_ < header_->head; }

 private:
  Result<bool> refresh_header();
  void lose(std::uint64_t count, const std::function<void()>& on_gap);

  UniqueFd fd_;
  std::string file_;
  std::optional<RingHeader> header_;
  std::uint64_t position_ = 0;  // number of the next record
  std::uint64_t records_ = 0, lost_ = 0, refused_ = 0;
  std::optional<std::uint64_t> taken_facts_;
  std::int64_t waiting_since_ns_ = 0;  // for a record that is announced but not written
  std::string buffer_, again_;
};

}  // namespace forebay
