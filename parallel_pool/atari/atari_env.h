// Atari 2600 games as ALE 0.12.1 runs them, with EnvPool's preprocessing and options.
//
// An observation is a stack of the last `stack_num` frames, oldest first; a frame is the larger
// value of each pixel in the last two screens of a step, in gray or colour, resized as OpenCV 5.0
// does it (reference.py says the same in Python).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/atari/machine.h"
#include "parallel_pool/atari/screen.h"
#include "parallel_pool/core/env.h"

namespace parallel_pool::atari {

class AtariEnv {
 public:
  struct Config {
    std::string rom;  // which game; the task's, not an option
    int stack_num = 4;
    int frame_skip = 4;
    int noop_max = 30;
    bool zero_discount_on_life_loss = false;
    bool episodic_life = false;
    bool reward_clip = false;
    bool use_fire_reset = true;
    int img_height = 84;
    int img_width = 84;
    int mode = -1;
    int difficulty = -1;
    bool full_action_space = false;
    double repeat_action_probability = 0.0;
    bool use_inter_area_resize = true;
    bool gray_scale = true;
  };
  struct Action { View<const int32_t> action; };  // index into the action set
  struct State {
    View<uint8_t> obs;         // frame and channel, row, column
    View<int32_t> lives;       // left
    View<float> reward;        // of the step, before it was clipped
    View<int32_t> terminated;  // 1 if the game is over (and not just a life lost)
    View<uint8_t> ram;         // of the console
  };

  static Options<Config> Describe();
  // std::invalid_argument if the game does not have the mode or the difficulty.
  static EnvSpec<Action, State> Describe(const Config& config);

  AtariEnv(const Config& config, Rng& rng);

  // What follows is the same as in a new env with this seed.
  void Seed(uint64_t seed);
  void Reset();
  bool Continue();
  Outcome Step(const Action& action);
  void Observe(const State& state) const;
  // The console's last screen, as it is.
  static ImageSize RenderSize(const Config& config);
  void Render(View<uint8_t> rgb) const;

 private:
  // Emulates what an episode begins with: a random number of frames without an action, then the
  // FIRE that some games wait for. If the game ends on the way it is either begun anew, or false
  // is returned.
  bool Begin(bool anew);
  void Load();
  // Writes the frame that these two screens make over the oldest of the stack.
  void Push(const uint8_t* newer, const uint8_t* older);

  const Config config_;
  Rng& rng_;
  const std::vector<int> actions_;  // ALE's numbers
  const bool fires_;                // an episode begins with FIRE
  uint64_t seed_ = 0;
  // Made by the first Reset after a Seed.
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<FrameMaker> frame_maker_;
  const size_t frame_bytes_;
  std::vector<uint8_t> stack_;  // stack_num frames, a ring
  int oldest_ = 0;              // which of them is the oldest
  int lives_ = 0;
  double reward_ = 0.0;  // of the last step, not clipped
};

}  // namespace parallel_pool::atari
