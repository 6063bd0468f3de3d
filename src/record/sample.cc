#include "record/sample.h"

#include <cstring>

namespace forebay {
namespace {
constexpr std::size_t kHead = 18, kEach = 12;

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <typename T>
T take(const char*& at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}
}  // namespace

std::optional<double> Sample::get(Metric metric, std::uint16_t index) const {
  for (const SampleValue& each : values)
    if (each.metric == metric && each.index == index) return each.value;
  return std::nullopt;
}

std::string encode_sample(const Sample& sample) {
  std::string out;
  out.reserve(kHead + kEach * sample.values.size());
  put(out, sample.monotonic_ns);
  put(out, sample.wall.nanoseconds);
  put(out, static_cast<std::uint16_t>(sample.values.size()));
  for (const SampleValue& each : sample.values) {
    put(out, static_cast<std::uint16_t>(each.metric));
    put(out, each.index);
    put(out, each.value);
  }
  return out;
}

Result<Sample> decode_sample(std::string_view payload) {
  const Error bad =
      make_error(ErrorCode::kCorrupt, "decode", "a sample", "its length does not fit its count");
  if (payload.size() < kHead) return bad;
  const char* at = payload.data();
  Sample sample;
  sample.monotonic_ns = take<std::int64_t>(at);
  sample.wall.nanoseconds = take<std::int64_t>(at);
  const auto count = take<std::uint16_t>(at);
  if (payload.size() != kHead + kEach * count) return bad;
  sample.values.reserve(count);
  for (std::uint16_t i = 0; i < count; ++i) {
    SampleValue each{};
    each.metric = static_cast<Metric>(take<std::uint16_t>(at));
    each.index = take<std::uint16_t>(at);
    each.value = take<double>(at);
    sample.values.push_back(each);
  }
  return sample;
}

}  // namespace forebay
