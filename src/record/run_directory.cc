#include "record/run_directory.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/number.h"

namespace forebay {

std::string RunDirectory::log_segment(int number) const {
  return file(fmt::format("log-{:06d}.seg", number));
}

RunDirectory run_directory(const std::string& state_folder, const std::string& run_id) {
  return RunDirectory(join_path(join_path(state_folder, "runs"), run_id));
}

Result<void> create_run_directory(const RunDirectory& directory) {
  FOREBAY_CHECK(make_directories(directory.path()));
  return write_file_atomic(directory.format(), fmt::format("forebay-run-record {}\n", kRecordVersion));
}

Result<void> check_record_version(const RunDirectory& directory) {
  const auto text = read_file(directory.format(), 256);
  if (!text)
    return make_error(ErrorCode::kNotFound, "read the run record", directory.path(),
                      "there is no run record here");
  constexpr std::string_view kPrefix = "forebay-run-record ";
  if (!text->starts_with(kPrefix))
    return make_error(ErrorCode::kCorrupt, "read the run record", directory.path(),
                      "its format file is damaged");
  const std::int64_t version = leading_integer(std::string_view(*text).substr(kPrefix.size())).value_or(0);
  if (version < 1 || version > kRecordVersion)
    return make_error(
        ErrorCode::kUnsupported, "read the run record", directory.path(),
        fmt::format("it has format {} and this program reads up to {}", version, kRecordVersion),
        "Use a newer forebay.");
  return {};
}

}  // namespace forebay
