// The state of a warehouse and the rules of rware 2.0.0: agents turn, move, and carry shelves.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/rware/config.h"
#include "parallel_pool/envs/rware/layout.h"
#include "parallel_pool/envs/rware/traffic.h"

namespace parallel_pool::rware {

enum Move : int32_t { kNoop, kForward, kLeft, kRight, kToggleLoad, kMoves };
enum Direction : int32_t { kUp, kDown, kToLeft, kToRight, kDirections };

inline constexpr int32_t kNobody = -1;  // in place of the number of an agent or a shelf

struct Agent {
  Cell place;
  int32_t direction;
  int32_t shelf;          // that it carries
  int32_t has_delivered;  // 1: its shelf was delivered, and must be brought back
  double reward;          // of the last step
};

class Warehouse {
 public:
  explicit Warehouse(const Config& config);

  void Begin(Rng& rng);
  // Plays one step; each agent has a row of 1 + msg_bits numbers: a Move and its message.
  void Step(std::span<const int32_t> actions, Rng& rng);

  // Whether there was no delivery for too long.
  bool is_inactive() const {
    return config_.max_inactivity_steps > 0 && inactive_steps_ >= config_.max_inactivity_steps;
  }
  std::span<const Agent> agents() const { return agents_; }
  std::span<const int32_t> message(int agent) const {
    return {messages_.data() + agent * config_.msg_bits, static_cast<size_t>(config_.msg_bits)};
  }
  const Layout& floor() const { return *config_.floor; }
  bool is_inside(Cell cell) const {
    return cell.x >= 0 && cell.x < floor().columns && cell.y >= 0 && cell.y < floor().rows;
  }
  bool is_corridor(Cell cell) const { return floor().is_corridor[floor().IndexOf(cell)] != 0; }
  // The agent or the shelf in a cell of the floor; kNobody if there is none.
  int32_t agent_at(Cell cell) const { return agent_at_[floor().IndexOf(cell)]; }
  int32_t shelf_at(Cell cell) const { return shelf_at_[floor().IndexOf(cell)]; }
  bool is_requested(int32_t shelf) const { return is_requested_[shelf] != 0; }

  auto Saved() {
    return std::tie(agents_, messages_, agent_at_, shelf_at_, is_requested_, requests_,
                    inactive_steps_);
  }

 private:
  Cell Ahead(const Agent& agent) const;
  bool IsBlocked(const Agent& agent, Cell target) const;
  void MakeWishes(std::span<const int32_t> actions);
  void MoveAgents();
  void Toggle(Agent& agent);
  bool Deliver(Rng& rng);
  void Reward(Agent& agent);
  int32_t OtherShelf(Rng& rng) const;

  const Config& config_;
  std::vector<Agent> agents_;
  std::vector<int32_t> messages_;             // of each agent, its bits
  std::vector<int32_t> agent_at_, shelf_at_;  // of each cell
  std::vector<uint8_t> is_requested_;         // of each shelf
  std::vector<int32_t> requests_;             // shelves
  int32_t inactive_steps_ = 0;

  // Memory of a call.
  Traffic traffic_;
  std::vector<Wish> wishes_;    // of each agent
  std::vector<uint8_t> moves_;  // of each agent: whether it gets its wish
  std::vector<int32_t> drawn_;
};

}  // namespace parallel_pool::rware
