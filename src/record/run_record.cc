#include "record/run_record.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "record/segment.h"

namespace forebay {
namespace {

using Damage = std::vector<std::string>;

Json load_json(const std::string& path, Damage& damage) {
  if (!path_exists(path)) return {};
  auto json = read_json_file(path);
  if (json) return std::move(*json);
  damage.push_back(json.error().sentence());
  return {};
}

// Calls `take` for every entry; stops at the first damage and notes it.
void each_entry(const std::string& path, SegmentKind kind, Damage& damage,
                const std::function<Result<void>(std::string_view)>& take) {
  if (!path_exists(path)) return;
  auto reader = SegmentReader::open(path, static_cast<std::uint32_t>(kind));
  if (!reader) return damage.push_back(reader.error().sentence());
  while (true) {
    auto frame = reader->next();
    if (!frame) return damage.push_back(frame.error().sentence());
    if (!*frame) return;
    if ((*frame)->type != kFrameEntry) continue;
    if (auto taken = take((*frame)->payload); !taken) return damage.push_back(taken.error().sentence());
  }
}

void load_samples(const RunDirectory& directory, std::size_t maximum, RunRecord& record) {
  std::size_t stride = 1, seen = 0;
  each_entry(directory.samples(), SegmentKind::kSamples, record.damage,
             [&](std::string_view payload) -> Result<void> {
               if (seen++ % stride != 0) return {};
               FOREBAY_TRY(Sample sample, decode_sample(payload));
               record.samples.push_back(std::move(sample));
               if (record.samples.size() >= maximum) {  // keep every second one from now on
                 std::size_t kept = 0;
                 for (std::size_t i = 0; i < record.samples.size(); i += 2)
                   record.samples[kept++] = std::move(record.samples[i]);
                 record.samples.resize(kept);
                 stride *= 2;
               }
               return {};
             });
}

Result<RunEvent> decode_event(std::string_view payload) {
  FOREBAY_TRY(Json json, Json::parse(payload, "an event"));
  return RunEvent{Instant{json["time_ns"].as_integer().value_or(0)}, json["name"].string_or_empty(),
                  json["details"]};
}

}  // namespace

Result<void> write_json_file(const std::string& path, const Json& json) {
  return write_file_atomic(path, json.dump(2) + "\n");
}

Result<Json> read_json_file(const std::string& path) {
  FOREBAY_TRY(const std::string text, read_file(path));
  return Json::parse(text, path);
}

Result<void> append_event(const RunDirectory& directory, const RunEvent& event) {
  FOREBAY_TRY(SegmentWriter writer,
              SegmentWriter::open(directory.events(), static_cast<std::uint32_t>(SegmentKind::kEvents)));
  const Json json =
      Json::object({{"time_ns", event.time.nanoseconds}, {"name", event.name}, {"details", event.details}});
  return writer.append(kFrameEntry, json.dump());
}

Result<RunRecord> load_run_record(const RunDirectory& directory, const LoadOptions& options) {
  FOREBAY_CHECK(check_record_version(directory));
  RunRecord record;
  record.path = directory.path();
  record.id = std::filesystem::path(directory.path()).filename().string();
  record.job = load_json(directory.job(), record.damage);
  record.launch = load_json(directory.launch(), record.damage);
  record.environment = load_json(directory.environment(), record.damage);
  record.machine = load_json(directory.machine(), record.damage);
  record.hook = load_json(directory.hook_facts(), record.damage);
  record.progress = load_json(directory.progress(), record.damage);
  record.outputs = load_json(directory.outputs(), record.damage);
  record.findings = load_json(directory.findings(), record.damage);
  record.bill = load_json(directory.bill(), record.damage);
  if (const Json json = load_json(directory.outcome(), record.damage); !json.is_null()) {
    auto outcome = Outcome::from_json(json);
    if (outcome)
      record.outcome = std::move(*outcome);
    else
      record.damage.push_back(outcome.error().sentence());
  }
  if (options.samples) load_samples(directory, options.maximum_samples, record);
  if (options.steps)
    each_entry(directory.steps(), SegmentKind::kSteps, record.damage,
               [&](std::string_view payload) -> Result<void> {
                 FOREBAY_TRY(StepRow step, decode_step(payload));
                 record.steps.push_back(step);
                 return {};
               });
  if (options.events)
    each_entry(directory.events(), SegmentKind::kEvents, record.damage,
               [&](std::string_view payload) -> Result<void> {
                 FOREBAY_TRY(RunEvent event, decode_event(payload));
                 record.events.push_back(std::move(event));
                 return {};
               });
  return record;
}

}  // namespace forebay
