#include <cmath>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/number.h"
#include "base/text.h"
#include "catalog/fetched_prices.h"

namespace forebay {
namespace {

constexpr double kGiB = 1073741824.0;
constexpr std::int64_t kMiB = 1048576;
constexpr double kMostGpus = 1024;  // on one machine or in one slice

struct Columns {
  std::size_t instance_type = 0, accelerator = 0, count = 0, vcpu = 0, memory = 0, price = 0, region = 0;
  std::optional<std::size_t> spot, gpu_info, gpu_mib;
};

Result<Columns> find_columns(const CsvTable& csv) {
  Columns at;
  FOREBAY_TRY(at.instance_type, csv.column("InstanceType"));
  FOREBAY_TRY(at.accelerator, csv.column("AcceleratorName"));
  FOREBAY_TRY(at.count, csv.column("AcceleratorCount"));
  FOREBAY_TRY(at.vcpu, csv.column("vCPUs"));
  FOREBAY_TRY(at.memory, csv.column("MemoryGiB"));
  FOREBAY_TRY(at.price, csv.column("Price"));
  FOREBAY_TRY(at.region, csv.column("Region"));
  const auto find = [&](std::string_view name) {
    const auto column = csv.column(name);
    return column ? std::optional(*column) : std::nullopt;
  };
  at.spot = find("SpotPrice");
  at.gpu_info = find("GpuInfo");
  at.gpu_mib = find("GpuMemMiB");
  return at;
}

// The id of data/accelerators.csv for a catalogue's name, where the name and the instance type say which part
// it is; the name itself where they do not (a bare "H100" may be SXM, PCIe or NVL).
std::string gpu_id(std::string_view name, std::string_view instance_type) {
  std::string type(instance_type);
  for (char& c : type)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  const bool is_sxm = type.find("sxm") != std::string::npos, is_pcie = type.find("pcie") != std::string::npos;
  if (name == "H100" && is_sxm) return "H100-SXM-80GB";
  if (name == "H100" && is_pcie) return "H100-PCIe-80GB";
  if (name == "A100-80GB" && is_sxm) return "A100-SXM-80GB";
  if (name == "A100-80GB" && is_pcie) return "A100-PCIe-80GB";
  if (name == "A100" && is_sxm) return "A100-SXM-40GB";
  if (name == "A100" && is_pcie) return "A100-PCIe-40GB";
  if (name == "H100-SXM") return "H100-SXM-80GB";
  if (name == "H100-PCIE") return "H100-PCIe-80GB";
  if (name == "H100-NVL") return "H100-NVL-94GB";
  if (name == "H200" || name == "H200-SXM") return "H200-SXM";
  if (name == "B200") return "B200-SXM";
  return std::string(name);
}

// "tpu-v5litepod-8" and "tpu-v4-8" with what their number counts: chips, or cores of which a chip has two.
struct TpuSlice {
  std::string id;
  double chips = 0;
};
std::optional<TpuSlice> tpu_slice(std::string_view name) {
  struct Generation {
    std::string_view beginning, id;
    double per_chip;
  };
  static constexpr Generation kGenerations[] = {{"tpu-v2-", "TPU-v2", 2},   {"tpu-v3-", "TPU-v3", 2},
                                                {"tpu-v4-", "TPU-v4", 2},   {"tpu-v5litepod-", "TPU-v5e", 1},
                                                {"tpu-v5p-", "TPU-v5p", 2}, {"tpu-v6e-", "TPU-v6e", 1}};
  for (const Generation& generation : kGenerations) {
    if (!name.starts_with(generation.beginning)) continue;
    const auto number = whole_integer(name.substr(generation.beginning.size()));
    if (number && *number > 0)
      return TpuSlice{std::string(generation.id), static_cast<double>(*number) / generation.per_chip};
  }
  return std::nullopt;
}

// Memory of one GPU as the catalogue states it (the number on the box), in bytes; -1 when it does not.
std::int64_t stated_memory(const CsvTable& csv, const Columns& at, std::size_t row) {
  std::string_view text;
  if (at.gpu_mib) text = csv.cell(row, *at.gpu_mib);
  constexpr std::string_view kKey = "'SizeInMiB': ";
  if (text.empty() && at.gpu_info) {
    const std::string_view info = csv.cell(row, *at.gpu_info);
    if (const std::size_t begin = info.find(kKey); begin != std::string_view::npos)
      text = info.substr(begin + kKey.size());
  }
  const auto mib = leading_integer(text);
  constexpr std::int64_t kMost = 4ll << 20;
  return mib && *mib > 0 && *mib < kMost ? *mib * kMiB : -1;
}

// Adds the rows of one file to a builder.
class CatalogueReader {
 public:
  CatalogueReader(const CsvTable& csv, const Columns& at, OfferBuilder& builder)
      : csv_(csv), at_(at), builder_(builder) {}

  Result<void> add(std::size_t row) {
    FOREBAY_TRY(const std::optional<double> price, price_at(row, at_.price));
    std::optional<double> spot;
    if (at_.spot) {
      FOREBAY_TRY(spot, price_at(row, *at_.spot));
    }
    if (csv_.cell(row, at_.accelerator).empty() || csv_.cell(row, at_.instance_type).empty()) return {};
    FOREBAY_TRY(const std::optional<OfferRow> fresh, machine(row));
    if (!fresh) return {};
    OfferRow& offer = builder_.offer(separate(*fresh));
    lower(offer, PriceKind::kOnDemand, price);
    lower(offer, PriceKind::kSpot, spot);
    return {};
  }

 private:
  Result<std::optional<double>> price_at(std::size_t row, std::size_t column) const {
    FOREBAY_TRY(const std::optional<double> price, csv_.number(row, column));
    if (!price || *price == 0) return std::optional<double>();  // 0 is how some catalogues write "not known"
    if (*price < 0 || *price > kAbsurdPricePerHour)
      return make_error(
          ErrorCode::kInvalidInput, "read", csv_.place(row),
          fmt::format(fmt::runtime(tr("a price of {0} {1} per hour makes no sense")), *price, "USD"));
    return price;
  }

  Result<std::optional<OfferRow>> machine(std::size_t row) {
    const std::string_view type = csv_.cell(row, at_.instance_type), region = csv_.cell(row, at_.region);
    if (auto known = builder_.known_machine(type, region)) return known;
    FOREBAY_TRY(const std::optional<double> count, csv_.number(row, at_.count));
    if (!count || !(*count > 0) || *count > kMostGpus || region.empty()) return std::optional<OfferRow>();
    const std::string_view name = csv_.cell(row, at_.accelerator);
    // Every TPU slice is of the type "TPU-VM": its own name tells it from the others.
    const auto slice = tpu_slice(name);
    const std::string id = slice ? slice->id : gpu_id(name, type);
    OfferRow fresh = builder_.new_machine(slice ? name : type, region, id);
    FOREBAY_TRY(const std::optional<double> vcpu, csv_.number(row, at_.vcpu));
    FOREBAY_TRY(const std::optional<double> memory, csv_.number(row, at_.memory));
    fresh.gpu_count = slice ? slice->chips * *count : *count;
    if (fresh.gpu_count > kMostGpus) return std::optional<OfferRow>();
    fresh.vcpu = vcpu && *vcpu > 0 ? *vcpu : -1;
    fresh.memory = memory && *memory > 0 ? std::llround(*memory * kGiB) : -1;
    fresh.gpu_memory = fresh.gpu_count >= 1 ? builder_.usable_memory(id) : -1;
    if (fresh.gpu_memory < 0) fresh.gpu_memory = stated_memory(csv_, at_, row);
    return std::optional(fresh);
  }

  // Where one type stands for machines with different GPUs, each further one carries its GPUs in its name.
  OfferRow separate(OfferRow fresh) {
    const OfferRow& there = builder_.offer(fresh);
    if (there.gpu == fresh.gpu && there.gpu_count == fresh.gpu_count) return fresh;
    const OfferTable& texts = builder_.texts();
    const std::string name = fmt::format("{}:{}:{}", texts.text(fresh.instance_type), texts.text(fresh.gpu),
                                         format_gpu_count(fresh.gpu_count));
    fresh.instance_type = builder_.texts().intern(name);
    return fresh;
  }

  static void lower(OfferRow& offer, PriceKind kind, std::optional<double> price) {
    if (!price) return;
    std::int64_t& nano = offer.prices[static_cast<std::size_t>(kind)];
    const std::int64_t here = std::llround(*price * 1e9);
    if (nano < 0 || here < nano) nano = here;
  }

  const CsvTable& csv_;
  const Columns& at_;
  OfferBuilder& builder_;
};

}  // namespace

Result<OfferTable> offers_from_skypilot(std::string text, const std::string& name, const OfferTable& known,
                                        const std::string& provider, const std::string& date) {
  if (!text.empty() && text.back() != '\n')
    return make_error(ErrorCode::kCorrupt, "read", name,
                      std::string(tr("its last line has no end: the file is cut off")));
  FOREBAY_TRY(const CsvTable csv, CsvTable::parse(std::move(text), name));
  FOREBAY_TRY(const Columns at, find_columns(csv));
  OfferBuilder builder(known, provider, "SkyPilot catalogue", date);
  CatalogueReader reader(csv, at, builder);
  for (std::size_t row = 0; row < csv.rows(); ++row) FOREBAY_CHECK(reader.add(row));
  return std::move(builder).finish();
}

}  // namespace forebay
