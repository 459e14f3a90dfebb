// The env of every task: actions, frames, observations and rewards. A scenario has
//
//   using Config = ...;                      // derived from TaskOptions, ObservationOptions,
//                                            // ActionOptions and, where there can be several
//                                            // players, PlayerOptions
//   static Options<Config> Describe();
//   static std::vector<PlacedLane> Lanes(const Config&);
//   static TrafficRules Rules(const Config&);
//   static constexpr std::array<RewardTerm<Config>, n> kTerms;
//   explicit Scenario(const Config&);        // of one env; the config outlives it
//   void Begin(Traffic&, Rng&);              // draws the cars of an episode
//   TermValues Rate(const Traffic&, const Decision&) const;
//   double Reward(const Traffic&, const Decision&, const TermValues&) const;
//   bool IsOver(const Traffic&) const;
//
// and, if it needs them,
//
//   static void Check(const Config&);        // throws if options contradict each other
//   bool IsSuccess(const Traffic&, int ego) const      // info is_success
//   static constexpr bool kJudgesEach        // it is of each player, if there are several
//   void RateAgents(const Traffic&, Agents&) const     // of each player
//   void BeforeMove(double dt, Traffic&)     // of each frame
//   void AfterStep(Traffic&, Rng&)           // the next step sees it
//   void BeforeAction(const Traffic&)        // such a scenario observes before its cars move
//   static constexpr const char* kOwnObservation   // a type of observations that only this task
//                                                  // has; a dict if the scenario is a PartWriter
//   auto Saved();                            // the state that is not the traffic's
#pragma once

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/highway/controls.h"
#include "parallel_pool/envs/highway/observations/observer.h"
#include "parallel_pool/envs/highway/options.h"
#include "parallel_pool/envs/highway/pictures.h"
#include "parallel_pool/envs/highway/rewards.h"
#include "parallel_pool/envs/highway/traffic.h"

namespace parallel_pool::highway {

template <class Scenario>
class Driving {
  static constexpr bool kHasAgents = requires { &Scenario::RateAgents; };
  static constexpr bool kHasSuccess = requires { &Scenario::IsSuccess; };
  static constexpr bool kObservesFirst = requires { &Scenario::BeforeAction; };

 public:
  using Config = typename Scenario::Config;
  using Action = ActionViews;
  struct State {
    View<float> obs;
    View<uint8_t> picture;
    std::array<View<double>, 3> parts;
    View<double> speed;
    View<bool> crashed, success;
    std::array<View<double>, kMostTerms> numbers;
    std::array<View<bool>, kMostTerms> flags;
    std::array<View<int64_t>, kMostTerms> integers;
    View<double> agents_rewards;
    View<bool> agents_terminated;
    View<int32_t> agent;
    View<double> reward;
  };

  static Options<Config> Describe() { return Scenario::Describe(); }

  static void Complete(Config& config, const Given& given) {
    CompleteTypes(given, config, config);
    CheckTask(config);
    CheckAction(config);
    CheckObservation(config, config);
    std::string own;
    if constexpr (requires { Scenario::kOwnObservation; }) own = Scenario::kOwnObservation;
    CheckOwnObservation(config, own);
    if constexpr (requires { Scenario::Check(config); }) Scenario::Check(config);
    config.road = std::make_shared<const Road>(Scenario::Lanes(config));
  }

  static EnvSpec<Action, State> Describe(const Config& config) {
    EnvSpec<Action, State> spec;
    const Space action = ForPlayers(config, Controls::SpaceOf(config));
    const ActionOptions& options = config;
    spec.action = {options.is_continuous() ? Array<&Action::numbers>("action", action)
                                           : Array<&Action::choice>("action", action)};
    DescribeObservation(config, spec);
    DescribeInfos(config, spec);
    if (!HasPlayers(config)) return spec;
    const int n = PlayersOf(config);
    spec.state.push_back(Array<&State::agent>("info:players.agent", PerPlayer(n, Discrete(n))));
    for (int i = 0; i < n; ++i) spec.players.push_back({"agent_" + std::to_string(i), "agent"});
    return spec;
  }

  static ImageSize RenderSize(const Config& config) { return ScreenOf(config).size; }
  static int RenderFps(const Config& config) { return 2 * config.policy_frequency; }
  void Render(View<uint8_t> rgb) const { Draw(SceneOf(traffic_, 0, ScreenOf(config_)), rgb); }

  static int GoalSize(const Config& config)
    requires requires { &Scenario::JudgeGoal; }
  {
    return Scenario::GoalSize(config);
  }
  static Outcome JudgeGoal(const Config& config, const double* achieved, const double* desired)
    requires requires { &Scenario::JudgeGoal; }
  {
    return Scenario::JudgeGoal(config, achieved, desired);
  }

  Driving(const Config& config, Rng& rng)
      : config_(config),
        rng_(rng),
        traffic_(config.road, Scenario::Rules(config_)),
        controls_(config_, PlayersOf(config_)),
        observer_(config_, config_, config_, PlayersOf(config_)),
        scenario_(config_) {
    if constexpr (kHasAgents) agents_.Resize(config_.controlled_vehicles);
  }
  Driving(const Driving&) = delete;
  Driving& operator=(const Driving&) = delete;

  void Reset() {
    time_ = 0;
    traffic_.Clear();
    controls_.Begin();
    observer_.Begin();
    scenario_.Begin(traffic_, rng_);
    Observe();
    Rate();
  }

  Outcome Step(const Action& action) {
    time_ += 1.0 / config_.policy_frequency;
    if constexpr (kObservesFirst) {
      scenario_.BeforeAction(traffic_);
      controls_.Apply(action, traffic_);
      Observe();
      Simulate(nullptr);
    } else {
      Simulate(&action);
      Observe();
    }
    Rate();
    Outcome outcome = {.reward = scenario_.Reward(traffic_, controls_.decision(), terms_),
                       .terminated = scenario_.IsOver(traffic_)};
    if constexpr (requires { config_.duration; }) outcome.truncated = time_ >= config_.duration;
    if constexpr (requires { &Scenario::AfterStep; }) scenario_.AfterStep(traffic_, rng_);
    return outcome;
  }

  void Observe(const State& state) const {
    CopyIfListed(observer_.floats(), state.obs);
    CopyIfListed(observer_.bytes(), state.picture);
    for (size_t i = 0; i < observer_.num_parts(); ++i) {
      CopyIfListed(observer_.part(i), state.parts[i]);
    }
    *state.speed = traffic_.ego().speed;
    *state.crashed = traffic_.ego().is_crashed;
    for (size_t i = 0; i < Scenario::kTerms.size(); ++i) {
      const TermType type = Scenario::kTerms[i].type;
      if (type == TermType::kNumber) *state.numbers[i] = terms_[i];
      if (type == TermType::kFlag) *state.flags[i] = terms_[i] != 0;
      if (type == TermType::kInteger) *state.integers[i] = static_cast<int64_t>(terms_[i]);
    }
    if constexpr (kHasSuccess) {
      for (int i = 0; i < static_cast<int>(state.success.size); ++i) {
        state.success[i] = scenario_.IsSuccess(traffic_, i);
      }
    }
    if constexpr (kHasAgents) {
      CopyIfListed(agents_.rewards, state.agents_rewards);
      CopyIfListed(agents_.are_over, state.agents_terminated);
      CopyIfListed(agents_.rewards, state.reward);
    }
    for (size_t i = 0; i < state.agent.size; ++i) state.agent[i] = static_cast<int32_t>(i);
  }

  auto Saved() {
    auto own = std::tuple_cat(traffic_.Saved(), observer_.Saved(),
                              std::tie(time_, terms_, agents_.rewards, agents_.are_over));
    if constexpr (requires { scenario_.Saved(); }) {
      return std::tuple_cat(own, scenario_.Saved());
    } else {
      return own;
    }
  }

 private:
  // Arrays that Describe does not list have no elements.
  template <class T>
  static void CopyIfListed(const auto& from, const View<T>& to) {
    if (to.size > 0) std::copy_n(std::begin(from), to.size, to.begin());
  }
  static bool HasPlayers(const Config& config) {
    if constexpr (requires { config.players(); }) return config.multi_agent;
    return false;
  }
  static int PlayersOf(const Config& config) {
    if constexpr (requires { config.players(); }) return config.players();
    return 1;
  }
  static Space ForPlayers(const Config& config, Space space) {
    return HasPlayers(config) ? PerPlayer(PlayersOf(config), std::move(space)) : space;
  }

  static void DescribeObservation(const Config& config, EnvSpec<Action, State>& spec) {
    const ObservationForm form = FormOf(config, config, config);
    const Space space = ForPlayers(config, Box(form.shape, {form.low}, {form.high}));
    for (size_t i = 0; i < form.parts.size(); ++i) {
      spec.state.push_back(Array<&State::parts>(i, "obs:" + form.parts[i], space));
    }
    if (!form.parts.empty()) return;
    spec.state.push_back(form.type == ObservationForm::Type::kByte
                             ? Array<&State::picture>("obs", space)
                             : Array<&State::obs>("obs", space));
  }

  static void DescribeInfos(const Config& config, EnvSpec<Action, State>& spec) {
    const Space number = Box({}, {-kInf}, {kInf}), flag = Box({}, {0}, {1});
    spec.state.push_back(Array<&State::speed>("info:speed", number));
    spec.state.push_back(Array<&State::crashed>("info:crashed", flag));
    for (size_t i = 0; i < Scenario::kTerms.size(); ++i) {
      const std::string name = std::string("info:rewards.") + Scenario::kTerms[i].name;
      switch (Scenario::kTerms[i].type) {
        case TermType::kNumber:
          spec.state.push_back(Array<&State::numbers>(i, name, number));
          break;
        case TermType::kFlag:
          spec.state.push_back(Array<&State::flags>(i, name, flag));
          break;
        case TermType::kInteger:
          spec.state.push_back(Array<&State::integers>(i, name, number));
          break;
      }
    }
    if constexpr (kHasSuccess) {
      Space success = flag;
      if constexpr (requires { Scenario::kJudgesEach; }) {
        if (HasPlayers(config)) success.shape = {PlayersOf(config)};
      }
      spec.state.push_back(Array<&State::success>("info:is_success", success));
    }
    if constexpr (kHasAgents) {
      const int n = config.controlled_vehicles;
      spec.state.push_back(
          Array<&State::agents_rewards>("info:agents_rewards", Box({n}, {-kInf}, {kInf})));
      spec.state.push_back(
          Array<&State::agents_terminated>("info:agents_terminated", Box({n}, {0}, {1})));
      if (config.rewards_each && HasPlayers(config)) {
        spec.state.push_back(Array<&State::reward>("reward", ForPlayers(config, number)));
      }
    }
  }

  void Observe() {
    if constexpr (std::is_base_of_v<PartWriter, Scenario>) {
      observer_.Observe(traffic_, &scenario_, rng_);
    } else {
      observer_.Observe(traffic_, nullptr, rng_);
    }
  }

  // One step of the world. The egos act in its first frame, if there is an action.
  void Simulate(const Action* action) {
    const double dt = 1.0 / config_.simulation_frequency;
    for (int frame = 0; frame < config_.frames(); ++frame) {
      if (frame == 0 && action != nullptr) controls_.Apply(*action, traffic_);
      traffic_.Act();
      if constexpr (requires { &Scenario::BeforeMove; }) scenario_.BeforeMove(dt, traffic_);
      traffic_.Move(dt);
    }
  }

  void Rate() {
    terms_ = scenario_.Rate(traffic_, controls_.decision());
    if constexpr (kHasAgents) scenario_.RateAgents(traffic_, agents_);
  }

  const Config config_;
  Rng& rng_;
  Traffic traffic_;
  Controls controls_;
  Observer observer_;
  Scenario scenario_;
  double time_ = 0;  // s of the episode
  TermValues terms_ = {};
  Agents agents_;
};

}  // namespace parallel_pool::highway
