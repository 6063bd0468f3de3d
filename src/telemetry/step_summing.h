// Keeps steps.seg bounded: single steps first, then sums over longer and longer spans
// (docs/record-format.md). Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "record/step.h"

namespace forebay {

class StepSumming {
 public:
  using Sink = std::function<void(const StepRow&)>;

  void add(const StepRow& row, const Sink& sink);
  // Hands on what is still being summed: of one process, or of all.
  void finish(std::int32_t process, const Sink& sink);
  void finish_all(const Sink& sink);
  std::int64_t rows() const { return rows_; }

  // How long the steps of one row may span once `rows` have been written; 0 = one step each.
  static std::int64_t span_ns(std::int64_t rows);

 private:
  void put(const StepRow& row, const Sink& sink);
  std::int64_t rows_ = 0;
  std::map<std::int32_t, StepRow> open_;  // by process
};

}  // namespace forebay
