// What interruptions cost: how long a job takes on machines that may be taken away.
#pragma once

#include <optional>

#include "base/units.h"

namespace forebay {

// The mean time between interruptions of one machine of which the share `monthly` is interrupted within 30
// days, with interruptions that come at a constant rate: rate = -ln(1 - share) / 30 days. Nothing for a
// share of 0 (never) or less, and for 1 or more (no rate follows from it).
std::optional<Duration> mean_time_between_interruptions(Probability monthly);

struct CheckpointHabit {
  Duration cost;                     // time that writing one takes from the job
  Duration restart;                  // from the interruption until the job works again
  std::optional<Duration> interval;  // work between two checkpoints; absent: the best one
};

// The interval between checkpoints that wastes least, from the mean time between failures M and the cost of
// one checkpoint d: J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart
// dumps", Future Generation Computer Systems 22 (2006), equation 37 (its first term is Young's sqrt(2 d M),
// 1974): sqrt(2dM)·(1 + sqrt(d/(2M))/3 + d/(18M)) - d for d < 2M, else M. A cost of 0 gives 0.
Duration best_checkpoint_interval(Duration between_interruptions, Duration checkpoint_cost);

// The expected time of `work` under interruptions at a constant rate (Daly 2006, equation 20):
// M·exp(R/M)·(exp((t+d)/M) - 1)·work/t, with M the mean time between interruptions, R the restart, d the
// checkpoint's cost, t the interval (at most `work`). Nothing when it would exceed a hundred years.
std::optional<Duration> expected_time(Duration work, Duration between_interruptions,
                                      const CheckpointHabit& habit);

}  // namespace forebay
