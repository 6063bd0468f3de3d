#include "telemetry/hook_ring.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace forebay {
namespace {

constexpr std::string_view kMagic = "FBHOOK1\n";
constexpr std::uint64_t kSmallestCapacity = 16, kLargestCapacity = 1u << 20;
constexpr std::uint64_t kLargestHead = 1ull << 56;
constexpr std::int64_t kLatest = std::int64_t{1} << 62;
constexpr std::size_t kRecordsAtOnce = 256;
constexpr std::int64_t kPatience =
    5'000'000'000;  // a writer may be stopped between announcing a record and writing it

template <typename T>
T load(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Error damaged(const std::string& why) {
  return make_error(ErrorCode::kCorrupt, "read", "the hook's ring", why);
}

ssize_t read_at(int fd, char* into, std::size_t size, std::uint64_t offset) {
  ssize_t got = 0;
  do got = ::pread(fd, into, size, static_cast<off_t>(offset));
  while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

std::string_view span_name(SpanKind kind) {
  switch (kind) {
    case SpanKind::kDataWait:
      return "data_wait";
    case SpanKind::kOptimizerStep:
      return "optimizer_step";
    case SpanKind::kBackward:
      return "backward";
    case SpanKind::kHostSync:
      return "host_sync";
    case SpanKind::kCheckpointSave:
      return "checkpoint_save";
    case SpanKind::kForward:
      return "forward";
    case SpanKind::kEpochBegin:
      return "epoch_begin";
    case SpanKind::kCollective:
      return "collective";
    case SpanKind::kWorkerFetch:
      return "worker_fetch";
    case SpanKind::kOutOfMemory:
      return "out_of_memory";
    case SpanKind::kValidation:
      return "validation";
  }
  return "unknown";
}

Result<std::optional<RingHeader>> parse_ring_header(std::string_view bytes) {
  if (bytes.size() < kRingHeaderSize ||
      bytes.substr(0, kMagic.size()) == std::string_view("\0\0\0\0\0\0\0\0", 8))
    return std::optional<RingHeader>();
  if (!bytes.starts_with(kMagic)) return damaged("it does not begin like one");
  if (load<std::uint32_t>(bytes, 8) != 1)
    return damaged(fmt::format("it has version {}, this program reads 1", load<std::uint32_t>(bytes, 8)));
  if (load<std::uint32_t>(bytes, 12) != kRingRecords) return damaged("its records begin at another place");
  RingHeader header;
  const auto pid = load<std::uint64_t>(bytes, 16);
  header.start_ticks = load<std::uint64_t>(bytes, 24);
  header.capacity = load<std::uint64_t>(bytes, 32);
  header.head = load<std::uint64_t>(bytes, 40);
  header.created_monotonic_ns = load<std::int64_t>(bytes, 48);
  header.created_wall_ns = load<std::int64_t>(bytes, 56);
  header.rank = std::max(load<std::int32_t>(bytes, 64), -1);
  header.local_rank = std::max(load<std::int32_t>(bytes, 68), -1);
  header.world_size = std::max(load<std::int32_t>(bytes, 72), -1);
  header.ended_in_order = (load<std::uint32_t>(bytes, 76) & 1) != 0;
  header.facts_sequence = load<std::uint64_t>(bytes, 80);
  header.facts_length = load<std::uint32_t>(bytes, 88);
  header.parent = load<std::uint32_t>(bytes, 92) & INT32_MAX;
  if (pid == 0 || pid > INT32_MAX) return damaged("its process id cannot be one");
  header.pid = static_cast<std::int64_t>(pid);
  if (!std::has_single_bit(header.capacity) || header.capacity < kSmallestCapacity ||
      header.capacity > kLargestCapacity)
    return damaged(fmt::format("it claims room for {} records", header.capacity));
  if (header.head > kLargestHead) return damaged("it claims more records than can have been written");
  return std::optional<RingHeader>(header);
}

std::optional<HookRecord> parse_hook_record(std::string_view bytes) {
  if (bytes.size() < kRingRecordSize) return std::nullopt;
  HookRecord record;
  const auto kind = load<std::uint16_t>(bytes, 8);
  if (kind < 1 || kind > static_cast<std::uint16_t>(SpanKind::kValidation)) return std::nullopt;
  record.kind = static_cast<SpanKind>(kind);
  record.on_other_thread = (load<std::uint16_t>(bytes, 10) & 1) != 0;
  record.thread = load<std::uint32_t>(bytes, 12);
  record.start_ns = load<std::int64_t>(bytes, 16);
  record.duration_ns = load<std::int64_t>(bytes, 24);
  if (record.start_ns < 0 || record.start_ns >= kLatest || record.duration_ns < 0 ||
      record.duration_ns >= kLatest - record.start_ns)
    return std::nullopt;
  if (const auto a = load<std::int64_t>(bytes, 32); a >= 0) record.a = a;
  if (const auto b = load<double>(bytes, 40); std::isfinite(b)) record.b = b;
  record.step = std::clamp<std::int64_t>(load<std::int64_t>(bytes, 48), 0, kLatest);
  return record;
}

// False while the file is not ready. A header that changes what must not change is damage.
Result<bool> HookRing::refresh_header() {
  char bytes[kRingHeaderSize];
  const ssize_t got = read_at(fd_.get(), bytes, sizeof bytes, 0);
  if (got < 0) return system_error("read", file_, errno);
  FOREBAY_TRY(const auto header, parse_ring_header(std::string_view(bytes, static_cast<std::size_t>(got))));
  if (!header) {
    if (header_) return damaged("it was cut short");
    return false;
  }
  if (!header_) {
    struct stat info{};
    if (::fstat(fd_.get(), &info) != 0) return system_error("read", file_, errno);
    if (static_cast<std::uint64_t>(info.st_size) < kRingRecords + header->capacity * kRingRecordSize)
      return damaged("it is shorter than it claims");
  } else if (header->pid != header_->pid || header->capacity != header_->capacity ||
             header->head < header_->head || header->created_monotonic_ns != header_->created_monotonic_ns) {
    return damaged("its header changed");
  }
  header_ = *header;
  return true;
}

void HookRing::lose(std::uint64_t count, const std::function<void()>& on_gap) {
  lost_ += count;
  position_ += count;
  waiting_since_ns_ = 0;
  on_gap();
}

Result<std::size_t> HookRing::drain(const Sink& sink, const std::function<void()>& on_gap,
                                    std::int64_t now_ns) {
  FOREBAY_TRY(const bool ready, refresh_header());
  if (!ready) return std::size_t{0};
  std::size_t handed = 0;
  // One round of what was there at the start: a writer that is faster than we are must not keep us here.
  const std::uint64_t until = header_->head;
  while (position_ < until) {
    if (until - position_ > header_->capacity) lose(until - position_ - header_->capacity, on_gap);
    const std::uint64_t index = position_ % header_->capacity;
    const std::size_t count = std::min({kRecordsAtOnce, static_cast<std::size_t>(until - position_),
                                        static_cast<std::size_t>(header_->capacity - index)});
    // Twice: a writer that came round in the middle of the first copy has changed the number by the second.
    const std::uint64_t offset = kRingRecords + index * kRingRecordSize;
    for (std::string* into : {&buffer_, &again_}) {
      into->resize(count * kRingRecordSize);
      if (read_at(fd_.get(), into->data(), into->size(), offset) != static_cast<ssize_t>(into->size()))
        return damaged("it was cut short");
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view bytes = std::string_view(buffer_).substr(i * kRingRecordSize, kRingRecordSize);
      const auto number = load<std::uint64_t>(bytes, 0);
      if (number < position_ + 1) {  // announced, not yet written
        if (waiting_since_ns_ == 0) waiting_since_ns_ = now_ns;
        if (now_ns - waiting_since_ns_ < kPatience) return handed;
        lose(1, on_gap);
        continue;
      }
      if (number > position_ + 1 || load<std::uint64_t>(again_, i * kRingRecordSize) != number) {
        lose(1, on_gap);
        continue;
      }
      waiting_since_ns_ = 0;
      ++position_;
      ++records_;
      if (const auto record = parse_hook_record(bytes)) {
        sink(*record);
        ++handed;
      } else {
        ++refused_;
      }
    }
  }
  return handed;
}

std::optional<std::string> HookRing::changed_facts() {
  if (!header_ || header_->facts_sequence % 2 != 0 || taken_facts_ == header_->facts_sequence)
    return std::nullopt;
  if (header_->facts_length == 0 || header_->facts_length > kLongestFacts) return std::nullopt;
  std::string facts(header_->facts_length, '\0');
  if (read_at(fd_.get(), facts.data(), facts.size(), kRingHeaderSize) != static_cast<ssize_t>(facts.size()))
    return std::nullopt;
  char after[12];
  if (read_at(fd_.get(), after, sizeof after, 80) != sizeof after) return std::nullopt;
  const std::string_view view(after, sizeof after);
  if (load<std::uint64_t>(view, 0) != header_->facts_sequence ||
      load<std::uint32_t>(view, 8) != header_->facts_length)
    return std::nullopt;
  taken_facts_ = header_->facts_sequence;
  return facts;
}

}  // namespace forebay
