#include "sizing/workload.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace forebay {
namespace {

struct NamedOptimizer {
  std::string_view name;
  Optimizer optimizer;
};
constexpr NamedOptimizer kOptimizers[] = {
    {"adamw", Optimizer::kAdamW},
    {"adamw-8bit", Optimizer::kAdamW8Bit},
    {"paged-adamw", Optimizer::kPagedAdamW},
    {"paged-adamw-8bit", Optimizer::kPagedAdamW8Bit},
    {"adafactor", Optimizer::kAdafactor},
    {"sgd", Optimizer::kSgd},
    {"sgd-momentum", Optimizer::kSgdMomentum},
    {"muon", Optimizer::kMuon},
    {"lion", Optimizer::kLion},
};

Error refuse(std::string cause) {
  return make_error(ErrorCode::kInvalidInput, "size", "this job", std::move(cause));
}

}  // namespace

Result<Optimizer> parse_optimizer(std::string_view name) {
  std::string wanted(name);
  for (char& c : wanted)
    if (c == '_') c = '-';
  if (wanted == "adam" || wanted == "adamw-torch" || wanted == "adamw-torch-fused") wanted = "adamw";
  if (wanted == "adamw-bnb-8bit") wanted = "adamw-8bit";
  if (wanted == "paged-adamw-32bit") wanted = "paged-adamw";
  std::string known;
  for (const NamedOptimizer& entry : kOptimizers) {
    if (entry.name == wanted) return entry.optimizer;
    if (!known.empty()) known += ", ";
    known += entry.name;
  }
  return refuse(
      fmt::format(fmt::runtime(tr("the optimizer \"{0}\" is not known here (known: {1})")), name, known));
}

std::string_view optimizer_name(Optimizer optimizer) {
  for (const NamedOptimizer& entry : kOptimizers)
    if (entry.optimizer == optimizer) return entry.name;
  return "";
}

Result<void> check_workload(const Workload& work, const ModelShape& shape) {
  struct Limit {
    std::string_view name;
    std::int64_t value, high;
  };
  const std::array limits = {Limit{"--batch", work.micro_batch, 1'000'000},
                             Limit{"--sequence", work.sequence, 100'000'000},
                             Limit{"--accumulation", work.accumulation, 1'000'000},
                             Limit{"--gpus", work.devices, 1'000'000},
                             Limit{"--tp", work.tensor_parallel, 1024},
                             Limit{"--pp", work.pipeline_parallel, 1024},
                             Limit{"--ep", work.expert_parallel, 1024},
                             Limit{"--interleaving", work.interleaving, 64},
                             Limit{"--lora-rank", work.lora.rank, 65536}};
  for (const Limit& limit : limits)
    if (limit.value < 1 || limit.value > limit.high)
      return refuse(
          fmt::format(fmt::runtime(tr("{0} is {1}, outside 1 to {2}")), limit.name, limit.value, limit.high));
  if (work.devices % (work.tensor_parallel * work.pipeline_parallel) != 0)
    return refuse(fmt::format(
        fmt::runtime(
            tr("{0} GPUs cannot be divided into groups of tensor parallel {1} × pipeline parallel {2}")),
        work.devices, work.tensor_parallel, work.pipeline_parallel));
  if (work.pipeline_parallel > shape.layers)
    return refuse(fmt::format(fmt::runtime(tr("{0} layers cannot be spread over {1} pipeline stages")),
                              shape.layers, work.pipeline_parallel));
  if (work.zero_stage < 0 || work.zero_stage > 3)
    return refuse(std::string(tr("ZeRO has the stages 0 to 3")));
  if (work.expert_parallel > 1 && (!shape.experts || shape.experts->count % work.expert_parallel != 0))
    return refuse(fmt::format(fmt::runtime(tr("the experts cannot be spread over {0} groups of GPUs")),
                              work.expert_parallel));
  if (work.method == Method::kFull && work.weights && work.weights->bits < 8)
    return refuse(std::string(
        tr("weights of fewer than 8 bits cannot be trained; train adapters on them (--train qlora)")));
  return {};
}

}  // namespace forebay
