#include "cli/verbs.h"

#include "cli/verb_list.h"

namespace forebay {

std::span<const VerbInfo> verb_table() {
  static const VerbInfo table[] = {
      run_verb_info(),          submit_verb_info(),        ps_verb_info(),
      logs_verb_info(),         stop_verb_info(),          retry_verb_info(),
      rerun_verb_info(),        outputs_verb_info(),       leases_verb_info(),
      report_verb_info(),       compare_verb_info(),       plan_verb_info(),
      size_verb_info(),         probe_verb_info(),         gpus_verb_info(),
      offers_verb_info(),       offers_update_verb_info(), job_check_verb_info(),
      job_schema_verb_info(),   runs_prune_verb_info(),    debug_bundle_verb_info(),
      completion_verb_info(),   help_verb_info(),          attempt_verb_info(),
      save_outputs_verb_info(), gpu_reader_verb_info(),    environment_build_verb_info(),
  };
  return table;
}

const VerbInfo* find_verb(std::string_view name) {
  for (const VerbInfo& verb : verb_table())
    if (name == verb.name) return &verb;
  return nullptr;
}

}  // namespace forebay
