// Checkpoints count only when they are whole.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace forebay {

enum class CheckpointKind {
  kMarked,       // a marker file that matches the job's `complete` pattern
  kTrainer,      // Hugging Face checkpoint-N/ with trainer_state.json and sound weight files
  kLightning,    // .ckpt
  kTorchFile,    // .pt, .pth, .bin, .ckpt written by torch.save (a zip archive)
  kSafetensors,  // .safetensors
};

struct Checkpoint {
  std::string path;    // absolute; file or folder
  std::string marker;  // the marker beside it, "" when there is none or it lies inside
  CheckpointKind kind = CheckpointKind::kMarked;
  std::optional<std::int64_t> step;  // from its name or its state file
  std::int64_t modified_ns = 0;      // newest file in it
  std::int64_t bytes = 0;
  Json to_json() const;
};

// What lies at a checkpoint path and does not count, with the reason ("half written: end of the archive is
// missing").
struct IncompleteCheckpoint {
  std::string path;
  std::string reason;
};

struct CheckpointListing {
  std::vector<Checkpoint> whole;  // newest first: by step where all have one, else by time
  std::vector<IncompleteCheckpoint> incomplete;
};

// `path`: the folder that holds checkpoints, or one checkpoint file. `complete`: the marker's glob
// ("*.done"), absent = known layouts. A marker stands for what has its stem beside it (step-100.done for
// step-100/ or step-100.pt), or for the folder it lies in.
CheckpointListing find_checkpoints(const std::string& path, const std::optional<std::string>& complete);

// FOREBAY_RESUME: the newest whole checkpoint.
std::optional<std::string> resume_checkpoint(const std::string& path,
                                             const std::optional<std::string>& complete);

// Deletes whole checkpoints beyond the newest `keep`, and only those for which `is_saved` answers true. Each
// is renamed out of sight first, its marker before it, so that a half-deleted one never counts. Returns the
// paths deleted.
Result<std::vector<std::string>> retain_checkpoints(const CheckpointListing& listing, int keep,
                                                    const std::function<bool(const Checkpoint&)>& is_saved);

// Whether a file is a whole zip archive (torch.save, Lightning). `check_data`: also every entry's CRC-32
// (reads the file). Nothing when it is; else the reason.
std::optional<std::string> zip_problem(const std::string& path, bool check_data);
std::optional<std::string> safetensors_problem(const std::string& path);

}  // namespace forebay
