#include "catalog/offer_store.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/embedded.h"
#include "base/file.h"
#include "base/text.h"

namespace forebay {
namespace {

constexpr std::string_view kBuiltIn = "data/offers/";
constexpr std::string_view kTimePattern = "-2026-12-01T153000Z.csv";  // only its length counts
constexpr std::size_t kSnapshotLimit = 256u << 20;

std::string compact_time(Instant now) {
  std::string text = format_instant(now);
  std::erase(text, ':');
  return text;
}

// A name for a snapshot of `now` that no older one has.
std::string free_path(const std::string& folder, const std::string& provider, Instant now) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  for (;; now.nanoseconds += kSecond)
    if (std::string path = join_path(folder, fmt::format("{}-{}.csv", provider, compact_time(now)));
        !path_exists(path))
      return path;
}

// provider → name of its newest snapshot.
std::map<std::string, std::string> newest_snapshots(const std::string& folder) {
  std::map<std::string, std::string> newest;
  const auto names = list_directory(folder);
  if (!names) return newest;
  for (const std::string& name : *names) {  // sorted, so that the last of a provider is its newest
    if (!name.ends_with("Z.csv") || name.size() <= kTimePattern.size()) continue;
    if (name[name.size() - kTimePattern.size()] == '-')
      newest[name.substr(0, name.size() - kTimePattern.size())] = name;
  }
  return newest;
}

Result<OfferTable> read_snapshot(const std::string& path) {
  FOREBAY_TRY(std::string text, read_file(path, kSnapshotLimit));
  OfferTable table;
  FOREBAY_CHECK(table.add_csv(std::move(text), path));
  return table;
}

}  // namespace

Result<OfferTable> built_in_offers() {
  OfferTable table;
  for (const std::string_view path : embedded_files(kBuiltIn))
    FOREBAY_CHECK(table.add_csv(std::string(*embedded_file(path)), std::string(path)));
  return table;
}

std::string offer_folder(const std::string& state_folder) {
  return join_path(state_folder, "data/offers");
}

Result<LoadedOffers> load_offers(const std::string& folder) {
  LoadedOffers loaded;
  FOREBAY_TRY(loaded.table, built_in_offers());
  for (const auto& [provider, name] : newest_snapshots(folder)) {
    const auto snapshot = read_snapshot(join_path(folder, name));
    if (snapshot)
      loaded.table.overlay(*snapshot);
    else
      loaded.problems.push_back(snapshot.error().sentence());
  }
  return loaded;
}

std::string newest_snapshot(const std::string& folder, const std::string& provider) {
  const auto newest = newest_snapshots(folder);
  const auto found = newest.find(provider);
  return found == newest.end() ? std::string() : join_path(folder, found->second);
}

Result<std::string> write_snapshot(const std::string& folder, const std::string& provider,
                                   const OfferTable& table, Instant now, bool accept_fewer) {
  const auto refuse = [&](std::string cause, std::string advice = {}) {
    return make_error(ErrorCode::kInvalidInput, "keep the offers of", provider, std::move(cause),
                      std::move(advice));
  };
  if (now < kEarliestDate)
    return refuse(fmt::format(fmt::runtime(tr("the clock of this machine says {0}")), format_instant(now)),
                  std::string(tr("Set it first: prices are kept under their date.")));
  if (table.size() == 0)
    return refuse(std::string(tr("there is no GPU machine in it")),
                  std::string(tr("What was there before is kept.")));
  if (const std::string before = newest_snapshot(folder, provider); !before.empty() && !accept_fewer) {
    const auto old = read_snapshot(before);
    if (old && table.size() * 2 < old->size())
      return refuse(
          fmt::format(
              fmt::runtime(tr("it has {0} offers where {1} were before: that looks like half a file")),
              table.size(), old->size()),
          std::string(tr("What was there before is kept; --force takes it all the same.")));
  }
  const std::string csv = offers_as_csv(table);
  FOREBAY_CHECK(OfferTable().add_csv(csv, provider));  // what could not be read again is not written
  const std::string path = free_path(folder, provider, now);
  FOREBAY_CHECK(make_directories(folder));
  FOREBAY_CHECK(write_file_atomic(path, csv, 0644));
  return path;
}

std::vector<PriceAge> price_ages(const OfferTable& table, std::span<const std::uint32_t> rows, Instant now) {
  std::map<std::string_view, PriceAge> ages;
  for (const std::uint32_t index : rows) {
    const OfferRow& row = table.rows()[index];
    if (std::ranges::all_of(row.prices, [](std::int64_t price) { return price < 0; })) continue;
    const std::string_view date = table.text(row.date);
    PriceAge& age = ages[table.text(row.provider)];
    if (age.oldest.empty() || date < age.oldest) age.oldest = date;
    if (date > age.newest) age.newest = date;
  }
  std::vector<PriceAge> list;
  for (auto& [provider, age] : ages) {
    age.provider = provider;
    age.oldest_days = days_old(age.oldest, now);
    list.push_back(std::move(age));
  }
  return list;
}

}  // namespace forebay
