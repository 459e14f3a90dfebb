// The image of an observation and the pictures for people.
#pragma once

#include <cstdint>
#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/minigrid/options.h"
#include "parallel_pool/envs/minigrid/pictures/draw.h"
#include "parallel_pool/envs/minigrid/world.h"

namespace parallel_pool::minigrid {

// Writes the image of an observation.
class Observer {
 public:
  explicit Observer(const LevelConfig& config);

  // partial: (view, view, 3); full: (width, height, 3); one_hot: (view, view, 20), each [x][y];
  // rgb: (height, width, 3) pixels; rgb_partial: (view, view, 3) pixels.
  static Space ImageSpace(const LevelConfig& config, const Rules& rules);
  void Write(const World& world, View<uint8_t> image) const;

 private:
  enum Type { kPartial, kFull, kOneHot, kRgb, kRgbPartial };  // in the order of kObsTypes
  const Type type_;
  const bool is_highlighted_;
  const Tiles* const tiles_;  // only for pictures
};

ImageSize PictureSize(const LevelConfig& config, const Rules& rules);
void DrawPicture(const LevelConfig& config, const World& world, View<uint8_t> rgb);
// Two characters for each cell: the object and the first letter of its color.
std::string TextOf(const World& world);

}  // namespace parallel_pool::minigrid
