#include "cli/size_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/bar.h"
#include "report/table.h"
#include "report/terminal_text.h"

namespace forebay {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::string gib(double bytes) {
  return fmt::format("{:.1f} GiB", bytes / kGiB);
}

std::string billions(double parameters) {
  return parameters >= 1e9 ? fmt::format("{:.2f} B", parameters / 1e9)
                           : fmt::format("{:.1f} M", parameters / 1e6);
}

std::string_view fit_key(Fit fit) {
  return fit == Fit::kFits ? "fits" : fit == Fit::kTight ? "tight" : "does_not_fit";
}

std::int64_t whole(double bytes) {
  return static_cast<std::int64_t>(bytes);
}

Json change_json(const SizingChange& change) {
  return Json::object({{"change", change.what},
                       {"price", change.price},
                       {"options", change.flags},
                       {"saves_bytes", whole(change.saving)},
                       {"likely_bytes", whole(change.after.likely)},
                       {"high_bytes", whole(change.after.high)},
                       {"fit", fit_key(change.fit)}});
}

Json model_json(const SizeAnswer& answer) {
  const ModelShape& shape = answer.shape;
  const ParameterCount count = count_parameters(shape);
  Json json = Json::object({{"name", shape.name},
                            {"family", std::string(shape.family.name)},
                            {"layers", shape.layers},
                            {"hidden", shape.hidden},
                            {"heads", shape.heads},
                            {"kv_heads", shape.kv_heads},
                            {"head_size", shape.head_size},
                            {"intermediate", shape.intermediate},
                            {"vocabulary", shape.vocabulary},
                            {"tied_embeddings", shape.tied},
                            {"shape_is_a_guess", shape.only_a_guess},
                            {"parameters", whole(count.total())},
                            {"active_parameters", whole(count.active())},
                            {"embedding_parameters", whole(count.embedding + count.positions)},
                            {"trainable_parameters", whole(answer.estimate.trainable_parameters)}});
  json.set("experts", shape.experts ? Json(shape.experts->count) : Json());
  json.set("weight_format", shape.weights ? Json(shape.weights->name) : Json());
  return json;
}

void add_bars(const SizeAnswer& answer, TerminalText& text) {
  const MemoryEstimate& estimate = answer.estimate;
  std::vector<TableColumn> columns{{std::string(tr("TERM")), false, true, false, 10},
                                   {std::string(tr("GIB")), true},
                                   {std::string(tr("SHARE"))}};
  std::vector<std::vector<TableCell>> rows;
  for (const TermBytes& term : estimate.terms)
    rows.push_back(
        {std::string(tr(memory_term_name(term.term))), fmt::format("{:.2f}", term.bytes / kGiB),
         TableCell(share_bar(term.bytes / estimate.likely, 24, text.style().unicode), Tone::kAccent)});
  rows.push_back({TableCell(std::string(tr("likely in all")), Tone::kStrong),
                  TableCell(fmt::format("{:.2f}", estimate.likely / kGiB), Tone::kStrong), ""});
  text.raw(format_table(columns, rows, text.style()));
}

void add_verdict(const SizeAnswer& answer, TerminalText& text) {
  const MemoryEstimate& estimate = answer.estimate;
  text.paragraph(0, "", Tone::kPlain,
                 fmt::format(fmt::runtime(tr("Between {0} and {1} per GPU, fullest {2}.")), gib(estimate.low),
                             gib(estimate.high), tr(estimate.moment)));
  if (!answer.usable) return;
  const double usable = static_cast<double>(answer.usable->count);
  switch (fit_of(estimate, *answer.usable)) {
    case Fit::kFits:
      text.paragraph(
          0, "", Tone::kPlain,
          fmt::format(fmt::runtime(tr("It fits into {0}, with {1} to spare even at the high end.")),
                      gib(usable), gib(usable - estimate.high)),
          Tone::kGood);
      break;
    case Fit::kTight:
      text.paragraph(
          0, "", Tone::kPlain,
          fmt::format(
              fmt::runtime(tr("It may not fit into {0}: likely {1} to spare, at the high end {2} too much.")),
              gib(usable), gib(usable - estimate.likely), gib(estimate.high - usable)),
          Tone::kWarning);
      break;
    case Fit::kDoesNotFit:
      text.paragraph(0, "", Tone::kPlain,
                     fmt::format(fmt::runtime(tr("It does not fit into {0}: {1} too much.")), gib(usable),
                                 gib(estimate.likely - usable)),
                     Tone::kBad);
      break;
  }
}

std::string change_line(const SizingChange& change) {
  std::string line = fmt::format(fmt::runtime(tr("{0}: saves {1}, then {2} ({3}).")), change.what,
                                 gib(change.saving), gib(change.after.likely), change.price);
  if (!change.flags.empty()) line += fmt::format("  {}", change.flags);
  return line;
}

void add_changes(const SizeAnswer& answer, TerminalText& text) {
  if (!answer.changes.empty()) {
    text.heading(tr("What would help, one by one"));
    for (const SizingChange& change : answer.changes) {
      const Tone tone = change.fit == Fit::kFits    ? Tone::kGood
                        : change.fit == Fit::kTight ? Tone::kWarning
                                                    : Tone::kDim;
      text.paragraph(0,
                     change.fit == Fit::kFits    ? tr("fits ")
                     : change.fit == Fit::kTight ? tr("tight ")
                                                 : "     ",
                     tone, change_line(change));
    }
  }
  if (answer.together.size() > 1) {
    text.heading(tr("Together these make it fit"));
    for (const SizingChange& change : answer.together)
      text.paragraph(0, "+ ", Tone::kGood, change_line(change));
  } else if (!answer.changes.empty() && answer.together.empty()) {
    text.paragraph(0, "", Tone::kPlain,
                   tr("No series of these changes surely fits: more GPUs, larger ones, or a smaller model."),
                   Tone::kWarning);
  }
}

}  // namespace

Json size_json(const SizeAnswer& answer) {
  const MemoryEstimate& estimate = answer.estimate;
  Json terms = Json::object();
  for (const TermBytes& term : estimate.terms) terms.set(memory_term_key(term.term), whole(term.bytes));
  Json memory = Json::object({{"low_bytes", whole(estimate.low)},
                              {"likely_bytes", whole(estimate.likely)},
                              {"high_bytes", whole(estimate.high)},
                              {"allocated_bytes", whole(estimate.allocated)},
                              {"reserved_bytes", whole(estimate.reserved)},
                              {"kept_activations_bytes", whole(estimate.kept_activations)},
                              {"terms", terms}});
  const HostNeeds host = host_needs(answer.shape, answer.work, estimate);
  Json json = Json::object({{"model", model_json(answer)}, {"memory_per_gpu", memory}});
  json.set("usable_bytes", answer.usable ? Json(answer.usable->count) : Json());
  json.set("fit", answer.usable ? Json(fit_key(fit_of(estimate, *answer.usable))) : Json());
  json.set("host", Json::object({{"memory_bytes", host.memory.count},
                                 {"vcpus", host.vcpus},
                                 {"disk_bytes", host.disk.count}}));
  Json changes = Json::array(), together = Json::array(), suspicions = Json::array();
  for (const SizingChange& change : answer.changes) changes.push(change_json(change));
  for (const SizingChange& change : answer.together) together.push(change_json(change));
  for (const Suspicion& suspicion : answer.suspicions)
    suspicions.push(Json::object({{"why", suspicion.why}, {"do", suspicion.act}}));
  json.set("changes", changes);
  json.set("together", together);
  json.set("suspicions", suspicions);
  return json;
}

std::string size_text(const SizeAnswer& answer, const TerminalStyle& style) {
  TerminalText text(style);
  const MemoryEstimate& estimate = answer.estimate;
  text.paragraph(0, "", Tone::kPlain,
                 fmt::format(fmt::runtime(answer.work.method == Method::kInference
                                              ? tr("{0}: {1} parameters, {2} active for a token")
                                              : tr("{0}: {1} parameters, {2} active, {3} trained")),
                             answer.shape.name, billions(estimate.total_parameters),
                             billions(estimate.active_parameters), billions(estimate.trainable_parameters)),
                 Tone::kStrong);
  if (answer.shape.only_a_guess)
    text.paragraph(0, "", Tone::kPlain,
                   tr("Layers and widths are those of a typical model of this size; its config.json would "
                      "say it better."),
                   Tone::kWarning);
  text.blank();
  add_bars(answer, text);
  text.blank();
  add_verdict(answer, text);
  add_changes(answer, text);
  if (!answer.suspicions.empty()) {
    text.heading(tr("Out of memory in the middle of the run: what grows"));
    int number = 0;
    for (const Suspicion& suspicion : answer.suspicions) {
      text.paragraph(0, fmt::format("{}. ", ++number), Tone::kAccent, suspicion.why);
      text.paragraph(3, fmt::format("{} ", text.arrow()), Tone::kGood, suspicion.act);
    }
  }
  const HostNeeds host = host_needs(answer.shape, answer.work, estimate);
  text.blank();
  text.paragraph(0, "", Tone::kPlain,
                 fmt::format(fmt::runtime(tr("Beside the GPUs: {0} of host memory, {1} vCPUs, {2} of disk.")),
                             gib(static_cast<double>(host.memory.count)), host.vcpus,
                             gib(static_cast<double>(host.disk.count))),
                 Tone::kDim);
  return text.take();
}

}  // namespace forebay
