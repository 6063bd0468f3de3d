#include "telemetry/hook_channel.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace forebay {
namespace {

constexpr std::size_t kMostRings = 256;  // open at once: a descriptor each
constexpr std::size_t kMostSeen = 16384;
constexpr std::size_t kMostEndedBytes = 1u << 20;  // of descriptions of processes that have ended
constexpr std::size_t kMostDamaged = 32;
constexpr std::size_t kMostEntries = 65536;  // of the folder, looked at in one go
constexpr std::int64_t kLookEvery = 1'000'000'000;
constexpr std::int64_t kGoneFor =
    3'000'000'000;  // a process must be missing that long before its ring is removed
constexpr std::int64_t kForever = std::int64_t{1} << 61;

bool ends_with_ring(std::string_view name) {
  return name.size() > 5 && name.size() < 64 && name.ends_with(".ring");
}

std::optional<std::int64_t> seen_pid(std::string_view name) {
  if (!name.ends_with(".seen") || name.size() > 16) return std::nullopt;
  std::int64_t pid = 0;
  for (const char c : name.substr(0, name.size() - 5)) {
    if (c < '0' || c > '9') return std::nullopt;
    pid = pid * 10 + (c - '0');
  }
  return pid > 0 ? std::optional(pid) : std::nullopt;
}

}  // namespace

HookChannel::HookChannel(std::string folder)
    : path_(std::move(folder)),
      folder_(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)) {}

void HookChannel::note_damage(const std::string& file, const std::string& reason) {
  changed_ = true;
  if (damaged_.size() < kMostDamaged) damaged_.emplace_back(file, reason);
}

void HookChannel::open_ring(const std::string& name, std::int64_t now_ns) {
  UniqueFd fd(
      ::openat(folder_.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat info{};
  if (!fd.valid()) {
    if (errno == ELOOP && refused_files_.size() < kMostDamaged && refused_files_.emplace(name, 0).second)
      note_damage(name, "it is a link");
    return;
  }
  if (::fstat(fd.get(), &info) != 0) return;
  for (const Ring& ring : rings_)
    if (ring.device == info.st_dev && ring.inode == info.st_ino) return;
  const auto refused = refused_files_.find(name);
  if (refused != refused_files_.end() && refused->second == info.st_ino) return;
  if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid()) {
    if (refused_files_.size() < kMostDamaged) {
      refused_files_[name] = info.st_ino;
      note_damage(name, S_ISREG(info.st_mode) ? "it belongs to another user" : "it is not a file");
    }
    return;
  }
  if (rings_.size() >= kMostRings) return;  // room may come when others end
  Ring ring(HookRing(std::move(fd), name), info.st_dev, info.st_ino);
  ring.last_record_ns = now_ns;
  rings_.push_back(std::move(ring));
}

// The folder is listed when it has changed, and now and then in case its time does not show it.
void HookChannel::look(std::int64_t now_ns) {
  struct stat info{};
  if (!folder_.valid()) {
    folder_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!folder_.valid()) return;
  }
  if (::fstat(folder_.get(), &info) != 0) return;
  const std::int64_t changed = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
  if (changed == folder_changed_ns_ && now_ns - looked_ns_ < 10 * kLookEvery) return;
  folder_changed_ns_ = changed;
  looked_ns_ = now_ns;
  DIR* listing = ::fdopendir(::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (listing == nullptr) return;
  std::size_t entries = 0;
  while (const dirent* entry = ::readdir(listing)) {
    if (++entries > kMostEntries) break;
    const std::string name = entry->d_name;
    if (const auto pid = seen_pid(name)) {
      if (seen_.size() < kMostSeen && seen_.insert(*pid).second) changed_ = true;
      // Its number is kept; the file is not needed again, and a folder that only grows would be slow to list.
      ::unlinkat(folder_.get(), name.c_str(), 0);
    } else if (ends_with_ring(name)) {
      open_ring(name, now_ns);
    }
  }
  ::closedir(listing);
}

void HookChannel::give_fetch_to_parent(const Ring& ring, const HookRecord& record) {
  Ring* only = nullptr;
  std::size_t stepping = 0;
  for (Ring& each : rings_) {
    if (!each.reader.is_ready() || &each == &ring) continue;
    if (each.reader.header().pid == ring.reader.header().parent) {
      if (!each.builder) each.builder.emplace(each.reader.header().pid, each.reader.header().rank);
      return each.builder->add_worker_fetch(record);
    }
    if (!each.builder) continue;
    ++stepping;
    only = &each;
  }
  if (stepping == 1) only->builder->add_worker_fetch(record);  // there is only one it can belong to
}

bool HookChannel::drain(Ring& ring, std::int64_t now_ns, const StepSink& sink) {
  const auto on_record = [&](const HookRecord& record) {
    ring.last_record_ns = now_ns;
    ring.last_span = record;
    last_span_ns_ = std::max(last_span_ns_.value_or(0), std::min(record.end_ns(), now_ns));
    if (record.kind == SpanKind::kWorkerFetch && ring.reader.header().parent > 0) {
      ring.is_worker = true;
      return give_fetch_to_parent(ring, record);
    }
    if (record.kind == SpanKind::kOutOfMemory) return;
    if (!ring.builder) ring.builder.emplace(ring.reader.header().pid, ring.reader.header().rank);
    ring.builder->set_rank(ring.reader.header().rank);
    ring.builder->add(record, sink);
  };
  const auto on_gap = [&] {
    changed_ = true;
    if (ring.builder) ring.builder->gap(sink);
  };
  const std::uint64_t before = ring.reader.records();
  const auto read = ring.reader.drain(on_record, on_gap, now_ns);
  if (!read) {
    note_damage(ring.reader.file(), read.error().cause);
    return false;
  }
  if (!ring.reader.is_ready()) return true;
  if (ring.reader.records() != before) changed_ = true;
  if (ring.reader.records() - before > ring.reader.header().capacity / 4) busy_ = true;
  if (const auto facts = ring.reader.changed_facts()) {
    ring.facts = *facts;
    changed_ = true;
  }
  return true;
}

void HookChannel::poll(std::int64_t now_ns, const StepSink& sink, const IsRunning& is_running) {
  busy_ = false;
  look(now_ns);
  for (Ring& ring : rings_)
    if (!ring.reader.is_ready()) ring.reader.prepare();
  // Workers first: their fetches must be there when the step that used them is built.
  std::ranges::stable_partition(rings_, [](const Ring& ring) { return ring.is_worker; });
  for (std::size_t i = 0; i < rings_.size();) {
    Ring& ring = rings_[i];
    if (!drain(ring, now_ns, sink)) {
      if (refused_files_.size() < 4096) refused_files_[ring.reader.file()] = ring.inode;
      retire(i, sink);
      continue;
    }
    bool over = false;
    if (ring.reader.is_ready() && !ring.reader.has_more()) {
      const RingHeader& header = ring.reader.header();
      const bool running = header.start_ticks == 0 || is_running(header.pid, header.start_ticks);
      if (running)
        ring.unseen_since_ns = 0;
      else if (ring.unseen_since_ns == 0)
        ring.unseen_since_ns = now_ns;
      over = !running && now_ns - ring.unseen_since_ns > kGoneFor && now_ns - ring.last_record_ns > kGoneFor;
    }
    if (over) {
      ::unlinkat(folder_.get(), ring.reader.file().c_str(), 0);
      retire(i, sink);
    } else {
      ++i;
    }
  }
}

void HookChannel::finish(std::int64_t now_ns, const StepSink& sink) {
  folder_changed_ns_ = -1;
  look(now_ns);
  for (Ring& ring : rings_)
    if (!ring.reader.is_ready()) ring.reader.prepare();
  std::ranges::stable_partition(rings_, [](const Ring& ring) { return ring.is_worker; });
  // Twice, with time made to pass: nobody will write what was announced and is missing.
  for (const std::int64_t later : {std::int64_t{0}, kForever})
    for (Ring& ring : rings_) {
      const std::int64_t time = later > 0 ? std::max(now_ns, later) : now_ns;
      if (!drain(ring, time, sink)) continue;
    }
  while (!rings_.empty()) retire(rings_.size() - 1, sink);
}

// The process is described for the last time and its ring is let go.
void HookChannel::retire(std::size_t index, const StepSink& sink) {
  Ring& ring = rings_[index];
  if (ring.builder) {
    ring.builder->finish(sink);
    ended_steps_ += ring.builder->steps();
    ended_most_steps_ = std::max(ended_most_steps_, ring.builder->steps());
  }
  ended_lost_ += ring.reader.lost();
  if (ring.reader.is_ready()) {
    if (ring.is_worker && !ring.builder)
      ++ended_workers_;
    else if (std::string text = describe(ring).dump(); ended_bytes_ + text.size() <= kMostEndedBytes) {
      ended_bytes_ += text.size();
      ended_.push_back(std::move(text));
    } else {
      ++ended_undescribed_;
    }
  }
  changed_ = true;
  rings_.erase(rings_.begin() + static_cast<std::ptrdiff_t>(index));
}

Json HookChannel::describe(const Ring& ring) const {
  const RingHeader& header = ring.reader.header();
  Json process = Json::object({{"pid", header.pid}});
  if (header.parent > 0) process.set("parent", header.parent);
  if (header.rank >= 0) process.set("rank", header.rank);
  if (header.local_rank >= 0) process.set("local_rank", header.local_rank);
  if (header.world_size > 0) process.set("world_size", header.world_size);
  if (header.created_wall_ns > 0) process.set("created_ns", header.created_wall_ns);
  process.set("ended_in_order", header.ended_in_order);
  process.set("steps", ring.builder ? ring.builder->steps() : std::int64_t{0});
  process.set("records", ring.reader.records());
  process.set("lost_records", ring.reader.lost());
  if (ring.reader.refused() > 0) process.set("refused_records", ring.reader.refused());
  if (ring.is_worker) process.set("data_loader_worker", true);
  if (ring.last_span)
    process.set("last_span", Json::object({{"kind", span_name(ring.last_span->kind)},
                                           {"start_ns", ring.last_span->start_ns},
                                           {"end_ns", ring.last_span->end_ns()}}));
  const auto facts =
      ring.facts.empty() ? Json() : Json::parse(ring.facts, ring.reader.file()).value_or(Json());
  process.set("facts", facts.is_object() ? facts : Json::object());
  return process;
}

std::int64_t HookChannel::steps() const {
  std::int64_t sum = ended_steps_;
  for (const Ring& ring : rings_)
    if (ring.builder) sum += ring.builder->steps();
  return sum;
}

std::int64_t HookChannel::most_steps() const {
  std::int64_t most = ended_most_steps_;
  for (const Ring& ring : rings_)
    if (ring.builder) most = std::max(most, ring.builder->steps());
  return most;
}

std::uint64_t HookChannel::lost_records() const {
  std::uint64_t sum = ended_lost_;
  for (const Ring& ring : rings_) sum += ring.reader.lost();
  return sum;
}

std::uint64_t HookChannel::data_loader_workers() const {
  return ended_workers_ + static_cast<std::uint64_t>(std::ranges::count_if(rings_, &Ring::is_worker));
}

Json HookChannel::processes() const {
  Json all = Json::array();
  for (const std::string& each : ended_) all.push(Json::parse(each, "a process").value_or(Json::object()));
  for (const Ring& ring : rings_)
    if (ring.reader.is_ready() && !(ring.is_worker && !ring.builder)) all.push(describe(ring));
  return all;
}

Json HookChannel::damaged() const {
  Json all = Json::array();
  for (const auto& [file, reason] : damaged_) all.push(Json::object({{"file", file}, {"reason", reason}}));
  return all;
}

}  // namespace forebay
