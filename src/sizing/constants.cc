#include "sizing/constants.h"

#include <array>

#include "base/embedded.h"
#include "base/json.h"

namespace forebay {

Result<MemoryConstants> parse_memory_constants(std::string_view text, const std::string& name) {
  FOREBAY_TRY(const Json json, Json::parse(text, name));
  MemoryConstants constants;
  struct Field {
    std::string_view key;
    double* target;
  };
  const std::array fields = {Field{"norm_bytes", &constants.norm_bytes},
                             Field{"layer_overhead", &constants.layer_overhead},
                             Field{"logit_bytes", &constants.logit_bytes},
                             Field{"native_logit_bytes", &constants.native_logit_bytes},
                             Field{"packed_overhead", &constants.packed_overhead},
                             Field{"state_slack", &constants.state_slack},
                             Field{"working_layers", &constants.working_layers},
                             Field{"fragmentation", &constants.fragmentation},
                             Field{"context_gib", &constants.context_gib},
                             Field{"communication_gib", &constants.communication_gib},
                             Field{"step_copy", &constants.step_copy},
                             Field{"cache_growth", &constants.cache_growth},
                             Field{"low_share", &constants.low_share},
                             Field{"high_share", &constants.high_share}};
  for (const Field& field : fields) {
    const std::optional<double> value = json["constants"][field.key].as_double();
    if (!value || *value < 0 || *value > 100)
      return make_error(ErrorCode::kInvalidInput, "read the constants", name,
                        "\"" + std::string(field.key) + "\" is missing or outside 0 to 100");
    *field.target = *value;
  }
  return constants;
}

Result<MemoryConstants> built_in_memory_constants() {
  const std::optional<std::string_view> text = embedded_file("data/sizing/memory.json");
  if (!text)
    return make_error(ErrorCode::kInternal, "read", "data/sizing/memory.json", "it is not in this program");
  return parse_memory_constants(*text, "data/sizing/memory.json");
}

}  // namespace forebay
