// All accelerators that are known, and finding one by the name somebody uses for it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/accelerator.h"

namespace forebay {

class AcceleratorTable {
 public:
  // The table inside the binary (data/accelerators.csv).
  static Result<AcceleratorTable> embedded();
  // One in a file with the same columns, instead of it.
  static Result<AcceleratorTable> load(const std::string& path);
  // Refuses what cannot be: a name given twice, a negative or absurd figure, an unknown word, a part without
  // source and date. `name` is the file in sentences.
  static Result<AcceleratorTable> parse(std::string text, std::string name);

  const std::vector<Accelerator>& all() const { return all_; }
  // By id or alias, in any case; blanks, '-' and '_' do not count, makers and brands ("NVIDIA", "Tesla",
  // "GeForce", "RTX") may be left out. Null when there is none.
  const Accelerator* find(std::string_view name) const;
  // Every part that the name may mean, the usual one first. An id and a driver's whole name ("NVIDIA H200")
  // mean one part. A short name that is an alias ("A100") means the part with it before all others whose id
  // begins with these words; else all of these ("A100-PCIe" is both sizes). An error names the nearest there
  // is.
  Result<std::vector<const Accelerator*>> matching(std::string_view name) const;

 private:
  std::string what_to_do(std::string_view unknown_name) const;

  std::vector<Accelerator> all_;
};

// The parts in the columns of the table: what parse() reads back.
std::string accelerators_as_csv(std::span<const Accelerator* const> parts);

}  // namespace forebay
