#include "cli/plan_view.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/run_view.h"
#include "report/table.h"
#include "report/text_width.h"

namespace forebay {
namespace {

constexpr double kNano = 1e-9;

std::string_view purchase_text(Purchase purchase) {
  switch (purchase) {
    case Purchase::kOnDemand:
      return msgid("on demand");
    case Purchase::kSpot:
      return msgid("spot");
    case Purchase::kCommitted:
      return msgid("committed");
  }
  return "";
}

std::string_view purchase_name(Purchase purchase) {
  switch (purchase) {
    case Purchase::kOnDemand:
      return "on_demand";
    case Purchase::kSpot:
      return "spot";
    case Purchase::kCommitted:
      return "committed";
  }
  return "";
}

std::string money(std::int64_t nano, const PlanView& view) {
  // Cents are as much as an estimate carries.
  return fmt::format("{:.2f} {}", static_cast<double>(nano) * kNano, view.currency);
}

std::string kilograms(const std::optional<double>& grams) {
  return grams ? fmt::format("{:.3g}", *grams / 1000) : "-";
}

const Candidate& candidate_of(const PlanView& view, const Assessment& one) {
  return view.candidates[one.candidate];
}

std::string machine_text(const PlanView& view, const Candidate& candidate) {
  const Offer offer = view.table.offer(candidate.id);
  const std::string count = format_gpu_count(offer.gpu_count);
  const std::string nodes = candidate.nodes > 1 ? fmt::format("{} × ", candidate.nodes) : "";
  return fmt::format("{}{} × {}", nodes, count, offer.gpu);
}

bool is_derived(const PlanView& view, const Candidate& candidate) {
  const Offer offer = view.table.offer(candidate.id);
  if (candidate.purchase == Purchase::kSpot) return offer.derived(PriceKind::kSpot);
  return candidate.purchase == Purchase::kCommitted && offer.derived(PriceKind::kCommitted1y);
}

// The same machine at the same price in several places is one row.
struct PlanRow {
  const Assessment* first;
  std::size_t others = 0;
};

bool is_same(const PlanView& view, const Assessment& a, const Assessment& b) {
  const Candidate &one = candidate_of(view, a), &other = candidate_of(view, b);
  const Offer offer = view.table.offer(one.id), other_offer = view.table.offer(other.id);
  return a.cost_nano == b.cost_nano && a.time == b.time && one.nodes == other.nodes &&
         one.purchase == other.purchase && offer.provider == other_offer.provider &&
         offer.instance_type == other_offer.instance_type;
}

std::vector<PlanRow> rows_of(const PlanView& view, const std::vector<const Assessment*>& eligible) {
  std::vector<PlanRow> rows;
  for (const Assessment* one : eligible) {
    if (!rows.empty() && is_same(view, *rows.back().first, *one))
      ++rows.back().others;
    else
      rows.push_back({one});
  }
  return rows;
}

std::vector<TableCell> cells_of(const PlanView& view, const PlanRow& row, const Assessment& winner) {
  const Assessment& one = *row.first;
  const Candidate& candidate = candidate_of(view, one);
  const Offer offer = view.table.offer(candidate.id);
  const double least = std::max<double>(1, static_cast<double>(*winner.cost_nano));
  const double more = static_cast<double>(*one.cost_nano) / least - 1;
  const bool is_winner = &one == &winner;
  const std::string others = row.others > 0 ? fmt::format(" +{}", row.others) : "";
  std::vector<TableCell> cells{
      TableCell(machine_text(view, candidate), is_winner ? Tone::kGood : Tone::kPlain),
      std::string(tr(purchase_text(candidate.purchase))),
      (is_derived(view, candidate) ? "~" : "") + money(*one.cost_nano, view),
      is_winner ? std::string() : fmt::format("{:+.0f} %", more * 100)};
  if (!view.is_for_one_hour) {
    cells.emplace_back(format_duration(*one.time));
    cells.emplace_back(one.is_on_front ? "*" : "");
  }
  for (const std::string& text : {std::string(offer.provider), std::string(offer.region) + others,
                                  std::string(offer.instance_type), kilograms(one.grams)})
    cells.emplace_back(text);
  return cells;
}

std::vector<TableColumn> columns_of(const PlanView& view) {
  std::vector<TableColumn> columns{{std::string(tr("MACHINE"))},
                                   {std::string(tr("BOUGHT"))},
                                   {std::string(view.is_for_one_hour ? tr("AN HOUR") : tr("COST")), true},
                                   {"", true}};
  if (!view.is_for_one_hour) {
    columns.push_back({std::string(tr("TIME")), true});
    columns.push_back({""});
  }
  // The last columns are shown where the terminal is wide enough.
  columns.push_back({std::string(tr("FROM"))});
  columns.push_back({std::string(tr("REGION")), false, true});
  columns.push_back({std::string(tr("INSTANCE TYPE")), false, true});
  columns.push_back({"kg CO2e", true});
  return columns;
}

// Cost against time of the front, so that a person sees what more money buys. Each mark is the number of its
// row.
std::string picture(const std::vector<const Assessment*>& front, const PlanView& view) {
  constexpr int kWidth = 60, kHeight = 10;
  if (front.size() < 3 || view.is_for_one_hour) return "";
  const auto cost = [](const Assessment* one) {
    return std::log(std::max<double>(1, static_cast<double>(*one->cost_nano)));
  };
  const auto time = [](const Assessment* one) { return std::log(std::max(1e-3, one->time->seconds())); };
  const auto [cheap, dear] = std::ranges::minmax(front, {}, cost);
  const auto [quick, slow] = std::ranges::minmax(front, {}, time);
  std::vector<std::string> rows(kHeight, std::string(kWidth, ' '));
  const auto place = [](double value, double low, double high, int cells) {
    return high > low ? static_cast<int>(std::lround((value - low) / (high - low) * (cells - 1))) : 0;
  };
  for (const Assessment* one : front) {
    const int x = place(time(one), time(quick), time(slow), kWidth);
    const int y = place(cost(one), cost(cheap), cost(dear), kHeight);
    rows[static_cast<std::size_t>(kHeight - 1 - y)][static_cast<std::size_t>(x)] = '*';
  }
  std::string text = fmt::format(
      "\n{}\n",
      tr("What more money buys (each * is the cheapest for its time; both scales are logarithmic)"));
  for (int row = 0; row < kHeight; ++row) {
    const std::string label = row == 0             ? money(*dear->cost_nano, view)
                              : row == kHeight - 1 ? money(*cheap->cost_nano, view)
                                                   : "";
    text += fmt::format("{:>14} |{}\n", label,
                        rows[static_cast<std::size_t>(row)].substr(
                            0, rows[static_cast<std::size_t>(row)].find_last_not_of(' ') + 1));
  }
  text += fmt::format("{:>14} +{}\n", "", std::string(kWidth, '-'));
  const std::string left = format_duration(*quick->time), right = format_duration(*slow->time);
  text += fmt::format("{:>16}{}{:>{}}\n", "", left, right, kWidth - static_cast<int>(left.size()));
  return text;
}

std::string losers_text(const PlanView& view) {
  std::map<Objection, std::size_t> counts;
  for (const Assessment& one : view.ranking)
    if (one.objection != Objection::kNone && one.objection != Objection::kWorse) ++counts[one.objection];
  if (counts.empty()) return "";
  std::string text = fmt::format("\n{}\n", tr("Left out"));
  for (const auto& [objection, count] : counts)
    text += fmt::format("  {:>6}  {}\n", count, tr(objection_text(objection)));
  return text;
}

Json assessment_json(const PlanView& view, const Assessment& one) {
  const Candidate& candidate = candidate_of(view, one);
  const Offer offer = view.table.offer(candidate.id);
  const auto as_units = [](const std::optional<std::int64_t>& nano) {
    return nano ? Json(static_cast<double>(*nano) * kNano) : Json();
  };
  return Json::object({{"provider", offer.provider},
                       {"instance_type", offer.instance_type},
                       {"region", offer.region},
                       {"gpu", offer.gpu},
                       {"gpu_count", offer.gpu_count},
                       {"nodes", candidate.nodes},
                       {"purchase", purchase_name(candidate.purchase)},
                       {"price_per_hour", as_units(candidate.price_nano)},
                       {"currency", view.currency},
                       {"expected_cost", as_units(one.cost_nano)},
                       {"expected_seconds", one.time ? Json(one.time->seconds()) : Json()},
                       {"carbon_grams", one.grams ? Json(*one.grams) : Json()},
                       {"score", one.score ? Json(*one.score) : Json()},
                       {"on_front", one.is_on_front},
                       {"objection", objection_name(one.objection)},
                       {"source", offer.source},
                       {"date", offer.date}});
}

}  // namespace

std::string_view objection_text(Objection objection) {
  switch (objection) {
    case Objection::kNone:
      return msgid("the best");
    case Objection::kDoesNotFit:
      return msgid("the job does not fit into the GPU's memory");
    case Objection::kOverQuota:
      return msgid("more machines than the quota allows");
    case Objection::kPriceUnknown:
      return msgid("the price, or its exchange rate, is not known");
    case Objection::kTimeUnknown:
      return msgid("how fast the GPU is is not known");
    case Objection::kInterruptible:
      return msgid("spot, and the job must not be interrupted");
    case Objection::kRateUnknown:
      return msgid("spot, and how often it is interrupted is not known (--interruptions)");
    case Objection::kNeverDone:
      return msgid("interrupted more often than the job gets on");
    case Objection::kPastDeadline:
      return msgid("not done by the deadline");
    case Objection::kOverBudget:
      return msgid("over the budget");
    case Objection::kCarbonUnknown:
      return msgid("its carbon is not known");
    case Objection::kWorse:
      return msgid("another one is better");
  }
  return "";
}

std::string plan_text(const PlanView& view, std::size_t rows, const Console& console) {
  std::vector<const Assessment*> eligible, front;
  for (const Assessment& one : view.ranking) {
    if (!one.score) continue;
    eligible.push_back(&one);
    if (one.is_on_front) front.push_back(&one);
  }
  std::string text;
  if (!eligible.empty()) {
    const std::vector<PlanRow> all = rows_of(view, eligible);
    std::vector<std::vector<TableCell>> cells;
    bool any_derived = false;
    for (std::size_t i = 0; i < std::min(rows, all.size()); ++i) {
      cells.push_back(cells_of(view, all[i], *eligible.front()));
      any_derived |= is_derived(view, candidate_of(view, *all[i].first));
    }
    text += format_table(columns_of(view), cells, style_of(console));
    if (rows < all.size())
      text += fmt::format(fmt::runtime(tr("{0} of {1} that meet the conditions; -n shows more\n")), rows,
                          all.size());
    if (any_derived)
      text += fmt::format(
          "{}\n", tr("~ is worked out from an older ratio to the on-demand price, not read from a list"));
    text += picture(front, view);
  }
  text += losers_text(view);
  if (!view.unknowns.empty()) text += fmt::format("\n{}\n", tr("What this plan does not know"));
  for (const std::string& sentence : view.unknowns) {
    std::string mark = "  - ";
    for (const std::string& line : wrap_to_width(sentence, console.width - 4)) {
      text += mark + line + "\n";
      mark = "    ";
    }
  }
  return text;
}

Json plan_json(const PlanView& view, std::size_t rows) {
  Json best = Json::array(), front = Json::array();
  std::map<std::string, std::int64_t> left_out;
  std::size_t eligible = 0;
  for (const Assessment& one : view.ranking) {
    if (one.score) {
      if (++eligible <= rows) best.push(assessment_json(view, one));
      if (one.is_on_front) front.push(assessment_json(view, one));
    } else {
      ++left_out[objection_name(one.objection)];
    }
  }
  Json reasons = Json::object();
  for (const auto& [name, count] : left_out) reasons.set(name, count);
  return Json::object({{"currency", view.currency},
                       {"for_one_hour", view.is_for_one_hour},
                       {"candidates", static_cast<std::int64_t>(view.candidates.size())},
                       {"eligible", static_cast<std::int64_t>(eligible)},
                       {"best", best},
                       {"front", front},
                       {"left_out", reasons},
                       {"unknown", Json(view.unknowns)}});
}

}  // namespace forebay
