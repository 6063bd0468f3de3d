// forebay offers update: newer prices from catalogues and price lists.
#include <sys/stat.h>

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/file.h"
#include "base/installation.h"
#include "base/text.h"
#include "catalog/fetched_prices.h"
#include "catalog/http_client.h"
#include "catalog/offer_filter.h"
#include "catalog/offer_store.h"
#include "cli/verb_list.h"

namespace forebay {
namespace {

constexpr std::size_t kCatalogueLimit = 128u << 20;  // SkyPilot's largest is about 10 MB
constexpr std::size_t kPageLimit = 16u << 20;
constexpr std::size_t kMostPages = 2000;
constexpr std::string_view kAzureApi = "https://prices.azure.com/api/retail/prices";

bool is_address(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

std::string day_of(Instant instant) {
  return format_instant(instant).substr(0, 10);
}

// "https://host/a/aws/vms.csv" and "/a/aws/vms.csv" are of "aws", "/a/lambda.csv" of "lambda".
std::string provider_of(std::string_view path) {
  path = path.substr(0, path.find('?'));
  std::size_t slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (name == "vms.csv" && slash != std::string_view::npos) {
    path = path.substr(0, slash);
    slash = path.rfind('/');
    return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
  }
  if (name.ends_with(".csv")) name.remove_suffix(4);
  return std::string(name);
}

bool is_provider_name(std::string_view name) {
  return !name.empty() && name.size() <= 32 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// One file that holds a provider's catalogue.
struct CatalogueSource {
  std::string provider, place;  // place: a path or an address
};

// What the server said of the last fetch of an address, kept beside the snapshots.
class FetchedTags {
 public:
  explicit FetchedTags(const std::string& folder) : path_(join_path(folder, "fetched.json")) {
    const auto text = read_file(path_);
    auto tags = text ? Json::parse(*text, path_) : Result<Json>(Json::object());
    if (tags && tags->is_object()) tags_ = *std::move(tags);
  }
  const Json& of(const std::string& address) const { return tags_[address]; }
  Result<void> keep(const std::string& address, const HttpResponse& response, const std::string& snapshot) {
    tags_.set(address, Json::object({{"etag", response.etag},
                                     {"last_modified", response.last_modified},
                                     {"snapshot", snapshot}}));
    return write_file_atomic(path_, tags_.dump(2) + "\n", 0644);
  }

 private:
  std::string path_;
  Json tags_ = Json::object();
};

class OffersUpdateVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.option("--catalog", catalogue_, "URL|FOLDER",
                "a catalogue in SkyPilot's layout: a file, a folder with PROVIDER/vms.csv in it, or the "
                "address of either");
    line.option("--provider", providers_, "NAMES",
                "only these providers, with commas (needed when the address is of a folder: "
                "URL/PROVIDER/vms.csv is fetched)");
    line.flag("--azure", azure_, "live prices of Azure from its public price list");
    line.option("--azure-url", azure_url_, "URL", "another address of that price list");
    line.option("--timeout", timeout_, "DURATION", "give up when nothing arrives for so long (default: 30s)");
    line.flag("--force", force_, "take a list also when it has fewer than half of the offers it had before");
    line.flag("--dry-run", dry_run_, "fetch and check, and keep nothing");
  }

  Result<int> run(const Console& console) override {
    if (catalogue_.empty() && !azure_)
      return make_error(ErrorCode::kInvalidInput, "update", "offers",
                        std::string(tr("nothing says where from")),
                        std::string(tr("Give --catalog URL|FOLDER or --azure.")));
    if (!timeout_.empty()) {
      FOREBAY_TRY(stall_, parse_duration(timeout_));
    }
    folder_ = offer_folder(state_folder());
    now_ = system_clock().now();
    FOREBAY_TRY(known_, built_in_offers());
    Json updates = Json::array();
    if (!catalogue_.empty()) {
      FOREBAY_TRY(const std::vector<CatalogueSource> sources, catalogue_sources());
      for (const CatalogueSource& source : sources)
        note(update_from_catalogue(source, console, updates), source, console, updates);
    }
    if (azure_) note(update_from_azure(console, updates), {"azure", azure_base()}, console, updates);
    if (console.json) console.print_json(Json::object({{"updates", std::move(updates)}}));
    return code_;
  }

 private:
  Result<std::vector<CatalogueSource>> catalogue_sources() const {
    std::vector<CatalogueSource> sources;
    const std::vector<std::string> wanted = split_list(providers_);
    std::string base = catalogue_;
    while (base.size() > 1 && base.ends_with('/')) base.pop_back();
    if (base.ends_with(".csv")) {
      sources.push_back({wanted.empty() ? provider_of(base) : wanted.front(), base});
    } else if (is_address(base)) {
      for (const std::string& provider : wanted)
        sources.push_back({provider, base + "/" + provider + "/vms.csv"});
    } else {
      FOREBAY_TRY(sources, sources_in(base, wanted));
    }
    if (sources.empty())
      return make_error(
          ErrorCode::kInvalidInput, "update offers from", catalogue_,
          std::string(is_address(base) ? tr("it is the address of a folder")
                                       : tr("there is no catalogue in it")),
          std::string(is_address(base) ? tr("Say which: --provider aws,gcp.")
                                       : tr("A catalogue is a file PROVIDER/vms.csv or PROVIDER.csv.")));
    for (const CatalogueSource& source : sources)
      if (!is_provider_name(source.provider))
        return make_error(
            ErrorCode::kInvalidInput, "update offers from", source.place,
            fmt::format(fmt::runtime(tr("\"{0}\" is not the name of a provider")), source.provider),
            std::string(tr("Say which it is: --provider aws.")));
    return sources;
  }

  // One list that cannot be had does not keep the others back; the process ends with the code of the first.
  void note(const Result<void>& outcome, const CatalogueSource& source, const Console& console,
            Json& updates) {
    if (outcome) return;
    console.remark(outcome.error().sentence());
    if (code_ == 0) code_ = exit_code_for(outcome.error());
    updates.push(Json::object({{"provider", source.provider},
                               {"from", source.place},
                               {"changed", false},
                               {"error", outcome.error().sentence()}}));
  }

  std::string azure_base() const { return azure_url_.empty() ? std::string(kAzureApi) : azure_url_; }

  static Result<std::vector<CatalogueSource>> sources_in(const std::string& folder,
                                                         const std::vector<std::string>& wanted) {
    std::vector<CatalogueSource> sources;
    FOREBAY_TRY(const std::vector<std::string> names, list_directory(folder));
    for (const std::string& name : names) {
      const std::string path = join_path(folder, name);
      std::string file = name.ends_with(".csv") ? path : join_path(path, "vms.csv");
      if (!path_exists(file)) continue;
      std::string provider = name == "vms.csv" ? provider_of(absolute_path(file)) : provider_of(file);
      if (wanted.empty() || std::ranges::find(wanted, provider) != wanted.end())
        sources.push_back({std::move(provider), std::move(file)});
    }
    return sources;
  }

  Result<HttpResponse> fetch(const HttpRequest& request) {
    if (!client_) {
      FOREBAY_TRY(client_, open_http_client());
    }
    return client_->get(request);
  }

  Result<void> update_from_catalogue(const CatalogueSource& source, const Console& console, Json& updates) {
    if (!is_address(source.place)) {
      FOREBAY_TRY(std::string text, read_file(source.place, kCatalogueLimit));
      struct stat facts{};
      const bool has_facts = ::stat(source.place.c_str(), &facts) == 0;
      const Instant written{has_facts ? static_cast<std::int64_t>(facts.st_mtim.tv_sec) * 1'000'000'000
                                      : now_.nanoseconds};
      FOREBAY_TRY(const OfferTable table,
                  offers_from_skypilot(std::move(text), source.place, known_, source.provider,
                                       day_of(std::min(written, now_))));
      FOREBAY_TRY(const std::string snapshot, keep(source.provider, source.place, table, console, updates));
      return {};
    }
    FetchedTags tags(folder_);
    const Json& last = tags.of(source.place);
    HttpRequest request{source.place, {}, {}, kCatalogueLimit, stall_};
    if (!force_ && path_exists(last["snapshot"].string_or_empty())) {
      request.etag = last["etag"].string_or_empty();
      request.last_modified = last["last_modified"].string_or_empty();
    }
    FOREBAY_TRY(HttpResponse response, fetch(request));
    if (response.is_unchanged) {
      updates.push(Json::object({{"provider", source.provider},
                                 {"from", source.place},
                                 {"changed", false},
                                 {"snapshot", last["snapshot"].string_or_empty()}}));
      if (!console.json)
        console.print(
            fmt::format(fmt::runtime(tr("{0}: unchanged since the last update\n")), source.provider));
      return {};
    }
    FOREBAY_TRY(const OfferTable table, offers_from_skypilot(std::move(response.body), source.place, known_,
                                                             source.provider, day_of(now_)));
    FOREBAY_TRY(const std::string snapshot, keep(source.provider, source.place, table, console, updates));
    return dry_run_ ? Result<void>() : tags.keep(source.place, response, snapshot);
  }

  Result<void> update_from_azure(const Console& console, Json& updates) {
    const std::string base = azure_base();
    const std::size_t host_end = base.find('/', base.find("://") + 3);
    const std::string host = base.substr(0, host_end) + "/";
    AzurePrices prices(known_, day_of(now_));
    std::string next = azure_first_page(base);
    for (std::size_t page = 0; !next.empty(); ++page) {
      if (page == kMostPages || (page > 0 && !next.starts_with(host)))
        return make_error(
            ErrorCode::kInvalidInput, "fetch", next,
            std::string(page == kMostPages ? tr("the price list does not come to an end")
                                           : tr("the next page is said to be on another server")));
      FOREBAY_TRY(const HttpResponse response, fetch({next, {}, {}, kPageLimit, stall_}));
      FOREBAY_TRY(next, prices.add_page(response.body, base));
    }
    if (prices.unknown_sizes() > 0)
      console.remark(fmt::format(
          fmt::runtime(tr("azure: {0} prices of sizes whose GPUs are not known were passed over")),
          prices.unknown_sizes()));
    const OfferTable table = std::move(prices).finish();
    FOREBAY_TRY(const std::string snapshot, keep("azure", base, table, console, updates));
    return {};
  }

  Result<std::string> keep(const std::string& provider, const std::string& from, const OfferTable& table,
                           const Console& console, Json& updates) const {
    std::string snapshot;
    if (!dry_run_) {
      FOREBAY_TRY(snapshot, write_snapshot(folder_, provider, table, now_, force_));
    }
    updates.push(Json::object({{"provider", provider},
                               {"from", from},
                               {"changed", true},
                               {"offers", static_cast<std::uint64_t>(table.size())},
                               {"snapshot", dry_run_ ? Json() : Json(snapshot)}}));
    if (!console.json)
      console.print(dry_run_ ? fmt::format(fmt::runtime(tr("{0}: {1} offers, not kept (--dry-run)\n")),
                                           provider, table.size())
                             : fmt::format(fmt::runtime(tr("{0}: {1} offers in {2}\n")), provider,
                                           table.size(), snapshot));
    return snapshot;
  }

  std::string catalogue_, providers_, azure_url_, timeout_;
  bool azure_ = false, force_ = false, dry_run_ = false;
  int code_ = 0;
  Duration stall_ = Duration::from_seconds(30);
  std::string folder_;
  Instant now_;
  OfferTable known_;
  std::unique_ptr<HttpClient> client_;
};

}  // namespace

VerbInfo offers_update_verb_info() {
  return {"offers update",
          "Rent",
          "take over newer prices",
          "Reads a catalogue in the layout SkyPilot publishes, from a folder or over http(s), or Azure's "
          "public price "
          "list, and keeps it as a dated snapshot under the state folder; `forebay offers` then shows the "
          "newest one "
          "of each provider over the figures that come with the program. Older snapshots stay. A file that "
          "is cut "
          "off, or that holds prices which make no sense, changes nothing.",
          "$ forebay offers update --catalog ~/skypilot-catalog/catalogs/v8\n"
          "$ forebay offers update --catalog https://example.org/catalogs/v8 --provider lambda,runpod\n"
          "$ forebay offers update --azure",
          make_verb<OffersUpdateVerb>};
}

}  // namespace forebay
