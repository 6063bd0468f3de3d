#include "diagnosis/finding.h"

#include <array>
#include <cmath>

namespace forebay {
namespace {

constexpr std::array<std::string_view, 3> kConfidences{"low", "medium", "high"};
constexpr std::array<std::string_view, 3> kKinds{"failure", "time", "risk"};
constexpr std::array<std::string_view, 4> kVerdicts{"findings", "nothing-wrong", "not-enough-evidence",
                                                    "running"};

template <std::size_t n>
int index_of(const std::array<std::string_view, n>& names, std::string_view name, int fallback) {
  for (std::size_t i = 0; i < n; ++i)
    if (names[i] == name) return static_cast<int>(i);
  return fallback;
}

std::optional<Duration> duration_from(const Json& seconds) {
  const auto value = seconds.as_double();
  if (!value || std::fabs(*value) > 9e9) return std::nullopt;
  return Duration::from_seconds(*value);
}

Json gain_json(const Gain& gain) {
  Json json = Json::object({{"low", gain.low}, {"likely", gain.likely}, {"high", gain.high}});
  if (const auto& step = gain.predicted_step)
    json.set("predicted_step_seconds", Json::object({{"low", step->low.seconds()},
                                                     {"likely", step->likely.seconds()},
                                                     {"high", step->high.seconds()}}));
  return json;
}

std::optional<Gain> gain_from(const Json& json) {
  const auto low = json["low"].as_double(), likely = json["likely"].as_double(),
             high = json["high"].as_double();
  if (!low || !likely || !high) return std::nullopt;
  Gain gain{*low, *likely, *high, {}};
  const Json& step = json["predicted_step_seconds"];
  const auto step_low = duration_from(step["low"]), step_likely = duration_from(step["likely"]),
             step_high = duration_from(step["high"]);
  if (step_low && step_likely && step_high)
    gain.predicted_step = DurationRange{*step_low, *step_likely, *step_high};
  return gain;
}

Json fix_json(const Fix& fix) {
  Json json = fix.text.to_json();
  json.set("gain", fix.gain ? gain_json(*fix.gain) : Json());
  Json settings = Json::object();
  for (const auto& [name, value] : fix.settings) settings.set(name, value);
  if (!fix.settings.empty()) json.set("settings", std::move(settings));
  return json;
}

Fix fix_from(const Json& json) {
  Fix fix{Text::from_json(json), gain_from(json["gain"]), {}};
  for (const auto& [name, value] : json["settings"].members())
    fix.settings.emplace_back(name, value.string_or_empty());
  return fix;
}

Json texts_json(const std::vector<Text>& texts) {
  Json list = Json::array();
  for (const Text& text : texts) list.push(text.to_json());
  return list;
}

std::vector<Text> texts_from(const Json& list) {
  std::vector<Text> texts;
  for (const Json& each : list.items()) texts.push_back(Text::from_json(each));
  return texts;
}

}  // namespace

std::string_view confidence_name(Confidence confidence) {
  return kConfidences[static_cast<std::size_t>(confidence)];
}
std::string_view finding_kind_name(FindingKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}
std::string_view verdict_name(Verdict verdict) {
  return kVerdicts[static_cast<std::size_t>(verdict)];
}

std::optional<Gain> Finding::gain() const {
  for (const Fix& fix : fixes)
    if (fix.gain) return fix.gain;
  return std::nullopt;
}

Json Finding::to_json() const {
  Json json = Json::object({{"id", id}, {"kind", finding_kind_name(kind)}, {"title", title.to_json()}});
  json.set("share", share ? Json(share->value) : Json());
  json.set("seconds_lost", seconds_lost ? Json(seconds_lost->seconds()) : Json());
  json.set("evidence", texts_json(evidence));
  Json list = Json::array();
  for (const Fix& fix : fixes) list.push(fix_json(fix));
  json.set("fixes", std::move(list));
  const auto best = gain();
  json.set("gain", best ? gain_json(*best) : Json());
  json.set("confidence", confidence_name(confidence)).set("confidence_reason", confidence_reason.to_json());
  Json values = Json::object();
  for (const auto& [name, value] : metrics) values.set(name, value);
  json.set("metrics", std::move(values));
  return json;
}

Finding Finding::from_json(const Json& json) {
  Finding finding;
  finding.id = json["id"].string_or_empty();
  finding.kind = static_cast<FindingKind>(index_of(kKinds, json["kind"].string_or_empty(), 1));
  finding.title = Text::from_json(json["title"]);
  if (const auto share = json["share"].as_double()) finding.share = Probability{*share};
  finding.seconds_lost = duration_from(json["seconds_lost"]);
  finding.evidence = texts_from(json["evidence"]);
  for (const Json& each : json["fixes"].items()) finding.fixes.push_back(fix_from(each));
  finding.confidence =
      static_cast<Confidence>(index_of(kConfidences, json["confidence"].string_or_empty(), 0));
  finding.confidence_reason = Text::from_json(json["confidence_reason"]);
  for (const auto& [name, value] : json["metrics"].members())
    if (const auto number = value.as_double()) finding.metrics.emplace_back(name, *number);
  return finding;
}

Json Diagnosis::to_json() const {
  Json json =
      Json::object({{"version", 1}, {"verdict", verdict_name(verdict)}, {"summary", summary.to_json()}});
  Json list = Json::array();
  for (const Finding& finding : findings) list.push(finding.to_json());
  json.set("findings", std::move(list));
  Json unjudged = Json::array();
  for (const NotJudged& each : not_judged)
    unjudged.push(Json::object({{"rule", each.rule},
                                {"title", each.title.to_json()},
                                {"missing", Json(each.missing)},
                                {"reason", each.reason.to_json()}}));
  json.set("not_judged", std::move(unjudged));
  json.set("remarks", texts_json(remarks));
  return json;
}

Diagnosis Diagnosis::from_json(const Json& json) {
  Diagnosis diagnosis;
  diagnosis.verdict = static_cast<Verdict>(index_of(kVerdicts, json["verdict"].string_or_empty(), 2));
  diagnosis.summary = Text::from_json(json["summary"]);
  for (const Json& each : json["findings"].items()) diagnosis.findings.push_back(Finding::from_json(each));
  for (const Json& each : json["not_judged"].items()) {
    NotJudged unjudged{
        each["rule"].string_or_empty(), Text::from_json(each["title"]), {}, Text::from_json(each["reason"])};
    for (const Json& name : each["missing"].items()) unjudged.missing.push_back(name.string_or_empty());
    diagnosis.not_judged.push_back(std::move(unjudged));
  }
  diagnosis.remarks = texts_from(json["remarks"]);
  return diagnosis;
}

}  // namespace forebay
