// yaml_to_json IN OUT: a build step. The same tree as JSON, every scalar as its text, so that the program
// need not parse YAML of its own at every start.
#include <yaml-cpp/yaml.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {

nlohmann::ordered_json to_json(const YAML::Node& node) {
  if (node.IsScalar()) return node.Scalar();
  nlohmann::ordered_json result;
  if (node.IsSequence()) {
    result = nlohmann::ordered_json::array();
    for (const auto& each : node) result.push_back(to_json(each));
  } else if (node.IsMap()) {
    result = nlohmann::ordered_json::object();
    for (const auto& entry : node) result[entry.first.as<std::string>()] = to_json(entry.second);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const std::string text = to_json(YAML::LoadFile(argv[1])).dump();
    std::ofstream(argv[2], std::ios::binary) << text;
    return 0;
  } catch (const std::exception& error) {
    std::cerr << argv[1] << ": " << error.what() << "\n";
    return 1;
  }
}
