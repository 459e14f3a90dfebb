// Pictures and texts of a field.
#pragma once

#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/foraging/config.h"
#include "parallel_pool/envs/foraging/field.h"

namespace parallel_pool::foraging {

ImageSize PictureSize(const Config& config);

// Foods are red discs, and players are blue squares, with a dot for each level up to nine.
void Draw(const Config& config, const Field& field, View<uint8_t> rgb);

// A line for each row of the field: the level of a food (+ if it exceeds 9), a letter for a player
// (A is agent_0), and dots.
std::string TextOf(const Config& config, const Field& field);

}  // namespace parallel_pool::foraging
