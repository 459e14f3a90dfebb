#include "parallel_pool/envs/nethack/minihack/goals.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "parallel_pool/envs/nethack/known_keys.h"

namespace parallel_pool::nethack {
namespace {

// Stairs down, or the events, if there are any.
class LevelGoal : public PenaltyGoal {
 public:
  explicit LevelGoal(const MinihackConfig& config)
      : PenaltyGoal(config),
        events_(ReadEvents(config.events)),
        win_(config.reward_win),
        lose_(config.reward_lose) {}

  void Begin() override {
    PenaltyGoal::Begin();
    events_.Begin();
    key_ = -1;
  }
  void BeforeStep(Game& game, int key) override {
    PenaltyGoal::BeforeStep(game, key);
    key_ = key;
  }
  bool IsReached(const Game& game) override {
    if (!events_.empty() && events_.Look(game, key_)) return true;
    return game.arrays().internal[kOnStairs] != 0;
  }
  double Reward(const Game& game, Status status) override {
    return (events_.empty() ? OfEnd(status) : events_.Take()) + Penalty(game);
  }

 private:
  double OfEnd(Status status) const {
    if (status == Status::kRunning) return 0.0;
    return status == Status::kSuccess ? win_ : lose_;
  }

  EventCounter events_;
  const double win_, lose_;
  int key_ = -1;  // of this step
};

// With a key in the inventory and a closed door next to the agent, the command to apply a thing
// unlocks and opens the door.
class KeyRoomGoal : public LevelGoal {
 public:
  explicit KeyRoomGoal(const MinihackConfig& config)
      : LevelGoal(config), known_keys_(config.allow_all_yn_questions) {}

  void BeforeStep(Game& game, int key) override {
    if (key == kApply) OpenDoor(game);
    LevelGoal::BeforeStep(game, key);
  }

 private:
  static constexpr int kApply = 'a';
  static constexpr int kMostKeys = 10000;  // that a door may take

  void OpenDoor(Game& game) const {
    const int letter = LetterOfKey(game);
    const int direction = DirectionOfDoor(game);
    if (letter == 0 || direction == 0) return;
    for (const int key : {kApply, letter, direction, int{'y'}}) game.Press(key);
    known_keys_.Press(game);
    for (int i = 0; !game.is_over(); ++i) {
      if (i == kMostKeys) throw std::runtime_error("the door does not open");
      game.Press(direction);
      known_keys_.Press(game);
      if (DirectionOfDoor(game) == 0) break;
    }
  }

  // The inventory's letter of the first thing that is a key; 0: there is none.
  static int LetterOfKey(const Game& game) {
    const Arrays& a = game.arrays();
    for (int i = 0; i < kInventory && a.inv_strs[i * kLineBytes] != 0; ++i) {
      const std::string_view line(reinterpret_cast<const char*>(a.inv_strs + i * kLineBytes),
                                  kLineBytes);
      if (line.find("key") != std::string_view::npos) return a.inv_letters[i];
    }
    return 0;
  }

  // The key for the direction of a closed door; 0: there is none.
  static int DirectionOfDoor(const Game& game) {
    constexpr char kDirections[] =
        "yku"
        "h\0l"
        "bjn";  // row by row
    const int64_t* const stats = game.arrays().blstats;
    for (int i = 0; i < 9; ++i) {
      const int64_t x = stats[kX] - 1 + i % 3, y = stats[kY] - 1 + i / 3;
      if (x < 0 || x >= kColumns || y < 0 || y >= kRows) continue;
      const auto* const text = reinterpret_cast<const char*>(game.descriptions().data() +
                                                             (y * kColumns + x) * kLineBytes);
      const std::string_view seen(text, strnlen(text, kLineBytes));
      if (seen.find("closed door") != std::string_view::npos) {
        return kDirections[i];
      }
    }
    return 0;
  }

  const KnownKeys known_keys_;
};

// Boulders fill pits. The stairs end an episode when no pit is left.
class SokobanGoal : public Goal {
 public:
  explicit SokobanGoal(const MinihackConfig& config)
      : time_(config.penalty_time), shaping_(config.reward_shaping_coefficient) {}

  void BeforeStep(Game& game, int) override { pits_ = Pits(game); }
  bool IsReached(const Game& game) override {
    return game.arrays().internal[kOnStairs] != 0 && Pits(game) == 0;
  }
  double Reward(const Game& game, Status status) override {
    if (status == Status::kSuccess) return 1.0;
    if (status != Status::kRunning) return 0.0;
    return time_ + static_cast<double>(pits_ - Pits(game)) * shaping_;
  }

 private:
  static int64_t Pits(const Game& game) { return std::ranges::count(game.arrays().chars, '^'); }

  const double time_, shaping_;
  int64_t pits_ = 0;  // that the screen showed before the step
};

}  // namespace

std::unique_ptr<Goal> MakeMinihackGoal(const MinihackConfig& config) {
  if (config.rules == "sokoban") return std::make_unique<SokobanGoal>(config);
  if (config.rules == "key_room") return std::make_unique<KeyRoomGoal>(config);
  return std::make_unique<LevelGoal>(config);
}

}  // namespace parallel_pool::nethack
