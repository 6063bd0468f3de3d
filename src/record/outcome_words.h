// How a run ended, in the language of whoever looks: the sentence in the record is English (or of the
// language of whoever started the run) and stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace forebay {

// A sentence of an outcome, of the causes of stops and of failed starts, in `language`. One that is not known
// (an older record, a message of the operating system) is given back as it stands.
std::string outcome_sentence_in(std::string_view language, std::string_view sentence);
std::string outcome_sentence(std::string_view sentence);

}  // namespace forebay
