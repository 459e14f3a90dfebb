// Where episodes begin: at random within bounds, which reset(options={"low": -0.1}) sets for once.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

#include "parallel_pool/core/env.h"

namespace parallel_pool::classic_control {

// The ResetOptions of an env that begins within [kLow, kHigh) if nothing else is said.
template <double kLow, double kHigh>
struct ResetBounds {
  double low = kLow, high = kHigh;

  static Options<ResetBounds> Describe() {
    return {Option<&ResetBounds::low>("low", "lower bound of what an episode begins with"),
            Option<&ResetBounds::high>("high", "upper bound of what an episode begins with")};
  }
  void Check() const {
    if (low <= high && std::isfinite(high - low)) return;
    throw std::invalid_argument("low is " + std::to_string(low) + " and high is " +
                                std::to_string(high) +
                                "; both must be finite, and low not greater than high");
  }
  double Draw(Rng& rng) const { return rng.Uniform(low, high); }
};

}  // namespace parallel_pool::classic_control
