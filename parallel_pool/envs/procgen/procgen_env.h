// The sixteen games of Procgen 0.10.7 (Cobbe et al. 2019), run by its own library. Env i of a pool
// with seed s has the levels of `procgen.ProcgenGym3Env(num=1, rand_seed=s + i)`.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/procgen/game.h"

namespace parallel_pool::procgen {

class ProcgenEnv {
 public:
  // The options of ProcgenGym3Env, and EnvPool's channel_first and use_easy_jump.
  struct Config : GameOptions {
    IntOrString mode = "hard";  // the option distribution_mode
    bool channel_first = false;
  };
  struct Action { View<const int32_t> combo; };  // a combination of keys
  struct State {
    View<uint8_t> obs;  // 64 x 64 x 3, or 3 x 64 x 64 with channel_first
    View<int32_t> level_seed, prev_level_seed, prev_level_complete;
  };

  static Options<Config> Describe();
  // Throws std::invalid_argument for options that the library would end the process for.
  static EnvSpec<Action, State> Describe(const Config& config);
  static int RenderFps(const Config&) { return 15; }
  // The mode exploration has one level for each game.
  static bool IsDeterministic(const Config& config);

  ProcgenEnv(const Config& config, Rng& rng);

  void Seed(uint64_t seed) { game_.Seed(static_cast<int32_t>(seed)); }
  void Reset() { game_.Reset(); }
  Outcome Step(const Action& action) { return game_.Step(*action.combo); }
  void Observe(const State& state) const;

  auto Saved() { return std::tie(*this); }
  void Save(Writer& writer) const;
  bool Load(Reader& reader) { return game_.Load(reader); }

  static ImageSize RenderSize(const Config&) { return {kPictureSize, kPictureSize}; }
  void Render(View<uint8_t> rgb) const;

 private:
  const bool channel_first_, can_save_;
  // Drawing does not change the game, but its interface is not const.
  mutable Game game_;
};

}  // namespace parallel_pool::procgen
