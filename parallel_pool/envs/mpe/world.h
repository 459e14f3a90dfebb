// The physics of mpe2 1.1.1 (Mordatch and Abbeel 2017, Lowe et al. 2017): discs in a plane that
// push each other away, and words. All numbers are float64, in the order of mpe2's operations.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"

namespace parallel_pool::mpe {

struct Point {
  double x = 0, y = 0;

  Point operator-(Point other) const { return {x - other.x, y - other.y}; }
};

inline double SquaredDistance(Point a, Point b) {
  const Point d = a - b;
  return d.x * d.x + d.y * d.y;
}

inline double Distance(Point a, Point b) {
  return std::sqrt(SquaredDistance(a, b));
}

// Shares of red, green and blue, 0 to 1.
using Color = std::array<double, 3>;

// An agent or a landmark: a disc of mass 1.
struct Entity {
  Point position = {}, velocity = {};
  Color color = {0.25, 0.25, 0.25};
  double radius = 0.05;
  double acceleration = 5.0;  // by an action of 1
  double max_speed = kInf;
  bool is_movable = false;
  bool collides = false;
  bool speaks = false;
};

inline bool Touches(const Entity& a, const Entity& b) {
  return Distance(a.position, b.position) < a.radius + b.radius;
}

// The name of an agent and its role, such as "adversary_0" and "adversary".
struct AgentName { std::string name, role; };

// A random point with coordinates up to `limit`.
inline Point DrawPoint(Rng& rng, double limit) {
  const double x = rng.Uniform(-limit, limit);
  return {x, rng.Uniform(-limit, limit)};
}

struct World {
  int num_agents() const { return static_cast<int>(names.size()); }
  std::span<Entity> agents() { return std::span(entities).first(names.size()); }
  std::span<const Entity> agents() const { return std::span(entities).first(names.size()); }
  std::span<Entity> landmarks() { return std::span(entities).subspan(names.size()); }
  std::span<const Entity> landmarks() const { return std::span(entities).subspan(names.size()); }
  std::span<double> word(int agent) {
    return std::span(words).subspan(agent * word_size, word_size);
  }
  std::span<const double> word(int agent) const {
    return std::span(words).subspan(agent * word_size, word_size);
  }
  const Entity& goal(int k = 0) const { return landmarks()[goals[k]]; }

  void AddAgent(AgentName name, const Entity& agent);
  void AddLandmarks(int count, const Entity& landmark);
  // Puts all entities at random places, at rest and silent. Coordinates of agents are up to 1,
  // those of landmarks up to `landmark_limit`.
  void Scatter(Rng& rng, double landmark_limit = 1.0);
  // Moves the agents by one time step; forces[i] is the force of agent i itself.
  void Step(std::span<Point> forces);

  std::vector<AgentName> names;       // of the agents
  std::vector<int32_t> roles;         // of the agents: roles are numbered as they first appear
  std::vector<Entity> entities;       // the agents, then the landmarks
  int word_size = 0;                  // numbers of a word
  std::vector<double> words;          // the last word of each agent; zeros: none
  std::array<int32_t, 2> goals = {};  // numbers of the landmarks that a scenario has drawn
};

}  // namespace parallel_pool::mpe
