// How `forebay size` answers: for people and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/style.h"
#include "sizing/advice.h"

namespace forebay {

struct SizeAnswer {
  ModelShape shape;
  Workload work;
  MemoryEstimate estimate;
  std::optional<Bytes> usable;
  std::vector<SizingChange> changes, together;  // empty when nothing need change
  std::vector<Suspicion> suspicions;            // of --oom-at
};

Json size_json(const SizeAnswer& answer);
std::string size_text(const SizeAnswer& answer, const TerminalStyle& style);

}  // namespace forebay
