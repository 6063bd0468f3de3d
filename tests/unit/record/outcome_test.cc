#include "record/outcome.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(Outcome, ASeenSliceIsASuccessThoughASignalEndedTheJob) {
  Outcome outcome;
  outcome.cause = OutcomeCause::kSliceSeen;
  outcome.signal = 15;
  EXPECT_EQ(process_exit_code(outcome), 0);
  const auto again = Outcome::from_json(outcome.to_json());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->cause, OutcomeCause::kSliceSeen);
  EXPECT_EQ(outcome_cause_name(again->cause), "slice-seen");
}

}  // namespace
}  // namespace forebay
