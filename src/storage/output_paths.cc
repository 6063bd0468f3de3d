#include "storage/output_paths.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "storage/wildmatch.h"

namespace forebay {
namespace {

constexpr int kDepthLimit = 100;
constexpr std::size_t kItemLimit = 5'000'000;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      result += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

bool lies_in(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder == "/" ? folder : folder + "/");
}

// The path with the links of its existing part resolved.
std::string real_path(const std::string& path) {
  std::string existing = path, rest;
  while (!existing.empty() && existing != "/") {
    std::array<char, 4097> buffer;
    if (::realpath(existing.c_str(), buffer.data()) != nullptr)
      return rest.empty() ? std::string(buffer.data()) : join_path(buffer.data(), rest);
    const std::size_t slash = existing.rfind('/');
    rest = rest.empty() ? existing.substr(slash + 1) : existing.substr(slash + 1) + "/" + rest;
    existing = existing.substr(0, slash);
  }
  return path;
}

class Collector {
 public:
  explicit Collector(PlannedCopy& plan) : plan_(plan) {}

  // `boundary`: links may point anywhere inside it.
  Result<void> add(const std::string& source, const std::string& relative, const std::string& boundary,
                   int depth = 0) {
    struct stat info{};
    if (::lstat(source.c_str(), &info) != 0) {
      if (errno == ENOENT && depth > 0) return {};  // gone since it was listed
      return system_error("copy", source, errno);
    }
    if (depth > kDepthLimit || plan_.items.size() > kItemLimit)
      return make_error(ErrorCode::kResourceExhausted, "copy", source,
                        std::string(tr("the folder is too deep or holds too many files")));
    if (S_ISREG(info.st_mode)) {
      plan_.items.push_back({PlannedItem::Kind::kFile, source, relative, {}, info.st_size});
      plan_.bytes += info.st_size;
    } else if (S_ISLNK(info.st_mode)) {
      add_link(source, relative, boundary);
    } else if (S_ISDIR(info.st_mode)) {
      if (!relative.empty()) plan_.items.push_back({PlannedItem::Kind::kFolder, source, relative, {}, 0});
      FOREBAY_TRY(const auto names, list_directory(source));
      for (const auto& name : names) {
        if (name.starts_with(".forebay-")) continue;  // our own half-made things
        FOREBAY_CHECK(add(join_path(source, name), relative.empty() ? name : relative + "/" + name, boundary,
                          depth + 1));
      }
    } else {
      plan_.skipped.push_back(
          fmt::format(fmt::runtime(tr("{0}: neither a file, a folder nor a link")), source));
    }
    return {};
  }

 private:
  void add_link(const std::string& source, const std::string& relative, const std::string& boundary) {
    std::array<char, 4097> target;
    const ssize_t length = ::readlink(source.c_str(), target.data(), target.size() - 1);
    const std::string text(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    // Relative links keep their meaning when the whole tree moves; absolute ones and those that leave it do
    // not.
    const std::string points_to = absolute_path(join_path(source.substr(0, source.rfind('/')), text));
    // Judged by its text and by where it really leads: "loop/../x" may mean another folder than it says.
    std::array<char, 4097> real;
    const bool leads_inside =
        ::realpath(source.c_str(), real.data()) == nullptr || lies_in(real.data(), real_path(boundary));
    const bool is_inside =
        !text.empty() && text.front() != '/' && lies_in(points_to, boundary) && leads_inside;
    if (is_inside)
      plan_.items.push_back({PlannedItem::Kind::kLink, source, relative, text, 0});
    else
      plan_.skipped.push_back(
          fmt::format(fmt::runtime(tr("{0}: a link that leaves the copied folder")), source));
  }

  PlannedCopy& plan_;
};

// The part of a glob before the first component with a special character.
std::string fixed_part(const std::string& pattern) {
  const std::size_t special = pattern.find_first_of("*?[");
  const std::size_t slash = pattern.rfind('/', special);
  return slash == std::string::npos ? std::string() : pattern.substr(0, slash);
}

// What a link inside `boundary` stands for, when it is a file inside it too: a link that is named (by itself
// or by a glob) is copied by content, for what it points to may not be copied with it.
std::string file_behind_link(const std::string& path, const std::string& boundary) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return path;
  const std::string real = real_path(path);
  return lies_in(real, real_path(boundary)) && ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)
             ? real
             : path;
}

Result<void> add_matches(const std::string& pattern, const std::string& folder, const std::string& relative,
                         Collector& collector, const std::string& boundary, int depth = 0) {
  if (depth > kDepthLimit) return {};
  const auto names = list_directory(folder);
  if (!names) return depth == 0 ? Result<void>(names.error()) : Result<void>();
  for (const auto& name : *names) {
    if (name.starts_with(".forebay-")) continue;
    const std::string path = join_path(folder, name), below = relative.empty() ? name : relative + "/" + name;
    if (wildmatch(pattern, below)) {
      FOREBAY_CHECK(collector.add(file_behind_link(path, boundary), below, boundary));
      continue;
    }
    struct stat info{};
    if (::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      FOREBAY_CHECK(add_matches(pattern, path, below, collector, boundary, depth + 1));
  }
  return {};
}

// Folders that glob matches need above them.
void add_parent_folders(PlannedCopy& plan, const std::string& root) {
  std::vector<PlannedItem> parents;
  std::set<std::string> seen;
  for (const auto& item : plan.items) {
    for (std::size_t slash = item.relative.find('/'); slash != std::string::npos;
         slash = item.relative.find('/', slash + 1)) {
      const std::string folder = item.relative.substr(0, slash);
      if (!seen.insert(folder).second) continue;
      parents.push_back({PlannedItem::Kind::kFolder, join_path(root, folder), folder, {}, 0});
    }
  }
  plan.items.insert(plan.items.begin(), parents.begin(), parents.end());
}

bool is_folder(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<PlannedCopy> plan_glob(const std::string& from, const std::string& destination) {
  PlannedCopy plan;
  plan.destination_folder = destination;
  const std::string root = fixed_part(from).empty() ? "/" : fixed_part(from);
  const std::string pattern = from.substr(root == "/" ? 1 : root.size() + 1);
  if (lies_in(destination, root) && destination.size() > root.size()) {
    const std::string below = destination.substr(root == "/" ? 1 : root.size() + 1);
    for (std::size_t slash = 0; slash != std::string::npos;) {
      slash = below.find('/', slash == 0 ? 0 : slash + 1);
      if (wildmatch(pattern, below.substr(0, slash)))
        return make_error(ErrorCode::kInvalidInput, "copy", from,
                          std::string(tr("the destination lies inside what is copied")));
      if (slash == 0) break;
    }
  }
  Collector collector(plan);
  FOREBAY_CHECK(add_matches(pattern, root, "", collector, root));
  if (plan.items.empty() && plan.skipped.empty())
    return make_error(ErrorCode::kNotFound, "copy", from, std::string(tr("nothing matches")));
  add_parent_folders(plan, root);
  return plan;
}

}  // namespace

Result<std::string> expand_variables(const std::string& text,
                                     const std::map<std::string, std::string>& variables) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      result += text[i];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '$') {
      result += '$';
      ++i;
      continue;
    }
    const bool is_braced = i + 1 < text.size() && text[i + 1] == '{';
    const std::size_t begin = i + (is_braced ? 2 : 1);
    std::size_t end = begin;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const std::string name = text.substr(begin, end - begin);
    const bool is_closed = !is_braced || (end < text.size() && text[end] == '}');
    const auto found = variables.find(name);
    if (name.empty() || !is_closed || found == variables.end())
      return make_error(
          ErrorCode::kInvalidInput, "resolve the destination", text,
          name.empty() || !is_closed
              ? std::string(tr("a $ is not followed by a name"))
              : fmt::format(fmt::runtime(tr("${0} is not a variable of this job")), name),
          std::string(
              tr("Known are $FOREBAY_RUN and the variables of the job file; write $$ for a dollar.")));
    result += found->second;
    i = is_braced ? end : end - 1;
  }
  return result;
}

Result<std::string> destination_path(const OutputRequest& request, const OutputSettings& settings) {
  FOREBAY_TRY(std::string to, expand_variables(request.to, settings.variables));
  const std::size_t scheme = to.find("://");
  if (scheme != std::string::npos && scheme > 0 &&
      std::all_of(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(scheme),
                  [](char c) { return is_name_character(c) || c == '+' || c == '-'; })) {
    if (!to.starts_with("file://"))
      return make_error(
          ErrorCode::kUnsupported, "copy outputs to", request.to,
          fmt::format(fmt::runtime(tr("{0}:// cannot be written to yet")), to.substr(0, scheme)),
          std::string(tr("Use file:///folder/ or a plain path.")));
    to = to.substr(7);
    if (to.starts_with("localhost/")) to = to.substr(9);
    if (!to.starts_with('/'))
      return make_error(ErrorCode::kInvalidInput, "copy outputs to", request.to,
                        std::string(tr("a file:// address needs three slashes")), "file:///folder/");
    to = percent_decoded(to);
  }
  if (to.empty() || to.find('\0') != std::string::npos)
    return make_error(ErrorCode::kInvalidInput, "copy outputs to", request.to,
                      std::string(tr("it is no path")));
  const bool is_folder_meant = to.ends_with('/');
  to = absolute_path(to.starts_with('/') ? to : join_path(settings.workdir, to));
  return is_folder_meant && to != "/" ? to + "/" : to;
}

Result<PlannedCopy> plan_copy(const OutputRequest& request, const OutputSettings& settings) {
  FOREBAY_TRY(const std::string to, destination_path(request, settings));
  if (request.from.empty() || request.from.find('\0') != std::string::npos)
    return make_error(ErrorCode::kInvalidInput, "copy", request.from, std::string(tr("it is no path")));
  const std::string from =
      absolute_path(request.from.starts_with('/') ? request.from : join_path(settings.workdir, request.from));
  const std::string bare = to.size() > 1 && to.ends_with('/') ? to.substr(0, to.size() - 1) : to;
  // A name that exists is that name, even with a star in it.
  if (!path_exists(from) && from.find_first_of("*?[") != std::string::npos) return plan_glob(from, bare);
  PlannedCopy plan;
  Collector collector(plan);
  if (is_folder(from)) {
    plan.destination_folder = bare;
    if (lies_in(real_path(bare), real_path(from)))
      return make_error(ErrorCode::kInvalidInput, "copy", from,
                        std::string(tr("the destination lies inside what is copied")));
    std::array<char, 4097> resolved;
    const std::string real =
        ::realpath(from.c_str(), resolved.data()) != nullptr ? std::string(resolved.data()) : from;
    FOREBAY_CHECK(collector.add(real, "", real));
    return plan;
  }
  if (!path_exists(from) && bare != from && lies_in(bare, from))
    return make_error(ErrorCode::kInvalidInput, "copy", from,
                      std::string(tr("the destination lies inside what is copied")));
  if (!path_exists(from))
    return make_error(ErrorCode::kNotFound, "copy", from, std::string(tr("it does not exist")));
  const std::string name = from.substr(from.rfind('/') + 1);
  const bool into_folder = to.ends_with('/') || is_folder(bare);
  plan.destination_folder = into_folder ? bare : bare.substr(0, std::max<std::size_t>(bare.rfind('/'), 1));
  const std::string target =
      join_path(plan.destination_folder, into_folder ? name : bare.substr(bare.rfind('/') + 1));
  if (real_path(target) == real_path(from))
    return make_error(ErrorCode::kInvalidInput, "copy", from,
                      std::string(tr("the destination is the file itself")));
  // A file named by a link of its own is meant by content, wherever it lies.
  FOREBAY_CHECK(collector.add(file_behind_link(from, "/"), target.substr(target.rfind('/') + 1), "/"));
  return plan;
}

}  // namespace forebay
