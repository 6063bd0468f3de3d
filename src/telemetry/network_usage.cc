#include <algorithm>

#include "telemetry/machine_collectors.h"
#include "telemetry/text_cursor.h"

namespace forebay {
namespace {

constexpr std::size_t kMostInterfaces = 256;

struct InterfaceLine {
  std::string_view name;
  std::uint64_t received = 0, sent = 0;
};

// "  eth0: bytes packets errs drop fifo frame compressed multicast bytes …"; the colon may touch the first
// number.
std::optional<InterfaceLine> parse_interface_line(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  InterfaceLine found;
  TextCursor name(text.substr(0, colon));
  found.name = name.word();
  TextCursor values(text.substr(colon + 1));
  const auto received = values.number();
  if (!received || !values.skip_words(7)) return std::nullopt;
  const auto sent = values.number();
  if (!sent || found.name.empty() || found.name.size() > 64) return std::nullopt;
  found.received = *received;
  found.sent = *sent;
  return found;
}

}  // namespace

std::vector<std::string> list_networks(const std::string& proc) {
  std::vector<std::string> names;
  const auto text = read_file(proc + "/self/net/dev", 1u << 20);
  if (!text) return names;
  TextCursor cursor(*text);
  while (!cursor.at_end() && names.size() < kMostInterfaces) {
    const auto found = parse_interface_line(cursor.line());
    if (found && found->name != "lo") names.emplace_back(found->name);
  }
  std::ranges::sort(names);
  return names;
}

NetworkUsage::NetworkUsage(const std::string& proc)
    : file_(proc + "/self/net/dev"), names_(list_networks(proc)) {}

void NetworkUsage::append_to(Sample& sample, ReadBuffer& buffer) {
  const auto text = file_.read(buffer);
  if (!text) return;
  TextCursor cursor(*text);
  while (!cursor.at_end()) {
    const auto found = parse_interface_line(cursor.line());
    if (!found || found->name == "lo") continue;
    auto at = std::ranges::find(names_, found->name);
    if (at == names_.end()) {
      if (names_.size() >= kMostInterfaces) continue;
      names_.emplace_back(found->name);
      at = names_.end() - 1;
    }
    const auto index = static_cast<std::uint16_t>(at - names_.begin());
    sample.add(Metric::kNetworkReceivedBytes, static_cast<double>(found->received), index);
    sample.add(Metric::kNetworkSentBytes, static_cast<double>(found->sent), index);
  }
}

}  // namespace forebay
