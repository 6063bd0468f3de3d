// Outputs with `every:`: copied again and again while the job runs, on a thread of its own.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "agent/attempt_context.h"
#include "storage/outputs.h"

namespace forebay {

class PeriodicSaver {
 public:
  // Starts nothing when no output has an interval.
  explicit PeriodicSaver(const AttemptContext& context);
  ~PeriodicSaver() { stop(); }
  // Cancels a copy in progress (nothing half-made stays visible) and ends the thread.
  void stop();

 private:
  struct Entry {
    OutputRequest request;
    Duration every;
    std::int64_t next_ns;
  };
  void loop();
  void copy(const OutputRequest& request);
  const Clock& clock_;
  std::string replaced_file_;
  OutputSettings settings_;
  std::vector<Entry> entries_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

// Where outputs come from and what may be replaced in their destinations.
OutputSettings output_settings(const RunDirectory& directory, const std::string& folder,
                               const std::string& id, const Job& job);

}  // namespace forebay
