#include "telemetry/gpu_reader.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/environment_variable.h"
#include "base/file.h"
#include "base/number.h"
#include "telemetry/gpu_device.h"

namespace forebay {
namespace {

constexpr unsigned kMostDevices = 64;

bool send(const GpuMessage& message) {
  return write_all(STDOUT_FILENO, std::string_view(reinterpret_cast<const char*>(&message), sizeof message),
                   "the pipe")
      .has_value();
}

void send_problem(NvmlReturn code, std::string_view sentence) {
  GpuMessage message;
  message.kind = GpuMessageKind::kProblem;
  message.device = static_cast<std::uint16_t>(code);
  message.set_text(sentence);
  send(message);
}

std::string system_text(NvmlReturn (*function)(char*, unsigned)) {
  std::array<char, 96> text{};
  if (function == nullptr || function(text.data(), text.size() - 1) != kNvmlSuccess) return {};
  return std::string(text.data());
}

// "library|module": the parent puts the two versions into a sentence.
std::string mismatch_versions(const NvmlFunctions& nvml) {
  std::string library = library_file_version();
  if (library.empty()) library = system_text(nvml.system_nvml_version);
  std::string module = kernel_module_version();
  if (module.empty()) module = system_text(nvml.system_driver_version);
  return library + "|" + module;
}

struct Skipped {
  std::vector<unsigned> devices;
  bool contains(unsigned device) const { return std::ranges::find(devices, device) != devices.end(); }
};

class Reader {
 public:
  Reader(NvmlFunctions nvml, Skipped skipped) : nvml_(nvml), skipped_(std::move(skipped)) {}

  bool describe() {
    unsigned count = 0;
    const NvmlReturn code = nvml_.device_count(&count);
    if (code != kNvmlSuccess) {
      send_problem(
          code, nvml_.error_string != nullptr ? nvml_.error_string(code) : "the devices cannot be counted");
      return false;
    }
    count = std::min(count, kMostDevices);
    GpuMessage driver;
    driver.kind = GpuMessageKind::kDriver;
    driver.device = static_cast<std::uint16_t>(count);
    int cuda = 0;
    const bool has_cuda =
        nvml_.system_cuda_version != nullptr && nvml_.system_cuda_version(&cuda) == kNvmlSuccess && cuda > 0;
    driver.set_text(fmt::format(
        "{}|{}|{}", system_text(nvml_.system_driver_version), system_text(nvml_.system_nvml_version),
        has_cuda ? fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10) : std::string()));
    if (!send(driver)) return false;
    devices_.assign(count, nullptr);
    for (unsigned i = 0; i < count; ++i) {
      if (skipped_.contains(i)) continue;
      if (!send_begin(i)) return false;
      if (nvml_.device_by_index(i, &devices_[i]) != kNvmlSuccess) devices_[i] = nullptr;
      if (devices_[i] != nullptr && !send(describe_gpu(nvml_, devices_[i], static_cast<std::uint16_t>(i))))
        return false;
    }
    return send_done();
  }

  bool read() {
    for (unsigned i = 0; i < devices_.size(); ++i) {
      if (skipped_.contains(i)) continue;
      if (devices_[i] == nullptr) {
        GpuMessage lost;
        lost.kind = GpuMessageKind::kReading;
        lost.device = static_cast<std::uint16_t>(i);
        lost.valid = kGpuLostFlag;
        if (!send(lost)) return false;
        continue;
      }
      if (!send_begin(i)) return false;
      GpuMessage reading = read_gpu(nvml_, devices_[i], static_cast<std::uint16_t>(i), processes_);
      if (!send_with_processes(reading)) return false;
    }
    return send_done();
  }

 private:
  static bool send_begin(unsigned device) {
    GpuMessage begin;
    begin.kind = GpuMessageKind::kBegin;
    begin.device = static_cast<std::uint16_t>(device);
    return send(begin);
  }

  static bool send_done() {
    GpuMessage done;
    rusage used{};
    if (::getrusage(RUSAGE_SELF, &used) == 0)
      done.values[0] = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    return send(done);
  }

  bool send_with_processes(GpuMessage& message) {
    for (std::size_t at = 0; at == 0 || at < processes_.size();) {
      const std::size_t count = std::min(message.processes.size(), processes_.size() - at);
      std::copy_n(processes_.begin() + static_cast<std::ptrdiff_t>(at), count, message.processes.begin());
      message.process_count = static_cast<std::uint32_t>(count);
      if (!send(message)) return false;
      at += std::max<std::size_t>(count, 1);
      message.kind = GpuMessageKind::kProcesses;
    }
    return true;
  }

  NvmlFunctions nvml_;
  Skipped skipped_;
  std::vector<NvmlDevice> devices_;
  std::vector<GpuProcess> processes_;
};

}  // namespace

int run_gpu_reader(int argc, const char* const* argv) {
  // A reader without its parent has nobody to serve; one whose parent closed the pipe ends at its next write
  // or read.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Skipped skipped;
  for (int i = 0; i + 1 < argc; ++i)
    if (std::string_view(argv[i]) == "--skip")
      skipped.devices.push_back(static_cast<unsigned>(whole_integer(argv[++i]).value_or(0)));

  const auto library = load_nvml(environment_variable("FOREBAY_NVML").value_or("libnvidia-ml.so.1"));
  if (!library) {
    send_problem(-1, library.error().cause);
    return 0;
  }
  const NvmlReturn code = library->init();
  if (code != kNvmlSuccess) {
    const char* text = library->error_string != nullptr ? library->error_string(code) : nullptr;
    send_problem(code, code == kNvmlVersionMismatch
                           ? mismatch_versions(*library)
                           : std::string(text != nullptr ? text : "it cannot be started"));
    return 0;
  }
  Reader reader(*library, std::move(skipped));
  if (!reader.describe()) return 0;
  char request = 0;
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, &request, 1);
    if (got < 0 && errno == EINTR) continue;
    // Without a farewell to the library: that call can hang too.
    if (got != 1 || !reader.read()) ::_exit(0);
  }
}

}  // namespace forebay
