// forebay size: what memory a job needs, whether it fits, and what would make it fit.
#include "base/file.h"
#include "base/text.h"
#include "cli/run_view.h"
#include "cli/size_options.h"
#include "cli/size_view.h"
#include "cli/verb_list.h"
#include "sizing/model_source.h"

namespace forebay {
namespace {

Result<MemoryConstants> constants_of(const std::optional<std::string>& path) {
  if (!path) return built_in_memory_constants();
  FOREBAY_TRY(const std::string text, read_file(*path, 1u << 20));
  return parse_memory_constants(text, *path);
}

class SizeVerb final : public Verb {
 public:
  void declare(CommandLine& line) override { options_.declare(line); }

  Result<int> run(const Console& console) override {
    SizeAnswer answer;
    FOREBAY_CHECK(options_.split_gpu_count());
    auto shape = resolve_model(options_.model);
    if (!shape) return as_bad_input(std::move(shape).error());
    answer.shape = *std::move(shape);
    if (options_.untied) answer.shape.tied = false;
    FOREBAY_TRY(answer.work, options_.workload(answer.shape));
    FOREBAY_TRY(answer.usable, options_.usable_memory());
    FOREBAY_TRY(const std::optional<double> failed_at, options_.failed_at());
    FOREBAY_TRY(const MemoryConstants constants, constants_of(options_.constants));
    answer.estimate = estimate_memory(answer.shape, answer.work, constants);
    if (failed_at && !answer.usable)
      return make_error(
          ErrorCode::kInvalidInput, "size", "--oom-at " + *options_.oom_at,
          std::string(tr("the memory of the GPU is not known; add --gpu RTX-3090 or --gpu-memory 24GiB")));
    if (answer.usable && (failed_at || fit_of(answer.estimate, *answer.usable) != Fit::kFits)) {
      answer.changes =
          possible_changes(answer.shape, answer.work, constants, answer.estimate, *answer.usable);
      answer.together =
          changes_that_fit(answer.shape, answer.work, constants, answer.estimate, *answer.usable);
    }
    if (failed_at)
      answer.suspicions =
          why_late(answer.shape, answer.work, constants, answer.estimate, *answer.usable, *failed_at);
    if (console.json)
      console.print_json(size_json(answer));
    else
      console.print(size_text(answer, style_of(console)));
    return 0;
  }

 private:
  // The file is one that a person gave: damage in it is bad input, not a fault of this machine.
  static Error as_bad_input(Error error) {
    if (error.code == ErrorCode::kCorrupt) error.code = ErrorCode::kInvalidInput;
    return error;
  }

  SizeOptions options_;
};

}  // namespace

VerbInfo size_verb_info() {
  return {"size",
          "Rent",
          "memory that a training or inference job needs",
          "Computes the memory of one GPU term by term (weights, gradients, optimizer, activations, logits, "
          "KV cache and "
          "what the libraries take) from the model's shape, and says whether it fits, by how much, and which "
          "changes would "
          "make it fit, each with its saving. The interval comes from measured runs (docs/sizing.md).",
          "$ forebay size Llama-3.1-8B --train lora --batch 4 --sequence 2048 --gpu-memory 24GiB\n"
          "$ forebay size 7B --train full --gpus 8 --zero 3 --checkpointing full --gpu-memory 80GiB\n"
          "$ forebay size ./config.json --infer --batch 16 --sequence 8192 --weights awq4\n"
          "$ forebay size Qwen2.5-7B --train qlora --gpus 4 --gpu RTX-3090 --oom-at 23%",
          make_verb<SizeVerb>};
}

}  // namespace forebay
