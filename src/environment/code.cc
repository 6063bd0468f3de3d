#include "environment/code.h"

namespace forebay {
Result<Json> snapshot_code(const std::string&, const RunDirectory&, const SnapshotSettings&) { return Json::object(); }
Result<RestoredCode> restore_code(const RunDirectory& record, const std::string&, const std::string&) {
  return make_error(ErrorCode::kNotFound, "restore the code of", record.path(), "it has no snapshot");
}
Result<std::int64_t> prune_code_objects(const std::string&) { return std::int64_t{0}; }
}  // namespace forebay
