#include "sizing/model_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace forebay {
namespace {

// Whole numbers of one row by column name.
class Row {
 public:
  Row(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}
  Result<std::string> text(std::string_view column) const {
    FOREBAY_TRY(const std::size_t index, table_.column(column));
    return std::string(table_.cell(row_, index));
  }
  // 0 when the cell is empty.
  Result<std::int64_t> integer(std::string_view column) const {
    FOREBAY_TRY(const std::size_t index, table_.column(column));
    FOREBAY_TRY(const std::optional<double> number, table_.number(row_, index));
    return static_cast<std::int64_t>(number.value_or(0));
  }
  std::string place() const { return table_.place(row_); }

 private:
  const CsvTable& table_;
  std::size_t row_;
};

Result<void> read_size(const Row& row, ModelShape& shape) {
  FOREBAY_TRY(shape.layers, row.integer("layers"));
  FOREBAY_TRY(shape.hidden, row.integer("hidden"));
  FOREBAY_TRY(shape.heads, row.integer("heads"));
  FOREBAY_TRY(shape.kv_heads, row.integer("kv_heads"));
  FOREBAY_TRY(shape.head_size, row.integer("head_size"));
  FOREBAY_TRY(shape.intermediate, row.integer("intermediate"));
  FOREBAY_TRY(shape.vocabulary, row.integer("vocabulary"));
  FOREBAY_TRY(shape.positions, row.integer("positions"));
  FOREBAY_TRY(const std::int64_t window, row.integer("sliding_window"));
  FOREBAY_TRY(const std::int64_t every, row.integer("sliding_every"));
  if (window > 0) shape.sliding_window = window;
  if (every > 1) shape.sliding_share = static_cast<double>(every - 1) / static_cast<double>(every);
  return {};
}

Result<void> read_parts(const Row& row, ModelShape& shape) {
  FOREBAY_TRY(const std::int64_t experts, row.integer("experts"));
  if (experts > 0) {
    shape.experts = ExpertShape{.count = experts};
    FOREBAY_TRY(shape.experts->per_token, row.integer("experts_per_token"));
    FOREBAY_TRY(shape.experts->intermediate, row.integer("expert_intermediate"));
    FOREBAY_TRY(shape.experts->shared_intermediate, row.integer("shared_intermediate"));
    FOREBAY_TRY(shape.experts->dense_layers, row.integer("dense_layers"));
    shape.experts->shared_gate = shape.family.name == "qwen2_moe";
  }
  FOREBAY_TRY(const std::int64_t rank, row.integer("kv_rank"));
  if (rank > 0) {
    shape.latent = LatentAttention{.kv_rank = rank};
    FOREBAY_TRY(shape.latent->query_rank, row.integer("query_rank"));
    FOREBAY_TRY(shape.latent->rope_head, row.integer("rope_head"));
    FOREBAY_TRY(shape.latent->plain_head, row.integer("plain_head"));
    FOREBAY_TRY(shape.latent->value_head, row.integer("value_head"));
  }
  return {};
}

Result<KnownModel> read_row(const CsvTable& table, std::size_t index) {
  const Row row(table, index);
  KnownModel model;
  FOREBAY_TRY(model.shape.name, row.text("name"));
  FOREBAY_TRY(const std::string family_name, row.text("family"));
  const ModelFamily* family = find_model_family(family_name);
  if (family == nullptr)
    return make_error(ErrorCode::kCorrupt, "read", row.place(), "unknown family " + family_name);
  model.shape.family = *family;
  FOREBAY_TRY(const std::string tied, row.text("tied"));
  model.shape.tied = tied == "yes";
  FOREBAY_CHECK(read_size(row, model.shape));
  FOREBAY_CHECK(read_parts(row, model.shape));
  FOREBAY_CHECK(check_shape(model.shape, row.place()));
  FOREBAY_TRY(const std::size_t published, table.column("published_parameters"));
  FOREBAY_TRY(model.published_parameters, table.number(index, published));
  FOREBAY_TRY(model.source, row.text("source"));
  FOREBAY_TRY(model.date, row.text("date"));
  return model;
}

// The name without what does not change a shape.
std::string plain_name(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos)
    name.remove_prefix(slash + 1);
  std::string plain;
  for (const char c : name)
    plain += c == '_' || c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (plain.starts_with("meta-")) plain.erase(0, 5);
  constexpr std::array kEndings = {"-instruct", "-chat", "-base",     "-it", "-hf", "-sft",
                                   "-2507",     "-fp8",  "-thinking", "-v0", "-4k", "-128k"};
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view ending : kEndings)
      if (plain.ends_with(ending) && plain.size() > ending.size()) {
        plain.resize(plain.size() - ending.size());
        cut = true;
      }
  }
  return plain;
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> line(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) line[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = line[0];
    line[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = line[j];
      line[j] = std::min({substituted, line[j] + 1, line[j - 1] + 1});
    }
  }
  return line[b.size()];
}

}  // namespace

Result<std::vector<KnownModel>> known_models() {
  const std::optional<std::string_view> text = embedded_file("data/models.csv");
  if (!text) return make_error(ErrorCode::kInternal, "read", "data/models.csv", "it is not in this program");
  FOREBAY_TRY(const CsvTable table, CsvTable::parse(std::string(*text), "data/models.csv"));
  std::vector<KnownModel> models;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    FOREBAY_TRY(KnownModel model, read_row(table, row));
    models.push_back(std::move(model));
  }
  return models;
}

Result<ModelShape> find_model(std::string_view name) {
  FOREBAY_TRY(std::vector<KnownModel> models, known_models());
  const std::string wanted = plain_name(name.substr(0, 200));
  const KnownModel *nearest = nullptr, *versioned = nullptr;
  std::size_t best = 0;
  for (const KnownModel& model : models) {
    const std::string candidate = plain_name(model.shape.name);
    if (candidate == wanted) return model.shape;
    // "Mixtral-8x7B" means its first version.
    if (!versioned && candidate.starts_with(wanted + "-v")) versioned = &model;
    const std::size_t far = distance(candidate, wanted);
    if (nearest == nullptr || far < best) {
      nearest = &model;
      best = far;
    }
  }
  if (versioned != nullptr) return versioned->shape;
  return make_error(
      ErrorCode::kNotFound, "size the model", std::string(name),
      std::string(tr("no model of this name is built in, and no such file exists")),
      fmt::format(fmt::runtime(tr("The nearest is {0}; or give its config.json, its safetensors file, or a "
                                  "parameter count such as 7B.")),
                  nearest == nullptr ? "-" : nearest->shape.name));
}

std::optional<double> parse_parameter_count(std::string_view text) {
  if (text.empty() || text.size() > 24 ||
      !(std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '.'))
    return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  const std::string_view rest = std::string_view(copy).substr(static_cast<std::size_t>(end - copy.c_str()));
  if (!std::isfinite(number) || copy.find_first_of("xX") != std::string::npos) return std::nullopt;
  if (rest.empty()) return number;
  if (rest.size() != 1) return std::nullopt;
  switch (rest[0]) {
    case 'k':
    case 'K':
      return number * 1e3;
    case 'm':
    case 'M':
      return number * 1e6;
    case 'b':
    case 'B':
    case 'G':
      return number * 1e9;
    case 't':
    case 'T':
      return number * 1e12;
    default:
      return std::nullopt;
  }
}

Result<ModelShape> shape_of_size(double parameters, const std::string& name) {
  if (!(parameters >= 1e6 && parameters <= 1e14))
    return make_error(
        ErrorCode::kInvalidInput, "size a model of", name,
        std::string(tr("no model has that many parameters (1M to 100T); write 7B for seven billion")));
  ModelShape shape;
  shape.name = name;
  shape.family = *find_model_family("llama");
  shape.vocabulary = 32'000;
  shape.only_a_guess = true;
  // Widths of published models go with the cube root of the size: 4,096 at 7B, 8,192 at 70B; depth follows.
  const double width = 4096 * std::cbrt(parameters / 6.7e9);
  shape.hidden = std::max<std::int64_t>(64, std::llround(width / 128) * 128);
  shape.head_size = std::min<std::int64_t>(128, shape.hidden);
  shape.heads = shape.hidden / shape.head_size;
  shape.kv_heads = shape.heads;
  shape.intermediate =
      std::max<std::int64_t>(64, std::llround(static_cast<double>(shape.hidden) * 8 / 3 / 64) * 64);
  shape.layers = 1;
  const ParameterCount one = count_parameters(shape);
  const double layer = one.attention + one.feed_forward;
  const double outside = one.embedding + one.head;
  shape.layers = std::clamp<std::int64_t>(std::llround((parameters - outside) / layer), 1, 10'000);
  // What rounding left over goes into the feed-forward network, so that the count itself is right.
  const double missing = parameters - count_parameters(shape).total();
  const double wider = missing / (3 * static_cast<double>(shape.hidden) * static_cast<double>(shape.layers));
  shape.intermediate = std::max<std::int64_t>(64, shape.intermediate + std::llround(wider));
  FOREBAY_CHECK(check_shape(shape, name));
  return shape;
}

}  // namespace forebay
