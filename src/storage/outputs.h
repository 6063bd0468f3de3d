// Copies what a run made to its destinations: verified, whole or not at all, resumable, safe to repeat.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/units.h"

namespace forebay {

struct OutputRequest {
  std::string from;  // file, folder or glob (** too), relative to workdir or absolute
  std::string
      to;  // file:///folder/ or a plain path; $NAME and ${NAME} of OutputSettings::variables are replaced
};

struct OutputProgress {
  std::int64_t bytes_done = 0;
  std::int64_t bytes_total = 0;
  std::string path;  // being copied
};

struct OutputSettings {
  std::string workdir;  // absolute
  std::map<std::string, std::string>
      variables;       // FOREBAY_RUN, and the job's declared variables; another $NAME in `to` is an error
  std::string run_id;  // names the partial folder, so that a repeated copy goes on where it was
  std::optional<Instant> began;  // of this run: what came to a destination before it is an earlier run's
  std::set<std::string> replaced_before;  // paths of which copies between times said so already
  Json previous;  // the manifest of an earlier copy of this run, or null: spares reading again
  std::function<void(const OutputProgress&)> progress;  // may be empty
  std::function<bool()> cancelled;                      // may be empty; asked between blocks
};

// One file or link of the manifest.
struct CopiedFile {
  std::string from;
  std::string to;
  std::int64_t bytes = 0;
  std::string sha256;            // empty for links
  std::int64_t modified_ns = 0;  // of the source
  bool was_there = false;        // an equal file was already at the destination
  bool replaced = false;         // another file lay there that this run had not put there
};

struct OutputResult {
  OutputRequest request;
  std::string destination;           // resolved folder or file
  std::vector<CopiedFile> files;     // complete only when error is absent
  std::vector<std::string> skipped;  // links out of the tree, sockets, devices: what and why
  std::optional<Error> error;        // when set nothing of this request was made visible
};

struct OutputsReport {
  std::vector<OutputResult> results;
  bool is_complete() const;
  std::size_t replaced() const;  // how many files lay there before and are no more
  Json to_json() const;          // outputs.json
};

// A folder's content goes below `to`; a file goes to `to`, or into it when it ends in "/" or is a folder;
// what a glob matches keeps its path below the glob's fixed part. Every file is copied into a hidden partial
// folder at the destination, flushed, read back and compared with the SHA-256 of what was read, and only when
// all of a request are there renamed into place. Modes and modification times are kept, holes stay holes,
// links that point inside the tree are made again, others skipped. A destination inside its own source, a
// full disk, a source that keeps changing: an error of that request; the others go on.
OutputsReport copy_outputs(const std::vector<OutputRequest>& requests, const OutputSettings& settings);

// The problems that can be known before a run: scheme not file://, unknown variable, destination inside
// source.
std::vector<Error> check_outputs(const std::vector<OutputRequest>& requests, const OutputSettings& settings);

}  // namespace forebay
