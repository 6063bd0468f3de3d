#include "environment/conda_file.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"

namespace forebay {
namespace {

constexpr std::size_t kSizeLimit = 1 << 20;

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string()
                                    : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// "conda-forge::python >=3.10" → name "python", rest ">=3.10".
void add_conda_package(const std::string& written, CondaFile& file) {
  std::string text = trimmed(written);
  if (const auto colons = text.find("::"); colons != std::string::npos) text = text.substr(colons + 2);
  const auto end = text.find_first_of(" =<>!~[");
  std::string name = text.substr(0, end);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string version = end == std::string::npos ? std::string() : trimmed(text.substr(end));
  if (name == "pip" || name == "setuptools" || name == "wheel") return;
  if (name != "python") {
    file.conda_packages.push_back(trimmed(written));
    return;
  }
  // "=3.11" and "==3.11" are a version, ">=3.9" a specifier; a build string after a second "=" is dropped.
  if (version.starts_with('=')) {
    version.erase(0, version.find_first_not_of("= "));
    version = version.substr(0, version.find('='));
    if (version.ends_with(".*")) version.resize(version.size() - 2);
  }
  if (!version.empty()) file.python_version = version;
}

}  // namespace

Result<CondaFile> parse_conda_file(const std::string& text, const std::string& name) {
  const auto invalid = [&](const std::string& where, const std::string& cause) {
    return make_error(ErrorCode::kInvalidInput, "read the conda environment", name + where, cause);
  };
  if (text.size() > kSizeLimit) return invalid("", "it is larger than 1 MiB");
  CondaFile file;
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap()) return invalid("", std::string(tr("it is no list of names and values")));
    const YAML::Node dependencies = root["dependencies"];
    if (dependencies && !dependencies.IsSequence())
      return invalid("", std::string(tr("dependencies is no list")));
    if (dependencies)
      for (const auto& item : dependencies) {
        if (item.IsScalar()) {
          add_conda_package(item.Scalar(), file);
        } else if (item.IsMap() && item["pip"] && item["pip"].IsSequence()) {
          for (const auto& line : item["pip"])
            if (line.IsScalar()) file.pip.push_back(trimmed(line.Scalar()));
        } else {
          return invalid(fmt::format(":{}", item.Mark().line + 1),
                         std::string(tr("an entry of dependencies is neither a package nor a pip list")));
        }
      }
  } catch (const YAML::Exception& exception) {
    return invalid(fmt::format(":{}:{}", exception.mark.line + 1, exception.mark.column + 1), exception.msg);
  }
  return file;
}

}  // namespace forebay
