// All accelerators that are known, and finding one by the name somebody uses for it.
#pragma once

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
  // Another one with the same columns. Refuses what cannot be: a name given twice, a negative or absurd
  // figure, an unknown word. `name` is the file in sentences.
  static Result<AcceleratorTable> parse(std::string text, std::string name);

  const std::vector<Accelerator>& all() const { return all_; }
  // By id or alias, in any case; blanks, '-' and '_' are the same, a leading "NVIDIA", "AMD", "Tesla" or
  // "GeForce" may be left out. Null when there is none.
  const Accelerator* find(std::string_view name) const;
  // Every part that the name may mean: the one called so, else all whose id begins with its words ("A100" is
  // first of all the part with that alias; "A100-PCIe" both sizes). An error names the nearest there is.
  Result<std::vector<const Accelerator*>> matching(std::string_view name) const;

 private:
  std::vector<Accelerator> all_;
};

}  // namespace forebay
