#include "telemetry/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "telemetry/text_cursor.h"

namespace forebay {
namespace {

constexpr std::size_t kKeptOpen = 64;  // processes whose files stay open: two descriptors each
constexpr std::size_t kMostProcesses = 65536;
constexpr std::uint64_t kCheckEvery = 64;  // scans after which a process outside the tree is looked at again
constexpr std::int64_t kFirstProportional = 2'000'000'000, kProportionalEvery = 10'000'000'000;
constexpr std::int64_t kProportionalCost = 300;  // PSS may take 1/300 of the time

// "/123/stat" below /proc, without allocating.
struct ProcessPath {
  char text[48];
  ProcessPath(std::int64_t pid, const char* file) {
    *fmt::format_to_n(text, sizeof text - 1, "{}/{}", pid, file).out = '\0';
  }
};

std::int64_t parse_pid(const char* name) {
  std::int64_t pid = 0;
  for (; *name >= '0' && *name <= '9' && pid < INT32_MAX; ++name) pid = pid * 10 + (*name - '0');
  return *name == '\0' && pid <= INT32_MAX ? pid : 0;
}

bool is_ended(char state) {
  return state == 'Z' || state == 'X' || state == 'x';
}

}  // namespace

double GrowingSum::update(double raw) {
  const double now = raw + offset_;
  if (now >= shown_) {
    shown_ = now;
    dipped_ = false;
  } else if (dipped_) {
    offset_ += shown_ - now;
    dipped_ = false;
  } else {
    dipped_ = true;
  }
  return shown_;
}

ProcessTree::ProcessTree(std::string proc, const Clock& clock)
    : proc_(std::move(proc)),
      clock_(clock),
      folder_(::open(proc_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      entries_(32u << 10, '\0'),
      ticks_per_second_(static_cast<double>(::sysconf(_SC_CLK_TCK))),
      page_size_(static_cast<double>(::sysconf(_SC_PAGESIZE))) {}

void ProcessTree::set_root(std::int64_t pid) {
  root_ = pid;
  root_at_start_ = {};
  root_io_at_start_.reset();
  ReadBuffer buffer;
  if (pid > 0) {
    root_at_start_ = read_stat(pid, buffer, nullptr).value_or(StatLine{});
    root_io_at_start_ = read_io(pid, buffer, nullptr);
  }
  strangers_.clear();
  members_.clear();
  for (GrowingSum* each : {&cpu_, &read_characters_, &write_characters_, &read_bytes_, &write_bytes_})
    each->restart();
  next_proportional_ns_ = 0;
  shared_surplus_ = 0;
}

bool ProcessTree::contains(std::int64_t pid) const {
  const auto at = std::ranges::lower_bound(members_, pid, {}, &TreeProcess::pid);
  return at != members_.end() && at->pid == pid;
}

// Reads /proc with getdents itself: readdir would allocate, and drops the descriptor's position between
// scans.
void ProcessTree::list() {
  listed_.clear();
  if (!folder_.valid() || ::lseek(folder_.get(), 0, SEEK_SET) < 0) return;
  while (listed_.size() < kMostProcesses) {
    const long got = ::syscall(SYS_getdents64, folder_.get(), entries_.data(), entries_.size());
    if (got <= 0) break;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries_.data() + at);
      at += entry->d_reclen;
      if (const std::int64_t pid = parse_pid(entry->d_name); pid > 0) listed_.emplace_back(pid, entry->d_ino);
    }
  }
  std::ranges::sort(listed_);  // the kernel lists them in order; other file systems do not
}

std::optional<StatLine> ProcessTree::read_stat(std::int64_t pid, ReadBuffer& buffer, UniqueFd* keep) {
  UniqueFd fd = open_for_sampling_at(folder_.get(), ProcessPath(pid, "stat").text);
  if (!fd.valid()) return std::nullopt;
  const auto text = buffer.read_once(fd.get());
  if (!text) return std::nullopt;
  if (keep != nullptr) *keep = std::move(fd);
  return parse_stat_line(*text);
}

std::optional<IoCounts> ProcessTree::read_io(std::int64_t pid, ReadBuffer& buffer, UniqueFd* keep) {
  std::optional<std::string_view> text;
  if (keep != nullptr && keep->valid()) {
    text = buffer.read_once(keep->get());
  } else {
    UniqueFd fd = open_for_sampling_at(folder_.get(), ProcessPath(pid, "io").text);
    if (!fd.valid()) return std::nullopt;
    text = buffer.read_once(fd.get());
    if (text && keep != nullptr && members_.size() <= kKeptOpen) *keep = std::move(fd);
    if (text) return parse_io(*text);
  }
  return text ? parse_io(*text) : std::nullopt;
}

// Members that still are what they were are read again; the others leave.
void ProcessTree::refresh_members(ReadBuffer& buffer) {
  for (TreeProcess& process : members_) {
    process.is_new = false;
    std::optional<StatLine> stat;
    if (process.stat_file.valid()) {
      if (const auto text = buffer.read_once(process.stat_file.get())) stat = parse_stat_line(*text);
    } else {
      stat = read_stat(process.pid, buffer, members_.size() <= kKeptOpen ? &process.stat_file : nullptr);
    }
    if (!stat || stat->start_ticks != process.start_ticks) {
      process.pid = 0;
      continue;
    }
    process.stat = *stat;
    process.state = stat->state;
    process.parent = stat->parent;
  }
  std::erase_if(members_, [](const TreeProcess& process) { return process.pid == 0; });
}

// A process can only join the tree by being born in it, so one that was outside stays outside while it is the
// same process.
void ProcessTree::look_at_new(ReadBuffer& buffer, std::int64_t now_ns) {
  next_strangers_.clear();
  std::size_t stranger = 0, member = 0;
  for (const auto& [pid, inode] : listed_) {
    while (member < members_.size() && members_[member].pid < pid) ++member;
    if (member < members_.size() && members_[member].pid == pid) continue;
    while (stranger < strangers_.size() && strangers_[stranger].pid < pid) ++stranger;
    const bool known = stranger < strangers_.size() && strangers_[stranger].pid == pid &&
                       strangers_[stranger].inode == inode;
    if (known && (scans_ + static_cast<std::uint64_t>(pid)) % kCheckEvery != 0) {
      next_strangers_.push_back(strangers_[stranger]);
      continue;
    }
    if (const auto stat = read_stat(pid, buffer, nullptr))
      next_strangers_.push_back({pid, inode, *stat, true});
  }
  strangers_.swap(next_strangers_);

  // Children may have smaller numbers than their parents, so this goes on until a round finds nobody.
  for (bool found = root_ > 0; found;) {
    found = false;
    const std::size_t before = members_.size();
    for (Known& each : strangers_) {
      if (!each.is_new || each.pid == root_) continue;
      const std::int64_t parent = each.stat.parent;
      const auto end = members_.begin() + static_cast<std::ptrdiff_t>(before);
      const auto at = std::lower_bound(members_.begin(), end, parent,
                                       [](const TreeProcess& p, std::int64_t pid) { return p.pid < pid; });
      if (parent != root_ && (at == end || at->pid != parent)) continue;
      TreeProcess process;
      process.pid = each.pid;
      process.start_ticks = each.stat.start_ticks;
      process.parent = parent;
      process.state = each.stat.state;
      process.first_seen_ns = now_ns;
      process.stat = each.stat;
      members_.push_back(std::move(process));
      each.pid = 0;
      found = true;
    }
    if (!found) break;
    std::erase_if(strangers_, [](const Known& each) { return each.pid == 0; });
    std::ranges::sort(members_, {}, &TreeProcess::pid);
  }
  for (Known& each : strangers_) each.is_new = false;
}

void ProcessTree::sum_ticks(ReadBuffer& buffer) {
  std::uint64_t ticks = 0;
  double pages = 0;
  usage_.processes = usage_.threads = 0;
  largest_resident_ = 0;
  for (const TreeProcess& process : members_) {
    ticks += process.stat.own_ticks + process.stat.reaped_ticks;
    if (is_ended(process.state)) continue;
    pages += static_cast<double>(process.stat.resident_pages);
    largest_resident_ =
        std::max(largest_resident_, static_cast<double>(process.stat.resident_pages) * page_size_);
    ++usage_.processes;
    usage_.threads += process.stat.threads;
  }
  if (root_ <= 0 || !folder_.valid()) return;
  const auto root = read_stat(root_, buffer, nullptr);
  if (root && root->start_ticks == root_at_start_.start_ticks)
    ticks += root->reaped_ticks - std::min(root->reaped_ticks, root_at_start_.reaped_ticks);
  if (!root && members_.empty() && !usage_.cpu_seconds) return;  // never seen: not known
  usage_.cpu_seconds = cpu_.update(static_cast<double>(ticks) / ticks_per_second_);
  usage_.resident_bytes = pages * page_size_;
}

void ProcessTree::sum_io(ReadBuffer& buffer) {
  IoCounts total;
  bool any = false;
  for (TreeProcess& process : members_) {
    const auto counts = read_io(process.pid, buffer, &process.io_file);
    if (!counts) continue;
    any = true;
    total.read_characters += counts->read_characters;
    total.write_characters += counts->write_characters;
    total.read_bytes += counts->read_bytes;
    total.write_bytes += counts->write_bytes;
  }
  // The kernel adds what a reaped child did to the one that waited for it, so the root's growth is the ended
  // children's.
  const auto root = root_ > 0 && root_io_at_start_ ? read_io(root_, buffer, nullptr) : std::nullopt;
  if (root) {
    const auto growth = [](std::uint64_t now, std::uint64_t before) { return now - std::min(now, before); };
    total.read_characters += growth(root->read_characters, root_io_at_start_->read_characters);
    total.write_characters += growth(root->write_characters, root_io_at_start_->write_characters);
    total.read_bytes += growth(root->read_bytes, root_io_at_start_->read_bytes);
    total.write_bytes += growth(root->write_bytes, root_io_at_start_->write_bytes);
  }
  if (!any && !root && !usage_.read_characters) return;
  usage_.read_characters = read_characters_.update(static_cast<double>(total.read_characters));
  usage_.write_characters = write_characters_.update(static_cast<double>(total.write_characters));
  usage_.read_bytes = read_bytes_.update(static_cast<double>(total.read_bytes));
  usage_.write_bytes = write_bytes_.update(static_cast<double>(total.write_bytes));
}

void ProcessTree::read_proportional(std::int64_t now_ns, ReadBuffer& buffer) {
  usage_.proportional_bytes.reset();
  if (next_proportional_ns_ == 0) next_proportional_ns_ = now_ns + kFirstProportional;
  if (now_ns < next_proportional_ns_ || members_.empty()) return;
  const std::int64_t begin = clock_.monotonic_ns();
  double sum = 0, resident = 0;
  bool complete = true;
  for (const TreeProcess& process : members_) {
    if (is_ended(process.state)) continue;
    const UniqueFd fd = open_for_sampling_at(folder_.get(), ProcessPath(process.pid, "smaps_rollup").text);
    const auto text = fd.valid() ? buffer.read_once(fd.get()) : std::nullopt;
    const auto size = text ? parse_proportional_size(*text) : std::nullopt;
    if (!size) {
      complete = false;  // a sum without it would be wrong
      continue;
    }
    sum += static_cast<double>(*size);
    resident += static_cast<double>(process.stat.resident_pages) * page_size_;
  }
  next_proportional_ns_ =
      now_ns + std::max(kProportionalEvery, kProportionalCost * (clock_.monotonic_ns() - begin));
  shared_surplus_ = std::max(0.0, resident - sum);
  if (complete) usage_.proportional_bytes = sum;
}

const TreeUsage& ProcessTree::scan(std::int64_t now_ns, ReadBuffer& buffer) {
  ++scans_;
  refresh_members(buffer);
  list();
  look_at_new(buffer, now_ns);
  sum_ticks(buffer);
  sum_io(buffer);
  read_proportional(now_ns, buffer);
  if (usage_.resident_bytes)
    usage_.memory_estimate = std::max(*usage_.resident_bytes - shared_surplus_, largest_resident_);
  return usage_;
}

void ProcessTree::append_to(Sample& sample) const {
  const auto put = [&sample](Metric metric, const std::optional<double>& value) {
    if (value) sample.add(metric, *value);
  };
  put(Metric::kTreeCpuSeconds, usage_.cpu_seconds);
  put(Metric::kTreeResidentBytes, usage_.resident_bytes);
  put(Metric::kTreeProportionalBytes, usage_.proportional_bytes);
  put(Metric::kTreeReadBytes, usage_.read_bytes);
  put(Metric::kTreeWriteBytes, usage_.write_bytes);
  put(Metric::kTreeReadCharacters, usage_.read_characters);
  put(Metric::kTreeWriteCharacters, usage_.write_characters);
  if (!usage_.cpu_seconds) return;
  sample.add(Metric::kTreeProcesses, static_cast<double>(usage_.processes));
  sample.add(Metric::kTreeThreads, static_cast<double>(usage_.threads));
}

}  // namespace forebay
