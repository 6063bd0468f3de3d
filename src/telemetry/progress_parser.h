// Reads how far a training is from one line of its output. Pure; any bytes are fine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace forebay {

// What one line said; absent = it did not.
struct ProgressLine {
  std::optional<std::int64_t> step, total_steps;
  std::optional<double> epoch, total_epochs;
  std::optional<double> fraction;  // 0..1, of whatever the bar counts
  std::optional<double> loss;      // may be NaN or infinite: that is worth knowing
  std::optional<double> rate;      // per second
  std::string rate_unit;           // "it", "step", "samples", "tokens" …
  std::optional<double> eta_seconds;

  bool empty() const { return !step && !epoch && !fraction && !loss; }
};

// Understands `step=10 loss=0.5`, `Step 10/100`, `Epoch [3/10], Step [45/100], Loss: 0.12`, `{'loss': 0.5,
// 'epoch': 1.0}`, `iter 100: loss 4.2`, `Epoch: [0][ 10/5005] … Loss 6.9e+00 (7.0)`, `45/100 [=====>....] -
// ETA: 12s - loss: 0.1` and bars of tqdm (`45%|███ | 45/100 [00:12<00:15, 3.6it/s, loss=0.1]`). Validation
// losses and bars that count bytes are not progress.
ProgressLine parse_progress_line(std::string_view line);

}  // namespace forebay
