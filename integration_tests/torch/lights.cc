// Three rooms with a lamp each. The options select the spaces, of all kinds that a task can have.
#include <algorithm>
#include <string>

#include "parallel_pool/core/env.h"

using namespace parallel_pool;

class Lights {
 public:
  struct Config {
    std::string observation = "dict";
    std::string action = "discrete";
  };
  struct Action {
    View<const int32_t> move, pair;  // number of rooms to move
    View<const float> force;         // -1 to 1; only the first two numbers count
    View<const double> exact;        // -1 to 1, one number
  };
  struct State {
    View<uint8_t> picture;  // one column is lit
    View<float> place;      // position of the column, and of the lamp that is on
    View<int32_t> room;
    View<float> light;  // the first number of place
  };

  static constexpr const char* kObservations[] = {"dict", "number", "nested", "from_one",
                                                  "players"};
  static constexpr const char* kActions[] = {"discrete", "box",      "double",
                                             "integers", "from_one", "two"};
  static Options<Config> Describe() {
    return {Option<&Config::observation>("observation", "its space", OneOf(kObservations)),
            Option<&Config::action>("action", "its space", OneOf(kActions))};
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    return {.action = Actions(config.action), .state = States(config.observation)};
  }

  Lights(const Config&, Rng& rng) : rng_(rng) {}

  void Reset() {
    room_ = static_cast<int32_t>(rng_.Integers(0, kRooms));
    place_ = rng_.Uniform(0.0, 1.0);
  }
  Outcome Step(const Action& action) {
    int32_t move = 0;
    if (action.move.data != nullptr) move += *action.move;
    if (action.pair.data != nullptr) move += action.pair[0];
    if (action.force.data != nullptr) move += action.force[0] > action.force[1];
    if (action.exact.data != nullptr) move += *action.exact > 0;
    room_ = (room_ + move) % kRooms;
    place_ = 0.5 * place_ + 0.25 * room_;
    return {.reward = place_, .terminated = place_ > 0.4 && room_ == 0};
  }
  void Observe(const State& state) const {
    if (state.light.data != nullptr) *state.light = static_cast<float>(place_);
    if (state.room.data != nullptr) *state.room = room_;
    if (state.place.data != nullptr) state.place.Assign(place_, room_);
    if (state.picture.data == nullptr) return;
    std::fill(state.picture.begin(), state.picture.end(), uint8_t{0});
    const auto column = std::min(static_cast<int>(place_ * kSize), kSize - 1);
    for (int row = 0; row < kSize; ++row) state.picture[row * kSize + column] = 255;
  }
  auto Saved() { return std::tie(room_, place_); }

 private:
  static constexpr int kRooms = 3, kSize = 36;  // kSize: pixels per side

  static Space From(int low, int high) {
    return {SpaceKind::kDiscrete, {}, {low * 1.0}, {high * 1.0}};
  }
  static std::vector<ArrayOf<Action>> Actions(const std::string& kind) {
    const ArrayOf<Action> move = Array<&Action::move>("action", Discrete(kRooms));
    if (kind == "box") return {Array<&Action::force>("action", Box({2}, {-1}, {1}))};
    if (kind == "double") return {Array<&Action::exact>("action", Box({}, {-1}, {1}))};
    if (kind == "integers") return {Array<&Action::pair>("action", Box({2}, {0}, {2}))};
    if (kind == "from_one") return {Array<&Action::move>("action", From(1, 3))};
    if (kind == "two") return {move, Array<&Action::exact>("push", Box({}, {-1}, {1}))};
    return {move};
  }
  static std::vector<ArrayOf<State>> States(const std::string& kind) {
    const Space unit = Box({1}, {0}, {1});
    if (kind == "number") return {Array<&State::light>("obs", Box({}, {0}, {1}))};
    if (kind == "nested") return {Array<&State::light>("obs:lamp.light", unit)};
    if (kind == "from_one") return {Array<&State::room>("obs", From(1, 3))};
    if (kind == "players") return {Array<&State::light>("obs", PerPlayer(2, unit))};
    return {Array<&State::picture>("obs:picture", Box({1, kSize, kSize}, {0}, {255})),
            Array<&State::place>("obs:place", Box({2}, {0, 0}, {1, 2})),
            Array<&State::room>("obs:room", Discrete(kRooms)),
            Array<&State::light>("obs:light", unit)};
  }

  Rng& rng_;
  int32_t room_ = 0;
  double place_ = 0.0;
};

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Lights>("Lights-v0", {.max_episode_steps = 10});
}
