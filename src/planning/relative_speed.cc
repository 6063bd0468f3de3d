#include "planning/relative_speed.h"

#include <cmath>

#include "base/embedded.h"
#include "base/json.h"

namespace forebay {
namespace {

constexpr std::string_view kFile = "data/planning/relative_speed.json";

std::optional<double> matrix_rate(const Accelerator& part) {
  for (const NumberType type : {NumberType::kFp16, NumberType::kBf16, NumberType::kFp32})
    if (const auto rate = part.rate(type)) return rate->per_second;
  return std::nullopt;
}

// Beyond one device, more of them help less than in proportion; a share of one device is that share.
double devices(const RelativeSpeedModel& model, double count) {
  return count <= 1 ? count : std::pow(count, model.scaling_exponent);
}

}  // namespace

Result<RelativeSpeedModel> RelativeSpeedModel::embedded() {
  FOREBAY_TRY(const Json json, Json::parse(embedded_file(kFile).value_or(""), std::string(kFile)));
  const auto exponent = json["matrix_rate_exponent"].as_double(),
             scaling = json["scaling_exponent"].as_double(), spread = json["spread"].as_double();
  if (!exponent || !scaling || !spread || *exponent < 0 || *exponent > 1 || *scaling <= 0 || *spread < 0)
    return make_error(ErrorCode::kCorrupt, "read", std::string(kFile), "a figure is missing or cannot be");
  return RelativeSpeedModel{*exponent, *scaling, *spread};
}

std::optional<SpeedRatio> relative_speed(const RelativeSpeedModel& model, const DeviceSet& of,
                                         const DeviceSet& reference) {
  if (of.accelerator == nullptr || reference.accelerator == nullptr || of.count <= 0 || reference.count <= 0)
    return std::nullopt;
  const double scaling = devices(model, of.count) / devices(model, reference.count);
  if (of.accelerator == reference.accelerator) return SpeedRatio{scaling, scaling, scaling};
  const auto rate = matrix_rate(*of.accelerator), other = matrix_rate(*reference.accelerator);
  const auto &bandwidth = of.accelerator->bandwidth, &other_bandwidth = reference.accelerator->bandwidth;
  if (!rate || !other || !bandwidth || !other_bandwidth) return std::nullopt;
  const double likely =
      scaling * std::pow(*rate / *other, model.matrix_rate_exponent) *
      std::pow(bandwidth->per_second / other_bandwidth->per_second, 1 - model.matrix_rate_exponent);
  const double spread = std::exp(model.spread * std::sqrt(2.0));  // both machines' rates are uncertain
  return SpeedRatio{likely / spread, likely, likely * spread};
}

}  // namespace forebay
