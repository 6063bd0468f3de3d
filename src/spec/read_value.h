// One value of a job file from its text: the typed value, or the sentence that says what is wrong and what to
// write instead. `key` is how the value is called in the sentence ("policy.idle_stop").
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "spec/job.h"
#include "spec/schema.h"
#include "spec/yaml_tree.h"

namespace forebay {

template <typename T>
using Reading = std::expected<T, std::string>;

// Any scalar as written; empty text is refused. No NUL characters.
Reading<std::string> read_text(const std::string& key, const YamlNode& node);
Reading<std::int64_t> read_integer(const std::string& key, const YamlNode& node, double minimum,
                                   double maximum);
Reading<double> read_number(const std::string& key, const YamlNode& node, double minimum, double maximum);
Reading<Amount<double>> read_number_or_floor(const std::string& key, const YamlNode& node, double minimum,
                                             double maximum);
Reading<double> read_parameter_count(const std::string& key, const YamlNode& node);
Reading<std::string> read_choice(const std::string& key, const YamlNode& node,
                                 const std::vector<std::string_view>& choices);
Reading<std::string> read_yes_no_auto(const std::string& key, const YamlNode& node);
Reading<Amount<std::string>> read_architecture(const std::string& key, const YamlNode& node,
                                               const std::vector<std::string_view>& choices);

// read_quantity.cc: sizes, times, money, dates.
Reading<Amount<Bytes>> read_bytes_or_floor(const std::string& key, const YamlNode& node);
Reading<Duration> read_duration(const std::string& key, const YamlNode& node);
Reading<Money> read_money(const std::string& key, const YamlNode& node);
Reading<Instant> read_instant(const std::string& key, const YamlNode& node);

// read_compound.cc: values with a notation of their own.
Reading<std::string> read_python_version(const std::string& key, const YamlNode& node);
Reading<JobGpu> read_gpu_text(const std::string& key, const YamlNode& node);  // the NAME:COUNT form
Reading<Place> read_place(const std::string& key, const YamlNode& node);
Reading<std::string> read_environment_name(const std::string& key, const std::string& name);
Reading<SweepParameter> read_sweep_parameter(const std::string& key, const std::string& name,
                                             const YamlNode& node);

bool is_environment_name(std::string_view name);
// Would YAML's core schema make a number of this unquoted text?
bool looks_like_number(std::string_view text);

}  // namespace forebay
