#include "parallel_pool/envs/rware/warehouse.h"

#include <algorithm>

namespace parallel_pool::rware {
namespace {

constexpr double kWhole = 1.0, kHalf = 0.5;  // rewards

// The direction after a turn: of each direction, to the left and to the right.
int32_t Turned(int32_t direction, int32_t move) {
  static constexpr int32_t kTurned[kDirections][2] = {
      {kToLeft, kToRight}, {kToRight, kToLeft}, {kDown, kUp}, {kUp, kDown}};
  return kTurned[direction][move == kRight ? 1 : 0];
}

}  // namespace

Warehouse::Warehouse(const Config& config)
    : config_(config),
      agents_(config.n_agents),
      messages_(config.n_agents * config.msg_bits),
      agent_at_(config.floor->num_cells()),
      shelf_at_(config.floor->num_cells()),
      is_requested_(config.floor->shelves.size()),
      requests_(config.request_queue_size),
      traffic_(*config.floor, config.n_agents),
      wishes_(config.n_agents),
      moves_(config.n_agents),
      drawn_(config.n_agents) {}

void Warehouse::Begin(Rng& rng) {
  inactive_steps_ = 0;
  std::ranges::fill(messages_, 0);
  for (std::vector<int32_t>* const grid : {&agent_at_, &shelf_at_}) {
    std::ranges::fill(*grid, kNobody);
  }
  int32_t shelf = 0;
  for (const Cell& cell : floor().shelves) shelf_at_[floor().IndexOf(cell)] = shelf++;

  rng.Choose(floor().num_cells(), std::span(drawn_));
  for (int i = 0; i < config_.n_agents; ++i) {
    agents_[i] = {.place = {drawn_[i] % floor().columns, drawn_[i] / floor().columns},
                  .direction = static_cast<int32_t>(rng.Integers(0, kDirections)),
                  .shelf = kNobody,
                  .has_delivered = 0,
                  .reward = 0.0};
    agent_at_[drawn_[i]] = i;
  }

  std::ranges::fill(is_requested_, 0);
  rng.Choose(static_cast<int64_t>(is_requested_.size()), std::span(requests_));
  for (const int32_t requested : requests_) is_requested_[requested] = 1;
}

// The next cell in the direction of the agent, or its own at a wall.
Cell Warehouse::Ahead(const Agent& agent) const {
  static constexpr Cell kSteps[kDirections] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};
  const Cell step = kSteps[agent.direction];
  const Cell to = {agent.place.x + step.x, agent.place.y + step.y};
  return is_inside(to) ? to : agent.place;
}

// Whether the agent carries a shelf and another stands in the cell: agents without a shelf pass
// below it, and a shelf that is carried may move away.
bool Warehouse::IsBlocked(const Agent& agent, Cell target) const {
  if (agent.shelf == kNobody || target == agent.place || shelf_at(target) == kNobody) return false;
  const int32_t other = agent_at(target);
  return other == kNobody || agents_[other].shelf == kNobody;
}

void Warehouse::MakeWishes(std::span<const int32_t> actions) {
  const size_t width = 1 + config_.msg_bits;
  for (size_t i = 0; i < agents_.size(); ++i) {
    const Agent& agent = agents_[i];
    const std::span<const int32_t> message = actions.subspan(i * width + 1, width - 1);
    std::ranges::copy(message, messages_.begin() + static_cast<int64_t>(i * (width - 1)));
    const Cell target = actions[i * width] == kForward ? Ahead(agent) : agent.place;
    wishes_[i] = {agent.place, IsBlocked(agent, target) ? agent.place : target};
  }
}

void Warehouse::Step(std::span<const int32_t> actions, Rng& rng) {
  MakeWishes(actions);
  traffic_.Decide(wishes_, moves_);
  const size_t width = 1 + config_.msg_bits;
  for (size_t i = 0; i < agents_.size(); ++i) {
    Agent& agent = agents_[i];
    agent.reward = 0.0;
    const int32_t move = actions[i * width];
    if (move == kLeft || move == kRight) agent.direction = Turned(agent.direction, move);
    if (move == kToggleLoad) Toggle(agent);
  }
  MoveAgents();
  inactive_steps_ = Deliver(rng) ? 0 : inactive_steps_ + 1;
}

// Moves all agents at once, and the shelves that they carry.
void Warehouse::MoveAgents() {
  const auto moves = [&](size_t i) { return moves_[i] != 0 && wishes_[i].from != wishes_[i].to; };
  for (size_t i = 0; i < agents_.size(); ++i) {
    if (!moves(i)) continue;
    const int from = floor().IndexOf(wishes_[i].from);
    agent_at_[from] = kNobody;
    if (agents_[i].shelf != kNobody) shelf_at_[from] = kNobody;
  }
  for (size_t i = 0; i < agents_.size(); ++i) {
    if (!moves(i)) continue;
    const int to = floor().IndexOf(wishes_[i].to);
    agents_[i].place = wishes_[i].to;
    agent_at_[to] = static_cast<int32_t>(i);
    if (agents_[i].shelf != kNobody) shelf_at_[to] = agents_[i].shelf;
  }
}

// Takes the shelf that stands here, or puts it down where there is no corridor.
void Warehouse::Toggle(Agent& agent) {
  if (agent.shelf == kNobody) {
    agent.shelf = shelf_at(agent.place);
    return;
  }
  if (is_corridor(agent.place)) return;
  agent.shelf = kNobody;
  if (agent.has_delivered != 0 && config_.rewards == RewardType::kTwoStage) agent.reward += kHalf;
  agent.has_delivered = 0;
}

// Delivers requested shelves that are at a goal: each is replaced by a request for another. Returns
// whether there was one.
bool Warehouse::Deliver(Rng& rng) {
  bool has_delivered = false;
  for (const Cell& goal : floor().goals) {
    const int32_t shelf = shelf_at(goal);
    if (shelf == kNobody || !is_requested(shelf)) continue;
    has_delivered = true;
    const int32_t other = OtherShelf(rng);
    *std::ranges::find(requests_, shelf) = other;
    is_requested_[shelf] = 0;
    is_requested_[other] = 1;
    Reward(agents_[agent_at(goal)]);  // a shelf in a corridor is carried
  }
  return has_delivered;
}

void Warehouse::Reward(Agent& agent) {
  switch (config_.rewards) {
    case RewardType::kGlobal:
      for (Agent& each : agents_) each.reward += kWhole;
      break;
    case RewardType::kIndividual:
      agent.reward += kWhole;
      break;
    case RewardType::kTwoStage:
      agent.has_delivered = 1;
      agent.reward += kHalf;
      break;
  }
}

// Draws a shelf that is not requested.
int32_t Warehouse::OtherShelf(Rng& rng) const {
  auto left = rng.Integers(0, static_cast<int64_t>(is_requested_.size() - requests_.size()));
  int32_t shelf = 0;
  while (is_requested(shelf) || left-- > 0) ++shelf;
  return shelf;
}

}  // namespace parallel_pool::rware
