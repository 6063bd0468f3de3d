#include "planning/rank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace forebay {
namespace {

constexpr std::array<const char*, 12> kObjectionNames{
    "none",         "does-not-fit", "over-quota",    "price-unknown", "time-unknown",   "interruptible",
    "rate-unknown", "never-done",   "past-deadline", "over-budget",   "carbon-unknown", "worse"};

// All nodes work together: one interrupted stops all, so the rate grows with their number.
std::optional<Duration> time_with_interruptions(const Candidate& candidate,
                                                const PlanConditions& conditions) {
  if (candidate.purchase != Purchase::kSpot) return candidate.work;
  const Duration together{candidate.between_interruptions->nanoseconds /
                          std::max<std::int64_t>(1, candidate.nodes)};
  return expected_time(*candidate.work, together, conditions.checkpoint);
}

Objection missing_figure(const Candidate& candidate, const PlanConditions& conditions) {
  if (candidate.fits == MemoryFit::kNo) return Objection::kDoesNotFit;
  if (candidate.fits == MemoryFit::kUnknown && !conditions.assume_fits_unknown) return Objection::kDoesNotFit;
  if (candidate.nodes_allowed && candidate.nodes > *candidate.nodes_allowed) return Objection::kOverQuota;
  if (!candidate.price_nano) return Objection::kPriceUnknown;
  if (!candidate.work) return Objection::kTimeUnknown;
  if (candidate.purchase != Purchase::kSpot) return Objection::kNone;
  if (!conditions.may_be_interrupted) return Objection::kInterruptible;
  return candidate.between_interruptions ? Objection::kNone : Objection::kRateUnknown;
}

Assessment assess(const Candidate& candidate, std::uint32_t place, const PlanConditions& conditions) {
  Assessment result;
  result.candidate = place;
  result.objection = missing_figure(candidate, conditions);
  if (result.objection != Objection::kNone) return result;
  const auto working = time_with_interruptions(candidate, conditions);
  if (!working) {
    result.objection = Objection::kNeverDone;
    return result;
  }
  result.time = Duration{working->nanoseconds + conditions.preparation.nanoseconds};
  const Duration billed = std::max(*result.time, conditions.minimum_billing);
  result.cost_nano = money_for(Money{*candidate.price_nano, {}}, billed).nano + conditions.fixed_nano;
  if (candidate.grams_per_hour) result.grams = *candidate.grams_per_hour * result.time->seconds() / 3600;
  if (conditions.deadline && *result.time > *conditions.deadline)
    result.objection = Objection::kPastDeadline;
  else if (conditions.budget && *result.cost_nano > conditions.budget->nano)
    result.objection = Objection::kOverBudget;
  return result;
}

struct Best {
  double cost = std::numeric_limits<double>::infinity();
  double time = cost, grams = cost;
};

Best best_of(const std::vector<Assessment>& eligible) {
  Best best;
  for (const Assessment& one : eligible) {
    best.cost = std::min(best.cost, static_cast<double>(*one.cost_nano));
    best.time = std::min(best.time, one.time->seconds());
    if (one.grams) best.grams = std::min(best.grams, *one.grams);
  }
  return best;
}

// value / best; 1 for what costs nothing where the best costs nothing too.
double relative(double value, double best) {
  if (best > 0) return value / best;
  return value > 0 ? std::numeric_limits<double>::max() / 8 : 1;
}

double score_of(const Assessment& one, const Best& best, const PlanWeights& weights) {
  double sum = 0;
  const double all = weights.cost + weights.time + weights.carbon;
  if (weights.cost > 0) sum += weights.cost / all * relative(static_cast<double>(*one.cost_nano), best.cost);
  if (weights.time > 0) sum += weights.time / all * relative(one.time->seconds(), best.time);
  if (weights.carbon > 0) sum += weights.carbon / all * relative(*one.grams, best.grams);
  return sum;
}

// Those that no other beats in cost and time: after sorting by cost, each new least time is on the front. An
// equal one is on it too. Where every carbon figure is known and counts, a candidate that is lower in carbon
// than all before it is on the front as well.
void mark_front(std::vector<Assessment>& eligible, bool carbon_counts) {
  struct Key {
    std::int64_t cost, time;
    std::uint32_t place;
  };
  std::vector<Key> order;  // small, since they are moved about
  order.reserve(eligible.size());
  for (std::uint32_t i = 0; i < eligible.size(); ++i)
    order.push_back({*eligible[i].cost_nano, eligible[i].time->nanoseconds, i});
  std::ranges::sort(
      order, [](const Key& a, const Key& b) { return a.cost != b.cost ? a.cost < b.cost : a.time < b.time; });
  std::vector<const Assessment*> front;
  for (const Key& key : order) {
    Assessment* const one = &eligible[key.place];
    const bool is_beaten = std::ranges::any_of(front, [&](const Assessment* other) {
      if (other->time > one->time) return false;
      if (carbon_counts && other->grams > one->grams) return false;
      return other->cost_nano < one->cost_nano || other->time < one->time ||
             (carbon_counts && other->grams < one->grams);
    });
    if (is_beaten) continue;
    one->is_on_front = true;
    front.push_back(one);
  }
}

// The best first.
std::vector<Assessment> in_order(const std::vector<Assessment>& eligible) {
  struct Key {
    double score;
    std::int64_t cost, time;
    std::uint32_t place;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> order;
  order.reserve(eligible.size());
  for (std::uint32_t i = 0; i < eligible.size(); ++i)
    order.push_back({*eligible[i].score, *eligible[i].cost_nano, eligible[i].time->nanoseconds, i});
  std::ranges::sort(order);
  std::vector<Assessment> sorted;
  sorted.reserve(order.size());
  for (const Key& key : order) sorted.push_back(eligible[key.place]);
  return sorted;
}

}  // namespace

const char* objection_name(Objection objection) {
  return kObjectionNames[static_cast<std::size_t>(objection)];
}

std::vector<Assessment> rank(const std::vector<Candidate>& candidates, const PlanConditions& conditions,
                             const PlanWeights& weights) {
  std::vector<Assessment> eligible, others;
  eligible.reserve(candidates.size());
  others.reserve(candidates.size());
  for (std::uint32_t place = 0; place < candidates.size(); ++place) {
    Assessment one = assess(candidates[place], place, conditions);
    if (one.objection == Objection::kNone && weights.carbon > 0 && !one.grams)
      one.objection = Objection::kCarbonUnknown;
    (one.objection == Objection::kNone ? eligible : others).push_back(one);
  }
  const Best best = best_of(eligible);
  for (Assessment& one : eligible) one.score = score_of(one, best, weights);
  mark_front(eligible, weights.carbon > 0);
  eligible = in_order(eligible);
  for (std::size_t i = 1; i < eligible.size(); ++i) eligible[i].objection = Objection::kWorse;
  eligible.insert(eligible.end(), others.begin(), others.end());
  return eligible;
}

}  // namespace forebay
