#include "jobs/run_repository.h"

#include <array>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace forebay {
namespace {

constexpr std::array kMigrations = std::to_array<Migration>({
    {1, R"(CREATE TABLE runs (
         id TEXT PRIMARY KEY, name TEXT NOT NULL, command TEXT NOT NULL, folder TEXT NOT NULL,
         state TEXT NOT NULL, epoch BIGINT NOT NULL, owner TEXT NOT NULL,
         created_ns BIGINT NOT NULL, updated_ns BIGINT NOT NULL, started_ns BIGINT, ended_ns BIGINT,
         exit_code BIGINT, cause TEXT NOT NULL, engine TEXT NOT NULL, parent TEXT NOT NULL,
         price_nano_per_hour BIGINT, price_currency TEXT NOT NULL);
       CREATE INDEX runs_by_creation ON runs (created_ns);
       CREATE INDEX runs_by_state ON runs (state);
       CREATE INDEX runs_by_name ON runs (name, created_ns);)"},
    {2, "ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'run';"},
});

constexpr const char* kColumns =
    "id, name, command, folder, state, epoch, owner, created_ns, updated_ns, started_ns, ended_ns, "
    "exit_code, cause, engine, parent, "
    "price_nano_per_hour, price_currency, kind";
constexpr const char* kActive = "state NOT IN ('finished', 'failed', 'cancelled')";

template <typename T>
DatabaseValue nullable(const std::optional<T>& value) {
  if (!value) return std::monostate{};
  return static_cast<std::int64_t>(*value);
}
DatabaseValue nullable(const std::optional<Instant>& value) {
  if (!value) return std::monostate{};
  return value->nanoseconds;
}

RunRow read_row(const DatabaseRow& from) {
  RunRow row;
  row.id = from.text(0);
  row.name = from.text(1);
  row.command = from.text(2);
  row.folder = from.text(3);
  row.state = run_state(from.text(4)).value_or(RunState::kFailed);
  row.epoch = from.integer(5);
  if (const auto json = Json::parse(from.text(6), "owner")) row.owner = ProcessIdentity::from_json(*json);
  row.created = Instant{from.integer(7)};
  row.updated = Instant{from.integer(8)};
  if (const auto at = from.optional_integer(9)) row.started = Instant{*at};
  if (const auto at = from.optional_integer(10)) row.ended = Instant{*at};
  if (const auto code = from.optional_integer(11)) row.exit_code = static_cast<int>(*code);
  row.cause = from.text(12);
  row.engine = from.text(13);
  row.parent = from.text(14);
  if (const auto nano = from.optional_integer(15)) row.price_per_hour = Money{*nano, from.text(16)};
  row.kind = from.text(17);
  return row;
}

Error stale(const std::string& id) {
  return make_error(ErrorCode::kConflict, "update the run", id, "another process has taken it over");
}

std::string escape_like(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

Result<RunRepository> RunRepository::open(const std::string& state_folder) {
  FOREBAY_TRY(Database database, Database::open(join_path(state_folder, "forebay.db"), kMigrations));
  return RunRepository(std::move(database));
}

Result<void> RunRepository::create(const RunRow& row) {
  const std::string owner = row.owner ? row.owner->to_json().dump() : "null";
  FOREBAY_TRY([[maybe_unused]] const auto changed,
              database_.execute(
                  fmt::format("INSERT INTO runs ({}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", kColumns),
                  {row.id, row.name, row.command, row.folder, std::string(run_state_name(row.state)),
                   row.epoch, owner, row.created.nanoseconds, row.updated.nanoseconds, nullable(row.started),
                   nullable(row.ended), nullable(row.exit_code), row.cause, row.engine, row.parent,
                   row.price_per_hour ? DatabaseValue(row.price_per_hour->nano) : DatabaseValue(),
                   row.price_per_hour ? row.price_per_hour->currency : "", row.kind}));
  return {};
}

Result<std::vector<RunRow>> RunRepository::select(const std::string& condition,
                                                  const std::vector<DatabaseValue>& values) {
  std::vector<RunRow> rows;
  FOREBAY_CHECK(database_.query(fmt::format("SELECT {} FROM runs {}", kColumns, condition), values,
                                [&](const DatabaseRow& row) { rows.push_back(read_row(row)); }));
  return rows;
}

Result<std::vector<RunRow>> RunRepository::list(const RunFilter& filter) {
  std::string condition = filter.only_active ? fmt::format("WHERE {} ", kActive) : std::string();
  condition += "ORDER BY created_ns DESC, id";
  if (filter.limit) condition += fmt::format(" LIMIT {}", *filter.limit);
  return select(condition, {});
}

Result<RunRow> RunRepository::get(const std::string& id) {
  FOREBAY_TRY(auto rows, select("WHERE id = ?", {id}));
  if (rows.empty())
    return make_error(ErrorCode::kNotFound, "find the run", id, "there is no such run",
                      "`forebay ps --all` lists them.");
  return std::move(rows.front());
}

Result<RunRow> RunRepository::find(const std::string& reference) {
  if (reference == "last") {
    FOREBAY_TRY(auto rows, list({false, 1}));
    if (rows.empty())
      return make_error(ErrorCode::kNotFound, "find the run", reference, "there is no run yet",
                        "Start one with `forebay run -- COMMAND`.");
    return std::move(rows.front());
  }
  FOREBAY_TRY(auto rows,
              select("WHERE id LIKE ? ESCAPE '\\' ORDER BY id LIMIT 5", {escape_like(reference) + "%"}));
  for (RunRow& row : rows)
    if (row.id == reference || rows.size() == 1) return std::move(row);
  if (rows.size() > 1) {
    std::string ids;
    for (const RunRow& row : rows) ids += (ids.empty() ? "" : ", ") + row.id;
    return make_error(ErrorCode::kInvalidInput, "find the run", reference,
                      fmt::format(fmt::runtime(tr("several begin like this: {0}")), ids),
                      "Give more letters.");
  }
  FOREBAY_TRY(auto named, select("WHERE name = ? ORDER BY created_ns DESC LIMIT 1", {reference}));
  if (!named.empty()) return std::move(named.front());
  return make_error(ErrorCode::kNotFound, "find the run", reference, "no run has this id or name",
                    "`forebay ps --all` lists them.");
}

Result<RunState> RunRepository::move(const std::string& id, std::int64_t epoch, RunMove move, Instant now) {
  FOREBAY_TRY(const RunRow row, get(id));
  if (row.epoch != epoch) return stale(id);
  FOREBAY_TRY(const RunState to, next(row.state, move));
  FOREBAY_TRY(
      const auto changed,
      database_.execute("UPDATE runs SET state = ?, updated_ns = ? WHERE id = ? AND epoch = ? AND state = ?",
                        {std::string(run_state_name(to)), now.nanoseconds, id, epoch,
                         std::string(run_state_name(row.state))}));
  if (changed != 1) return stale(id);
  return to;
}

Result<void> RunRepository::set_started(const std::string& id, std::int64_t epoch, Instant started) {
  FOREBAY_TRY(const auto changed,
              database_.execute("UPDATE runs SET started_ns = ? WHERE id = ? AND epoch = ?",
                                {started.nanoseconds, id, epoch}));
  if (changed != 1) return stale(id);
  return {};
}

Result<void> RunRepository::close(const std::string& id, std::int64_t epoch, RunMove move,
                                  const Outcome& outcome, Instant now) {
  FOREBAY_TRY(const RunRow row, get(id));
  if (row.epoch != epoch) return stale(id);
  FOREBAY_TRY(const RunState to, next(row.state, move));
  FOREBAY_TRY(
      const auto changed,
      database_.execute("UPDATE runs SET state = ?, updated_ns = ?, started_ns = COALESCE(?, started_ns), "
                        "ended_ns = ?, exit_code = ?, cause = ? WHERE id = ? AND epoch = ? AND state = ?",
                        {std::string(run_state_name(to)), now.nanoseconds, nullable(outcome.started),
                         outcome.ended ? outcome.ended->nanoseconds : now.nanoseconds,
                         nullable(outcome.exit_code), std::string(outcome_cause_name(outcome.cause)), id,
                         epoch, std::string(run_state_name(row.state))}));
  if (changed != 1) return stale(id);
  return {};
}

Result<std::int64_t> RunRepository::take_over(const std::string& id, std::int64_t expected_epoch,
                                              const ProcessIdentity& owner, Instant now) {
  FOREBAY_TRY(const auto changed,
              database_.execute(
                  "UPDATE runs SET epoch = epoch + 1, owner = ?, updated_ns = ? WHERE id = ? AND epoch = ?",
                  {owner.to_json().dump(), now.nanoseconds, id, expected_epoch}));
  if (changed != 1) return stale(id);
  return expected_epoch + 1;
}

Result<void> RunRepository::remove(const std::string& id) {
  FOREBAY_TRY([[maybe_unused]] const auto changed, database_.execute("DELETE FROM runs WHERE id = ?", {id}));
  return {};
}

}  // namespace forebay
