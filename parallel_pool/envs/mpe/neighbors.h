// The entities that an agent observes: all of them, or the nearest ones.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "parallel_pool/envs/mpe/row.h"
#include "parallel_pool/envs/mpe/world.h"

namespace parallel_pool::mpe {

inline constexpr int kMostOfAKind = 100;    // agents or landmarks of one kind
inline constexpr int kMostNeighbors = 100;  // options num_agent_neighbors, ...
inline constexpr int kMostSeen = 2 * kMostOfAKind;

// Options of the scenarios in which agents may see their neighbors only.
struct Sight {
  int num_agent_neighbors = 0, num_landmark_neighbors = 0;  // 0: all
};

// The option `name` of a scenario: the number of `kind` that an agent observes.
template <auto Member>
auto NeighborOption(std::string name, const std::string& kind) {
  return Option<Member>(std::move(name), "an agent observes the nearest " + kind + "; 0: all",
                        {.min = 0, .max = kMostNeighbors});
}

// Entities in the order in which an agent observes them. A null pointer is an empty place.
class Seen {
 public:
  // The other agents, or the nearest `limit` of them.
  static Seen Agents(const World& world, int self, int limit) {
    return Seen(world, self, world.agents(), limit);
  }
  static Seen Landmarks(const World& world, int self, int limit) {
    return Seen(world, self, world.landmarks(), limit);
  }

  const Entity* const* begin() const { return places_.data(); }
  const Entity* const* end() const { return places_.data() + size_; }

 private:
  Seen(const World& world, int self, std::span<const Entity> entities, int limit) {
    const Entity& agent = world.entities[self];
    for (const Entity& entity : entities) {
      if (&entity != &agent) places_[size_++] = &entity;
    }
    if (limit == 0) return;
    // Two distances are never equal, as the places are random.
    std::array<std::pair<double, const Entity*>, kMostSeen> by_distance;
    for (int i = 0; i < size_; ++i) {
      by_distance[i] = {SquaredDistance(places_[i]->position, agent.position), places_[i]};
    }
    std::sort(by_distance.begin(), by_distance.begin() + size_);
    for (int i = 0; i < limit; ++i) places_[i] = i < size_ ? by_distance[i].second : nullptr;
    size_ = limit;
  }

  std::array<const Entity*, kMostSeen> places_;
  int size_ = 0;
};

// Adds the positions of `seen`, relative to `agent`.
inline void AddPositions(Row& row, const Entity& agent, const Seen& seen) {
  for (const Entity* entity : seen) {
    row.Add(entity == nullptr ? Point{} : entity->position - agent.position);
  }
}

}  // namespace parallel_pool::mpe
