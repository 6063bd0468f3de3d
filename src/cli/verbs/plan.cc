// forebay plan: where to run a job, what it is expected to take and to cost there, and why not elsewhere.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/environment_variable.h"
#include "base/installation.h"
#include "base/number.h"
#include "base/text.h"
#include "catalog/accelerator_table.h"
#include "catalog/offer_filter.h"
#include "catalog/offer_store.h"
#include "cli/launch_options.h"
#include "cli/plan_view.h"
#include "cli/verb_list.h"
#include "planning/candidates.h"
#include "planning/relative_speed.h"
#include "sizing/memory.h"
#include "sizing/model_source.h"

namespace forebay {
namespace {

constexpr std::size_t kUsualRows = 10;

Error bad_option(const std::string& option, std::string_view cause, std::string_view advice = {}) {
  return make_error(ErrorCode::kInvalidInput, "plan", option, std::string(cause), std::string(advice));
}

template <typename Target, typename Read>
Result<void> read_into(Target& target, const std::string& text, const Read& read) {
  if (text.empty()) return {};
  FOREBAY_TRY(target, read(text));
  return {};
}

// "cost", "time", "carbon" or weights: "cost=2,time=1".
Result<PlanWeights> parse_objective(const std::string& text) {
  PlanWeights weights{0, 0, 0};
  const auto weight_of = [&](std::string_view name) -> double* {
    return name == "cost"     ? &weights.cost
           : name == "time"   ? &weights.time
           : name == "carbon" ? &weights.carbon
                              : nullptr;
  };
  for (const std::string& part : split_list(text)) {
    const std::size_t equals = part.find('=');
    double* weight = weight_of(std::string_view(part).substr(0, equals));
    const auto range = equals == std::string::npos ? Result<NumberRange>(NumberRange{1, 1})
                                                   : parse_number_range(part.substr(equals + 1), "weight");
    if (weight == nullptr || !range || !range->low || range->low != range->high || *range->low < 0)
      return bad_option("--objective " + text, tr("it is not an objective"),
                        tr("Write cost, time or carbon, or weights: cost=2,time=1."));
    *weight = *range->low;
  }
  if (weights.cost + weights.time + weights.carbon <= 0)
    return bad_option("--objective " + text, tr("nothing counts"),
                      tr("Write cost, time or carbon, or weights: cost=2,time=1."));
  return weights;
}

// "10%", "0.1": of spot machines, taken back within a month.
Result<Probability> parse_share(const std::string& text) {
  const bool is_percent = text.ends_with('%');
  const auto range = parse_number_range(is_percent ? text.substr(0, text.size() - 1) : text, "share");
  const double value =
      range && range->low && range->low == range->high ? *range->low / (is_percent ? 100 : 1) : -1;
  if (value <= 0 || value >= 1)
    return bad_option("--interruptions " + text, tr("it is not a share above 0 and below 1"),
                      tr("Write 10%."));
  return Probability{value};
}

class PlanVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional("FILE", file_, "job file: its workload, resources and policy are read", false);
    line.option("--work", work_, "DURATION", "how long the job takes on the machine of --reference: 12h");
    line.option("--reference", reference_, "GPU[:COUNT]", "the machine that --work speaks of: A100:8, 4090");
    line.option("--model", model_, "MODEL",
                "a config.json, a safetensors file, a name or a parameter count: does it fit?");
    line.option("--memory-per-gpu", memory_, "SIZE",
                "what the job needs on each GPU, where it is known: 22GiB");
    line.option_list("--gpu", gpus_, "NAME[:COUNT]", "only these GPUs: H100:8, 'A100*:4+'; may be repeated");
    line.option("--vendor", vendor_, "NAME",
                "only GPUs of this maker (default: nvidia, or that of --gpu): code for one does not run on "
                "the others as it is",
                {"nvidia", "amd", "google", "aws", "any"});
    line.option("--region", regions_, "GLOBS", "only these regions: 'eu-*' is every region in Europe");
    line.option("--provider", providers_, "NAMES", "only these providers, with commas");
    line.option("--nodes", nodes_, "COUNT", "machines that work together: 1, 2..4");
    line.option("--spot", spot_, "WHEN", "machines that may be taken away", {"auto", "never", "only"});
    line.option("--objective", objective_, "WHAT",
                "cost, time, carbon, or weights: cost=2,time=1 (default: cost)");
    line.option("--deadline", deadline_, "DURATION", "done within this time from now: 36h");
    line.option("--budget", budget_, "MONEY", "at most so much in all: 200USD");
    line.option("--preparation", preparation_, "DURATION",
                "start of the machine, environment and data, paid for (default: 5m)");
    line.option("--checkpoint-every", interval_, "DURATION",
                "work between two checkpoints (default: the best for the interruptions)");
    line.option("--checkpoint-cost", checkpoint_, "DURATION",
                "time that writing one takes from the job (default: 30s)");
    line.option("--restart", restart_, "DURATION",
                "from an interruption until the job works again (default: 10m)");
    line.option("--interruptions", interruptions_, "SHARE",
                "of spot machines taken back in a month, where the provider says nothing: 10%");
    line.option("--currency", currency_, "CODE", "currency of costs (default: USD)");
    line.option_list(
        "--rate", rates_, "CODE=RATE",
        "how much of a currency one USD is: CNY=7.1; else FOREBAY_RATES=CNY=7.1,EUR=0.9 is read");
    line.option("-n,--limit", limit_, "N", "show so many (default: 10)");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(accelerators_, AcceleratorTable::embedded());
    FOREBAY_TRY(speed_, RelativeSpeedModel::embedded());
    FOREBAY_CHECK(read_job(console));
    FOREBAY_CHECK(read_options());
    FOREBAY_CHECK(read_memory());
    FOREBAY_TRY(const ExchangeRates rates, stated_rates());
    FOREBAY_TRY(const LoadedOffers loaded, load_offers(offer_folder(state_folder())));
    for (const std::string& problem : loaded.problems) console.remark(problem);
    FOREBAY_TRY(OfferSelection selection, select_offers(loaded.table, filter_, rates));
    leave_other_makers_out(loaded.table, selection);
    FOREBAY_TRY(const CarbonTable carbon, CarbonTable::embedded());
    const auto candidates =
        candidates_for(loaded.table, selection.rows, kinds(), need_, rates, currency_, carbon);
    const auto ranking = rank(candidates, conditions_, weights_);
    const PlanView view{loaded.table, candidates, ranking, currency_, work_.empty(), unknowns()};
    if (console.json)
      console.print_json(plan_json(view, rows_));
    else
      console.print(plan_text(view, rows_, console));
    const bool any = !ranking.empty() && ranking.front().score;
    if (!any)
      console.remark(candidates.empty()
                         ? tr("no offer has such a machine; `forebay offers` shows what there is")
                         : tr("no machine meets the conditions"));
    return any ? 0 : 1;
  }

 private:
  void leave_other_makers_out(const OfferTable& table, OfferSelection& selection) {
    if (vendor_.empty()) vendor_ = gpus_.empty() ? "nvidia" : "any";
    if (vendor_ == "any") return;
    std::erase_if(selection.rows, [&](std::uint32_t row) {
      const Accelerator* part = accelerators_.find(table.text(table.rows()[row].gpu));
      return part == nullptr || part->vendor != vendor_;
    });
  }

  Result<void> read_job(const Console& console) {
    if (file_.empty()) return {};
    FOREBAY_TRY(const ReadJob read, read_job_file(file_, console));
    job_ = read.job;
    folder_ = read.folder;
    const JobPolicy& policy = job_.policy;
    if (policy.deadline)
      conditions_.deadline = Duration{policy.deadline->nanoseconds - system_clock().now().nanoseconds};
    conditions_.budget = policy.budget;
    if (policy.objective && objective_.empty()) objective_ = *policy.objective;
    if (policy.capacity == "on-demand" && spot_.empty()) spot_ = "never";
    if (policy.capacity == "spot" && spot_.empty()) spot_ = "only";
    // Only a job that can go on after an interruption may be interrupted without being asked.
    if (spot_.empty() &&
        (policy.interruptible == "no" || (policy.interruptible != "yes" && !job_.checkpoint))) {
      spot_ = "never";
      is_spot_left_out_ = true;
    }
    read_resources();
    return {};
  }

  void read_resources() {
    const JobResources& resources = job_.resources;
    for (const Place& place : resources.on) {
      if (place.engine == "any" || place.engine == "local") continue;
      if (providers_.empty()) filter_.providers.push_back(place.engine);
      if (!place.region.empty() && regions_.empty()) filter_.regions.push_back(place.region);
    }
    if (resources.nodes && nodes_.empty()) nodes_ = std::to_string(*resources.nodes);
    if (resources.cpus) filter_.vcpu.low = resources.cpus->value;
    if (resources.memory) filter_.memory = BytesRange{resources.memory->value, std::nullopt};
    if (!resources.gpu) return;
    const std::string count = resources.gpu->count ? ":" + std::to_string(*resources.gpu->count) : "";
    if (gpus_.empty() && (resources.gpu->name || !count.empty()))
      gpus_ = {resources.gpu->name.value_or("*") + count};
    if (const auto& memory = resources.gpu->memory) {
      filter_.gpu_memory = GpuMemoryWish{memory->value, std::nullopt, true};
      if (!memory->is_floor) filter_.gpu_memory->high = memory->value;
    }
  }

  Result<void> read_options() {
    for (const std::string& text : gpus_) {
      FOREBAY_TRY(GpuWish wish, parse_gpu_wish(text));
      filter_.gpus.push_back(std::move(wish));
    }
    for (const std::string& region : split_list(regions_)) filter_.regions.push_back(region);
    for (const std::string& provider : split_list(providers_)) filter_.providers.push_back(provider);
    if (!objective_.empty()) {
      FOREBAY_TRY(weights_, parse_objective(objective_));
    }
    FOREBAY_CHECK(read_into(conditions_.deadline, deadline_, parse_duration));
    FOREBAY_CHECK(read_into(conditions_.budget, budget_, parse_price));
    conditions_.preparation = Duration::from_seconds(300);
    conditions_.checkpoint = {Duration::from_seconds(30), Duration::from_seconds(600), std::nullopt};
    FOREBAY_CHECK(read_into(conditions_.preparation, preparation_, parse_duration));
    FOREBAY_CHECK(read_into(conditions_.checkpoint.interval, interval_, parse_duration));
    FOREBAY_CHECK(read_into(conditions_.checkpoint.cost, checkpoint_, parse_duration));
    FOREBAY_CHECK(read_into(conditions_.checkpoint.restart, restart_, parse_duration));
    FOREBAY_CHECK(read_into(need_.assumed_interruptions, interruptions_, parse_share));
    conditions_.may_be_interrupted = spot_ != "never";
    FOREBAY_CHECK(read_nodes());
    if (!limit_.empty()) {
      const auto rows = whole_integer(limit_);
      if (!rows || *rows < 1) return bad_option("--limit " + limit_, tr("it is not a number above 0"));
      rows_ = static_cast<std::size_t>(*rows);
    }
    return read_work();
  }

  Result<void> read_nodes() {
    if (nodes_.empty()) return {};
    FOREBAY_TRY(const NumberRange range, parse_number_range(nodes_, "nodes"));
    const double low = range.low.value_or(1), high = range.high.value_or(low);
    if (low < 1 || high > 512 || low != static_cast<int>(low) || high != static_cast<int>(high))
      return bad_option("--nodes " + nodes_, tr("it is not a number of machines from 1 to 512"),
                        tr("Write 2, or 1..4."));
    need_.fewest_nodes = static_cast<std::uint16_t>(low);
    need_.most_nodes = static_cast<std::uint16_t>(high);
    return {};
  }

  Result<void> read_work() {
    need_.power = [this](std::string_view gpu) -> std::optional<Watts> {
      const Accelerator* part = accelerators_.find(gpu);
      return part != nullptr ? part->power : std::nullopt;
    };
    if (work_.empty()) {
      if (!reference_.empty())
        return bad_option("--reference " + reference_, tr("how long the work takes there is not said"),
                          tr("Add --work 12h."));
      if (conditions_.deadline)
        return bad_option("--deadline", tr("how long the work takes is not known"),
                          tr("Add --work 12h --reference A100."));
      // Without it, what an hour of each machine costs is all that can be compared.
      conditions_.preparation = Duration{0};
      need_.reference_time = Duration::from_seconds(3600);
      need_.speed = [](std::string_view, double, int) { return std::optional(1.0); };
      return {};
    }
    if (reference_.empty())
      return bad_option("--work " + work_, tr("on which machine is not said"), tr("Add --reference A100:1."));
    FOREBAY_TRY(need_.reference_time, parse_duration(work_));
    if (need_.reference_time->nanoseconds <= 0)
      return bad_option("--work " + work_, tr("no work is that short"));
    const std::size_t colon = reference_.rfind(':');
    const auto count =
        colon == std::string::npos ? std::optional(1.0) : parse_gpu_count(reference_.substr(colon + 1));
    if (!count)
      return bad_option("--reference " + reference_, tr("its count is not a number above 0"),
                        tr("Write A100:8."));
    FOREBAY_TRY(const auto parts, accelerators_.matching(reference_.substr(0, colon)));
    const DeviceSet reference{parts.front(), *count};
    need_.speed = [this, reference](std::string_view gpu, double gpus, int) -> std::optional<double> {
      const auto ratio = relative_speed(speed_, {accelerators_.find(gpu), gpus}, reference);
      return ratio ? std::optional(ratio->likely) : std::nullopt;
    };
    reference_id_ = parts.front()->id;
    return {};
  }

  // What the job needs on one device, from the job file's workload or --model.
  Result<void> read_memory() {
    FOREBAY_CHECK(read_into(need_.memory_per_gpu, memory_, parse_bytes));
    const JobWorkload& workload = job_.workload;
    std::string model = model_;
    if (model.empty() && workload.model) model = *workload.model;
    if (model.empty() && workload.parameters) model = fmt::format("{:.0f}M", *workload.parameters / 1e6);
    if (need_.memory_per_gpu || model.empty()) return {};
    if (model_.empty() && model.find('/') != std::string::npos && !model.starts_with('/'))
      model = folder_ + "/" + model;
    FOREBAY_TRY(const ModelShape shape, resolve_model(model));
    FOREBAY_TRY(const MemoryConstants constants, built_in_memory_constants());
    Workload work;
    const std::string kind = workload.kind.value_or("train");
    if (kind == "inference") work.method = Method::kInference;
    if (kind.starts_with("finetune")) work.method = Method::kLora;
    if (kind == "finetune-qlora") work.weights = find_weight_format("nf4");
    if (workload.precision == "fp32") work.precision = TrainingPrecision::kFp32;
    work.micro_batch = workload.batch_size.value_or(1);
    work.sequence = workload.sequence_length.value_or(work.sequence);
    FOREBAY_CHECK(check_workload(work, shape));
    need_.memory_per_gpu = Bytes{static_cast<std::int64_t>(estimate_memory(shape, work, constants).high)};
    is_memory_estimated_ = true;
    return {};
  }

  Result<ExchangeRates> stated_rates() {
    if (currency_.empty()) currency_ = conditions_.budget ? conditions_.budget->currency : "USD";
    FOREBAY_TRY(ExchangeRates rates, ExchangeRates::load(environment_variable("FOREBAY_RATES").value_or("")));
    for (const std::string& rate : rates_) FOREBAY_CHECK(rates.state(rate));
    if (!rates.per_usd(currency_))
      return bad_option(
          "--currency " + currency_,
          fmt::format(fmt::runtime(tr("no exchange rate is known for {0}")), currency_),
          fmt::format(fmt::runtime(tr("Say it with --rate {0}=RATE (how many {0} one USD is).")), currency_));
    if (conditions_.budget) {
      const auto converted = rates.convert(*conditions_.budget, currency_);
      if (!converted)
        return bad_option("--budget", tr("its exchange rate is not known"),
                          tr("Give it in the currency of the costs."));
      conditions_.budget = *converted;
    }
    return rates;
  }

  std::vector<PriceKind> kinds() const {
    if (spot_ == "only") return {PriceKind::kSpot};
    if (spot_ == "never") return {PriceKind::kOnDemand};
    return {PriceKind::kOnDemand, PriceKind::kSpot};
  }

  std::vector<std::string> unknowns() const {
    std::vector<std::string> sentences;
    if (work_.empty())
      sentences.emplace_back(
          tr("how long the job takes: costs are for one hour of machine, whatever it gets done; give --work "
             "12h --reference A100"));
    else
      sentences.push_back(fmt::format(fmt::runtime(tr("how fast this model is on each GPU: times are scaled "
                                                      "from {0} by figures fitted to measured training, "
                                                      "right within a factor of {1} two times in three")),
                                      reference_id_,
                                      fmt::format("{:.1f}", std::exp(speed_.spread * std::sqrt(2.0)))));
    if (!need_.memory_per_gpu)
      sentences.emplace_back(
          tr("whether the job fits into a GPU's memory: give --model, --memory-per-gpu or a workload in the "
             "job file"));
    else if (is_memory_estimated_)
      sentences.push_back(fmt::format(
          fmt::runtime(tr("memory is estimated: {0} on each GPU at most, without sharding between them")),
          format_bytes(*need_.memory_per_gpu)));
    if (is_spot_left_out_)
      sentences.emplace_back(
          tr("whether the job can be interrupted: the job file names no checkpoint, so spot is left out "
             "(--spot auto)"));
    if (vendor_ != "any")
      sentences.push_back(fmt::format(
          fmt::runtime(
              tr("whether the code could run on other makers' parts: only {0} is looked at (--vendor any)")),
          vendor_));
    sentences.emplace_back(tr("quotas, free capacity, the cost of storage and of data that leaves a cloud"));
    return sentences;
  }

  std::string file_, work_, reference_, model_, memory_, regions_, providers_, nodes_, spot_, objective_,
      deadline_, budget_;
  std::string vendor_, preparation_, interval_, checkpoint_, restart_, interruptions_, currency_, limit_;
  std::vector<std::string> gpus_, rates_;
  Job job_;
  std::string folder_, reference_id_;
  AcceleratorTable accelerators_;
  RelativeSpeedModel speed_;
  OfferFilter filter_;
  WorkNeed need_;
  PlanConditions conditions_;
  PlanWeights weights_;
  std::size_t rows_ = kUsualRows;
  bool is_memory_estimated_ = false, is_spot_left_out_ = false;
};

}  // namespace

VerbInfo plan_verb_info() {
  return {
      "plan",
      "Rent",
      "where to run a job, what it takes and costs there, why not elsewhere",
      "Ranks every machine that can be rented, on demand and spot, for a job: expected time and cost with "
      "preparation, "
      "checkpoints and interruptions, under a deadline and a budget. Says why machines are left out, shows "
      "what more money "
      "buys, and says what the plan does not know. Expected time under interruptions follows Daly (2006).\n\n"
      "The job file's workload, resources and policy are read; options go before them. The exit code is 1 "
      "when no machine "
      "meets the conditions.",
      "$ forebay plan job.yaml --work 12h --reference A100\n"
      "$ forebay plan --work 30h --reference 4090 --memory-per-gpu 20GiB --deadline 24h --objective "
      "cost=2,time=1\n"
      "$ forebay plan --gpu H100:8 --provider aws,gcp --region 'eu-*' --spot auto --json",
      make_verb<PlanVerb>};
}

}  // namespace forebay
