// One function per verb file; each returns its row of the verb table.
#pragma once

#include "cli/verbs.h"

namespace forebay {

VerbInfo run_verb_info();
VerbInfo submit_verb_info();
VerbInfo probe_verb_info();
VerbInfo ps_verb_info();
VerbInfo logs_verb_info();
VerbInfo stop_verb_info();
VerbInfo retry_verb_info();
VerbInfo rerun_verb_info();
VerbInfo outputs_verb_info();
VerbInfo leases_verb_info();
VerbInfo report_verb_info();
VerbInfo compare_verb_info();
VerbInfo plan_verb_info();
VerbInfo gpus_verb_info();
VerbInfo offers_verb_info();
VerbInfo offers_update_verb_info();
VerbInfo job_check_verb_info();
VerbInfo job_schema_verb_info();
VerbInfo size_verb_info();
VerbInfo runs_prune_verb_info();
VerbInfo debug_bundle_verb_info();
VerbInfo completion_verb_info();
VerbInfo help_verb_info();
// Hidden: processes that Forebay starts itself.
VerbInfo attempt_verb_info();
VerbInfo save_outputs_verb_info();
VerbInfo gpu_reader_verb_info();
VerbInfo environment_build_verb_info();

template <typename T>
std::unique_ptr<Verb> make_verb() {
  return std::make_unique<T>();
}

}  // namespace forebay
