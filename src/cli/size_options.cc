#include "cli/size_options.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "catalog/accelerator_table.h"
#include "cli/accelerate_file.h"
#include "sizing/deepspeed.h"
#include "sizing/model_table.h"

namespace forebay {
namespace {

Error refuse(std::string_view option, std::string_view value, std::string cause) {
  return make_error(ErrorCode::kInvalidInput, "size", fmt::format("{} {}", option, value), std::move(cause));
}

Result<std::int64_t> count_of(std::string_view option, std::string_view value) {
  const std::optional<std::int64_t> number = whole_integer(value);
  if (!number) return refuse(option, value, std::string(tr("it is not a whole number")));
  return *number;
}

Result<void> read_counts(const SizeOptions& options, Workload& work) {
  FOREBAY_TRY(work.micro_batch, count_of("--batch", options.batch));
  FOREBAY_TRY(work.sequence, count_of("--sequence", options.sequence));
  FOREBAY_TRY(work.devices, count_of("--gpus", options.gpus));
  FOREBAY_TRY(work.tensor_parallel, count_of("--tp", options.tensor));
  FOREBAY_TRY(work.pipeline_parallel, count_of("--pp", options.pipeline));
  FOREBAY_TRY(work.expert_parallel, count_of("--ep", options.expert));
  FOREBAY_TRY(work.interleaving, count_of("--interleaving", options.interleaving));
  // With a pipeline, at least as many micro-batches as stages are under way unless it is said otherwise.
  work.accumulation = work.pipeline_parallel > 1 ? work.pipeline_parallel : 1;
  if (!options.accumulation.empty()) {
    FOREBAY_TRY(work.accumulation, count_of("--accumulation", options.accumulation));
  }
  FOREBAY_TRY(const std::int64_t zero, count_of("--zero", options.zero));
  work.zero_stage = static_cast<int>(zero < 0 || zero > 3 ? -1 : zero);
  FOREBAY_TRY(const std::int64_t bits, count_of("--cache-bits", options.cache_bits));
  if (bits < 2 || bits > 32)
    return refuse("--cache-bits", options.cache_bits, std::string(tr("it is outside 2 to 32")));
  work.cache_bits = static_cast<double>(bits);
  return {};
}

Result<void> read_targets(const std::string& text, LoraSettings& lora) {
  lora.query = lora.value = false;
  std::string rest = text == "all" ? "q,k,v,o,gate,up,down" : text;
  for (std::size_t at = 0; at <= rest.size();) {
    const std::size_t comma = std::min(rest.find(',', at), rest.size());
    const std::string name = rest.substr(at, comma - at);
    at = comma + 1;
    struct Target {
      std::string_view name;
      bool* wanted;
    };
    bool known = false;
    for (const Target& target : {Target{"q", &lora.query}, Target{"k", &lora.key}, Target{"v", &lora.value},
                                 Target{"o", &lora.output}, Target{"gate", &lora.gate},
                                 Target{"up", &lora.up}, Target{"down", &lora.down}})
      if (name == target.name || name == std::string(target.name) + "_proj") {
        *target.wanted = known = true;
      }
    if (!known)
      return refuse(
          "--lora-targets", text,
          fmt::format(fmt::runtime(tr("\"{0}\" is none of q, k, v, o, gate, up, down, all")), name));
  }
  return {};
}

Result<void> read_method(const SizeOptions& options, Workload& work) {
  if (options.infer) {
    work.method = Method::kInference;
  } else if (options.train == "lora" || options.train == "qlora") {
    work.method = Method::kLora;
  } else if (options.train == "adapter") {
    work.method = Method::kAdapter;
    work.trainable = parse_parameter_count(options.trainable);
    if (!work.trainable)
      return refuse("--trainable", options.trainable,
                    std::string(tr("--train adapter needs the number of trained parameters, such as 9.2M")));
  } else if (options.train != "full") {
    return refuse("--train", options.train, std::string(tr("it is none of full, lora, qlora, adapter")));
  }
  if (options.train == "qlora" && !options.infer) work.weights = find_weight_format("nf4");
  if (!options.weights.empty() && options.weights != "16-bit") {
    work.weights = find_weight_format(options.weights);
    if (!work.weights)
      return refuse("--weights", options.weights,
                    fmt::format(fmt::runtime(tr("it is none of {0}")), known_weight_formats()));
  }
  FOREBAY_TRY(work.lora.rank, count_of("--lora-rank", options.lora_rank));
  FOREBAY_CHECK(read_targets(options.lora_targets, work.lora));
  work.outside_32_bit = options.outside_32_bit || (options.train == "qlora" && !options.infer);
  work.lora.dropout = options.lora_dropout;
  work.lora.embeddings = options.train_embeddings;
  work.lora.adapters_32_bit = options.adapter_precision == "fp32";
  return {};
}

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

template <typename T, std::size_t N>
Result<T> choose(std::string_view option, std::string_view text, const Choice<T> (&choices)[N]) {
  std::string names;
  for (const Choice<T>& choice : choices) {
    if (choice.name == text) return choice.value;
    if (!names.empty()) names += ", ";
    names += choice.name;
  }
  return refuse(option, text, fmt::format(fmt::runtime(tr("it is none of {0}")), names));
}

Result<void> read_choices(const SizeOptions& options, Workload& work) {
  FOREBAY_TRY(work.optimizer, parse_optimizer(options.optimizer));
  constexpr Choice<Recompute> kRecompute[] = {
      {"none", Recompute::kNone}, {"selective", Recompute::kSelective}, {"full", Recompute::kFull}};
  FOREBAY_TRY(work.recompute, choose("--checkpointing", options.checkpointing, kRecompute));
  constexpr Choice<bool> kAttention[] = {{"flash", true}, {"eager", false}};
  FOREBAY_TRY(work.flash_attention, choose("--attention", options.attention, kAttention));
  constexpr Choice<LossKind> kLoss[] = {
      {"fp32", LossKind::kFloat32}, {"native", LossKind::kNative}, {"fused", LossKind::kFused}};
  FOREBAY_TRY(work.loss, choose("--loss", options.loss, kLoss));
  constexpr Choice<Kernels> kKernels[] = {{"eager", Kernels::kEager}, {"megatron", Kernels::kMegatron}};
  FOREBAY_TRY(work.kernels, choose("--kernels", options.kernels, kKernels));
  constexpr Choice<Offload> kOffload[] = {
      {"none", Offload::kNone}, {"optimizer", Offload::kOptimizer}, {"all", Offload::kAll}};
  FOREBAY_TRY(work.offload, choose("--offload", options.offload, kOffload));
  constexpr Choice<TrainingPrecision> kPrecision[] = {{"fp32", TrainingPrecision::kFp32},
                                                      {"bf16", TrainingPrecision::kPure16},
                                                      {"fp16", TrainingPrecision::kPure16},
                                                      {"bf16-mixed", TrainingPrecision::kMixed},
                                                      {"fp16-mixed", TrainingPrecision::kMixed}};
  const bool full = work.method == Method::kFull;
  const std::string precision =
      options.precision.empty() ? (full ? "bf16-mixed" : "bf16") : options.precision;
  FOREBAY_TRY(work.precision, choose("--precision", precision, kPrecision));
  constexpr Choice<bool> kCache[] = {{"paged", true}, {"growing", false}};
  FOREBAY_TRY(work.cache_preallocated, choose("--cache", options.cache, kCache));
  constexpr Choice<bool> kAdapters[] = {{"fp32", true}, {"bf16", false}};
  FOREBAY_TRY(work.lora.adapters_32_bit, choose("--adapter-precision", options.adapter_precision, kAdapters));
  return {};
}

// What the configuration states and no option changes.
Result<void> read_config(const SizeOptions& options, Workload& work) {
  if (!options.config) return {};
  FOREBAY_TRY(const std::string text, read_file(*options.config, 1u << 20));
  const SizeOptions standard;
  DeepSpeedSettings settings;
  if (options.config->ends_with(".yaml") || options.config->ends_with(".yml")) {
    FOREBAY_TRY(const AccelerateSettings accelerate, read_accelerate(text, *options.config));
    settings = accelerate.training;
    if (accelerate.devices && options.gpus == standard.gpus) work.devices = *accelerate.devices;
  } else {
    FOREBAY_TRY(settings, read_deepspeed(text, *options.config));
  }
  if (settings.zero_stage && options.zero == standard.zero) work.zero_stage = *settings.zero_stage;
  if (settings.offload && options.offload == standard.offload) work.offload = *settings.offload;
  if (settings.micro_batch && options.batch == standard.batch) work.micro_batch = *settings.micro_batch;
  if (settings.accumulation && options.accumulation.empty()) work.accumulation = *settings.accumulation;
  if (settings.optimizer && options.optimizer == standard.optimizer) work.optimizer = *settings.optimizer;
  if (settings.precision && options.precision.empty() && work.method == Method::kFull)
    work.precision = *settings.precision;
  return {};
}

// The smallest share of the memory on the box that a driver is known to report.
double least_usable_share(const AcceleratorTable& table) {
  double least = 1;
  for (const Accelerator& part : table.all())
    if (part.memory && part.nominal_memory && part.nominal_memory->count > 0)
      least = std::min(
          least, static_cast<double>(part.memory->count) / static_cast<double>(part.nominal_memory->count));
  return least;
}

Result<std::optional<Bytes>> memory_of(const std::string& name) {
  FOREBAY_TRY(const AcceleratorTable table, AcceleratorTable::embedded());
  FOREBAY_TRY(const std::vector<const Accelerator*> parts, table.matching(name));
  const double share = least_usable_share(table);
  // Where a name means parts of several sizes, the smallest: what fits there fits in all of them.
  std::optional<Bytes> least;
  for (const Accelerator* part : parts) {
    std::optional<Bytes> memory = part->memory;
    if (!memory && part->nominal_memory)
      memory = Bytes{static_cast<std::int64_t>(share * static_cast<double>(part->nominal_memory->count))};
    if (memory && (!least || *memory < *least)) least = memory;
  }
  if (!least)
    return refuse("--gpu", name, std::string(tr("its usable memory is not known; give --gpu-memory")));
  return least;
}

}  // namespace

void SizeOptions::declare(CommandLine& line) {
  line.positional("MODEL", model,
                  "a built-in name, config.json, folder, *.safetensors, or a parameter count (7B)");
  line.option("--train", train, "HOW", "what is trained", {"full", "lora", "qlora", "adapter"});
  line.flag("--infer", infer, "serve the model instead of training it");
  line.option("--batch", batch, "N", "sequences at once on one GPU (micro-batch; requests when serving)");
  line.option("--sequence", sequence, "N", "tokens of the longest sequence");
  line.option("--accumulation", accumulation, "N", "micro-batches per optimizer step");
  line.option("--precision", precision, "TYPE",
              "fp32, bf16 (weights too), bf16-mixed (32-bit master weights); fp16 likewise");
  line.option("--optimizer", optimizer, "NAME",
              "adamw, adamw-8bit, paged-adamw, paged-adamw-8bit, adafactor, sgd, sgd-momentum, muon, lion");
  line.option("--weights", weights, "FORMAT",
              "how frozen or served weights are stored: nf4, int8, fp8, gptq4, awq4, Q4_K_M …");
  line.option("--lora-rank", lora_rank, "N", "rank of the adapters");
  line.option("--lora-targets", lora_targets, "LIST", "adapted matrices: q, k, v, o, gate, up, down, or all");
  line.option("--adapter-precision", adapter_precision, "TYPE", "of trained adapters", {"fp32", "bf16"});
  line.flag("--lora-dropout", lora_dropout, "the adapters have dropout");
  line.flag("--train-embeddings", train_embeddings,
            "embedding and output layer are trained beside the adapters");
  line.flag("--fp32-outside", outside_32_bit,
            "embeddings and norms beside quantised weights are in 32 bits (PEFT; implied by qlora)");
  line.flag("--untied", untied,
            "the output layer is stored apart, although the model ties it to the embedding");
  line.option("--trainable", trainable, "N", "trained parameters of --train adapter");
  line.option("--checkpointing", checkpointing, "HOW", "recomputation of activations",
              {"none", "selective", "full"});
  line.option("--attention", attention, "HOW", "kernel of attention", {"flash", "eager"});
  line.option("--loss", loss, "HOW", "logits in 32 bits, as they are, or never whole",
              {"fp32", "native", "fused"});
  line.option("--kernels", kernels, "HOW", "PyTorch's operators one by one, or Megatron's fused ones",
              {"eager", "megatron"});
  line.option("--offload", offload, "WHAT", "what lies in host memory", {"none", "optimizer", "all"});
  line.flag("--fp32-gradients", gradients_32_bit, "gradients are summed in 32 bits (Megatron)");
  line.option("--gpus", gpus, "N", "GPUs in all");
  line.option("--zero", zero, "STAGE", "ZeRO stage 0 to 3; FSDP is 3");
  line.option("--tp", tensor, "N", "tensor parallel GPUs");
  line.option("--pp", pipeline, "N", "pipeline stages");
  line.option("--ep", expert, "N", "groups over which experts are spread");
  line.option("--interleaving", interleaving, "N", "model chunks of a pipeline stage");
  line.flag("--sequence-parallel", sequence_parallel,
            "norms and dropout are split among the tensor parallel GPUs");
  line.option("--cache-bits", cache_bits, "N", "bits of a value in the KV cache");
  line.option("--cache", cache, "HOW", "KV cache in pages (vLLM), or growing by copying (generate)",
              {"paged", "growing"});
  line.option("--gpu", gpu, "NAME[:COUNT]",
              "which GPU, such as RTX-3090 or RTX-3090:4; its usable memory is known");
  line.option("--gpu-memory", gpu_memory, "SIZE", "usable memory of one GPU, such as 24GiB");
  line.option("--oom-at", oom_at, "PERCENT", "it ran out of memory after so much of the run: say why");
  line.option("--config", config, "FILE",
              "a DeepSpeed (JSON) or Accelerate (YAML) configuration; options beside it win");
  line.option("--constants", constants, "FILE", "fitted constants instead of the built-in ones");
}

Result<Workload> SizeOptions::workload(const ModelShape& shape) const {
  Workload work;
  FOREBAY_CHECK(read_counts(*this, work));
  FOREBAY_CHECK(read_method(*this, work));
  FOREBAY_CHECK(read_choices(*this, work));
  FOREBAY_CHECK(read_config(*this, work));
  if (!work.weights) work.weights = shape.weights;  // a model that comes quantised
  work.sequence_parallel = sequence_parallel;
  work.gradients_32_bit = gradients_32_bit;
  FOREBAY_CHECK(check_workload(work, shape));
  return work;
}

Result<void> SizeOptions::split_gpu_count() {
  const std::size_t colon = gpu ? gpu->find(':') : std::string::npos;
  if (colon == std::string::npos) return {};
  const std::string count = gpu->substr(colon + 1);
  FOREBAY_TRY(const std::int64_t number, count_of("--gpu", count));
  if (gpus != "1" && gpus != count)
    return refuse("--gpu", *gpu, fmt::format(fmt::runtime(tr("--gpus says {0}")), gpus));
  gpus = std::to_string(number);
  gpu->resize(colon);
  return {};
}

Result<std::optional<Bytes>> SizeOptions::usable_memory() const {
  if (gpu && gpu_memory) return refuse("--gpu", *gpu, std::string(tr("give either --gpu or --gpu-memory")));
  if (gpu) return memory_of(*gpu);
  if (!gpu_memory) return std::optional<Bytes>();
  FOREBAY_TRY(const Bytes bytes, parse_bytes(*gpu_memory));
  if (bytes.count < (64 << 20) || bytes.count > (std::int64_t{64} << 40))
    return refuse("--gpu-memory", *gpu_memory, std::string(tr("no GPU has that much memory; write 24GiB")));
  return std::optional<Bytes>(bytes);
}

Result<std::optional<double>> SizeOptions::failed_at() const {
  if (!oom_at) return std::optional<double>();
  std::string text = *oom_at;
  if (text.ends_with('%')) text.pop_back();
  char* end = nullptr;
  const double percent = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(percent >= 0 && percent <= 100))
    return refuse("--oom-at", *oom_at, std::string(tr("it is not a share of the run, such as 23%")));
  return std::optional<double>(percent / 100);
}

}  // namespace forebay
