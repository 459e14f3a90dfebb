#include "parallel_pool/envs/nethack/goal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace parallel_pool::nethack {
namespace {

// Numbers of glyphs.
constexpr int kFirstPet = 381, kAfterPets = 762, kOracle = 270, kNothing = 2359;

// Whether a glyph of the 3 by 3 places around the agent fits. In the first row and column nle finds
// none: there its slice of the screen is empty.
template <class Fits>
bool IsNear(const Game& game, Fits fits) {
  const Arrays& a = game.arrays();
  const auto x = static_cast<int>(a.blstats[kX]), y = static_cast<int>(a.blstats[kY]);
  if (x == 0 || y == 0) return false;
  for (int row = y - 1; row <= std::min(y + 1, kRows - 1); ++row) {
    for (int column = x - 1; column <= std::min(x + 1, kColumns - 1); ++column) {
      if (fits(a.glyphs[row * kColumns + column])) return true;
    }
  }
  return false;
}

// The change of NetHack's score.
class PlainGoal : public Goal {
 public:
  void BeforeStep(Game& game, int) override { score_ = game.arrays().blstats[kScore]; }
  double Reward(const Game& game, Status) override {
    // Outside of a game all statistics are 0.
    return game.is_normal() ? static_cast<double>(game.arrays().blstats[kScore] - score_) : 0.0;
  }

 private:
  int64_t score_ = 0;
};

class ScoreGoal : public PenaltyGoal {
 public:
  using PenaltyGoal::PenaltyGoal;
  void BeforeStep(Game& game, int key) override {
    PenaltyGoal::BeforeStep(game, key);
    plain_.BeforeStep(game, key);
  }
  double Reward(const Game& game, Status status) override {
    return plain_.Reward(game, status) + Penalty(game);
  }

 private:
  PlainGoal plain_;
};

// 1 for a place that is reached.
class PlaceGoal : public PenaltyGoal {
 public:
  PlaceGoal(GoalKind kind, const PenaltyOptions& options) : PenaltyGoal(options), kind_(kind) {}
  bool IsReached(const Game& game) override {
    if (kind_ == GoalKind::kOracle) {
      return IsNear(game, [](int glyph) { return glyph == kOracle; });
    }
    if (game.arrays().internal[kOnStairs] == 0) return false;
    return kind_ == GoalKind::kStaircase ||
           IsNear(game, [](int glyph) { return glyph >= kFirstPet && glyph < kAfterPets; });
  }
  double Reward(const Game& game, Status status) override {
    return (status == Status::kSuccess ? 1.0 : 0.0) + Penalty(game);
  }

 private:
  const GoalKind kind_;
};

// The growth of a number.
class GrowthGoal : public PenaltyGoal {
 public:
  GrowthGoal(GoalKind kind, const PenaltyOptions& options) : PenaltyGoal(options), kind_(kind) {}
  void BeforeStep(Game& game, int key) override {
    PenaltyGoal::BeforeStep(game, key);
    before_ = Number(game);
  }
  double Reward(const Game& game, Status) override {
    if (!game.is_normal()) return 0.0;
    const int64_t growth = Number(game) - before_;
    return static_cast<double>(kind_ == GoalKind::kEat ? std::max<int64_t>(growth, 0) : growth) +
           Penalty(game);
  }

 private:
  int64_t Number(const Game& game) const {
    return kind_ == GoalKind::kEat ? game.arrays().internal[kHunger] : game.arrays().blstats[kGold];
  }

  const GoalKind kind_;
  int64_t before_ = 0;
};

// The places that are seen for the first time. nle counts those of each level.
class ScoutGoal : public PenaltyGoal {
 public:
  using PenaltyGoal::PenaltyGoal;
  void Begin() override {
    PenaltyGoal::Begin();
    seen_.clear();
  }
  double Reward(const Game& game, Status) override {
    if (!game.is_normal()) return 0.0;
    const Arrays& a = game.arrays();
    const int64_t shown =
        std::ssize(a.glyphs) - std::count(std::begin(a.glyphs), std::end(a.glyphs), kNothing);
    int64_t& seen = seen_[{a.blstats[kDungeon], a.blstats[kLevel]}];
    const int64_t growth = shown - std::exchange(seen, shown);
    return static_cast<double>(growth) + Penalty(game);
  }

 private:
  std::map<std::pair<int64_t, int64_t>, int64_t> seen_;  // by dungeon and level
};

}  // namespace

TimePenalty::TimePenalty(const PenaltyOptions& options)
    : mode_(static_cast<Mode>(std::ranges::find(kPenaltyModes, options.penalty_mode) -
                              kPenaltyModes)),
      step_(options.penalty_step),
      time_(options.penalty_time) {}

double TimePenalty::Next(int64_t before, int64_t turns) {
  frozen_ = before == turns ? frozen_ + 1 : 0;
  double count = 0.0;
  switch (mode_) {
    case Mode::kConstant:
      count = frozen_ > 0 ? 1.0 : 0.0;
      break;
    case Mode::kExp:
      count = std::ldexp(1.0, frozen_);
      break;
    case Mode::kSquare:
      count = static_cast<double>(frozen_) * frozen_;
      break;
    case Mode::kLinear:
      count = frozen_;
      break;
    case Mode::kAlways:
      count = 1.0;
      break;
  }
  return count * step_ + static_cast<double>(turns - before) * time_;
}

std::unique_ptr<Goal> MakeGoal(GoalKind kind, const PenaltyOptions& penalty) {
  switch (kind) {
    case GoalKind::kPlain:
      return std::make_unique<PlainGoal>();
    case GoalKind::kScore:
      return std::make_unique<ScoreGoal>(penalty);
    case GoalKind::kStaircase:
    case GoalKind::kStaircasePet:
    case GoalKind::kOracle:
      return std::make_unique<PlaceGoal>(kind, penalty);
    case GoalKind::kGold:
    case GoalKind::kEat:
      return std::make_unique<GrowthGoal>(kind, penalty);
    case GoalKind::kScout:
      return std::make_unique<ScoutGoal>(penalty);
  }
  throw std::invalid_argument("no such goal");
}

}  // namespace parallel_pool::nethack
