// Whether a checkpoint file is whole, judged from its own structure: zip archives (APPNOTE.TXT 4.3) and
// safetensors.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "storage/checkpoint.h"

namespace forebay {
namespace {

constexpr std::size_t kEndRecord = 22, kEndSearch = kEndRecord + 65535, kCentralHeader = 46,
                      kLocalHeader = 30;
constexpr std::uint64_t kDirectoryLimit = 1u << 30;
constexpr std::uint64_t kSafetensorsHeaderLimit = 100u << 20;

std::string said(std::string_view text) {
  return std::string(text);
}

template <typename Number>
Number number_at(std::string_view bytes, std::size_t offset) {
  Number value = 0;
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// CRC-32 of zip (ISO 3309), four bytes at a time.
std::uint32_t crc32_zip(std::string_view data, std::uint32_t crc) {
  static const auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, 4> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? 0xEDB88320u : 0);
      made[0][i] = value;
    }
    for (std::size_t table = 1; table < 4; ++table)
      for (std::size_t i = 0; i < 256; ++i)
        made[table][i] = (made[table - 1][i] >> 8) ^ made[0][made[table - 1][i] & 255];
    return made;
  }();
  std::uint32_t state = ~crc;
  while (data.size() >= 4) {
    state ^= number_at<std::uint32_t>(data, 0);
    state = tables[3][state & 255] ^ tables[2][(state >> 8) & 255] ^ tables[1][(state >> 16) & 255] ^
            tables[0][state >> 24];
    data.remove_prefix(4);
  }
  for (const char c : data) state = (state >> 8) ^ tables[0][(state ^ static_cast<unsigned char>(c)) & 255];
  return ~state;
}

class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat info{};
    if (fd_.valid() && ::fstat(fd_.get(), &info) == 0 && S_ISREG(info.st_mode))
      size_ = static_cast<std::uint64_t>(info.st_size);
    else
      fd_.reset();
  }
  bool is_open() const { return fd_.valid(); }
  std::uint64_t size() const { return size_; }
  // Nothing when not all of it is there.
  std::optional<std::string> read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || count > size_ - offset) return std::nullopt;
    std::string bytes(count, '\0');
    for (std::uint64_t done = 0; done < count;) {
      const ssize_t got =
          ::pread(fd_.get(), bytes.data() + done, count - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      done += static_cast<std::uint64_t>(got);
    }
    return bytes;
  }

 private:
  UniqueFd fd_;
  std::uint64_t size_ = 0;
};

struct Directory {
  std::uint64_t entries = 0, size = 0, offset = 0;
};

// The end-of-central-directory record, the zip64 one where it is used.
std::optional<Directory> find_directory(const File& file) {
  const std::uint64_t tail_size = std::min<std::uint64_t>(file.size(), kEndSearch);
  const auto tail = file.read(file.size() - tail_size, tail_size);
  if (!tail || tail->size() < kEndRecord) return std::nullopt;
  for (std::size_t at = tail->size() - kEndRecord + 1; at-- > 0;) {
    if (tail->compare(at, 4, "PK\x05\x06") != 0) continue;
    const std::string_view record = std::string_view(*tail).substr(at);
    if (kEndRecord + number_at<std::uint16_t>(record, 20) != record.size()) continue;
    Directory directory{number_at<std::uint16_t>(record, 10), number_at<std::uint32_t>(record, 12),
                        number_at<std::uint32_t>(record, 16)};
    if (at >= 20 && tail->compare(at - 20, 4, "PK\x06\x07") == 0) {
      const auto wide = file.read(number_at<std::uint64_t>(*tail, at - 20 + 8), 56);
      if (!wide || wide->compare(0, 4, "PK\x06\x06") != 0) return std::nullopt;
      directory = {number_at<std::uint64_t>(*wide, 32), number_at<std::uint64_t>(*wide, 40),
                   number_at<std::uint64_t>(*wide, 48)};
    }
    return directory;
  }
  return std::nullopt;
}

struct Entry {
  std::string name;
  std::uint32_t crc = 0;
  std::uint16_t method = 0;
  std::uint64_t packed = 0, size = 0, header = 0;
};

// Fields of 0xFFFFFFFF are found in the zip64 extra field (id 1), in this order.
void apply_zip64(std::string_view extra, Entry& entry) {
  while (extra.size() >= 4) {
    const auto id = number_at<std::uint16_t>(extra, 0);
    const std::size_t length = std::min<std::size_t>(number_at<std::uint16_t>(extra, 2), extra.size() - 4);
    if (id == 1) {
      std::string_view data = extra.substr(4, length);
      for (std::uint64_t* field : {&entry.size, &entry.packed, &entry.header}) {
        if (*field != 0xFFFFFFFFu || data.size() < 8) continue;
        *field = number_at<std::uint64_t>(data, 0);
        data.remove_prefix(8);
      }
    }
    extra.remove_prefix(4 + length);
  }
}

std::optional<std::string> entry_problem(const File& file, const Entry& entry, bool check_data) {
  const auto local = file.read(entry.header, kLocalHeader);
  if (!local || local->compare(0, 4, "PK\x03\x04") != 0)
    return fmt::format(fmt::runtime(tr("the entry {0} is missing")), entry.name);
  const std::uint64_t data = entry.header + kLocalHeader + number_at<std::uint16_t>(*local, 26) +
                             number_at<std::uint16_t>(*local, 28);
  if (data > file.size() || entry.packed > file.size() - data)
    return fmt::format(fmt::runtime(tr("the entry {0} is cut off")), entry.name);
  if (!check_data || entry.method != 0) return std::nullopt;
  std::uint32_t crc = 0;
  for (std::uint64_t done = 0; done < entry.packed;) {
    const std::uint64_t want = std::min<std::uint64_t>(entry.packed - done, 1 << 20);
    const auto block = file.read(data + done, want);
    if (!block) return fmt::format(fmt::runtime(tr("the entry {0} cannot be read")), entry.name);
    crc = crc32_zip(*block, crc);
    done += want;
  }
  if (crc != entry.crc)
    return fmt::format(fmt::runtime(tr("the entry {0} does not match its checksum")), entry.name);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> zip_problem(const std::string& path, bool check_data) {
  const File file(path);
  if (!file.is_open()) return said(tr("it cannot be read"));
  if (file.size() == 0) return said(tr("it is empty"));
  const auto start = file.read(0, std::min<std::uint64_t>(file.size(), 4));
  if (!start || start->compare(0, 2, "PK") != 0) return said(tr("it is no zip archive"));
  const auto directory = find_directory(file);
  if (!directory) return said(tr("half written: the end of the archive is missing"));
  if (directory->size > kDirectoryLimit) return said(tr("its directory is damaged"));
  const auto bytes = file.read(directory->offset, directory->size);
  if (!bytes || directory->entries == 0) return said(tr("its directory is damaged"));
  std::string_view left = *bytes;
  for (std::uint64_t i = 0; i < directory->entries; ++i) {
    if (left.size() < kCentralHeader || left.compare(0, 4, "PK\x01\x02") != 0)
      return said(tr("its directory is damaged"));
    const std::size_t name = number_at<std::uint16_t>(left, 28), extra = number_at<std::uint16_t>(left, 30),
                      comment = number_at<std::uint16_t>(left, 32);
    if (left.size() < kCentralHeader + name + extra + comment) return said(tr("its directory is damaged"));
    Entry entry{std::string(left.substr(kCentralHeader, name)),
                number_at<std::uint32_t>(left, 16),
                number_at<std::uint16_t>(left, 10),
                number_at<std::uint32_t>(left, 20),
                number_at<std::uint32_t>(left, 24),
                number_at<std::uint32_t>(left, 42)};
    apply_zip64(left.substr(kCentralHeader + name, extra), entry);
    if (auto problem = entry_problem(file, entry, check_data)) return problem;
    left.remove_prefix(kCentralHeader + name + extra + comment);
  }
  return std::nullopt;
}

std::optional<std::string> safetensors_problem(const std::string& path) {
  // 8 bytes of header length, a JSON header with data_offsets, the data: nothing may be missing and nothing
  // left over.
  const File file(path);
  if (!file.is_open()) return said(tr("it cannot be read"));
  const auto length = file.read(0, 8);
  if (!length) return said(tr("half written: its header is missing"));
  const auto header_size = number_at<std::uint64_t>(*length, 0);
  if (header_size > kSafetensorsHeaderLimit) return said(tr("its header is damaged"));
  const auto header_text = file.read(8, header_size);
  if (!header_text) return said(tr("half written: its header is missing"));
  const auto header = Json::parse(*header_text, path);
  if (!header || !header->is_object()) return said(tr("its header is damaged"));
  std::int64_t end = 0;
  for (const auto& [name, tensor] : header->members()) {
    if (name == "__metadata__") continue;
    const auto stop = tensor["data_offsets"].at(1).as_integer();
    if (!stop) return said(tr("its header is damaged"));
    end = std::max(end, *stop);
  }
  if (8 + header_size + static_cast<std::uint64_t>(end) > file.size())
    return said(tr("half written: its data is cut off"));
  return std::nullopt;
}

}  // namespace forebay
