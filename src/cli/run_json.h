// A run's row for --json.
#pragma once

#include "base/json.h"
#include "jobs/run_repository.h"

namespace forebay {

inline Json run_json(const RunRow& row) {
  Json json = Json::object({{"run", row.id},
                            {"name", row.name},
                            {"state", run_state_name(row.state)},
                            {"command", row.command},
                            {"folder", row.folder},
                            {"engine", row.engine},
                            {"kind", row.kind},
                            {"exit_code", row.exit_code}});
  json.set("cause", row.cause.empty() ? Json() : Json(row.cause));
  json.set("created", format_instant(row.created));
  json.set("started", row.started ? Json(format_instant(*row.started)) : Json());
  json.set("ended", row.ended ? Json(format_instant(*row.ended)) : Json());
  json.set("parent", row.parent.empty() ? Json() : Json(row.parent));
  json.set("price_per_hour", row.price_per_hour ? Json(format_money(*row.price_per_hour)) : Json());
  return json;
}

}  // namespace forebay
