// The run's process tree: every descendant of one root, with what it uses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "record/sample.h"
#include "telemetry/kept_file.h"

namespace forebay {

// What the kernel says in one /proc/<pid>/stat line, as far as it matters here.
struct StatLine {
  std::int64_t parent = 0;
  char state = '?';
  std::uint64_t own_ticks = 0;     // user + system
  std::uint64_t reaped_ticks = 0;  // of children it has waited for
  std::int64_t threads = 0;
  std::uint64_t start_ticks = 0;
  std::uint64_t resident_pages = 0;
};
std::optional<StatLine> parse_stat_line(std::string_view text);

struct IoCounts {
  std::uint64_t read_characters = 0, write_characters = 0, read_bytes = 0, write_bytes = 0;
};
std::optional<IoCounts> parse_io(std::string_view text);
// The "Pss:" line of smaps_rollup, in bytes.
std::optional<std::uint64_t> parse_proportional_size(std::string_view text);

// One process of the tree.
struct TreeProcess {
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;
  std::int64_t parent = 0;
  char state = '?';
  std::int64_t first_seen_ns = 0;
  bool is_new = true;  // not seen by the scan before this one
  StatLine stat;
  UniqueFd stat_file, io_file;  // kept open while there are few processes
};

struct TreeUsage {
  std::optional<double> cpu_seconds;  // never goes backwards
  std::optional<double> resident_bytes, proportional_bytes;
  std::optional<double> read_characters, write_characters, read_bytes, write_bytes;
  std::optional<double> memory_estimate;  // RSS less what the last PSS showed to be counted twice
  std::int64_t processes = 0, threads = 0;
};

// A counter that must not go backwards although its parts come and go. A dip seen once is a process that
// ended between two reads (its parent has its time by the next scan); a dip that stays is time that nobody
// waited for: it is kept.
class GrowingSum {
 public:
  double update(double raw);
  // The parts change for good (another root): goes on from where it stands, from parts that begin at 0.
  void restart() { offset_ = shown_; }

 private:
  double offset_ = 0, shown_ = 0;
  bool dipped_ = false;
};

// Not thread-safe. Costs one listing of /proc, and one or two reads per process of the tree.
class ProcessTree {
 public:
  ProcessTree(std::string proc, const Clock& clock);

  // What the root's reaped children had used before now is not the job's. 0 = no root.
  void set_root(std::int64_t pid);
  // Looks again. `now_ns` is CLOCK_MONOTONIC. PSS is read every ten seconds, or less often when that takes
  // long.
  const TreeUsage& scan(std::int64_t now_ns, ReadBuffer& buffer);
  void append_to(Sample& sample) const;

  std::span<const TreeProcess> processes() const { return members_; }
  const TreeUsage& usage() const { return usage_; }
  bool contains(std::int64_t pid) const;

 private:
  struct Known {  // a process of the machine that is not in the tree
    std::int64_t pid = 0;
    std::uint64_t inode = 0;  // of its /proc folder: another one means another process
    StatLine stat;            // only while it is new
    bool is_new = false;
  };
  void list();
  void look_at_new(ReadBuffer& buffer, std::int64_t now_ns);
  void refresh_members(ReadBuffer& buffer);
  std::optional<StatLine> read_stat(std::int64_t pid, ReadBuffer& buffer, UniqueFd* keep);
  std::optional<IoCounts> read_io(std::int64_t pid, ReadBuffer& buffer, UniqueFd* keep);
  void sum_ticks(ReadBuffer& buffer);
  void sum_io(ReadBuffer& buffer);
  void read_proportional(std::int64_t now_ns, ReadBuffer& buffer);

  std::string proc_;
  const Clock& clock_;
  UniqueFd folder_;
  std::string entries_;  // buffer of getdents
  std::int64_t root_ = 0;
  StatLine root_at_start_;
  std::optional<IoCounts> root_io_at_start_;
  double ticks_per_second_, page_size_;
  std::uint64_t scans_ = 0;
  std::vector<Known> strangers_, next_strangers_;               // sorted by pid
  std::vector<std::pair<std::int64_t, std::uint64_t>> listed_;  // pid, inode; sorted by pid
  std::vector<TreeProcess> members_;                            // sorted by pid
  GrowingSum cpu_, read_characters_, write_characters_, read_bytes_, write_bytes_;
  std::int64_t next_proportional_ns_ = 0;
  double shared_surplus_ = 0;  // RSS - PSS when PSS was last read
  double largest_resident_ = 0;
  TreeUsage usage_;
};

}  // namespace forebay
