#include "parallel_pool/envs/mpe/world.h"

#include <algorithm>
#include <utility>

namespace parallel_pool::mpe {
namespace {

constexpr double kTimeStep = 0.1, kDamping = 0.25;
constexpr double kContactForce = 100.0, kContactMargin = 1e-3;
constexpr double kLeastExponent = -746.0;  // exp() of less is 0

// numpy.logaddexp(0, y), which is libm's.
double SoftPlus(double y) {
  if (y == 0) return std::log(2.0);
  return y < 0 ? std::log1p(std::exp(y)) : y + std::log1p(std::exp(-y));
}

// The force that pushes `a` away from `b`: a soft contact, also before the discs touch.
Point ContactForce(const Entity& a, const Entity& b) {
  const Point delta = a.position - b.position;
  const double distance = std::sqrt(delta.x * delta.x + delta.y * delta.y);
  const double exponent = -(distance - (a.radius + b.radius)) / kContactMargin;
  if (exponent < kLeastExponent) return {};
  const double penetration = SoftPlus(exponent) * kContactMargin;
  return {kContactForce * delta.x / distance * penetration,
          kContactForce * delta.y / distance * penetration};
}

void Move(Entity& entity, Point force) {
  Point& velocity = entity.velocity;
  entity.position.x += velocity.x * kTimeStep;
  entity.position.y += velocity.y * kTimeStep;
  velocity.x = velocity.x * (1 - kDamping) + force.x * kTimeStep;
  velocity.y = velocity.y * (1 - kDamping) + force.y * kTimeStep;
  if (entity.max_speed == kInf) return;
  const double speed = std::sqrt(velocity.x * velocity.x + velocity.y * velocity.y);
  if (speed <= entity.max_speed) return;
  velocity.x = velocity.x / speed * entity.max_speed;
  velocity.y = velocity.y / speed * entity.max_speed;
}

}  // namespace

void World::AddAgent(AgentName name, const Entity& agent) {
  const auto same = std::ranges::find(names, name.role, &AgentName::role);
  roles.push_back(same != names.end() ? roles[same - names.begin()]
                  : roles.empty()     ? 0
                                      : std::ranges::max(roles) + 1);
  names.push_back(std::move(name));
  entities.push_back(agent);
  words.resize(names.size() * word_size);
}

void World::AddLandmarks(int count, const Entity& landmark) {
  entities.insert(entities.end(), count, landmark);
}

void World::Scatter(Rng& rng, double landmark_limit) {
  const auto scatter = [&](std::span<Entity> some, double limit) {
    for (Entity& entity : some) {
      entity.position = DrawPoint(rng, limit);
      entity.velocity = {};
    }
  };
  scatter(agents(), 1.0);
  scatter(landmarks(), landmark_limit);
  std::ranges::fill(words, 0.0);
}

void World::Step(std::span<Point> forces) {
  const size_t num_agents = names.size();
  for (size_t a = 0; a < num_agents; ++a) {
    if (!entities[a].collides) continue;
    for (size_t b = a + 1; b < entities.size(); ++b) {
      if (!entities[b].collides) continue;
      const Point force = ContactForce(entities[a], entities[b]);
      forces[a] = {force.x + forces[a].x, force.y + forces[a].y};
      if (b < num_agents) forces[b] = {-force.x + forces[b].x, -force.y + forces[b].y};
    }
  }
  for (size_t i = 0; i < num_agents; ++i) {
    if (entities[i].is_movable) Move(entities[i], forces[i]);
  }
}

}  // namespace parallel_pool::mpe
