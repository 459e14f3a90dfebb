#include <cmath>

#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/metaworld/common.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

// How buttons differ.
struct ButtonRules {
  int axis;                     // along which they are pressed
  double top;                   // of the button along it, from its body, m
  double pressed;               // m from the target: a success
  double reached;               // m from the button: the reward for reaching it is full
  double reach = 2, press = 8;  // the parts of the reward
  double near = .05;            // m: the button is near
  bool is_put_back = true;      // an episode moves the button
  bool wants_closed_fingers = false;
};
constexpr ButtonRules kFromAbove = {.axis = 2,
                                    .top = .193,
                                    .pressed = .024,
                                    .reached = .01,
                                    .reach = 5,
                                    .press = 5,
                                    .near = .03,
                                    .is_put_back = false,
                                    .wants_closed_fingers = true};
constexpr ButtonRules kFromAboveOverWall = {.axis = 2,
                                            .top = .193,
                                            .pressed = .024,
                                            .reached = .01,
                                            .reach = 5,
                                            .press = 5,
                                            .near = .03,
                                            .is_put_back = false};
constexpr ButtonRules kFromFront = {.axis = 1, .top = -.193, .pressed = .02, .reached = .05};
constexpr ButtonRules kBehindWall = {.axis = 1, .top = -.193, .pressed = .03, .reached = .01};

// A step on the way to a button.
struct ButtonStep {
  double near, reach, pressed;
  double far, open;
};

Judged JudgeButton(const ButtonRules& rules, const ButtonStep& step, Number reward) {
  return {.reward = reward,
          .success = Is(step.far <= rules.pressed),
          .near_object = Is(step.near <= .05),
          .grasp_success = Is(step.open > 0),
          .grasp_reward = step.reach,
          .in_place_reward = step.pressed,
          .obj_to_target = step.far};
}

// Press a button.
template <const ButtonRules& kRules>
class Button : public Placed {
 public:
  explicit Button(Sawyer& sawyer) : Placed(sawyer, "box"), button_(sawyer.Body("button")) {}

  void Begin() override {
    std::copy_n(episode().vector, 3, episode().object);
    if (kRules.is_put_back) {
      sawyer().PlaceJoint(0, true);
    } else {
      sawyer().simulation().Forward();
    }
    std::copy_n(Place("hole"), 3, episode().target);
    episode().own[0] = std::abs(episode().target[kRules.axis] - Place("buttonStart")[kRules.axis]);
  }
  int See(double* object) const override {
    double top[3];
    std::copy_n(data().xpos + 3 * button_, 3, top);
    top[kRules.axis] += kRules.top;
    return JoinPose(object, top, data().xquat + 4 * button_);
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    const ButtonStep step = StepOf(obs);
    const double closed = kRules.wants_closed_fingers ? 1 - step.open : std::max(step.open, 0.);
    Number reward = kRules.reach * Hamacher(closed, step.reach);
    if (step.near <= kRules.near) reward = reward + kRules.press * step.pressed;
    return JudgeButton(kRules, step, reward);
  }

 protected:
  ButtonStep StepOf(const double* obs) const {
    const Point tcp = sawyer().Tcp();
    const double* const top = obs + 4;
    const double near = Distance3(top, tcp);
    const double far = std::abs(episode().target[kRules.axis] - top[kRules.axis]);
    return {.near = near,
            .reach = Tolerance(near, 0, kRules.reached, Distance3(top, episode().tcp)),
            .pressed = Tolerance(far, 0, .005, episode().own[0]),
            .far = far,
            .open = obs[3]};
  }

 private:
  const double* Place(const char* site) const { return data().site_xpos + 3 * sawyer().Site(site); }

  const int button_;
};

// Press a button behind a wall: first come near with closed fingers, then press.
class ButtonBehindWall : public Button<kBehindWall> {
 public:
  using Button::Button;

  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    const ButtonStep step = StepOf(obs);
    Number reward = 2 * Hamacher((1 - step.open) / 2., step.reach);
    if (step.near <= .07) reward = 2 + 2 * (1 + step.open) + 4 * Square(step.pressed);
    return JudgeButton(kBehindWall, step, reward);
  }
};

// Press the button of a coffee machine.
class CoffeeButton : public Placed {
 public:
  explicit CoffeeButton(Sawyer& sawyer)
      : Placed(sawyer, "coffee_machine"), button_(sawyer.Site("buttonStart")) {}

  void Begin() override {
    std::copy_n(episode().vector, 3, episode().object);
    double mug[3];
    Add(episode().vector, {0, -.22, 0}, mug);
    sawyer().PlaceMug(mug);
    double button[3];
    Add(episode().vector, {0, -.22, .3}, button);
    Add(button, {0, kWay, 0}, episode().target);
  }
  int See(double* object) const override {
    constexpr double kQuat[] = {1, 0, 0, 0};
    return Join(object, std::span(data().site_xpos + 3 * button_, 3), kQuat);
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    const Point tcp = sawyer().Tcp();
    const double* const button = obs + 4;
    const double near = Distance3(button, tcp), far = std::abs(episode().target[1] - button[1]);
    const ButtonStep step = {.near = near,
                             .reach = Tolerance(near, 0, .05, Distance3(button, episode().tcp)),
                             .pressed = Tolerance(far, 0, .005, kWay),
                             .far = far,
                             .open = obs[3]};
    Number reward = 2 * Hamacher(std::max(step.open, 0.), step.reach);
    if (near <= .05) reward = reward + 8 * step.pressed;
    return JudgeButton(kFromFront, step, reward);
  }

 private:
  static constexpr double kWay = .03;  // of the button, m

  const int button_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "button-press-topdown-v3",
              .model = "sawyer_button_press_topdown.xml",
              .low = {-.1, .8, .115},
              .high = {.1, .9, .115},
              .hand = {0, .4f, .2f}},
     .make = &Make<Button<kFromAbove>>},
    {.info = {.name = "button-press-topdown-wall-v3",
              .model = "sawyer_button_press_topdown_wall.xml",
              .low = {-.1, .8, .115},
              .high = {.1, .9, .115},
              .hand = {0, .4f, .2f}},
     .make = &Make<Button<kFromAboveOverWall>>},
    {.info = {.name = "button-press-v3",
              .model = "sawyer_button_press.xml",
              .low = {-.1, .85, .115},
              .high = {.1, .9, .115},
              .hand = {0, .4f, .2f}},
     .make = &Make<Button<kFromFront>>},
    {.info = {.name = "button-press-wall-v3",
              .model = "sawyer_button_press_wall.xml",
              .low = {-.05, .85, .1149},
              .high = {.05, .9, .1151},
              .hand = {0, .4f, .2f}},
     .make = &Make<ButtonBehindWall>},
    {.info = {.name = "coffee-button-v3",
              .model = "sawyer_coffee.xml",
              .low = {-.1, .8, -.001},
              .high = {.1, .9, .001},
              .goal_low = {-.1 + -.001, .8 + (-.22 + .03), -.001 + .299},
              .goal_high = {.1 + .001, .9 + (-.22 + .03), .001 + .301},
              .hand = {0, .4, .2}},
     .make = &Make<CoffeeButton>},
};

}  // namespace

std::span<const TaskKind> Buttons() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
