// Observations of the players: those of all types, made once a step and kept for the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/random.h"
#include "parallel_pool/envs/highway/observations/kinematics.h"
#include "parallel_pool/envs/highway/observations/lidar.h"
#include "parallel_pool/envs/highway/observations/occupancy_grid.h"
#include "parallel_pool/envs/highway/observations/time_to_collision.h"
#include "parallel_pool/envs/highway/pictures.h"

namespace parallel_pool::highway {

// The arrays of one player's observation.
struct ObservationForm {
  enum class Type { kFloat, kByte, kDouble };

  Type type = Type::kFloat;
  std::vector<int32_t> shape;
  double low = -kInf, high = kInf;
  std::vector<std::string> parts = {};  // of a dict of arrays of this shape; empty: one array

  size_t size() const;
};

ObservationForm FormOf(const TaskOptions& task, const ObservationOptions& options,
                       const ActionOptions& action);

// Writes one part of a dict, for a player. Tasks with observations of their own have such a
// function.
class PartWriter {
 public:
  virtual void WritePart(const Traffic& traffic, int ego, int part, Rng& rng, double* out) = 0;

 protected:
  ~PartWriter() = default;
};

class Observer {
 public:
  Observer(const TaskOptions& task, const ObservationOptions& options, const ActionOptions& action,
           int players);

  // Begins an episode.
  void Begin();
  // Observes for all players. `parts` writes dicts; other types do without it.
  void Observe(const Traffic& traffic, PartWriter* parts, Rng& rng);

  // The last observation: of each player, its elements in order; each part of a dict after the
  // other, for all players.
  const std::vector<float>& floats() const { return floats_; }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  size_t num_parts() const { return form_.parts.size(); }
  std::span<const double> part(size_t i) const {
    return std::span(doubles_).subspan(i * players_ * size_, players_ * size_);
  }

  auto Saved() { return std::tie(first_lanes_, floats_, bytes_, doubles_); }

 private:
  void ObserveFor(int player, const Traffic& traffic, Rng& rng);

  const ObservationOptions options_;
  const ObservationForm form_;
  const int players_;
  const size_t size_;    // of one array of a player
  const Screen screen_;  // of pictures
  std::optional<Kinematics> kinematics_;
  std::optional<OccupancyGrid> grid_;
  std::optional<TimeToCollision> times_;
  std::optional<Lidar> lidar_;

  // For each player, the lanes of its road at its first observation of the episode; 0: none yet.
  std::vector<int> first_lanes_;
  std::vector<float> floats_;
  std::vector<uint8_t> bytes_;
  std::vector<double> doubles_;
};

}  // namespace parallel_pool::highway
