// The bounds of random first states; reset(options={"low": -0.1}) sets them for one reset.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

#include "parallel_pool/core/env.h"

namespace parallel_pool::classic_control {

// The ResetOptions of an env whose first states are in [kLow, kHigh) by default.
template <double kLow, double kHigh>
struct ResetBounds {
  double low = kLow, high = kHigh;

  static Options<ResetBounds> Describe() {
    return {Option<&ResetBounds::low>("low", "lower bound of the first state"),
            Option<&ResetBounds::high>("high", "upper bound of the first state")};
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
