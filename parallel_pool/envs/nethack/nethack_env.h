// The env of nle's tasks, equal to nle 1.3.0.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/nethack/engine/game.h"
#include "parallel_pool/envs/nethack/goal.h"
#include "parallel_pool/envs/nethack/known_keys.h"
#include "parallel_pool/envs/nethack/options.h"

namespace parallel_pool::nethack {

class NethackEnv {
 public:
  using Config = NethackConfig;
  struct Action { View<const int32_t> key; };
  struct State : Observation {
    View<int32_t> end_status;
    View<bool> is_ascended;
  };
  struct ResetOptions {
    int64_t core = -1, disp = -1, lgen = -1;  // seeds; -1: drawn, and the option of make()
    Lines wizkit_items;

    static Options<ResetOptions> Describe();
  };

  static Options<Config> Describe() { return NethackConfig::Describe(); }
  static void Complete(Config& config) { nethack::Complete(config); }
  static EnvSpec<Action, State> Describe(const Config& config);

  NethackEnv(const Config& config, Rng& rng)
      : NethackEnv(config, rng, MakeGoal(config.goal, config), AskedBy(config.shown)) {}
  NethackEnv(const NethackConfig& config, Rng& rng, std::unique_ptr<Goal> goal, const Asked& asked);

  void Reset(const ResetOptions& options);
  Outcome Step(const Action& action) { return Play(*action.key); }
  void Observe(const State& state) const;

  static ImageSize RenderSize(const NethackConfig&);
  void Render(View<uint8_t> rgb) const;
  std::string RenderText() const;
  static constexpr bool kTurnBased = true;

  // A state is the seeds of the episode and its actions: Load plays it again. A copy of NetHack's
  // memory would be faster to load, but changed bytes could then do anything.
  void Save(Writer& writer) const;
  bool Load(Reader& reader);
  auto Saved() { return std::tie(*this); }

 private:
  void Begin();
  Outcome Play(int32_t action);
  // Counts looks at the game without a turn between them; true if there were too many.
  bool IsStuck();

  const NethackConfig config_;
  const KnownKeys known_keys_;
  Rng& rng_;
  const std::unique_ptr<Goal> goal_;
  Game game_;
  Start start_;                   // of this episode
  std::vector<uint8_t> actions_;  // since then
  Status status_ = Status::kRunning;
  int64_t turns_ = -1;  // when IsStuck last looked
  int stuck_ = 0;       // looks since the last turn
};

}  // namespace parallel_pool::nethack
