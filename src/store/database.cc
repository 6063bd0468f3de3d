#include "store/database.h"

#include <sqlite3.h>
#include <sys/vfs.h>

#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/file.h"

namespace forebay {
namespace {

constexpr int kBusyTimeoutMilliseconds = 15'000;

ErrorCode code_of(int sqlite_code) {
  switch (sqlite_code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kUnavailable;
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      return ErrorCode::kResourceExhausted;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::kCorrupt;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
      return ErrorCode::kPermissionDenied;
    case SQLITE_CONSTRAINT:
      return ErrorCode::kConflict;
    default:
      return ErrorCode::kInternal;
  }
}

class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  sqlite3_stmt* get() const { return statement_; }

 private:
  sqlite3_stmt* statement_;
};

void bind(sqlite3_stmt* statement, int index, const DatabaseValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    sqlite3_bind_int64(statement, index, *integer);
  else if (const auto* real = std::get_if<double>(&value))
    sqlite3_bind_double(statement, index, *real);
  else if (const auto* text = std::get_if<std::string>(&value))
    sqlite3_bind_text(statement, index, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  else
    sqlite3_bind_null(statement, index);
}

// The first to open a new database changes its journal, for which SQLite needs it alone and does not wait
// (its busy timeout does not count there); so those who come at the same moment try again.
int set_write_ahead_log(sqlite3* handle) {
  const Clock& clock = system_clock();
  const std::int64_t deadline = clock.monotonic_ns() + kBusyTimeoutMilliseconds * 1'000'000ll;
  for (;;) {
    const int code = sqlite3_exec(handle, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
    if ((code & 0xff) != SQLITE_BUSY || clock.monotonic_ns() > deadline) return code;
    clock.sleep(Duration{2'000'000});
  }
}

}  // namespace

std::int64_t DatabaseRow::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::optional<std::int64_t> DatabaseRow::optional_integer(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::string DatabaseRow::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return {};
  return std::string(reinterpret_cast<const char*>(text),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::optional<std::string> network_file_system(const std::string& path) {
  // Magic numbers: statfs(2). FUSE may be local or remote (sshfs, s3fs): its locks are not to be trusted
  // either way.
  static constexpr std::array<std::pair<long, const char*>, 9> kNetwork{{{0x6969, "nfs"},
                                                                         {0xFF534D42, "cifs"},
                                                                         {0xFE534D42, "smb2"},
                                                                         {0x517B, "smb"},
                                                                         {0x0BD00BD0, "lustre"},
                                                                         {0x47504653, "gpfs"},
                                                                         {0x01021997, "9p"},
                                                                         {0x00C36400, "ceph"},
                                                                         {0x65735546, "fuse"}}};
  struct statfs info{};
  std::string existing = path;
  while (::statfs(existing.c_str(), &info) != 0) {
    const std::string parent = std::filesystem::path(existing).parent_path().string();
    if (parent.empty() || parent == existing) return std::nullopt;
    existing = parent;
  }
  for (const auto& [magic, name] : kNetwork)
    if (static_cast<unsigned long>(info.f_type) == static_cast<unsigned long>(magic)) return name;
  return std::nullopt;
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}
Database::~Database() {
  sqlite3_close(handle_);
}

Error Database::error(std::string tried) const {
  const ErrorCode code = code_of(sqlite3_extended_errcode(handle_));
  std::string advice;
  if (code == ErrorCode::kResourceExhausted) advice = "Free some disk space and try again.";
  if (code == ErrorCode::kPermissionDenied) advice = "Set FOREBAY_HOME to a folder you can write to.";
  if (code == ErrorCode::kCorrupt)
    advice = "Move the file away: runs keep their records under runs/, and a new database is made.";
  return make_error(code, std::move(tried), path_, sqlite3_errmsg(handle_), std::move(advice));
}

Result<Database> Database::open(const std::string& path, std::span<const Migration> migrations) {
  if (const auto network = network_file_system(path))
    return make_error(
        ErrorCode::kUnsupported, "keep state in", path,
        fmt::format("it is on a network file system ({}), where the database's locks are not safe", *network),
        "Set FOREBAY_HOME to a folder on a local disk.");
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (const auto made = make_directories(folder); !made)
    return make_error(ErrorCode::kUnavailable, "keep state in", folder, made.error().cause,
                      "Set FOREBAY_HOME to a folder you can write to.");
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle, path);
  if (code != SQLITE_OK) return database.error("open the database");
  sqlite3_busy_timeout(handle, kBusyTimeoutMilliseconds);
  if (set_write_ahead_log(handle) != SQLITE_OK) return database.error("open the database");
  for (const char* pragma : {"PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON"})
    if (sqlite3_exec(handle, pragma, nullptr, nullptr, nullptr) != SQLITE_OK)
      return database.error("open the database");
  FOREBAY_CHECK(database.migrate(migrations));
  return database;
}

Result<void> Database::migrate(std::span<const Migration> migrations) {
  auto version = [this]() -> Result<std::int64_t> {
    std::int64_t number = 0;
    FOREBAY_CHECK(query("PRAGMA user_version", {}, [&](const DatabaseRow& row) { number = row.integer(0); }));
    return number;
  };
  FOREBAY_TRY(const std::int64_t present, version());
  const int newest = migrations.empty() ? 0 : migrations.back().number;
  if (present > newest)
    return make_error(ErrorCode::kUnsupported, "open the database", path_,
                      fmt::format("it has schema {} and this program knows up to {}", present, newest),
                      "Use a newer forebay.");
  if (present == newest) return {};
  return transaction([&]() -> Result<void> {
    FOREBAY_TRY(const std::int64_t at,
                version());  // again, under the lock: another process may have migrated
    for (const Migration& migration : migrations) {
      if (migration.number <= at) continue;
      if (sqlite3_exec(handle_, migration.sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        return error("migrate the database");
      const std::string mark = fmt::format("PRAGMA user_version={}", migration.number);
      if (sqlite3_exec(handle_, mark.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return error("migrate the database");
    }
    return {};
  });
}

Result<void> Database::query(std::string_view sql, const std::vector<DatabaseValue>& values,
                             const std::function<void(const DatabaseRow&)>& each) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &raw, nullptr) != SQLITE_OK)
    return error("query");
  const Statement statement(raw);
  for (std::size_t i = 0; i < values.size(); ++i) bind(raw, static_cast<int>(i) + 1, values[i]);
  while (true) {
    const int code = sqlite3_step(raw);
    if (code == SQLITE_DONE) return {};
    if (code != SQLITE_ROW) return error("query");
    each(DatabaseRow(raw));
  }
}

Result<std::int64_t> Database::execute(std::string_view sql, const std::vector<DatabaseValue>& values) {
  FOREBAY_CHECK(query(sql, values, [](const DatabaseRow&) {}));
  return static_cast<std::int64_t>(sqlite3_changes(handle_));
}

Result<void> Database::transaction(const std::function<Result<void>()>& body) {
  FOREBAY_TRY([[maybe_unused]] const auto begun, execute("BEGIN IMMEDIATE"));
  auto done = body();
  if (done) {
    auto committed = execute("COMMIT");
    if (committed) return {};
    done = std::move(committed).error();
  }
  (void)execute("ROLLBACK");
  return done;
}

}  // namespace forebay
