// The job file's notation of typed values, exact: reading the text gives the value again.
#pragma once

#include <string>

#include "base/units.h"

namespace forebay {

std::string bytes_text(Bytes bytes);             // "32GiB", "64GB"
std::string duration_text(Duration duration);    // "15m"
std::string money_text(const Money& money);      // "20 USD"
std::string parameter_count_text(double count);  // "7B"
std::string number_text(double number);          // "8", "0.5"

}  // namespace forebay
