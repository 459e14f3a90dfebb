#include "parallel_pool/envs/atari/stick.h"

#include <cmath>

namespace parallel_pool::atari {
namespace {

// ALE's numbers by fire, left - center - right, down - center - up.
constexpr int kActions[2][3][3] = {{{9, 4, 7}, {5, 0, 2}, {8, 3, 6}},
                                   {{17, 12, 15}, {13, 1, 10}, {16, 11, 14}}};

// 0 below -threshold, 2 above threshold, else 1.
int Third(float x, float threshold) {
  return 1 - (x < -threshold) + (x > threshold);
}

}  // namespace

Stick TiltedStick(float radius, float angle, float fire, float threshold) {
  const int across = Third(radius * std::cos(angle), threshold);
  const int up = Third(radius * std::sin(angle), threshold);
  return {kActions[fire > threshold][across][up], radius};
}

}  // namespace parallel_pool::atari
