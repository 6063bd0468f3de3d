// A plan as `forebay plan` shows it: the winner, the next best, the front of cost and time, why others lost.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "catalog/offer_table.h"
#include "cli/console.h"
#include "planning/rank.h"

namespace forebay {

struct PlanView {
  const OfferTable& table;
  const std::vector<Candidate>& candidates;
  const std::vector<Assessment>& ranking;
  std::string currency;
  bool is_for_one_hour = false;  // how long the work takes is not known: everything is for an hour of machine
  std::vector<std::string> unknowns;  // what the plan could not know, in sentences
};

std::string plan_text(const PlanView& view, std::size_t rows, const Console& console);
Json plan_json(const PlanView& view, std::size_t rows);
// A sentence for an objection.
std::string_view objection_text(Objection objection);

}  // namespace forebay
