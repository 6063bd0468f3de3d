#include "telemetry/gpu_watch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/environment_variable.h"
#include "base/log.h"
#include "telemetry/gpu_process.h"
#include "telemetry/nvml.h"

namespace forebay {
namespace {

constexpr std::size_t kMostDevices = 64;
constexpr std::size_t kMostProcessesKept = 1024;
constexpr std::size_t kMostAbandoned = 4;  // stuck readers after which a hung device is never asked again
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::vector<std::string> split_text(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  parts.resize(3);
  return parts;
}

}  // namespace

bool GpuWatch::is_driver_present() {
  return environment_variable("FOREBAY_NVML").has_value() || path_exists("/dev/nvidiactl") ||
         path_exists("/dev/dxg") || path_exists("/proc/driver/nvidia/version");
}

GpuWatch::GpuWatch(GpuWatchSettings settings) : settings_(std::move(settings)) {}

GpuWatch::~GpuWatch() {
  stop_reader();
  reap();
}

void GpuWatch::start() {
  std::vector<std::string> arguments;
  for (Slot& slot : slots_) {
    if (slot.skip_until_ns > now() && slot.description.index < kMostDevices) {
      arguments.emplace_back("--skip");
      arguments.push_back(std::to_string(slot.number >= 0 ? slot.number : slot.description.index));
    }
  }
  auto started = start_gpu_reader(settings_.command, arguments);
  if (!started) {
    log_event(LogLevel::kWarning, "gpu-reader-not-started", {{"cause", started.error().sentence()}});
    pause_before_start();
    return;
  }
  reader_ = started->pid;
  process_ = std::move(started->process);
  to_reader_ = std::move(started->requests);
  from_reader_ = std::move(started->answers);
  partial_.clear();
  asked_device_.reset();
  heard_ns_ = now();
  state_ = State::kStarting;
}

// The reader is killed, not asked: it may be stuck. Whether it has gone is looked up later, without waiting.
void GpuWatch::stop_reader() {
  if (reader_ > 0) {
    const bool sent =
        process_.valid() && ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0) == 0;
    if (!sent && !process_.valid()) ::kill(reader_, SIGKILL);
    abandoned_.push_back(reader_);
  }
  reader_ = -1;
  process_.reset();
  to_reader_.reset();
  from_reader_.reset();
  past_cpu_seconds_ += cpu_seconds_;
  cpu_seconds_ = 0;
  state_ = State::kStopped;
}

void GpuWatch::reap() {
  std::erase_if(abandoned_, [](pid_t pid) {
    const pid_t gone = ::waitpid(pid, nullptr, WNOHANG);
    return gone == pid || (gone < 0 && errno == ECHILD);
  });
}

void GpuWatch::pause_before_start() {
  pause_ = Duration{std::min(std::max(pause_.nanoseconds * 2, settings_.first_pause.nanoseconds),
                             settings_.longest_pause.nanoseconds)};
  next_start_ns_ = now() + pause_.nanoseconds;
}

void GpuWatch::request() {
  reap();
  if (finished_) return;
  if (state_ == State::kReady) {
    // A device that hung is tried again by a new reader, once its pause is over.
    const bool again = std::ranges::any_of(
        slots_, [this](const Slot& slot) { return slot.skip_until_ns > 0 && slot.skip_until_ns <= now(); });
    if (again) stop_reader();
  }
  if (state_ == State::kStopped && now() >= next_start_ns_) {
    start();
    for (Slot& slot : slots_)
      if (slot.skip_until_ns <= now()) slot.skip_until_ns = 0;
    return;
  }
  if (state_ != State::kReady) return;
  if (::write(to_reader_.get(), "r", 1) != 1) return give_up();
  state_ = State::kAsked;
  asked_device_.reset();
  heard_ns_ = now();
}

void GpuWatch::receive() {
  char bytes[8 * sizeof(GpuMessage)];
  while (from_reader_.valid()) {
    const ssize_t got = ::read(from_reader_.get(), bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) {
      give_up();
      break;
    }
    heard_ns_ = now();
    partial_.append(bytes, static_cast<std::size_t>(got));
    std::size_t at = 0;
    for (; partial_.size() - at >= sizeof(GpuMessage) && from_reader_.valid(); at += sizeof(GpuMessage)) {
      GpuMessage message;
      std::memcpy(&message, partial_.data() + at, sizeof message);
      if (message.magic != GpuMessage::kMagic) return give_up();
      handle(message);
    }
    partial_.erase(0, std::min(at, partial_.size()));
  }
  if (state_ == State::kStarting || state_ == State::kAsked) {
    const Duration allowed =
        asked_device_ || state_ == State::kAsked ? settings_.device_deadline : settings_.start_deadline;
    if (now() - heard_ns_ > allowed.nanoseconds) give_up();
  }
}

// The reader ended, talks nonsense, or is overdue. If it was asking a device, that device is to blame and is
// left alone.
void GpuWatch::give_up() {
  if (asked_device_) {
    Slot& slot = slot_of(*asked_device_);
    slot.lost = true;
    slot.pause =
        Duration{std::min(std::max(slot.pause.nanoseconds * 2, 6 * settings_.first_pause.nanoseconds),
                          settings_.longest_pause.nanoseconds * 2)};
    slot.skip_until_ns = abandoned_.size() >= kMostAbandoned ? kNever : now() + slot.pause.nanoseconds;
    log_event(LogLevel::kWarning, "gpu-does-not-answer", {{"gpu", std::to_string(slot.description.index)}});
    stop_reader();
    next_start_ns_ = now();  // the others go on at once
    return;
  }
  for (Slot& slot : slots_) slot.lost = true;
  stop_reader();
  pause_before_start();
  if (abandoned_.size() > kMostAbandoned) finished_ = true;
}

GpuWatch::Slot& GpuWatch::slot_of(std::uint16_t number) {
  for (Slot& slot : slots_)
    if (slot.number == number) return slot;
  for (Slot& slot : slots_)
    if (slot.number < 0 && slot.description.index == number) {
      slot.number = number;
      return slot;
    }
  Slot slot;
  slot.number = number;
  slot.description.index = static_cast<std::uint16_t>(slots_.size());
  slots_.push_back(std::move(slot));
  return slots_.back();
}

void GpuWatch::handle_device(const GpuMessage& message) {
  const std::vector<std::string> parts = split_text(message.get_text());
  // After a device fell off the bus the driver may number the others anew: the UUID says which is which.
  Slot* slot = nullptr;
  for (Slot& each : slots_)
    if (!parts[0].empty() && each.description.uuid == parts[0]) slot = &each;
  if (slot == nullptr) {
    slot = &slot_of(message.device);
    if (!slot->description.uuid.empty() && slot->description.uuid != parts[0]) {
      slot->number = -1;
      slots_.emplace_back();
      slot = &slots_.back();
      slot->description.index = static_cast<std::uint16_t>(slots_.size() - 1);
    }
  }
  for (Slot& each : slots_)
    if (&each != slot && each.number == message.device) each.number = -1;
  slot->number = message.device;
  slot->description.uuid = parts[0];
  slot->description.pci = parts[1];
  slot->description.name = parts[2];
  slot->description.memory_bytes = message.get(kTotal);
  slot->description.power_limit_watts = message.get(kPowerLimit);
  slot->description.mig = (message.valid & kGpuMigFlag) != 0;
  slot->lost = false;
}

void GpuWatch::handle(const GpuMessage& message) {
  if (message.device >= kMostDevices && message.kind != GpuMessageKind::kProblem) return give_up();
  switch (message.kind) {
    case GpuMessageKind::kDriver: {
      const std::vector<std::string> parts = split_text(message.get_text());
      driver_ = parts[0];
      library_ = parts[1];
      cuda_ = parts[2];
      for (Slot& slot : slots_) slot.number = slot.skip_until_ns > now() ? slot.number : -1;
      break;
    }
    case GpuMessageKind::kDevice:
      handle_device(message);
      break;
    case GpuMessageKind::kBegin:
      asked_device_ = message.device;
      break;
    case GpuMessageKind::kReading: {
      Slot& slot = slot_of(message.device);
      slot.lost = (message.valid & kGpuLostFlag) != 0;
      slot.last = message;
      slot.read_ns = now();
      slot.processes.clear();
      slot.pause = Duration{0};
      [[fallthrough]];
    }
    case GpuMessageKind::kProcesses: {
      Slot& slot = slot_of(message.device);
      const std::size_t count = std::min<std::size_t>(message.process_count, message.processes.size());
      if (slot.processes.size() + count <= kMostProcessesKept)
        slot.processes.insert(slot.processes.end(), message.processes.begin(),
                              message.processes.begin() + static_cast<std::ptrdiff_t>(count));
      break;
    }
    case GpuMessageKind::kDone:
      if (state_ == State::kStarting)
        for (Slot& slot : slots_)
          if (slot.number < 0) slot.lost = true;  // it was there and no longer is
      described_ = true;
      pause_ = Duration{0};
      state_ = State::kReady;
      asked_device_.reset();
      cpu_seconds_ = std::max(cpu_seconds_, message.values[0]);
      break;
    case GpuMessageKind::kProblem:
      handle_problem(message);
      break;
    default:
      give_up();
  }
}

void GpuWatch::handle_problem(const GpuMessage& message) {
  const int code = static_cast<std::int16_t>(message.device);
  const std::vector<std::string> parts = split_text(message.get_text());
  if (code == kNvmlVersionMismatch) {
    problem_ = Text{
        "The NVIDIA library is version {0} but the loaded kernel driver is version {1}: no GPU can be used "
        "until they are the "
        "same. Reboot, or unload and reload the nvidia kernel modules.",
        {parts[0].empty() ? "?" : parts[0], parts[1].empty() ? "?" : parts[1]}};
  } else if (code == -1) {
    problem_ = Text{"The GPU library cannot be loaded: {0}", {std::string(message.get_text())}};
  } else if (code == kNvmlDriverNotLoaded) {
    problem_ = Text{"The NVIDIA kernel driver is not loaded: load it (modprobe nvidia) or install it.", {}};
  } else {
    problem_ = Text{"The GPUs cannot be read: {0} (NVML error {1})",
                    {std::string(message.get_text()), std::to_string(code)}};
  }
  const bool was_working = described_;
  stop_reader();
  for (Slot& slot : slots_) slot.lost = true;
  if (was_working)
    pause_before_start();
  else
    finished_ = true;  // said once; it does not mend itself
}

void GpuWatch::append_to(Sample& sample, std::int64_t oldest_ns,
                         const std::function<bool(std::int64_t)>& is_own) const {
  for (const Slot& slot : slots_) {
    const std::uint16_t index = slot.description.index;
    if (slot.lost) sample.add(Metric::kGpuLost, 1, index);
    if (slot.lost || !slot.read_ns || *slot.read_ns < oldest_ns) continue;
    for (unsigned which = 0; which < kGpuValueCount; ++which)
      if (const auto value = slot.last.get(static_cast<GpuValue>(which)))
        sample.add(kGpuMetrics[which], *value, index);
    double own = 0;
    bool known = false;
    for (const GpuProcess& process : slot.processes) {
      if (process.memory_known == 0 || !is_own(process.pid)) continue;
      own += static_cast<double>(process.memory_bytes);
      known = true;
    }
    if (known) sample.add(Metric::kGpuProcessMemoryBytes, own, index);
  }
}

bool GpuWatch::is_busy(std::int64_t oldest_ns, const std::function<bool(std::int64_t)>& is_own) const {
  const auto runs_own = [&](const Slot& slot) {
    return std::ranges::any_of(slot.processes,
                               [&](const GpuProcess& process) { return is_own(process.pid); });
  };
  const bool owners_known = std::ranges::any_of(slots_, runs_own);
  return std::ranges::any_of(slots_, [&](const Slot& slot) {
    if (slot.lost || !slot.read_ns || *slot.read_ns < oldest_ns || (owners_known && !runs_own(slot)))
      return false;
    return slot.last.get(kUtilization).value_or(0) >= 0.01;
  });
}

std::vector<GpuDescription> GpuWatch::descriptions() const {
  std::vector<GpuDescription> found;
  for (const Slot& slot : slots_) found.push_back(slot.description);
  return found;
}

}  // namespace forebay
