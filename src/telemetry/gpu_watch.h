// The sampler's side of the GPU reader: starts it, asks it, believes it only within its deadlines, and goes
// on without a device (or without all of them) when a driver hangs. Nothing here waits.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/message.h"
#include "base/units.h"
#include "record/sample.h"
#include "telemetry/gpu_protocol.h"

namespace forebay {

struct GpuWatchSettings {
  std::vector<std::string> command;  // empty = own_program() gpu-reader
  const Clock* clock = &system_clock();
  Duration start_deadline{30'000'000'000};  // loading a driver that nobody holds open takes seconds
  Duration device_deadline{3'000'000'000};  // one device, one reading
  Duration first_pause{
      5'000'000'000};  // before the reader, or a hung device, is tried again; doubles each time
  Duration longest_pause{300'000'000'000};
};

struct GpuDescription {
  std::uint16_t index = 0;  // of the gpu_* metrics
  std::string uuid, pci, name;
  std::optional<double> memory_bytes, power_limit_watts;
  bool mig = false;
};

// Not thread-safe; the thread that uses it must live as long as it (the reader dies with that thread).
class GpuWatch {
 public:
  // Whether there is anything to ask: a driver's device node, WSL's, or a library named by FOREBAY_NVML.
  static bool is_driver_present();

  explicit GpuWatch(GpuWatchSettings settings);
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;
  ~GpuWatch();

  // Asks for a reading, unless one is under way; starts the reader when it is due.
  void request();
  // Poll this for reading; -1 when there is no reader.
  int descriptor() const { return from_reader_.get(); }
  // Takes what has come, and gives up on what is overdue.
  void receive();
  // The last request has been answered in full.
  bool is_answered() const { return state_ == State::kReady; }
  // The reader has told what there is (or that it cannot).
  bool is_described() const { return described_ || problem_.has_value(); }

  // Readings not older than `oldest_ns`, and gpu_lost for devices that do not answer. `is_own` tells the
  // run's processes.
  void append_to(Sample& sample, std::int64_t oldest_ns,
                 const std::function<bool(std::int64_t)>& is_own) const;
  // A device was busy in a reading not older than that: one that runs own processes, or any when the owners
  // cannot be told (inside a container the driver's process ids are the host's).
  bool is_busy(std::int64_t oldest_ns, const std::function<bool(std::int64_t)>& is_own) const;

  std::vector<GpuDescription> descriptions() const;
  const std::string& driver_version() const { return driver_; }
  const std::string& library_version() const { return library_; }
  const std::string& cuda_version() const { return cuda_; }
  const std::optional<Text>& problem() const { return problem_; }
  double reader_cpu_seconds() const { return past_cpu_seconds_ + cpu_seconds_; }
  pid_t reader_pid() const { return reader_; }

 private:
  enum class State { kStopped, kStarting, kReady, kAsked };
  struct Slot {
    GpuDescription description;
    GpuMessage last;
    std::vector<GpuProcess> processes;
    std::optional<std::int64_t> read_ns;
    bool lost = false;
    std::int64_t skip_until_ns = 0;  // hung: left alone until then
    Duration pause{0};
    int number = -1;  // the reader's number for it in this session, -1 = not there
  };
  void start();
  void stop_reader();
  void reap();
  void handle(const GpuMessage& message);
  void handle_device(const GpuMessage& message);
  void handle_problem(const GpuMessage& message);
  void give_up();
  void pause_before_start();
  Slot& slot_of(std::uint16_t number);
  std::int64_t now() const { return settings_.clock->monotonic_ns(); }

  GpuWatchSettings settings_;
  State state_ = State::kStopped;
  pid_t reader_ = -1;
  UniqueFd process_, to_reader_, from_reader_;
  std::vector<pid_t> abandoned_;  // killed and not yet gone: a process stuck in a driver cannot even die
  std::string partial_;           // bytes of a message that has not come whole
  std::int64_t heard_ns_ = 0, next_start_ns_ = 0;
  Duration pause_{0};
  bool described_ = false, finished_ = false;
  std::optional<std::uint16_t> asked_device_;
  std::vector<Slot> slots_;
  std::string driver_, library_, cuda_;
  std::optional<Text> problem_;
  double cpu_seconds_ = 0, past_cpu_seconds_ = 0;
};

}  // namespace forebay
