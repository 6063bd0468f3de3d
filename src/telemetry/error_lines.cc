#include "telemetry/error_lines.h"

#include <algorithm>

namespace forebay {
namespace {

constexpr std::size_t kKept = 20;
constexpr std::size_t kLongestLine = 600;

struct Sign {
  std::string_view text;
  std::string_view kind;
};

// In this order: the more special first. Each was seen in the output of PyTorch, TensorFlow, NCCL, CPython,
// glibc or a shell.
constexpr Sign kSigns[] = {
    {"killed by signal: Bus error", "shared_memory"},
    {"insufficient shared memory", "shared_memory"},
    {"unable to open shared memory object", "shared_memory"},
    {"unable to allocate shared memory", "shared_memory"},
    {"CUDA out of memory", "out_of_memory"},
    {"HIP out of memory", "out_of_memory"},
    {"OutOfMemoryError", "out_of_memory"},
    {"CUDA error: out of memory", "out_of_memory"},
    {"CUBLAS_STATUS_ALLOC_FAILED", "out_of_memory"},
    {"RESOURCE_EXHAUSTED: ", "out_of_memory"},
    {"DefaultCPUAllocator: can't allocate memory", "out_of_memory"},
    {"DefaultCPUAllocator: not enough memory", "out_of_memory"},
    {"Cannot allocate memory", "out_of_memory"},
    {"MemoryError", "out_of_memory"},
    {"std::bad_alloc", "out_of_memory"},
    {"caught collective operation timeout", "collective_timeout"},
    {"NCCL timeout", "collective_timeout"},
    {"Timed out waiting for clients", "collective_timeout"},
    {"Socket Timeout", "collective_timeout"},
    {"No space left on device", "disk_full"},
    {"Disk quota exceeded", "disk_full"},
    {"Segmentation fault", "crash"},
    {"terminate called after throwing", "crash"},
    {"Fatal Python error", "crash"},
    {"core dumped", "crash"},
    {"illegal memory access", "crash"},
    {"device-side assert triggered", "crash"},
    {"exitcode: -9", "killed"},
    {"(SIGKILL)", "killed"},
    {"ncclUnhandledCudaError", "exception"},
    {"ncclSystemError", "exception"},
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// "[rank0]: " as torchrun puts it before every line.
std::string_view without_rank(std::string_view line) {
  if (!line.starts_with("[rank")) return line;
  const std::size_t end = line.find("]: ");
  return end != std::string_view::npos && end < 12 ? line.substr(end + 3) : line;
}

// "package.SomeError: text" or a bare name; the name must end like an exception's.
bool is_exception_line(std::string_view line, bool any_name) {
  std::size_t end = 0;
  while (end < line.size() && is_word(line[end])) ++end;
  if (end == 0 || line[0] == '.' || (line[0] >= '0' && line[0] <= '9')) return false;
  const std::string_view name = line.substr(0, end);
  if (end < line.size() && line[end] != ':') return false;
  if (any_name) return true;
  return end + 1 < line.size() && (name.ends_with("Error") || name.ends_with("Exception"));
}

}  // namespace

std::optional<std::string_view> classify_error_line(std::string_view line, bool in_traceback) {
  line = without_rank(line);
  if (line == "Killed") return "killed";
  if (line == "Aborted" || line == "Bus error") return "crash";
  for (const Sign& sign : kSigns)
    if (line.find(sign.text) != std::string_view::npos) return sign.kind;
  if (is_exception_line(line, in_traceback)) return "exception";
  return std::nullopt;
}

bool ErrorLines::add(std::string_view line, Instant time) {
  const std::string_view text = without_rank(line);
  if (text.starts_with("Traceback (most recent call last):")) {
    in_traceback_ = true;
    return false;
  }
  const bool indented = text.empty() || text[0] == ' ' || text[0] == '\t';
  if (in_traceback_ && indented) return false;  // source lines may quote anything
  const auto kind = classify_error_line(line, in_traceback_);
  in_traceback_ = false;
  if (!kind) return false;
  Found found{time, *kind, std::string(line.substr(0, kLongestLine))};
  if (first_.size() < kKept) {
    first_.push_back(std::move(found));
  } else if (last_.size() < kKept) {
    last_.push_back(std::move(found));
  } else {
    last_[next_] = std::move(found);
    next_ = (next_ + 1) % kKept;
  }
  return true;
}

Json ErrorLines::to_json() const {
  Json all = Json::array();
  const auto put = [&all](const Found& found) {
    all.push(Json::object({{"time_ns", found.time.nanoseconds}, {"kind", found.kind}, {"line", found.line}}));
  };
  for (const Found& found : first_) put(found);
  for (std::size_t i = 0; i < last_.size(); ++i) put(last_[(next_ + i) % last_.size()]);
  return all;
}

}  // namespace forebay
