// Pictured of an env whose observation has several arrays.
#include "parallel_pool/envs/mujoco/rendering/pictured.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

namespace parallel_pool::mujoco {
namespace {

constexpr char kModel[] = R"(<mujoco><worldbody>
  <geom type="plane" size="5 5 1" rgba="1 1 1 1"/><light pos="0 0 9"/>
  <body pos="0 0 1"><joint name="x" type="slide" axis="1 0 0"/>
  <geom size="0.4" rgba="1 0 0 1"/></body></worldbody>
  <actuator><motor joint="x" gear="900"/></actuator></mujoco>)";

// A ball that a motor pushes. Its observation has arrays of several types, and it has an info.
class Ball {
 public:
  struct Config {
    int frame_skip = 20;
    Model model = nullptr;
  };
  struct Action { View<const double> push; };
  struct State {
    View<uint8_t> is_moving;
    View<double> position, speeds;
    View<int32_t> steps;
  };

  static Options<Config> Describe() {
    return {Option<&Config::frame_skip>("frame_skip", "steps of the model for which one holds")};
  }
  static void Complete(Config& config) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/ball.xml";
    std::ofstream(path) << kModel;
    config.model = LoadModel(path);
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    const Space number = Box({}, {-kInf}, {kInf});
    return {.action = {Array<&Action::push>("action", Box({1}, {-1}, {1}))},
            .state = {Array<&State::steps>("info:steps", number),
                      Array<&State::is_moving>("obs:is_moving", Box({3}, {0}, {1})),
                      Array<&State::position>("obs:position", number),
                      Array<&State::speeds>("obs:speeds", Box({2}, {-kInf}, {kInf}))}};
  }

  Ball(const Config& config, Rng&)
      : frame_skip_(config.frame_skip), simulation_(config.model, kNothing) {}
  void Reset() {
    const double zero = 0;
    simulation_.Begin(&zero, &zero);
    steps_ = 0;
  }
  Simulation& Act(const Action& action) {
    simulation_.Hold(action.push, frame_skip_);
    return simulation_;
  }
  Outcome Judge(const Action&) {
    ++steps_;
    return {};
  }
  const Simulation& simulation() const { return simulation_; }
  auto Saved() { return std::tie(simulation_, steps_); }
  void Observe(const State& state) const {
    std::ranges::fill(state.is_moving, uint8_t{1});
    *state.position = simulation_.data().qpos[0];
    state.speeds.Assign(simulation_.data().qvel[0], 0.0);
    *state.steps = steps_;
  }

 private:
  const int frame_skip_;
  Simulation simulation_;
  int steps_ = 0;
};

using Env = Pictured<Ball>;

void Step(Env& env, const Env::Action& action) {
  Simulation* const world = &env.Act(action);
  Advance({&world, 1});
  world->Finish();
  env.Judge(action);
}

std::vector<std::string> NamesOf(const Env::Config& config) {
  std::vector<std::string> names;
  for (const auto& array : Env::Describe(config).state) names.push_back(array.name);
  return names;
}

Env::Config Complete(bool from_pixels) {
  Env::Config config;
  config.from_pixels = from_pixels;
  config.render_width = 32;
  config.render_height = 24;
  config.frame_stack = from_pixels ? 2 : 1;
  Env::Complete(config);
  return config;
}

TEST(Pictured, LeavesTheArraysAsTheyAre) {
  EXPECT_EQ(NamesOf(Complete(false)), (std::vector<std::string>{"info:steps", "obs:is_moving",
                                                                "obs:position", "obs:speeds"}));
}

TEST(Pictured, ShowsOnePictureForAllArraysOfTheObservation) {
  const Env::Config config = Complete(true);
  EXPECT_EQ(NamesOf(config), (std::vector<std::string>{"info:steps", "obs:pixels"}));
  EXPECT_EQ(Env::Describe(config).state[1].row_bytes, 2u * 3 * 24 * 32);
}

TEST(Pictured, WritesTheInfosBesideThePicture) {
  const Env::Config config = Complete(true);
  Rng rng(0);
  Env env(config, rng);
  env.Reset();
  int32_t steps = -1;
  std::vector<uint8_t> first(2 * 3 * 24 * 32), later = first;
  Env::State state{};
  state.steps = {&steps, 1};
  state.pixels = {first.data(), first.size()};
  env.Observe(state);
  EXPECT_EQ(steps, 0);
  EXPECT_GT(*std::ranges::max_element(first), 0);
  const double push = 1;
  for (int i = 0; i < 3; ++i) Step(env, {.push = {&push, 1}});
  state.pixels = {later.data(), later.size()};
  env.Observe(state);
  EXPECT_EQ(steps, 3);
  EXPECT_NE(first, later);
}

}  // namespace
}  // namespace parallel_pool::mujoco
