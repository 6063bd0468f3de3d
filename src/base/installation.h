// Where this program and the files that come with it lie, and where it keeps its state.
#pragma once

#include <string>
#include <vector>

namespace forebay {

// The command that starts this program again: the launcher of the relocatable tarball (FOREBAY_LAUNCHER, set
// by it), else /proc/self/exe. Absolute.
std::string own_program();
// The folder with the Python hook (holds sitecustomize.py); empty when it is not found. FOREBAY_HOOK_FOLDER
// overrides; else <prefix>/lib/forebay/hook beside the program; else the source tree the program was built
// in.
std::string hook_folder();
// FOREBAY_HOME, else $XDG_STATE_HOME/forebay, else ~/.local/state/forebay. Not created here.
std::string state_folder();
// Cache: FOREBAY_CACHE, else $XDG_CACHE_HOME/forebay, else ~/.cache/forebay.
std::string cache_folder();
// Variables that steer Forebay itself and that no job may inherit.
const std::vector<std::string>& private_variables();

}  // namespace forebay
