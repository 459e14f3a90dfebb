// The picture of a game for people: that of render() of vizdoom's Gymnasium wrapper.
#pragma once

#include <cstdint>

#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/vizdoom/engine/engine.h"
#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

namespace parallel_pool::vizdoom {

// The size of all observed pictures side by side.
ImageSize PictureSize(const Scenario& scenario);

// Draws the screen and, if they are observed, depth, labels and automap to its right: rows,
// columns, RGB. Each object has a color of its own in the labels.
void DrawPicture(const Engine& engine, const Scenario& scenario, View<uint8_t> rgb);

}  // namespace parallel_pool::vizdoom
