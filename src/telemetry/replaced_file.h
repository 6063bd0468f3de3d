// Small files of the record that are rewritten every few seconds: whole or the old one for every reader, but
// not flushed to the disk each time, which could hold up the sampler.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace forebay {

Result<void> replace_file(const std::string& path, std::string_view content);

}  // namespace forebay
