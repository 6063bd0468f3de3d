// What this release's local engine cannot honour. Nothing is ignored in silence: what matters is refused,
// what is harmless is said.
#include "spec/job_file.h"
#include "spec/sentence.h"
#include "spec/url.h"

namespace forebay {
namespace {

class LocalJudgement {
 public:
  LocalJudgement(const Job& job, const JobSource& source) : job_(job), source_(source) {}

  std::vector<JobProblem> judge() {
    resources();
    environment();
    data();
    outputs();
    policy();
    kinds_of_job();
    return std::move(problems_);
  }

 private:
  void refuse(std::string_view key, std::string sentence) {
    problems_.push_back(source_.problem_at(key, std::move(sentence), true));
  }
  void remark(std::string_view key, std::string sentence) {
    problems_.push_back(source_.problem_at(key, std::move(sentence), false));
  }

  void resources() {
    const JobResources& resources = job_.resources;
    bool can_run_here = resources.on.empty();
    for (const Place& place : resources.on)
      can_run_here = can_run_here || place.engine == "local" || place.engine == "any";
    for (std::size_t i = 0; i < resources.on.size(); ++i) {
      const Place& place = resources.on[i];
      if (place.engine == "local" || place.engine == "any") continue;
      const std::string key = fmt::format("resources.on[{}]", i);
      if (can_run_here)
        remark(key, say(tr("resources.on: {0} is passed over; this release runs jobs on this machine only."),
                        place.text()));
      else
        refuse(key, say(tr("resources.on: {0} cannot be used yet; this release runs jobs on this machine "
                           "only. Write on: local, or start it with --on local."),
                        place.text()));
    }
    if (resources.nodes.value_or(1) > 1)
      refuse("resources.nodes", say(tr("resources.nodes: this machine is one node, and {0} are asked for. "
                                       "Write nodes: 1, or leave it out."),
                                    *resources.nodes));
    if (resources.gpu && (resources.gpu->name || resources.gpu->memory || resources.gpu->architecture))
      remark("resources.gpu",
             std::string(
                 tr("resources.gpu: on this machine only the number of GPUs is checked, not their kind.")));
    if (resources.disk && !resources.disk->is_floor)
      remark("resources.disk", std::string(tr("resources.disk: on this machine so much free space is checked "
                                              "before the start; it is not a limit.")));
  }

  void environment() {
    const JobEnvironment& environment = job_.environment;
    if (environment.image)
      refuse("environment.image",
             std::string(tr("environment.image: jobs on this machine cannot run in a container image yet. "
                            "Use environment.requirements, or an active environment.")));
    if (environment.dockerfile)
      refuse("environment.dockerfile",
             std::string(tr("environment.dockerfile: images cannot be built yet. Use "
                            "environment.requirements, or an active environment.")));
  }

  void data() {
    for (std::size_t i = 0; i < job_.data.size(); ++i) {
      const JobData& item = job_.data[i];
      const std::string key = fmt::format("data[{}]", i);
      if (!local_path(item.from))
        refuse(key + ".from", say(tr("{0}: {1} cannot be fetched yet; this release reads local paths only. "
                                     "Copy the data here first and name its path."),
                                  key + ".from", shown(item.from)));
      if (item.mode.value_or("stage") != "stage")
        refuse(key + ".mode",
               say(tr("{0}: only stage works on this machine yet, not {1}."), key + ".mode", *item.mode));
    }
  }

  void outputs() {
    for (std::size_t i = 0; i < job_.outputs.size(); ++i) {
      const JobOutput& output = job_.outputs[i];
      const std::string key = fmt::format("outputs[{}]", i);
      if (!local_path(output.to))
        refuse(key + ".to",
               say(tr("{0}: {1} cannot be written yet; this release saves to local paths and file:// only."),
                   key + ".to", shown(output.to)));
    }
  }

  void policy() {
    const JobPolicy& policy = job_.policy;
    const std::string unused(tr("{0} has no effect on this machine: it steers which machine is rented."));
    if (policy.objective || !policy.objective_weights.empty())
      remark("policy.objective", say(unused, "policy.objective"));
    if (policy.capacity && *policy.capacity != "auto")
      remark("policy.capacity", say(unused, "policy.capacity"));
    if (policy.interruptible && *policy.interruptible != "auto")
      remark("policy.interruptible", say(unused, "policy.interruptible"));
    if (policy.deadline)
      remark("policy.deadline",
             std::string(tr("policy.deadline has no effect on this machine: the run is not stopped when it "
                            "passes. Use policy.max_duration for that.")));
    if (!(job_.workload == JobWorkload{}))
      remark("workload",
             std::string(tr("workload has no effect on this machine: it is read when a machine is chosen.")));
  }

  void kinds_of_job() {
    if (job_.service)
      refuse("service", std::string(tr("service: inference services cannot be run yet. Leave the section out "
                                       "to run the command once.")));
    if (job_.sweep)
      refuse(
          "sweep",
          std::string(tr("sweep: sweeps cannot be run yet. Leave the section out to run the command once.")));
  }

  const Job& job_;
  const JobSource& source_;
  std::vector<JobProblem> problems_;
};

}  // namespace

std::vector<JobProblem> unsupported_locally(const Job& job, const JobSource& source) {
  return LocalJudgement(job, source).judge();
}

}  // namespace forebay
