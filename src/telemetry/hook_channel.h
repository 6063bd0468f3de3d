// The reader's side of the hook channel's folder: finds rings, drains them, builds steps, keeps facts,
// removes what is used up.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "record/step.h"
#include "telemetry/hook_ring.h"
#include "telemetry/step_builder.h"

namespace forebay {

// Not thread-safe. The folder may hold anything: only regular files of this user are opened, links are not
// followed.
class HookChannel {
 public:
  using StepSink = std::function<void(const StepRow&)>;
  // Whether a process with that start time is in the tree (its number may be another one in a container).
  using IsRunning = std::function<bool(std::int64_t pid, std::uint64_t start_ticks)>;

  explicit HookChannel(std::string folder);

  // Looks for new rings and reads them all. `is_running` lets it remove the rings of processes that have
  // ended.
  void poll(std::int64_t now_ns, const StepSink& sink, const IsRunning& is_running);
  // The last time: everything that is there, and the steps that were still open.
  void finish(std::int64_t now_ns, const StepSink& sink);

  bool has_rings() const { return !rings_.empty(); }
  // The last poll found so much that the next one should come soon.
  bool is_busy() const { return busy_; }
  std::optional<std::int64_t> last_span_ns() const { return last_span_ns_; }
  std::int64_t steps() const;
  std::int64_t most_steps() const;  // of one process
  // Process numbers that have a .seen file, as the processes see themselves.
  const std::set<std::int64_t>& seen() const { return seen_; }
  // True once after something changed that belongs into hook.json.
  bool take_changed() { return std::exchange(changed_, false); }

  Json processes() const;  // "processes" of hook.json
  Json damaged() const;    // "damaged"
  std::uint64_t lost_records() const;
  std::uint64_t undescribed() const {
    return ended_undescribed_;
  }  // ended processes for which there was no room
  std::uint64_t data_loader_workers() const;

 private:
  struct Ring {
    Ring(HookRing opened, dev_t on_device, ino_t with_inode)
        : reader(std::move(opened)), device(on_device), inode(with_inode) {}
    HookRing reader;
    dev_t device;
    ino_t inode;
    std::optional<StepBuilder> builder;
    std::string facts;                 // JSON text
    bool is_worker = false;            // fetches only: its records belong to the parent's steps
    std::int64_t unseen_since_ns = 0;  // its process is not in the tree
    std::int64_t last_record_ns = 0;   // when the newest record was read
    std::optional<HookRecord> last_span;
  };
  void look(std::int64_t now_ns);
  void open_ring(const std::string& name, std::int64_t now_ns);
  // False when the ring is damaged and must go.
  bool drain(Ring& ring, std::int64_t now_ns, const StepSink& sink);
  void give_fetch_to_parent(const Ring& ring, const HookRecord& record);
  void retire(std::size_t index, const StepSink& sink);
  Json describe(const Ring& ring) const;
  void note_damage(const std::string& file, const std::string& reason);

  std::string path_;
  UniqueFd folder_;
  std::int64_t folder_changed_ns_ = -1, looked_ns_ = 0;
  std::vector<Ring> rings_;
  std::map<std::string, ino_t> refused_files_;
  std::set<std::int64_t> seen_;
  std::vector<std::pair<std::string, std::string>> damaged_;
  std::vector<std::string> ended_;  // descriptions of retired processes, as JSON text
  std::size_t ended_bytes_ = 0;
  std::int64_t ended_steps_ = 0, ended_most_steps_ = 0;
  std::uint64_t ended_lost_ = 0, ended_undescribed_ = 0, ended_workers_ = 0;
  std::optional<std::int64_t> last_span_ns_;
  bool busy_ = false, changed_ = false;
};

}  // namespace forebay
