// Any bytes as a job's output, in pieces of any size.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "telemetry/progress_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace forebay;
  if (size < 2) return 0;
  const std::size_t piece = data[0] + 1u;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  ProgressLog log;
  LogFeed feed;
  LogFeed::Batch batch;
  std::int64_t now = 0;
  while (!rest.empty()) {
    feed.add(rest.substr(0, piece));
    rest.remove_prefix(std::min(piece, rest.size()));
    if (feed.take(batch)) log.add(batch, Instant{now}, now);
    now += 700'000'000;
    log.settle(Instant{now}, now);
  }
  log.finish(Instant{now}, now);
  const Json json = log.to_json();
  if (json["series"].size() > 2000 || json["error_lines"].size() > 40) std::abort();
  // What is written must be readable again.
  if (!Json::parse(json.dump(), "progress.json")) std::abort();
  return 0;
}
