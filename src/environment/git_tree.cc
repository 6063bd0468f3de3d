#include "environment/git_tree.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/file.h"
#include "environment/ignore_rules.h"
#include "environment/redact.h"
#include "environment/run_program.h"

namespace forebay {
namespace {

constexpr int kInnerRepositoryDepth = 8;

Result<std::string> git(const std::string& root, const std::vector<std::string>& arguments,
                        const std::map<std::string, std::string>& environment, std::size_t limit,
                        Duration deadline) {
  ProgramSettings settings;
  settings.environment = environment;
  // A hook of git that starts us must not redirect these questions to another index; nor may asking write
  // anything.
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY",
                           "GIT_TRACE", "GIT_EXTERNAL_DIFF"})
    settings.environment.erase(name);
  settings.environment["GIT_OPTIONAL_LOCKS"] = "0";
  settings.environment["GIT_TERMINAL_PROMPT"] = "0";
  settings.environment["LC_ALL"] = "C";
  settings.output_limit = limit;
  settings.deadline = deadline;
  std::vector<std::string> argv = {
      "git", "-C", root, "-c", "core.quotePath=false", "-c", "core.fsmonitor=false"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  FOREBAY_TRY(ProgramResult result, run_program(argv, settings));
  if (result.exit_code != 0)
    return make_error(ErrorCode::kUnsupported, "ask git about", root,
                      fmt::format("git {} ended with {}", arguments[0], result.exit_code));
  return std::move(result.output);
}

// Calls `use` for each NUL-terminated piece.
template <typename Use>
void for_each_piece(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The rest of a line after `count` space-separated fields.
std::string_view after_fields(std::string_view line, int count) {
  for (; count > 0; --count) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return {};
    line.remove_prefix(space + 1);
  }
  return line;
}

struct Status {
  std::optional<std::string> commit, branch;
  std::set<std::string> changed, untracked;  // an untracked inner repository ends in "/"
};

// git status --porcelain=v2 --branch -z (git-status(1)).
Status parse_status(std::string_view text) {
  Status status;
  bool is_old_name = false;
  for_each_piece(text, [&](std::string_view line) {
    if (is_old_name) {
      status.changed.emplace(line);
      is_old_name = false;
    } else if (line.starts_with("# branch.oid ")) {
      if (const auto value = line.substr(13); value != "(initial)") status.commit = value;
    } else if (line.starts_with("# branch.head ")) {
      if (const auto value = line.substr(14); value != "(detached)") status.branch = value;
    } else if (line.starts_with("1 ")) {
      status.changed.emplace(after_fields(line, 8));
    } else if (line.starts_with("2 ")) {
      status.changed.emplace(after_fields(line, 9));
      is_old_name = true;
    } else if (line.starts_with("u ")) {
      status.changed.emplace(after_fields(line, 10));
    } else if (line.starts_with("? ")) {
      status.untracked.emplace(line.substr(2));
    }
  });
  return status;
}

class Reader {
 public:
  Reader(const ListingLimits& limits, const std::map<std::string, std::string>& environment)
      : limits_(limits), environment_(environment) {}

  Result<GitTree> read(const std::string& root) {
    GitTree tree;
    tree.root = root;
    FOREBAY_TRY(const Status status, list(root, "", 0));
    tree.commit = status.commit;
    tree.branch = status.branch;
    tree.is_dirty = !status.changed.empty() || !status.untracked.empty();
    if (auto remotes =
            git(root, {"config", "-z", "--get-regexp", "^remote\\..*\\.url$"}, environment_, 1 << 20, left()))
      for_each_piece(*remotes, [&](std::string_view line) {
        const std::size_t end = line.find('\n');
        if (end == std::string_view::npos || end < 11) return;
        tree.remotes[std::string(line.substr(7, end - 11))] = redact_urls(line.substr(end + 1));
      });
    apply_forebayignore(root);
    std::sort(listing_.entries.begin(), listing_.entries.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    tree.listing = std::move(listing_);
    return tree;
  }

 private:
  Duration left() const {
    const std::int64_t nanoseconds = limits_.deadline_ns - system_clock().monotonic_ns();
    return Duration{std::max<std::int64_t>(nanoseconds, 200'000'000)};
  }

  // Lists one repository, its submodules and inner repositories; `prefix` is "" or "sub/folder/".
  Result<Status> list(const std::string& root, const std::string& prefix, int depth) {
    FOREBAY_TRY(const std::string status_text, git(root,
                                                   {"status", "--porcelain=v2", "--branch", "-z",
                                                    "--untracked-files=all", "--ignore-submodules=all"},
                                                   environment_, 256u << 20, left()));
    FOREBAY_TRY(const std::string tracked_text,
                git(root, {"ls-files", "-z", "--cached"}, environment_, 256u << 20, left()));
    Status status = parse_status(status_text);
    std::string previous;
    for_each_piece(tracked_text, [&](std::string_view path) {
      if (path == previous) return;  // an unmerged file is listed once per stage
      previous = path;
      add(root, prefix, std::string(path), true, status.changed.contains(previous), depth);
    });
    for (const auto& path : status.untracked) add(root, prefix, path, false, false, depth);
    return status;
  }

  void add(const std::string& root, const std::string& prefix, std::string path, bool is_tracked,
           bool is_changed, int depth) {
    if (listing_.entries.size() >= limits_.count) {
      listing_.is_complete = false;
      return;
    }
    const bool is_inner_repository = path.ends_with('/');
    if (is_inner_repository) path.pop_back();
    ListedEntry entry;
    entry.path = path;
    if (!fill_entry(root, entry)) return;  // deleted in the work tree
    if (entry.kind == EntryKind::kFolder) {
      if (!is_inner_repository && !is_tracked) return;
      if (depth < kInnerRepositoryDepth && path_exists(join_path(join_path(root, path), ".git")))
        if (list(join_path(root, path), prefix + path + "/", depth + 1)) return;
      listing_.unreadable.push_back(prefix + path);
      return;
    }
    entry.path = prefix + path;
    // Only the outer repository's commit is recorded, so the files of inner ones are kept as if untracked.
    entry.is_tracked = is_tracked && prefix.empty();
    entry.is_changed = is_changed;
    listing_.entries.push_back(std::move(entry));
  }

  void apply_forebayignore(const std::string& root) {
    std::vector<std::string> folders;
    for (const auto& entry : listing_.entries)
      if (entry.path == ".forebayignore")
        folders.emplace_back();
      else if (entry.path.ends_with("/.forebayignore"))
        folders.push_back(entry.path.substr(0, entry.path.size() - 15));
    // It may itself be ignored by git.
    if (folders.empty() && path_exists(join_path(root, ".forebayignore"))) folders.emplace_back();
    if (folders.empty()) return;
    std::sort(folders.begin(), folders.end());
    IgnoreRules rules;
    for (const auto& folder : folders)
      if (const auto content = read_file(join_path(join_path(root, folder), ".forebayignore"), 1 << 20))
        rules.add(folder, parse_ignore_file(*content));
    std::erase_if(listing_.entries,
                  [&](const ListedEntry& entry) { return rules.is_ignored_with_parents(entry.path, false); });
  }

  const ListingLimits& limits_;
  const std::map<std::string, std::string>& environment_;
  CodeListing listing_;
};

}  // namespace

std::optional<std::string> find_git_root(const std::string& folder) {
  std::string at = folder.starts_with('/') ? folder : std::string();  // a relative path has no end upwards
  for (; !at.empty(); at = at.substr(0, at.rfind('/')))
    if (path_exists(join_path(at, ".git"))) return at;
  if (path_exists("/.git")) return "/";
  return std::nullopt;
}

Result<GitTree> read_git_tree(const std::string& root, const ListingLimits& limits,
                              const std::map<std::string, std::string>& environment) {
  return Reader(limits, environment).read(root);
}

Result<std::string> read_git_changes(const std::string& root,
                                     const std::map<std::string, std::string>& environment,
                                     std::size_t limit) {
  return git(root,
             {"diff", "--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv",
              "--ignore-submodules=all", "HEAD"},
             environment, limit, Duration::from_seconds(2));
}

Result<std::string> read_git_file(const std::string& root, const std::string& commit, const std::string& path,
                                  const std::map<std::string, std::string>& environment) {
  return git(root, {"cat-file", "--filters", commit + ":" + path}, environment, 256u << 20,
             Duration::from_seconds(60));
}

}  // namespace forebay
