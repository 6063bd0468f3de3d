// Keeps secrets out of records and texts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace forebay {

// True for names that hold secrets by custom: *_TOKEN, *_KEY, *SECRET*, *PASSWORD*, *PASSWD*, *CREDENTIAL*,
// AWS_* keys …
bool looks_like_secret(std::string_view name);
// "https://user:password@host/…" → "https://***@host/…", anywhere in the text; tokens in a query string too.
std::string redact_urls(std::string_view text);
// Replaces every occurrence of each value (of at least 4 bytes) by "***", longest first, and passwords in
// URLs.
std::string redact(std::string_view text, const std::vector<std::string>& secret_values);
// The values that must not be seen: those of `names`, and of variables that look like secrets.
std::vector<std::string> secret_values(const std::map<std::string, std::string>& environment,
                                       const std::vector<std::string>& names);
// Values of a command line's options whose names look like secrets: --api-key=x, --token x.
std::vector<std::string> secret_arguments(const std::vector<std::string>& words);
// A variable for the record: its value, or {"set": true} where it is or looks like a secret.
Json recorded_variable(const std::string& name, const std::string& value,
                       const std::vector<std::string>& secret_names);

}  // namespace forebay
