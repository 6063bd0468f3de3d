#include <algorithm>
#include <array>
#include <set>

#include "base/nearest.h"
#include "spec/check_job.h"
#include "spec/sentence.h"
#include "spec/url.h"

namespace forebay {
namespace {

void add(JobParse& parse, const std::string& key, std::string sentence, bool is_error = true) {
  parse.problems.push_back(parse.source.problem_at(key, std::move(sentence), is_error));
}

void check_environment(const JobEnvironment& environment, JobParse& parse) {
  const std::array<std::pair<std::string_view, bool>, 4> ways{
      {{"requirements", environment.requirements.has_value()},
       {"conda", environment.conda.has_value()},
       {"image", environment.image.has_value()},
       {"dockerfile", environment.dockerfile.has_value()}}};
  std::string_view first;
  for (const auto& [name, is_given] : ways) {
    if (!is_given) continue;
    if (first.empty())
      first = name;
    else
      add(parse, fmt::format("environment.{}", name),
          say(tr("environment.{0} and environment.{1} exclude each other: keep one."), first, name));
  }
  const std::set<std::string_view> secrets(environment.secrets.begin(), environment.secrets.end());
  for (const JobVariable& variable : environment.variables)
    if (secrets.contains(variable.name))
      add(parse, fmt::format("environment.variables.{}", variable.name),
          say(tr("{0} is under environment.variables and under environment.secrets: keep one."),
              variable.name));
}

void check_url(const std::string& key, const std::string& text, JobParse& parse) {
  const auto scheme = url_scheme(text);
  if (!scheme) return;
  const auto& known = known_url_schemes();
  if (std::find(known.begin(), known.end(), *scheme) != known.end()) return;
  if (const auto nearest = nearest_name(*scheme, known))
    return add(parse, key,
               say(tr("{0}: {1} is no kind of URL that is known. Did you mean {2}://?"), key,
                   shown(*scheme + "://"), *nearest));
  add(parse, key,
      say(tr("{0}: {1} is no kind of URL that is known. It is a path or begins with one of {2}."), key,
          shown(*scheme + "://"), listed_or(std::vector<std::string>(known.begin(), known.end()))));
}

// Two outputs would overwrite each other, or be a file and a folder of one name.
void check_same_destination(const Job& job, JobParse& parse) {
  const auto plain = [](std::string to) {
    while (to.size() > 1 && to.back() == '/') to.pop_back();
    return to.starts_with("file://") ? to.substr(7) : to;
  };
  for (std::size_t i = 1; i < job.outputs.size(); ++i)
    for (std::size_t before = 0; before < i; ++before)
      if (plain(job.outputs[before].to) == plain(job.outputs[i].to)) {
        add(parse, fmt::format("outputs[{}].to", i),
            say(tr("outputs[{0}].to is where outputs[{1}] goes already: give each its own, for example "
                   "{2}/{3}."),
                i, before, plain(job.outputs[i].to), "name"));
        break;
      }
}

void check_data(const Job& job, JobParse& parse) {
  for (std::size_t i = 0; i < job.data.size(); ++i) {
    const JobData& data = job.data[i];
    const std::string key = fmt::format("data[{}]", i);
    check_url(key + ".from", data.from, parse);
    if (!data.to && data.mode.value_or("stage") != "stream")
      add(parse, key, say(tr("{0} needs the key {1}, for example {1}: {2}"), key, "to", "/data/train"));
    if (data.to && url_scheme(*data.to))
      add(parse, key + ".to",
          say(tr("{0} is a path on the machine that runs the job, not a URL."), key + ".to"));
  }
  check_same_destination(job, parse);
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const std::string key = fmt::format("outputs[{}]", i);
    check_url(key + ".to", job.outputs[i].to, parse);
    const auto scheme = url_scheme(job.outputs[i].to);
    if (scheme && (*scheme == "http" || *scheme == "https"))
      add(parse, key + ".to", say(tr("{0}: a web address can be read but not written to."), key + ".to"));
    if (url_scheme(job.outputs[i].from))
      add(parse, key + ".from",
          say(tr("{0} is a path on the machine that runs the job, not a URL."), key + ".from"));
  }
}

}  // namespace

void check_consistency(const Job& job, JobParse& parse) {
  check_environment(job.environment, parse);
  check_data(job, parse);
  if (job.service && job.sweep)
    add(parse, "sweep",
        std::string(tr(
            "service and sweep exclude each other: a service does not end, and the tasks of a sweep do.")));
  if (job.service && job.service->min && job.service->max && *job.service->min > *job.service->max)
    add(parse, "service.scale.min",
        say(tr("service.scale.min ({0}) is more than service.scale.max ({1})."), *job.service->min,
            *job.service->max));
  if (job.name && (job.name->find_first_of("/\n\t") != std::string::npos || job.name->size() > 128))
    add(parse, "name", std::string(tr("name is one line without \"/\", at most 128 bytes long.")));
  if (job.workdir && url_scheme(*job.workdir))
    add(parse, "workdir",
        std::string(tr("workdir is a folder on this machine, not a URL. Clone the repository first and name "
                       "its folder.")));
}

}  // namespace forebay
