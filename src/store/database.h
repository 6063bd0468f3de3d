// SQLite, opened the one way Forebay uses it: WAL, synchronous=FULL, foreign keys, a busy timeout; several
// processes at once are fine. One Database per thread. Errors: kUnavailable when another process holds the
// lock too long, kResourceExhausted on a full disk, kCorrupt for a damaged file, kUnsupported on a network
// file system (SQLite's locks are not safe there) or for a newer schema.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace forebay {

using DatabaseValue = std::variant<std::monostate, std::int64_t, double, std::string>;

// One row of a result; columns by position.
class DatabaseRow {
 public:
  explicit DatabaseRow(sqlite3_stmt* statement) : statement_(statement) {}
  std::int64_t integer(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;
  std::string text(int column) const;

 private:
  sqlite3_stmt* statement_;
};

// A numbered step of the schema. Portable SQL. Numbers are 1, 2, 3 … and never change once released.
struct Migration {
  int number;
  const char* sql;
};

class Database {
 public:
  static Result<Database> open(const std::string& path, std::span<const Migration> migrations);
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  // Runs one statement with bound values; returns how many rows it changed.
  Result<std::int64_t> execute(std::string_view sql, const std::vector<DatabaseValue>& values = {});
  Result<void> query(std::string_view sql, const std::vector<DatabaseValue>& values,
                     const std::function<void(const DatabaseRow&)>& each);
  // BEGIN IMMEDIATE … COMMIT; rolled back when `body` fails. No slow call may be made inside.
  Result<void> transaction(const std::function<Result<void>()>& body);

 private:
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  Result<void> migrate(std::span<const Migration> migrations);
  Error error(std::string tried) const;
  sqlite3* handle_;
  std::string path_;
};

// The name of a network file system that holds `path` ("nfs", "cifs", "lustre" …), or nothing.
std::optional<std::string> network_file_system(const std::string& path);

}  // namespace forebay
