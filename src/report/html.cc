#include "report/html.h"

namespace forebay {

std::string render_html(const RunRecord&, const Diagnosis&, const Bill&, const HtmlOptions&) {
  return {};
}
std::string render_comparison_html(const ComparedRun&, const ComparedRun&, const Comparison&,
                                   const HtmlOptions&) {
  return {};
}

}  // namespace forebay
