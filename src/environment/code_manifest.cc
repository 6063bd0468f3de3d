#include "environment/code_manifest.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace forebay {
namespace {

constexpr int kManifestFormat = 1;
constexpr std::array<std::string_view, 3> kKindNames = {"file", "link", "folder"};

// JSON strings are UTF-8, file names are bytes: other bytes, and "%", are written as %XX.
std::string encode_path(const std::string& path) {
  std::string text;
  for (std::size_t i = 0; i < path.size();) {
    const auto byte = static_cast<unsigned char>(path[i]);
    std::size_t length = byte < 0x80                   ? 1
                         : byte >= 0xC2 && byte < 0xE0 ? 2
                         : byte >= 0xE0 && byte < 0xF0 ? 3
                         : byte >= 0xF0 && byte < 0xF5 ? 4
                                                       : 0;
    if (length == 0 || i + length > path.size()) length = 0;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(path[i + k]) & 0xC0) != 0x80) length = 0;
    // Overlong forms, surrogates and values past U+10FFFF are no UTF-8 either.
    const unsigned char next = length > 1 ? static_cast<unsigned char>(path[i + 1]) : 0;
    if ((byte == 0xE0 && next < 0xA0) || (byte == 0xED && next > 0x9F) || (byte == 0xF0 && next < 0x90) ||
        (byte == 0xF4 && next > 0x8F))
      length = 0;
    if (length == 0 || byte == '%') {
      text += fmt::format("%{:02X}", byte);
      ++i;
    } else {
      text.append(path, i, length);
      i += length;
    }
  }
  return text;
}

std::optional<std::string> decode_path(const std::string& text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      path += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = digit(text[i + 1]), low = digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    path += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return path;
}

bool is_safe_path(const std::string& path) {
  if (path.empty() || path.front() == '/' || path.find('\0') != std::string::npos) return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = std::string_view(path).substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

bool is_sha256(const std::string& text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Json entry_to_json(const CodeEntry& entry) {
  Json json = Json::object({{"path", encode_path(entry.path)},
                            {"kind", kKindNames[static_cast<std::size_t>(entry.kind)]},
                            {"mode", fmt::format("{:04o}", entry.mode)},
                            {"bytes", entry.size}});
  if (!entry.sha256.empty()) json.set("sha256", entry.sha256);
  if (entry.is_in_commit) json.set("in_commit", true);
  if (!entry.not_kept.empty()) json.set("not_kept", entry.not_kept);
  return json;
}

std::optional<CodeEntry> entry_from_json(const Json& json) {
  CodeEntry entry;
  const auto path = decode_path(json["path"].string_or_empty());
  const auto kind = std::find(kKindNames.begin(), kKindNames.end(), json["kind"].string_or_empty());
  if (!path || !is_safe_path(*path) || kind == kKindNames.end()) return std::nullopt;
  entry.path = *path;
  entry.kind = static_cast<EntryKind>(kind - kKindNames.begin());
  entry.mode =
      static_cast<std::uint32_t>(std::strtoul(json["mode"].string_or_empty().c_str(), nullptr, 8)) & 07777;
  entry.size = json["bytes"].as_integer().value_or(0);
  entry.sha256 = json["sha256"].string_or_empty();
  entry.is_in_commit = json["in_commit"].as_bool().value_or(false);
  entry.not_kept = json["not_kept"].string_or_empty();
  if (!entry.sha256.empty() && !is_sha256(entry.sha256)) return std::nullopt;
  return entry;
}

bool has_entry_below_a_link(const std::vector<CodeEntry>& entries) {
  std::set<std::string> not_folders;
  for (const auto& entry : entries)
    if (entry.kind != EntryKind::kFolder) not_folders.insert(entry.path);
  for (const auto& entry : entries)
    for (std::size_t slash = entry.path.find('/'); slash != std::string::npos;
         slash = entry.path.find('/', slash + 1))
      if (not_folders.contains(entry.path.substr(0, slash))) return true;
  return false;
}

}  // namespace

Json CodeManifest::to_json() const {
  Json json = Json::object({{"format", kManifestFormat},
                            {"kind", kind},
                            {"root", encode_path(root)},
                            {"workdir", encode_path(workdir)},
                            {"taken_ns", taken_ns},
                            {"partial", is_partial}});
  if (kind == "git") {
    Json git = Json::object({{"commit", commit}, {"branch", branch}, {"dirty", is_dirty}});
    Json urls = Json::object();
    for (const auto& [name, url] : remotes) urls.set(name, url);
    json.set("git", git.set("remotes", urls));
  }
  Json list = Json::array();
  for (const auto& entry : entries) list.push(entry_to_json(entry));
  return json.set("entries", std::move(list));
}

Result<CodeManifest> CodeManifest::from_json(const Json& json, const std::string& name) {
  const auto corrupt = [&](const std::string& cause) {
    return make_error(ErrorCode::kCorrupt, "read the code snapshot", name, cause);
  };
  const auto format = json["format"].as_integer();
  if (!format) return corrupt("it is no manifest");
  if (*format > kManifestFormat)
    return make_error(ErrorCode::kUnsupported, "read the code snapshot", name,
                      fmt::format("it has format {}", *format), "Use a newer forebay.");
  CodeManifest manifest;
  manifest.kind = json["kind"].string_or_empty();
  manifest.root = decode_path(json["root"].string_or_empty()).value_or("");
  manifest.workdir = decode_path(json["workdir"].string_or_empty()).value_or("");
  if (!manifest.workdir.empty() && !is_safe_path(manifest.workdir))
    return corrupt("its workdir leaves its root");
  manifest.taken_ns = json["taken_ns"].as_integer().value_or(0);
  manifest.is_partial = json["partial"].as_bool().value_or(false);
  manifest.commit = json["git"]["commit"].as_string();
  manifest.branch = json["git"]["branch"].as_string();
  manifest.is_dirty = json["git"]["dirty"].as_bool().value_or(false);
  for (const Json& item : json["entries"].items()) {
    auto entry = entry_from_json(item);
    if (!entry) return corrupt(fmt::format("the entry {} is damaged", item.dump().substr(0, 200)));
    manifest.entries.push_back(std::move(*entry));
  }
  if (has_entry_below_a_link(manifest.entries))
    return corrupt("a path lies below something that is no folder");
  return manifest;
}

}  // namespace forebay
