#include "parallel_pool/drawing/pygame/shapes.h"

#include <cmath>
#include <numbers>

namespace parallel_pool::drawing::pygame {

Rotation::Rotation(double angle) {
  constexpr double kQuarter = std::numbers::pi / 2, kNear = 1e-6;
  angle = std::fmod(angle, 4 * kQuarter);
  if (angle < 0) angle += 4 * kQuarter;
  if (std::fmod(angle + kNear, kQuarter) < 2 * kNear) {
    constexpr double kSines[] = {0, 1, 0, -1};
    const int quarters = static_cast<int>((angle + kNear) / kQuarter);
    sin_ = kSines[quarters % 4];
    cos_ = kSines[(quarters + 1) % 4];
  } else {
    sin_ = std::sin(angle);
    cos_ = std::cos(angle);
  }
}

}  // namespace parallel_pool::drawing::pygame
