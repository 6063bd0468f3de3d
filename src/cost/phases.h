// The phases of a run, from its events: what the machine's time was spent on.
#pragma once

#include <vector>

#include "cost/bill.h"

namespace forebay {

// In the order of time, each id once, together the whole billed time. Without events: the command's own time
// as "running". Time in the queue costs nothing and is left out.
std::vector<BillLine> phases_of(const RunRecord& record);

}  // namespace forebay
