#include "diagnosis/comparison.h"

#include <gtest/gtest.h>

#include "record_builder.h"

namespace forebay {
namespace {

RunRecord run(const char* id, int workers, double wait, double compute = 80, double jitter = 0) {
  RecordBuilder builder;
  builder.fact("threads", 2)
      .loader("num_workers", workers)
      .steps(200,
             {.data_wait = wait,
              .forward = compute / 2,
              .backward = compute / 2,
              .worker_fetch = workers > 0 ? 120.0 : 0,
              .worker_fetch_cpu = workers > 0 ? 118.0 : -1},
             [jitter](int i, StepShape& shape) { shape.forward += i % 40 < 20 ? jitter : -jitter; })
      .cpu(workers > 0 ? 2.5 : 1.4)
      .memory(4);
  RunRecord record = builder.build();
  record.id = id;
  return record;
}

TEST(Comparison, PredictedBesideMeasured) {
  const Comparison comparison = compare(run("a", 0, 120), run("b", 2, 5));
  EXPECT_EQ(comparison.change, Change::kFaster);
  EXPECT_NEAR(comparison.speedup->likely, 200.0 / 85, 0.01);
  ASSERT_EQ(comparison.predictions.size(), 1u);
  const PredictionCheck& check = comparison.predictions[0];
  EXPECT_EQ(check.finding, "data-stall-main-process");
  EXPECT_EQ(check.verdict, PredictionVerdict::kWithin) << render_in("en", check.sentence);
  EXPECT_NEAR(check.measured_step->seconds(), 0.085, 1e-3);
  ASSERT_FALSE(comparison.changes.empty());
  EXPECT_EQ(comparison.changes[0].name, "num_workers");
  EXPECT_EQ(comparison.changes[0].a, "0");
  EXPECT_EQ(comparison.changes[0].b, "2");
}

TEST(Comparison, SaysWhenThePredictionWasWrong) {
  EXPECT_EQ(compare(run("a", 0, 120), run("b", 2, 100)).predictions.at(0).verdict, PredictionVerdict::kWorse);
  EXPECT_EQ(compare(run("a", 0, 120), run("b", 2, 1, 40)).predictions.at(0).verdict,
            PredictionVerdict::kBetter);
}

TEST(Comparison, AdviceNotFollowedIsNoFailedPrediction) {
  const Comparison comparison = compare(run("a", 0, 120), run("b", 0, 121));
  EXPECT_EQ(comparison.predictions.at(0).verdict, PredictionVerdict::kNotApplied);
  EXPECT_EQ(comparison.change, Change::kSame);
}

TEST(Comparison, AnotherNumberOfWorkersIsPredictedAnew) {
  const Comparison comparison = compare(run("a", 0, 120), run("b", 1, 42));
  EXPECT_EQ(comparison.predictions.at(0).verdict, PredictionVerdict::kWithin);
  EXPECT_NEAR(comparison.predictions.at(0).predicted_step.low.seconds(), 0.120,
              1e-6);  // one worker: no faster than its fetch
}

TEST(Comparison, OtherWorkPerStepIsNotComparable) {
  RunRecord b = run("b", 2, 5);
  Json process = b.hook["processes"].at(0);
  Json facts = process["facts"], loader = facts["dataloaders"].at(0);
  b.hook.set("processes",
             Json::array().push(process.set(
                 "facts", facts.set("dataloaders", Json::array().push(loader.set("batch_size", 64))))));
  const Comparison comparison = compare(run("a", 0, 120), b);
  EXPECT_EQ(comparison.predictions.at(0).verdict, PredictionVerdict::kNotComparable);
  EXPECT_FALSE(comparison.remarks.empty());
}

TEST(Comparison, ADifferenceWithinTheSpreadIsNone) {
  const Comparison comparison = compare(run("a", 2, 5, 80, 20), run("b", 2, 5, 84, 20));
  EXPECT_EQ(comparison.change, Change::kSame) << render_in("en", comparison.verdict);
  EXPECT_LT(comparison.speedup->low, 1);
  EXPECT_GT(comparison.speedup->high, 1);
  EXPECT_EQ(compare(run("a", 2, 5, 80), run("b", 2, 5, 120)).change, Change::kSlower);
}

TEST(Comparison, WithoutStepsOneSideIsUnknown) {
  RunRecord empty;
  EXPECT_EQ(compare(run("a", 0, 120), empty).change, Change::kUnknown);
  EXPECT_FALSE(compare(run("a", 0, 120), empty).speedup);
  EXPECT_EQ(compare(empty, empty).change, Change::kUnknown);
}

TEST(Comparison, FindsChangedPackagesVariablesAndCommand) {
  RunRecord a = run("a", 0, 120), b = run("b", 0, 120);
  const auto environment = [](const char* torch, const char* threads) {
    return Json::object(
        {{"packages", Json::array().push(Json::object({{"name", "torch"}, {"version", torch}}))},
         {"variables", Json::object({{"set", Json::object({{"OMP_NUM_THREADS", threads}})}})}});
  };
  a.environment = environment("2.12", "2");
  b.environment = environment("2.13", "1");
  a.launch = Json::object({{"argv", Json::array().push("python").push("a.py")}});
  b.launch = Json::object({{"argv", Json::array().push("python").push("b.py")}});
  std::string names;
  for (const ChangedSetting& change : compare(a, b).changes) names += change.name + " ";
  EXPECT_EQ(names, "command variable:OMP_NUM_THREADS package:torch ");
}

TEST(Comparison, UsesTheFindingsThatWereGivenAtTheTime) {
  RunRecord a = run("a", 0, 120);
  a.findings = diagnose(a).to_json();
  const Comparison again = compare(a, run("b", 2, 5));
  EXPECT_EQ(again.predictions.at(0).verdict, PredictionVerdict::kWithin);
  EXPECT_EQ(again.to_json()["predictions"].at(0)["verdict"].string_or_empty(), "within");
  a.findings = Json::object({{"findings", Json::array()}});
  EXPECT_TRUE(compare(a, run("b", 2, 5)).predictions.empty());
}

}  // namespace
}  // namespace forebay
