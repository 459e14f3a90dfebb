// The race track of CarRacing: a closed road through random points.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "parallel_pool/core/random.h"
#include "parallel_pool/envs/box2d/car_racing/car_picture.h"

namespace parallel_pool::box2d {

// A point of the middle of the road, and the direction across it.
struct TrackPoint {
  double beta;  // rad
  double x, y;  // m
};

// Draws points until they make a track that closes. The track runs from the first point to the
// last and back to the first.
std::vector<TrackPoint> DrawTrack(Rng& rng);

// The part of the road between a point and the one before it.
struct Tile {
  std::array<Point, 4> corners;
  std::optional<std::array<Point, 4>> border;  // on one side, in hard turns
};
std::vector<Tile> TilesOf(const std::vector<TrackPoint>& track);

}  // namespace parallel_pool::box2d
