// Pictures and texts of a warehouse.
#pragma once

#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/rware/layout.h"
#include "parallel_pool/envs/rware/warehouse.h"

namespace parallel_pool::rware {

ImageSize PictureSize(const Layout& floor);

// Shelves are squares, orange if they are requested; goals are gray fields. Agents are discs with a
// line in their direction, red if they carry a shelf.
void Draw(const Warehouse& warehouse, View<uint8_t> rgb);

// A line for each row: ^ v < > for agents, x for shelves and X for requested ones, g for goals.
std::string TextOf(const Warehouse& warehouse);

}  // namespace parallel_pool::rware
