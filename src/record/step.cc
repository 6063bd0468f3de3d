#include "record/step.h"

#include <cstring>
#include <type_traits>

namespace forebay {

static_assert(std::is_trivially_copyable_v<StepRow> && sizeof(StepRow) == 2 * 4 + 17 * 8,
              "the row is its own encoding");

std::string encode_step(const StepRow& step) {
  return std::string(reinterpret_cast<const char*>(&step), sizeof step);
}

Result<StepRow> decode_step(std::string_view payload) {
  StepRow step;
  if (payload.size() != sizeof step)
    return make_error(ErrorCode::kCorrupt, "decode", "a step", "its length is wrong");
  std::memcpy(&step, payload.data(), sizeof step);
  return step;
}

}  // namespace forebay
