#include "environment/file_class.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace forebay {
namespace {

// Sorted.
constexpr auto kDataExtensions = std::to_array<std::string_view>(
    {"7z",   "arrow", "avi",     "bin",  "bmp",         "bz2",    "ckpt", "csv",      "db",     "feather",
     "flac", "gguf",  "gif",     "gz",   "h5",          "hdf5",   "heic", "jfif",     "joblib", "jp2",
     "jpeg", "jpg",   "jsonl",   "lmdb", "lz4",         "m4a",    "mat",  "mdb",      "mkv",    "model",
     "mov",  "mp3",   "mp4",     "mpg",  "msgpack",     "nii",    "npy",  "npz",      "ogg",    "onnx",
     "opus", "orc",   "parquet", "pb",   "pgm",         "pickle", "pkl",  "ply",      "png",    "ppm",
     "pt",   "pth",   "rar",     "rec",  "safetensors", "sqlite", "tar",  "tfrecord", "tgz",    "tif",
     "tiff", "tsv",   "wav",     "webm", "webp",        "xz",     "zip",  "zst"});
static_assert(std::is_sorted(kDataExtensions.begin(), kDataExtensions.end()));

constexpr auto kNeverCode = std::to_array<std::string_view>(
    {".git", ".hg", ".svn", ".jj", "__pycache__", "node_modules", ".mypy_cache", ".pytest_cache",
     ".ruff_cache", ".tox", ".nox", ".ipynb_checkpoints"});

constexpr std::int64_t kLargeFile = 10 << 20;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

bool is_data_like(std::string_view name, std::int64_t size) {
  if (size >= kLargeFile) return true;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  return std::binary_search(kDataExtensions.begin(), kDataExtensions.end(),
                            std::string_view(lower(name.substr(dot + 1))));
}

bool is_secret_file(std::string_view name) {
  const std::string text = lower(name);
  static constexpr auto kNames = std::to_array<std::string_view>(
      {".env", ".netrc", ".pgpass", ".pypirc", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credentials",
       "credentials.json", ".git-credentials", "kubeconfig"});
  if (std::find(kNames.begin(), kNames.end(), text) != kNames.end()) return true;
  if (text.starts_with(".env."))
    return !(text.ends_with(".example") || text.ends_with(".sample") || text.ends_with(".template"));
  return text.ends_with(".pem") || text.ends_with(".key") || text.ends_with(".p12") ||
         text.ends_with(".pfx") || text.ends_with(".keystore");
}

bool is_never_code_folder(std::string_view name) {
  return std::find(kNeverCode.begin(), kNeverCode.end(), name) != kNeverCode.end();
}

bool is_rebuilt_folder_marker(std::string_view name) {
  return name == "pyvenv.cfg" || name == "conda-meta" || name == "CACHEDIR.TAG";
}

}  // namespace forebay
