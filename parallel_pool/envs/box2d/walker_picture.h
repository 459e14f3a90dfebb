// The picture of BipedalWalker, equal to that of Gymnasium 1.4 by ==.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/envs/box2d/shown_body.h"
#include "parallel_pool/envs/box2d/terrain.h"

namespace parallel_pool::box2d {

inline constexpr ImageSize kWalkerSize{400, 600};

struct WalkerScene {
  struct Ray { Point from, to; };  // m

  double scroll;  // the left side of the view, m
  const Terrain& terrain;
  std::vector<ShownBody> bodies;  // in the order in which they are drawn
  std::optional<Ray> ray;
};

// Writes 400 x 600 x 3 bytes.
void DrawWalkerPicture(const WalkerScene& scene, uint8_t* rgb);

}  // namespace parallel_pool::box2d
