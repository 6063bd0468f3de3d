// Which of many candidates to rent: what each is expected to take and cost, who wins, and why each other one
// lost. Pure: no clock, no tables; the same input gives the same ranking on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "planning/interruption.h"

namespace forebay {

enum class Purchase : std::uint8_t { kOnDemand, kSpot, kCommitted };
enum class MemoryFit : std::uint8_t { kYes, kNo, kUnknown };

// One way to do the work: some nodes of one offer, bought in one way. Plain figures, so that a hundred
// thousand of them are ranked in milliseconds; `id` leads the caller back to the offer.
struct Candidate {
  std::uint32_t id = 0;
  std::uint16_t nodes = 1;
  Purchase purchase = Purchase::kOnDemand;
  MemoryFit fits = MemoryFit::kUnknown;           // the job into the memory of the accelerators
  std::optional<std::int64_t> price_nano;         // per hour, all nodes, 1e-9 of the ranking's currency
  std::optional<Duration> work;                   // until done, without interruptions and preparation
  std::optional<Duration> between_interruptions;  // of one node; absent: not known
  std::optional<double> grams_per_hour;           // CO2e of all nodes
  std::optional<double> nodes_allowed;            // by quota; absent: not known
};

struct PlanConditions {
  std::optional<Duration> deadline;  // from now
  std::optional<Money> budget;       // in the ranking's currency
  bool may_be_interrupted = true;    // production work is not
  bool assume_fits_unknown = true;   // candidates whose fit is not known stay in
  CheckpointHabit checkpoint;
  Duration preparation;         // start-up, image and data, paid for
  Duration minimum_billing;     // a machine is paid at least so long
  std::int64_t fixed_nano = 0;  // egress, storage: whatever the machine
};

// How much each counts; only the ratios matter. Each value is taken relative to the best one among those that
// meet the conditions, so that hours and money can be added.
struct PlanWeights {
  double cost = 1, time = 0, carbon = 0;
};

// Why a candidate is not the winner, in the order in which it is looked for: the first that holds is told.
enum class Objection : std::uint8_t {
  kNone,        // the winner
  kDoesNotFit,  // into memory
  kOverQuota,
  kPriceUnknown,
  kTimeUnknown,
  kInterruptible,  // and the job must not be interrupted
  kRateUnknown,    // spot whose interruptions are not known
  kNeverDone,      // interrupted more often than it gets on
  kPastDeadline,
  kOverBudget,
  kCarbonUnknown,  // and carbon counts
  kWorse,          // meets every condition, but another one is better by the weights
};
const char* objection_name(Objection objection);  // "does-not-fit", for --json

struct Assessment {
  std::uint32_t candidate = 0;   // its place in the input
  std::optional<Duration> time;  // expected, with preparation and interruptions
  std::optional<std::int64_t> cost_nano;
  std::optional<double> grams;
  std::optional<double> score;  // 1 is the best possible; absent when an objection keeps it out
  Objection objection = Objection::kNone;
  bool is_on_front = false;  // no other eligible one is better in cost, time and carbon at once
};

// Best first (ties: by cost, time, then the order of the input); those with an objection follow in the order
// of the input. A cost is rounded half to even to 1e-9 of a unit.
std::vector<Assessment> rank(const std::vector<Candidate>& candidates, const PlanConditions& conditions,
                             const PlanWeights& weights);

}  // namespace forebay
