// The options of `forebay size` and the workload they say.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "sizing/memory.h"

namespace forebay {

struct SizeOptions {
  std::string model;
  std::string train = "full";
  bool infer = false;
  std::string batch = "1", sequence = "2048", accumulation, precision, optimizer = "adamw";
  std::string weights, lora_rank = "8", lora_targets = "q,v", adapter_precision = "fp32", trainable;
  bool lora_dropout = false, train_embeddings = false, untied = false, outside_32_bit = false;
  std::string checkpointing = "none", attention = "flash", loss = "fp32", kernels = "eager", offload = "none";
  bool gradients_32_bit = false;
  std::string gpus = "1", tensor = "1", pipeline = "1", expert = "1", interleaving = "1", zero = "0";
  bool sequence_parallel = false;
  std::string cache_bits = "16", cache = "paged";
  std::optional<std::string> gpu, gpu_memory, oom_at, constants, config;

  void declare(CommandLine& line);
  // "--gpu A100:4" says --gpus 4 too.
  Result<void> split_gpu_count();
  // kInvalidInput: one sentence about the first value that is wrong.
  Result<Workload> workload(const ModelShape& shape) const;
  // Usable memory of one GPU, when it was given: the size itself, or what the driver of the named one
  // reports.
  Result<std::optional<Bytes>> usable_memory() const;
  // --oom-at as a share of the run, 0 to 1.
  Result<std::optional<double>> failed_at() const;
};

}  // namespace forebay
