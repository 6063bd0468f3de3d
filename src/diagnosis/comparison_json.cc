#include "diagnosis/comparison.h"

namespace forebay {

Json Comparison::to_json() const {
  Json json = Json::object({{"version", 1},
                            {"run_a", run_a},
                            {"run_b", run_b},
                            {"change", change_name(change)},
                            {"verdict", verdict.to_json()}});
  json.set("speedup",
           speedup
               ? Json::object({{"low", speedup->low}, {"likely", speedup->likely}, {"high", speedup->high}})
               : Json());
  Json rows = Json::array();
  for (const ComparedMetric& row : metrics)
    rows.push(Json::object(
        {{"name", row.name}, {"unit", row.unit}, {"a", row.a}, {"b", row.b}, {"ratio", row.ratio}}));
  json.set("metrics", std::move(rows));
  Json list = Json::array();
  for (const ChangedSetting& change_of_setting : changes)
    list.push(Json::object(
        {{"name", change_of_setting.name}, {"a", change_of_setting.a}, {"b", change_of_setting.b}}));
  json.set("changes", std::move(list));
  Json checks = Json::array();
  for (const PredictionCheck& check : predictions) {
    const DurationRange& step = check.predicted_step;
    checks.push(Json::object(
        {{"finding", check.finding},
         {"title", check.title.to_json()},
         {"fix", check.fix.to_json()},
         {"predicted_step_seconds", Json::object({{"low", step.low.seconds()},
                                                  {"likely", step.likely.seconds()},
                                                  {"high", step.high.seconds()}})},
         {"measured_step_seconds", check.measured_step ? Json(check.measured_step->seconds()) : Json()},
         {"verdict", prediction_verdict_name(check.verdict)},
         {"sentence", check.sentence.to_json()}}));
  }
  json.set("predictions", std::move(checks));
  Json texts = Json::array();
  for (const Text& remark : remarks) texts.push(remark.to_json());
  json.set("remarks", std::move(texts));
  return json;
}

}  // namespace forebay
