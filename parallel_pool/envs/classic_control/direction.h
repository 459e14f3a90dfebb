// The cosine and the sine of an angle, which libm computes together for little more than one.
#pragma once

#include <cmath>

namespace parallel_pool::classic_control {

struct Direction { double cos, sin; };

inline Direction DirectionOf(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace parallel_pool::classic_control
