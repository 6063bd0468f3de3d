#include <algorithm>

#include "spec/job_file.h"
#include "spec/job_text.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

class Explanation {
 public:
  Explanation(const Job& job, std::string folder) : job_(job), folder_(std::move(folder)) {}

  std::string text() {
    command();
    place();
    environment();
    limits();
    saved();
    kinds_of_job();
    std::string out;
    for (const std::string& line : lines_) out += line + "\n";
    return out;
  }

 private:
  void line(std::string sentence) { lines_.push_back(std::move(sentence)); }

  // A script of several lines is shown indented below its sentence.
  void script(std::string sentence, const std::string& text) {
    line(std::move(sentence));
    std::string_view rest = std::string_view(text).substr(0, text.find_last_not_of(" \t\n") + 1);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      line("    " + escaped(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  void command() {
    if (job_.name) line(say(tr("The run is called {0}."), shown(*job_.name)));
    if (!folder_.empty())
      line(say(tr("It runs in the folder {0}."), shown(folder_)));
    else if (job_.workdir)
      line(say(tr("It runs in the folder {0}, taken from the job file's own folder."), shown(*job_.workdir)));
    else
      line(std::string(tr("It runs in the folder of the job file.")));
    if (job_.setup)
      script(std::string(tr("First the setup script runs; if it fails, the run ends there:")), *job_.setup);
    if (job_.run.empty())
      line(std::string(tr("The file says no command: give it with run:, or after -- on the command line.")));
    else
      script(std::string(job_.run.script ? tr("Then the shell runs:")
                                         : tr("Then this command is executed, without a shell:")),
             job_.run.text());
  }

  void place() {
    const JobResources& resources = job_.resources;
    std::vector<std::string> places;
    for (const Place& place : resources.on) places.push_back(place.text());
    if (places.empty())
      line(std::string(tr("It runs on this machine.")));
    else
      line(say(tr("It may run on {0}, in this order of preference."), listed_or(places)));
    if (resources.nodes.value_or(1) > 1) line(say(tr("{0} machines run it together."), *resources.nodes));
    if (resources.gpu) line(gpu(*resources.gpu));
    const auto amount = [&](const auto& value, std::string_view floor, std::string_view fixed,
                            const auto& written) {
      if (value) line(say(value->is_floor ? floor : fixed, written(value->value)));
    };
    amount(resources.cpus, tr("The machine must have at least {0} CPU cores."),
           tr("The machine must have {0} CPU cores, and the run is held to them."), number_text);
    amount(resources.memory, tr("The machine must have at least {0} of memory."),
           tr("The run may use {0} of memory; it is stopped when it uses more."), bytes_text);
    amount(resources.disk, tr("At least {0} of disk must be free."), tr("{0} of disk must be free."),
           bytes_text);
  }

  std::string gpu(const JobGpu& gpu) {
    std::string what = gpu.name.value_or(std::string(tr("any model")));
    if (gpu.memory) what += ", " + bytes_text(gpu.memory->value) + (gpu.memory->is_floor ? "+" : "");
    if (gpu.architecture) what += ", " + gpu.architecture->value + (gpu.architecture->is_floor ? "+" : "");
    return say(tr("It needs {0} GPU(s): {1}."), gpu.count.value_or(1), what);
  }

  void environment() {
    const JobEnvironment& environment = job_.environment;
    if (environment.python) line(say(tr("It needs Python {0}."), *environment.python));
    if (environment.requirements)
      line(say(tr("Its packages are those of {0}."), shown(*environment.requirements)));
    else if (environment.conda)
      line(say(tr("Its packages are those of {0}."), shown(*environment.conda)));
    else if (environment.image)
      line(say(tr("It runs in the container image {0}."), shown(*environment.image)));
    else if (environment.dockerfile)
      line(say(tr("It runs in the image built from {0}."), shown(*environment.dockerfile)));
    else
      line(std::string(tr("What it needs is detected; an active environment that works is used as it is.")));
    std::string names;
    for (const JobVariable& variable : environment.variables)
      names += (names.empty() ? "" : ", ") + variable.name;
    if (!names.empty()) line(say(tr("It gets the variables {0}."), names));
    for (const std::string& name : missing_variables(job_))
      line(say(tr("The variable {0} has no value: give it with --env {0}=VALUE."), name));
    std::string secrets;
    for (const std::string& name : environment.secrets) secrets += (secrets.empty() ? "" : ", ") + name;
    if (!secrets.empty())
      line(say(
          tr("It gets the secrets {0} from the environment in which it is started; they are not recorded."),
          secrets));
    for (const JobData& data : job_.data)
      line(say(tr("The data {0} is there as {1} before it starts ({2})."), shown(data.from),
               shown(data.to.value_or("-")), data.mode.value_or("stage")));
  }

  void limits() {
    const JobPolicy& policy = job_.policy;
    if (policy.max_duration)
      line(say(tr("It is stopped after {0}."), duration_text(*policy.max_duration)));
    else
      line(std::string(tr("It may last as long as it wants.")));
    if (policy.idle_stop)
      line(say(tr("It is stopped when it is idle for {0}."), duration_text(*policy.idle_stop)));
    if (policy.hang_stop)
      line(say(tr("It is stopped when it hangs for {0}: no step, no line, no input or output."),
               duration_text(*policy.hang_stop)));
    if (policy.budget)
      line(say(tr("It may cost {0}; that needs a price per hour on this machine (--price)."),
               money_text(*policy.budget)));
    if (policy.retries.value_or(0) > 0)
      line(say(tr("If it fails, it is started again up to {0} time(s)."), *policy.retries));
    if (policy.deadline) line(say(tr("The result is wanted by {0}."), format_instant(*policy.deadline)));
  }

  void saved() {
    if (job_.checkpoint && job_.checkpoint->path)
      line(job_.checkpoint->complete
               ? say(tr("Its checkpoints are in {0}; one counts once a file {1} is there."),
                     shown(*job_.checkpoint->path), shown(*job_.checkpoint->complete))
               : say(tr("Its checkpoints are in {0}."), shown(*job_.checkpoint->path)));
    if (job_.checkpoint && job_.checkpoint->keep)
      line(say(tr("The newest {0} whole checkpoint(s) are kept."), *job_.checkpoint->keep));
    for (const JobOutput& output : job_.outputs) {
      line(say(tr("When it has ended, {0} is saved to {1}, also if it failed."), shown(output.from),
               shown(output.to)));
      if (output.every)
        line(say(tr("It is also saved every {0} while the command runs."), duration_text(*output.every)));
    }
    if (job_.outputs.empty())
      line(std::string(tr("Nothing is saved elsewhere: its files stay where it writes them.")));
  }

  void kinds_of_job() {
    if (job_.service) line(say(tr("It is a service that answers on port {0}."), job_.service->port));
    if (job_.sweep) line(say(tr("It is a sweep over {0} parameter(s)."), job_.sweep->parameters.size()));
  }

  const Job& job_;
  const std::string folder_;  // where it runs, if that is known
  std::vector<std::string> lines_;
};

}  // namespace

std::string explain_job(const Job& job, const std::string& folder) {
  return Explanation(job, folder).text();
}

}  // namespace forebay
