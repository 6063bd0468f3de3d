// What git knows about a work tree. Read-only: nothing in the repository is changed, not even its index is
// refreshed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "environment/code_listing.h"

namespace forebay {

struct GitTree {
  std::string root;                            // top of the work tree
  std::optional<std::string> commit;           // absent before the first commit
  std::optional<std::string> branch;           // absent when detached
  std::map<std::string, std::string> remotes;  // name → URL without passwords
  CodeListing listing;  // tracked files and untracked ones that are not ignored; submodules and inner
                        // repositories too
  bool is_dirty = false;
};

// The folder with .git at or above `folder`; nothing when there is none.
std::optional<std::string> find_git_root(const std::string& folder);

// Asks git. Errors: kNotFound git is not installed; kUnsupported git refuses (for instance a tree of another
// user); kTimeout.
Result<GitTree> read_git_tree(const std::string& root, const ListingLimits& limits,
                              const std::map<std::string, std::string>& environment);

// git diff --binary HEAD: all that differs from the commit in tracked files, as a patch. At most `limit`
// bytes.
Result<std::string> read_git_changes(const std::string& root,
                                     const std::map<std::string, std::string>& environment,
                                     std::size_t limit);

// The bytes of a file in a commit, as a checkout would write them (filters applied).
Result<std::string> read_git_file(const std::string& root, const std::string& commit, const std::string& path,
                                  const std::map<std::string, std::string>& environment);

}  // namespace forebay
