#include "sizing/advice.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/text.h"

namespace forebay {
namespace {

struct Candidate {
  std::string_view what, price, flags;
  bool changes_learning;
  std::function<bool(Workload&, const ModelShape&)> apply;  // false: not possible or already so
};

bool halve_batch(Workload& work, const ModelShape&) {
  if (work.micro_batch < 2) return false;
  work.accumulation *= work.micro_batch;
  work.micro_batch = 1;
  return true;
}

bool use_zero(Workload& work, int stage) {
  if (work.zero_stage >= stage || work.data_parallel() < 2 || work.method == Method::kInference) return false;
  work.zero_stage = stage;
  return true;
}

bool split_tensors(Workload& work, const ModelShape& shape) {
  if (work.tensor_parallel > 1 || work.devices < 2 || work.devices > 8 || shape.heads % work.devices != 0 ||
      work.pipeline_parallel > 1)
    return false;
  work.tensor_parallel = work.devices;
  work.zero_stage = 0;
  return true;
}

bool pack_weights(Workload& work, std::string_view format) {
  if (work.method != Method::kInference || work.weights) return false;
  work.weights = find_weight_format(format);
  return true;
}

bool to_lora(Workload& work, bool packed) {
  if (work.method == Method::kInference || (work.weights && work.weights->bits < 16)) return false;
  if (work.method != Method::kFull && !packed) return false;
  if (packed && work.zero_stage == 3) work.zero_stage = 2;
  if (work.method == Method::kFull) work.lora = LoraSettings{.rank = 16};
  work.method = work.method == Method::kFull ? Method::kLora : work.method;
  work.precision = TrainingPrecision::kPure16;
  if (packed) {
    work.weights = find_weight_format("nf4-dq");
    work.outside_32_bit = true;
  }
  return true;
}

bool is_training(const Workload& work) {
  return work.method != Method::kInference;
}

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> list = {
      {msgid("micro-batch of 1, gradients accumulated to the same batch"),
       msgid("lower use of the GPU; the same result"), "--batch 1 --accumulation {1}", false,
       [](Workload& work, const ModelShape& shape) { return is_training(work) && halve_batch(work, shape); }},
      {msgid("gradient checkpointing (activations recomputed)"), msgid("about a third more computing"),
       "--checkpointing full", false,
       [](Workload& work, const ModelShape&) {
         if (!is_training(work) || work.recompute == Recompute::kFull) return false;
         work.recompute = Recompute::kFull;
         return true;
       }},
      {msgid("flash attention"), msgid("none; it is faster too"), "", false,
       [](Workload& work, const ModelShape&) {
         if (work.flash_attention || !is_training(work)) return false;
         return work.flash_attention = true;
       }},
      {msgid("fused or chunked cross entropy (logits never whole)"), msgid("none to speak of"),
       "--loss fused", false,
       [](Workload& work, const ModelShape&) {
         if (!is_training(work) || work.loss == LossKind::kFused) return false;
         work.loss = LossKind::kFused;
         return true;
       }},
      {msgid("8-bit optimizer (bitsandbytes)"), msgid("hardly any; keep embeddings in 32 bits"),
       "--optimizer adamw-8bit", false,
       [](Workload& work, const ModelShape&) {
         if (!is_training(work) || work.optimizer != Optimizer::kAdamW) return false;
         work.optimizer = Optimizer::kAdamW8Bit;
         return true;
       }},
      {msgid("ZeRO-2: optimizer and gradients shared among the GPUs"),
       msgid("no more traffic than plain data parallel"), "--zero 2", false,
       [](Workload& work, const ModelShape&) { return use_zero(work, 2); }},
      {msgid("ZeRO-3 or FSDP: weights shared too"), msgid("half as much traffic again; slow without NVLink"),
       "--zero 3", false, [](Workload& work, const ModelShape&) { return use_zero(work, 3); }},
      {msgid("optimizer states in host memory"), msgid("slower steps; host memory and PCIe do the work"),
       "--offload optimizer", false,
       [](Workload& work, const ModelShape&) {
         if (!is_training(work) || work.offload != Offload::kNone) return false;
         work.offload = Offload::kOptimizer;
         return true;
       }},
      {msgid("tensor parallel over all GPUs"),
       msgid("much traffic in every layer, wants NVLink; all GPUs then work on one batch"), "--tp {3}", false,
       split_tensors},
      {msgid("KV cache in 8 bits"), msgid("hardly any loss of quality"), "--cache-bits 8", false,
       [](Workload& work, const ModelShape&) {
         if (is_training(work) || work.cache_bits <= 8) return false;
         work.cache_bits = 8;
         return true;
       }},
      {msgid("weights in 8 bits"), msgid("hardly any loss of quality"), "--weights int8", false,
       [](Workload& work, const ModelShape&) { return pack_weights(work, "int8"); }},
      {msgid("weights in 4 bits (AWQ, GPTQ)"), msgid("some loss of quality"), "--weights awq4", false,
       [](Workload& work, const ModelShape&) { return pack_weights(work, "awq4"); }},
      {msgid("half the batch"), msgid("half as many requests at once"), "--batch {0}", false,
       [](Workload& work, const ModelShape&) {
         if (is_training(work) || work.micro_batch < 2) return false;
         work.micro_batch /= 2;
         return true;
       }},
      {msgid("LoRA instead of training all weights"), msgid("learns less; often enough for fine-tuning"),
       "--train lora", true, [](Workload& work, const ModelShape&) { return to_lora(work, false); }},
      {msgid("QLoRA: adapters on 4-bit weights"), msgid("learns less; slower steps"), "--train qlora", true,
       [](Workload& work, const ModelShape&) { return to_lora(work, true); }},
      {msgid("sequences of half the length"), msgid("long examples are cut"), "--sequence {2}", true,
       [](Workload& work, const ModelShape&) {
         if (work.sequence < 512) return false;
         work.sequence /= 2;
         return true;
       }},
  };
  return list;
}

bool is_better(const SizingChange& a, const SizingChange& b) {
  return a.saving > b.saving;
}

std::vector<SizingChange> ranked(const ModelShape& shape, const Workload& work,
                                 const MemoryConstants& constants, const MemoryEstimate& now, Bytes usable,
                                 bool with_learning) {
  std::vector<SizingChange> same, other;
  for (const Candidate& candidate : candidates()) {
    if (candidate.changes_learning && !with_learning) continue;
    SizingChange change{std::string(tr(candidate.what)),
                        std::string(tr(candidate.price)),
                        std::string(candidate.flags),
                        work,
                        {},
                        0,
                        Fit::kDoesNotFit};
    if (!candidate.apply(change.work, shape) || !check_workload(change.work, shape)) continue;
    change.flags = fmt::format(fmt::runtime(candidate.flags), change.work.micro_batch,
                               change.work.accumulation, change.work.sequence, change.work.tensor_parallel);
    change.after = estimate_memory(shape, change.work, constants);
    change.saving = now.likely - change.after.likely;
    change.fit = fit_of(change.after, usable);
    if (change.saving < 0.02 * now.likely) continue;
    (candidate.changes_learning ? other : same).push_back(std::move(change));
  }
  std::sort(same.begin(), same.end(), is_better);
  std::sort(other.begin(), other.end(), is_better);
  same.insert(same.end(), std::make_move_iterator(other.begin()), std::make_move_iterator(other.end()));
  return same;
}

std::vector<SizingChange> greedy(const ModelShape& shape, const Workload& work,
                                 const MemoryConstants& constants, const MemoryEstimate& now, Bytes usable,
                                 bool with_learning) {
  std::vector<SizingChange> series;
  Workload current = work;
  MemoryEstimate estimate = now;
  while (series.size() < 5 && fit_of(estimate, usable) != Fit::kFits) {
    std::vector<SizingChange> next = ranked(shape, current, constants, estimate, usable, with_learning);
    if (next.empty()) return {};
    std::sort(next.begin(), next.end(), is_better);
    current = next.front().work;
    estimate = next.front().after;
    series.push_back(std::move(next.front()));
  }
  return fit_of(estimate, usable) == Fit::kFits ? series : std::vector<SizingChange>();
}

std::string gib(double bytes) {
  return fmt::format("{:.1f} GiB", bytes / (1024.0 * 1024 * 1024));
}

}  // namespace

std::vector<SizingChange> possible_changes(const ModelShape& shape, const Workload& work,
                                           const MemoryConstants& constants, const MemoryEstimate& now,
                                           Bytes usable) {
  return ranked(shape, work, constants, now, usable, true);
}

std::vector<SizingChange> changes_that_fit(const ModelShape& shape, const Workload& work,
                                           const MemoryConstants& constants, const MemoryEstimate& now,
                                           Bytes usable) {
  std::vector<SizingChange> series = greedy(shape, work, constants, now, usable, false);
  return series.empty() ? greedy(shape, work, constants, now, usable, true) : series;
}

std::optional<std::int64_t> longest_sequence(const ModelShape& shape, const Workload& work,
                                             const MemoryConstants& constants, Bytes usable) {
  const auto fits = [&](std::int64_t sequence) {
    Workload changed = work;
    changed.sequence = sequence;
    return estimate_memory(shape, changed, constants).likely <= static_cast<double>(usable.count);
  };
  if (!fits(1)) return std::nullopt;
  std::int64_t low = 1, high = 100'000'000;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

std::vector<Suspicion> why_late(const ModelShape& shape, const Workload& work,
                                const MemoryConstants& constants, const MemoryEstimate& now, Bytes usable,
                                double progress) {
  std::vector<Suspicion> list;
  const auto say = [&](std::string why, std::string_view act) {
    list.push_back({std::move(why), std::string(tr(act))});
  };
  const double room = static_cast<double>(usable.count) - now.likely;
  const std::optional<std::int64_t> longest = longest_sequence(shape, work, constants, usable);
  const std::string when = fmt::format("{:.0f} %", progress * 100);
  if (fit_of(now, usable) == Fit::kDoesNotFit)
    say(fmt::format(
            fmt::runtime(
                tr("With sequences of {0} tokens it needs {1} and has {2}: it ran to {3} only because the "
                   "batches before were shorter. A batch whose longest sequence has more than {4} tokens is "
                   "enough.")),
            work.sequence, gib(now.likely), gib(static_cast<double>(usable.count)), when,
            longest ? std::to_string(*longest) : "0"),
        msgid("Run the longest batch first: then it fails in the first minute or never. Cut or bucket "
              "sequences by length, "
              "and apply the changes above."));
  else if (is_training(work) && longest)
    say(fmt::format(
            fmt::runtime(tr(
                "Batches differ: at --sequence {0} there is room for {1}, and a batch whose longest sequence "
                "reaches {2} tokens takes all of it. At {3} such a batch may have come.")),
            work.sequence, gib(room), *longest, when),
        msgid("Set the longest length in the tokenizer (truncation, max_length), or bucket by length; run "
              "the longest batch first."));
  const double loose =
      now.of(MemoryTerm::kActivations) + now.of(MemoryTerm::kLogits) + now.of(MemoryTerm::kWorking);
  if (is_training(work))
    say(fmt::format(fmt::runtime(tr("Fragmentation: {0} of blocks change size with every batch. The error "
                                    "then says that much more is "
                                    "reserved than allocated.")),
                    gib(loose)),
        msgid("Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True (PyTorch 2.1 and later); pad batches to "
              "a few fixed lengths."));
  const double evaluation =
      static_cast<double>(work.micro_batch * work.sequence) * static_cast<double>(shape.vocabulary) * 4;
  if (is_training(work))
    say(room > 0 ? fmt::format(fmt::runtime(tr("Evaluation: kept predictions are {0} a batch (32-bit "
                                               "logits), so {1} of them fill what is left. It is "
                                               "this if it fails at the first evaluation.")),
                               gib(evaluation), static_cast<std::int64_t>(room / evaluation) + 1)
                 : fmt::format(fmt::runtime(tr("Evaluation: kept predictions are {0} a batch (32-bit "
                                               "logits), and nothing is left for them. It is this "
                                               "if it fails at the first evaluation.")),
                               gib(evaluation)),
        msgid(
            "Evaluate under torch.no_grad(), keep arg-max or loss only (preprocess_logits_for_metrics), set "
            "eval_accumulation_steps, and a smaller batch for evaluation."));
  say(std::string(tr("Something is kept from step to step: losses, outputs or metrics in a list hold their "
                     "whole graph. Memory then "
                     "rises evenly; `forebay report` shows it as a slope.")),
      msgid("Append loss.item() or .detach().cpu(), not the tensor; zero_grad(set_to_none=True); look at "
            "torch.cuda.memory._record_memory_history()."));
  if (work.devices > 1)
    say(std::string(tr("One GPU holds more than the others: rank 0 gathers checkpoints or metrics, or "
                       "another process sits on it.")),
        msgid("Compare the GPUs in nvidia-smi; load with map_location=\"cpu\"; save sharded checkpoints; "
              "look for foreign processes."));
  return list;
}

}  // namespace forebay
