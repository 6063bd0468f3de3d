#include "spec/skypilot.h"
namespace forebay {
bool has_skypilot_keys(const YamlNode&) {
  return false;
}
void translate_skypilot(const YamlNode&, JobParse&) {}
}  // namespace forebay
