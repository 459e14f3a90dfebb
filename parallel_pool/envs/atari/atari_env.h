// Atari 2600 games as ALE 0.12.1 runs them, with EnvPool's preprocessing and options.
//
// An observation is a stack of the last `stack_num` frames, oldest first. A frame is the larger
// value of each pixel in the last two screens of a step, in gray or color, resized as by OpenCV 5.0
// (reference.py is the same in Python).
#pragma once

#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/core/frame_stack.h"
#include "parallel_pool/envs/atari/atari_config.h"
#include "parallel_pool/envs/atari/console.h"
#include "parallel_pool/envs/atari/stick.h"

namespace parallel_pool::atari {

class AtariEnv {
 public:
  using Config = AtariConfig;
  struct Action {
    View<const int32_t> index;  // index into the action set
    View<const float> stick;    // if continuous, instead of index: radius, angle in rad, fire
  };
  struct State {
    View<uint8_t> obs;         // frame and channel, row, column; or step and byte of the RAM
    View<int32_t> lives;       // lives left
    View<float> reward;        // reward of the step before clipping
    View<int32_t> terminated;  // 1 if the game is over: the next episode begins another one
    View<uint8_t> ram;         // the console's RAM
    View<uint8_t> sound;       // sound of the last frame, if sound_obs
  };

  static Options<Config> Describe() { return AtariOptions(); }
  static void Complete(Config& config) { CompleteOptions(config); }
  // Throws the errors of CheckOptions.
  static EnvSpec<Action, State> Describe(const Config& config);

  AtariEnv(const Config& config, Rng& rng);

  // From here on the env equals a new one with this seed.
  void Seed(uint64_t seed);
  void Reset();
  bool Continue();
  Outcome Step(const Action& action);
  void Observe(const State& state) const;
  auto Saved() {
    return std::tie(seed_, noop_rng_, console_, stack_, kept_.newer, kept_.older, steps_, lives_,
                    reward_, over_);
  }
  // The picture is the console's last screen, unchanged.
  static ImageSize RenderSize(const Config& config);
  void Render(View<uint8_t> rgb) const;

 private:
  // Screens of an earlier step, kept if its frame may be observed again (see PushEnd).
  struct Screens { std::vector<uint8_t> newer, older; };
  // The result of a step's frames.
  struct Frames {
    int count = 0;
    const uint8_t* older = nullptr;  // the screen before the last
    bool lost = false;               // a life was lost
    bool ended = false;              // the last frame ended the episode
  };

  void TurnOn();
  // Emulates the first frames of an episode: a random number of frames without an action, then the
  // FIRE that some games wait for. If the game ends meanwhile, it is reset (`may_reset`), or false
  // is returned.
  bool Begin(bool may_reset);
  // The same in the other order: FIRE first.
  void BeginWithFire();
  Stick Decode(const Action& action) const;
  Frames Play(const Stick& stick, int skip);
  // Adds the frame of the two screens to the stack.
  void Push(const uint8_t* newer, const uint8_t* older);
  void PushEnd(const Frames& frames, int skip);
  void Keep(const uint8_t* newer, const uint8_t* older);

  const Config config_;
  const Preset preset_;
  Rng& rng_;
  const std::vector<int> actions_;  // the action set, in ALE's numbers
  const bool fires_;                // an episode begins with FIRE
  uint64_t seed_ = 0;
  std::vector<std::mt19937> noop_rng_;  // one with Preset::kAleVector, else none
  Console console_;                     // turned on by the first Reset after a Seed
  FrameStack stack_;
  Screens kept_;
  int steps_ = 0;  // steps since the last Reset
  int lives_ = 0;
  double reward_ = 0.0;  // reward of the last step before clipping
  bool over_ = false;    // the next episode begins another game
};

}  // namespace parallel_pool::atari
