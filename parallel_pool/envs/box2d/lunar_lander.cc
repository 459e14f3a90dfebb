#include "parallel_pool/envs/box2d/lunar_lander.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace parallel_pool::box2d {
namespace {

constexpr uint16_t kLanderBits = 0x10, kLegBits = 0x20, kGroundBits = 0x1;
constexpr double kLegAway = 20, kLegDown = 18;  // pixels

// The wind's strength, -1 to 1; `time` counts steps.
double Wind(int64_t time) {
  const auto t = static_cast<double>(time);
  return std::tanh(std::sin(0.02 * t) + std::sin(M_PI * 0.01 * t));
}

}  // namespace

Options<LunarLander::Config> LunarLander::Describe() {
  // Speeds stay finite in float32; Box2D would not return from a step with infinite ones.
  constexpr Range kFinite{-1e30, 1e30};
  return {Option<&Config::continuous>("continuous", "actions are the throttles of the engines"),
          Option<&Config::gravity>("gravity", "in m/s^2, between -12 and 0", {-12, 0}),
          Option<&Config::enable_wind>("enable_wind", "wind blows while no leg touches the ground"),
          Option<&Config::wind_power>("wind_power",
                                      "the wind's largest force in N; 0 to 20 is usual", kFinite),
          Option<&Config::turbulence_power>(
              "turbulence_power", "the wind's largest torque in N m; 0 to 2 is usual", kFinite)};
}

void LunarLander::Complete(Config& config) {
  if (config.gravity > -12 && config.gravity < 0) return;
  throw std::invalid_argument("gravity is " + std::to_string(config.gravity) +
                              "; it must be above -12 and below 0");
}

EnvSpec<LunarLander::Action, LunarLander::State> LunarLander::Describe(const Config& config) {
  constexpr float kTurn = 2 * M_PI;
  EnvSpec<Action, State> spec{
      .action = {},
      .state = {Array<&State::obs>("obs", Box({8}, {-2.5, -2.5, -10, -10, -kTurn, -10, -0.0, -0.0},
                                              {2.5, 2.5, 10, 10, kTurn, 10, 1, 1}))}};
  if (config.continuous) {
    spec.action = {Array<&Action::throttle>("action", Box({2}, {-1}, {1}))};
  } else {
    spec.action = {Array<&Action::engine>("action", Discrete({"NOOP", "LEFT", "MAIN", "RIGHT"}))};
  }
  return spec;
}

void LunarLander::Reset() {
  constexpr double kForce = 1000;  // N, the largest part of the first push
  DrawGround();
  MakeBodies();
  const double x = rng_.Uniform(-kForce, kForce), y = rng_.Uniform(-kForce, kForce);
  lander_->ApplyForceToCenter(Vec(x, y), true);
  if (config_.enable_wind) {
    wind_ = rng_.Integers(-9999, 9999);
    gust_ = rng_.Integers(-9999, 9999);
  }
  throttle_ = {};
  exhaust_ = {};
  Act();
  world_->Step();
  Judge();
}

void LunarLander::DrawGround() {
  std::array<double, kPoints + 1> height;
  for (double& h : height) h = rng_.Uniform(0, kHeight / 2);
  constexpr int kMiddle = kPoints / 2;
  for (int i = kMiddle - 2; i <= kMiddle + 2; ++i) height[i] = kPadHeight;
  for (int i = 0; i < kPoints; ++i) {
    // Gymnasium's height[-1] is the last one.
    const double before = i == 0 ? height[kPoints] : height[i - 1];
    ground_[i] = {kWidth / (kPoints - 1) * i, 0.33 * (before + height[i] + height[i + 1])};
  }
}

void LunarLander::MakeBodies() {
  world_.emplace(Vec(0, config_.gravity), &touch_);
  touch_ = {};
  MakeGround();
  MakeLander();
  for (int i = 0; i < 2; ++i) MakeLeg(i);
}

void LunarLander::MakeGround() {
  AddMoon(world_->box2d(), ground_);
}

void LunarLander::MakeLander() {
  b2BodyDef body;
  body.type = b2_dynamicBody;
  body.position = Vec(kWidth / 2, kHeight);
  lander_ = world_->box2d().CreateBody(&body);
  const b2PolygonShape hull = Polygon({{-14 / kScale, 17 / kScale},
                                       {-17 / kScale, 0 / kScale},
                                       {-17 / kScale, -10 / kScale},
                                       {17 / kScale, -10 / kScale},
                                       {17 / kScale, 0 / kScale},
                                       {14 / kScale, 17 / kScale}});
  b2FixtureDef fixture;
  fixture.shape = &hull;
  fixture.density = 5;
  fixture.friction = 0.1f;
  fixture.filter.categoryBits = kLanderBits;
  fixture.filter.maskBits = kGroundBits;
  lander_->CreateFixture(&fixture);
  touch_.hull = lander_;
}

void LunarLander::MakeLeg(int i) {
  const int side = i == 0 ? -1 : 1;
  b2BodyDef body;
  body.type = b2_dynamicBody;
  body.position = Vec(kWidth / 2 - side * kLegAway / kScale, kHeight);
  body.angle = static_cast<float>(side * 0.05);
  b2Body* leg = world_->box2d().CreateBody(&body);
  b2PolygonShape box;
  box.SetAsBox(static_cast<float>(2 / kScale), static_cast<float>(8 / kScale));
  b2FixtureDef fixture;
  fixture.shape = &box;
  fixture.density = 1;
  fixture.filter.categoryBits = kLegBits;
  fixture.filter.maskBits = kGroundBits;
  leg->CreateFixture(&fixture);
  touch_.feet[i] = leg;
  world_->Add({.a = lander_,
               .b = leg,
               .anchor_a = Vec(0, 0),
               .anchor_b = Vec(side * kLegAway / kScale, kLegDown / kScale),
               .torque = 40,
               .speed = 0.3 * side,
               .lower = side < 0 ? 0.9 - 0.5 : -0.9,
               .upper = side < 0 ? 0.9 : -0.9 + 0.5});
}

LunarLander::Throttle LunarLander::ThrottleOf(const Action& action) const {
  if (!config_.continuous) {
    const int engine = *action.engine;
    return {.main = engine == 2 ? 1.0 : 0.0,
            .side = engine == 1 ? -1.0 : (engine == 3 ? 1.0 : 0.0)};
  }
  const double main = action.throttle[0], side = action.throttle[1];
  return {.main = main > 0 ? (std::min(main, 1.0) + 1.0) * 0.5 : 0.0,
          .side = std::abs(side) > 0.5 ? std::clamp(side, -1.0, 1.0) : 0.0};
}

void LunarLander::Act(const Action& action) {
  throttle_ = ThrottleOf(action);
  Act();
}

void LunarLander::Act() {
  if (config_.enable_wind) Blow();
  exhaust_.Begin();
  const double angle = lander_->GetAngle();
  Jitter jitter{.up_x = std::sin(angle), .up_y = std::cos(angle), .along = 0, .across = 0};
  jitter.along = rng_.Uniform(-1, 1) / kScale;
  jitter.across = rng_.Uniform(-1, 1) / kScale;
  if (throttle_.main > 0) FireMain(jitter);
  if (throttle_.side != 0) FireSide(jitter);
}

void LunarLander::Blow() {
  if (touch_.foot_touches[0] || touch_.foot_touches[1]) return;
  lander_->ApplyForceToCenter(Vec(Wind(wind_++) * config_.wind_power, 0), true);
  lander_->ApplyTorque(static_cast<float>(Wind(gust_++) * config_.turbulence_power), true);
}

void LunarLander::FireMain(const Jitter& j) {
  constexpr double kPower = 13.0, kDown = 4;  // kDown: pixels
  const double x = j.up_x * (kDown / kScale + 2 * j.along) + -j.up_y * j.across;
  const double y = -j.up_y * (kDown / kScale + 2 * j.along) - j.up_x * j.across;
  const b2Vec2 at = lander_->GetPosition();
  Fire({.place = Vec(at.x + x, at.y + y),
        .impulse = Vec(x * kPower * throttle_.main, y * kPower * throttle_.main),
        .power = throttle_.main,
        .density = 3.5f});
}

void LunarLander::FireSide(const Jitter& j) {
  constexpr double kPower = 0.6, kAway = 12;  // kAway: pixels
  const double direction = throttle_.side > 0 ? 1 : -1, power = std::abs(throttle_.side);
  const double out = 3 * j.across + direction * kAway / kScale;
  const double x = j.up_x * j.along + -j.up_y * out, y = -j.up_y * j.along - j.up_x * out;
  const b2Vec2 at = lander_->GetPosition();
  // The engines are 17 pixels up in x and 14 in y, as in Gymnasium.
  Fire({.place = Vec(at.x + x - j.up_x * 17 / kScale, at.y + y + j.up_y * 14 / kScale),
        .impulse = Vec(x * kPower * power, y * kPower * power),
        .power = power,
        .density = 0.7f});
}

void LunarLander::Fire(const Spark& spark) {
  exhaust_.Add(spark);
  lander_->ApplyLinearImpulse(-spark.impulse, spark.place, true);
}

Outcome LunarLander::Judge() {
  const std::array<double, 8> s = Measure();
  const double shaping = -100 * std::sqrt(s[0] * s[0] + s[1] * s[1]) -
                         100 * std::sqrt(s[2] * s[2] + s[3] * s[3]) - 100 * std::abs(s[4]) +
                         10 * s[6] + 10 * s[7];
  Outcome outcome{.reward = shaping - shaping_};
  shaping_ = shaping;
  outcome.reward -= throttle_.main * 0.30;
  outcome.reward -= std::abs(throttle_.side) * 0.03;
  if (touch_.hull_has_touched || std::abs(s[0]) >= 1.0) {
    outcome.terminated = true;
    outcome.reward = -100;
  }
  if (!lander_->IsAwake()) {
    outcome.terminated = true;
    outcome.reward = 100;
  }
  return outcome;
}

std::array<double, 8> LunarLander::Measure() const {
  const b2Vec2 at = lander_->GetPosition(), speed = lander_->GetLinearVelocity();
  return {(at.x - kWidth / 2) / (kWidth / 2),
          (at.y - (kPadHeight + kLegDown / kScale)) / (kHeight / 2),
          speed.x * (kWidth / 2) / kFps,
          speed.y * (kHeight / 2) / kFps,
          lander_->GetAngle(),
          20.0 * lander_->GetAngularVelocity() / kFps,
          touch_.foot_touches[0] ? 1.0 : 0.0,
          touch_.foot_touches[1] ? 1.0 : 0.0};
}

void LunarLander::Observe(const State& state) const {
  std::ranges::copy(Measure(), state.obs.begin());
}

void LunarLander::Render(View<uint8_t> rgb) const {
  constexpr Rgb kInside{128, 102, 230}, kOutline{77, 77, 128};
  DrawLanderPicture(
      {.ground = ground_,
       .exhaust = exhaust_,
       .gravity = config_.gravity,
       .bodies = {Show(*lander_, kInside, kOutline), Show(*touch_.feet[0], kInside, kOutline),
                  Show(*touch_.feet[1], kInside, kOutline)}},
      rgb.begin());
}

void LunarLander::Save(Writer& writer) const {
  bool is_made = world_.has_value();
  WriteAll(writer, std::tie(is_made));
  if (!is_made) return;
  WriteAll(writer, std::tie(ground_, touch_.hull_has_touched, touch_.foot_touches, throttle_,
                            exhaust_, shaping_, wind_, gust_));
  world_->Save(writer);
}

bool LunarLander::Load(Reader& reader) {
  bool is_made = false;
  if (!ReadAll(reader, std::tie(is_made))) return false;
  if (!is_made) {
    world_.reset();
    return true;
  }
  if (!ReadAll(reader, std::tie(ground_))) return false;
  MakeBodies();
  return ReadAll(reader, std::tie(touch_.hull_has_touched, touch_.foot_touches, throttle_, exhaust_,
                                  shaping_, wind_, gust_)) &&
         world_->Load(reader);
}

}  // namespace parallel_pool::box2d
