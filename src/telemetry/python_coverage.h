// Which Python processes of the tree loaded the hook, and which did not and why.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "telemetry/process_tree.h"

namespace forebay {

bool is_python_program(std::string_view executable);  // "/usr/bin/python3.11"
// The arguments as /proc gives them, each ended by a zero byte: does the interpreter start without looking at
// PYTHONPATH or site?
bool is_isolated_python(std::string_view command_line);

// Not thread-safe. `hook` is the hook's folder as it stands in PYTHONPATH.
class PythonCoverage {
 public:
  PythonCoverage(std::string proc, std::string hook) : proc_(std::move(proc)), hook_(std::move(hook)) {}

  // After each scan of the tree. `seen`: process numbers that reported themselves.
  void update(std::span<const TreeProcess> processes, const std::set<std::int64_t>& seen,
              std::int64_t now_ns);
  // "coverage" of hook.json. Processes that reported themselves and were gone before a scan met them count
  // too.
  Json to_json(const std::set<std::int64_t>& seen) const;

 private:
  enum class Verdict { kUndecided, kCovered, kNotCovered };
  struct Entry {
    std::int64_t pid = 0;
    std::uint64_t start_ticks = 0;
    std::int64_t parent = 0;
    std::int64_t first_seen_ns = 0;
    int looks = 0;
    bool is_python = false;
    Verdict verdict = Verdict::kUndecided;
    std::string command;  // arguments ended by zero bytes, cut
    std::string reason;
    bool present = false;
  };
  void look_at(Entry& entry);
  void judge(Entry& entry, const std::set<std::int64_t>& seen, std::int64_t now_ns);
  void close(const Entry& entry);
  std::string reason_for(const Entry& entry) const;
  static Json describe(const Entry& entry);

  std::string proc_, hook_;
  std::vector<Entry> entries_;  // of processes that run
  std::set<std::int64_t> met_;  // pids that a scan found to be Python, bounded
  std::int64_t ended_python_ = 0, ended_covered_ = 0, short_lived_ = 0, ended_not_covered_ = 0;
  std::vector<Json> not_covered_;  // of ended ones, bounded
};

}  // namespace forebay
