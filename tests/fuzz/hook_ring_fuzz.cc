// Any bytes as a ring file, twice: the second half of the input overwrites parts of it between two reads, as
// a hostile writer would.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "telemetry/hook_ring.h"
#include "telemetry/step_builder.h"
#include "telemetry/step_summing.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace forebay;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  UniqueFd file(::memfd_create("ring", MFD_CLOEXEC));
  if (!file.valid()) return 0;
  // A valid frame around the input, so that the fuzzer spends its time behind the header too.
  const bool framed = size > 0 && data[0] % 2 == 0;
  std::string whole(framed ? kRingRecords + 16 * kRingRecordSize : 0, '\0');
  if (framed) {
    const std::uint32_t version = 1, first = kRingRecords;
    const std::uint64_t pid = 7, capacity = 16;
    whole.replace(0, 8, "FBHOOK1\n");
    whole.replace(8, 4, reinterpret_cast<const char*>(&version), 4);
    whole.replace(12, 4, reinterpret_cast<const char*>(&first), 4);
    whole.replace(16, 8, reinterpret_cast<const char*>(&pid), 8);
    whole.replace(32, 8, reinterpret_cast<const char*>(&capacity), 8);
    const std::string_view head = input.substr(0, std::min<std::size_t>(size, 96));
    if (head.size() > 40) whole.replace(40, head.size() - 40, head.substr(40));
    const std::string_view records = input.substr(head.size());
    whole.replace(kRingRecords, std::min<std::size_t>(records.size(), 16 * kRingRecordSize),
                  records.substr(0, 16 * kRingRecordSize));
  } else {
    whole = input;
  }
  if (::pwrite(file.get(), whole.data(), whole.size(), 0) != static_cast<ssize_t>(whole.size())) return 0;
  UniqueFd writer(::dup(file.get()));

  StepBuilder builder(1, -1);
  StepSumming summing;
  const auto on_row = [](const StepRow& row) {
    check(row.duration_ns >= 0 && row.data_wait_ns >= 0 && row.forward_ns >= 0 && row.first_step >= 0);
  };
  const auto on_step = [&](const StepRow& row) { summing.add(row, on_row); };
  HookRing ring(std::move(file), "fuzz.ring");
  std::size_t handed = 0;
  for (int round = 0; round < 3; ++round) {
    const auto read = ring.drain(
        [&](const HookRecord& record) {
          check(record.duration_ns >= 0 && record.end_ns() >= record.start_ns);
          builder.add(record, on_step);
          ++handed;
        },
        [&] { builder.gap(on_step); }, round * 6'000'000'000LL);
    (void)ring.changed_facts();
    if (!read) break;
    check(handed <= 3u << 20);
    const std::string_view change = input.substr(size / 2);
    if (::pwrite(writer.get(), change.data(), std::min<std::size_t>(change.size(), 88), 40 + round) < 0)
      break;
  }
  builder.finish(on_step);
  summing.finish_all(on_row);
  return 0;
}
