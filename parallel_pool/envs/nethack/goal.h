// The rewards and the ends of tasks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "parallel_pool/envs/nethack/engine/game.h"
#include "parallel_pool/envs/nethack/numbers.h"

namespace parallel_pool::nethack {

// How an episode stands; nle's StepStatus.
enum class Status : int32_t { kAborted = -1, kRunning, kDeath, kSuccess };

// The values of penalty_mode, in the order of TimePenalty::Mode.
inline constexpr const char* kPenaltyModes[] = {"constant", "exp", "square", "linear", "always"};

// The penalty for steps that take no turn of the game.
struct PenaltyOptions {
  std::string penalty_mode = "constant";
  double penalty_step = -0.01, penalty_time = 0.0;
};

class TimePenalty {
 public:
  explicit TimePenalty(const PenaltyOptions& options);
  void Begin() { frozen_ = 0; }
  // The penalty of a step that began in turn `before`.
  double Next(int64_t before, int64_t turns);

 private:
  enum class Mode { kConstant, kExp, kSquare, kLinear, kAlways };

  const Mode mode_;
  const double step_, time_;
  int frozen_ = 0;  // steps since the last turn
};

class Goal {
 public:
  virtual ~Goal() = default;
  virtual void Begin() {}  // of an episode
  virtual void BeforeStep(Game&, [[maybe_unused]] int key) {}
  // Whether the episode is done, unless the game is over. Called when an episode has begun, and
  // after each step, before Reward.
  virtual bool IsReached(const Game&) { return false; }
  virtual double Reward(const Game& game, Status status) = 0;
};

// nle's tasks.
enum class GoalKind { kPlain, kScore, kStaircase, kStaircasePet, kOracle, kGold, kEat, kScout };
std::unique_ptr<Goal> MakeGoal(GoalKind kind, const PenaltyOptions& penalty);

// A goal with a penalty.
class PenaltyGoal : public Goal {
 public:
  explicit PenaltyGoal(const PenaltyOptions& options) : penalty_(options) {}
  void Begin() override { penalty_.Begin(); }
  void BeforeStep(Game& game, int) override { turns_ = game.arrays().blstats[kTurns]; }

 protected:
  double Penalty(const Game& game) { return penalty_.Next(turns_, game.arrays().blstats[kTurns]); }

 private:
  TimePenalty penalty_;
  int64_t turns_ = 0;
};

}  // namespace parallel_pool::nethack
