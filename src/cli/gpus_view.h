// How `forebay gpus` shows accelerators: a list, some in full side by side, or JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "catalog/accelerator.h"
#include "report/style.h"

namespace forebay {

using Accelerators = std::vector<const Accelerator*>;

// One line each; as many columns as the width has room for. What is not known is "-".
std::string accelerator_list(const Accelerators& parts, const TerminalStyle& style);
// All that is known of each, in columns beside each other; as many at a time as the width has room for.
std::string accelerators_in_full(const Accelerators& parts, const TerminalStyle& style);
// Unknown figures are null.
Json accelerator_json(const Accelerator& part);

// The best a framework gets in half precision, in operations per second: bf16, else fp16.
std::optional<double> half_precision_rate(const Accelerator& part);

}  // namespace forebay
