// The cosine and the sine of an angle; libm computes both in little more time than one.
#pragma once

#include <cmath>

namespace parallel_pool::classic_control {

struct Direction { double cos, sin; };

inline Direction DirectionOf(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace parallel_pool::classic_control
