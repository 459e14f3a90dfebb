#include "parallel_pool/envs/box2d/bipedal_walker.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace parallel_pool::box2d {
namespace {

constexpr double kScale = Terrain::kScale;
constexpr double kLegDown = -8 / kScale, kLegWidth = 8 / kScale, kLegHeight = 34 / kScale;  // m
constexpr float kTorque = 80, kHipSpeed = 4, kKneeSpeed = 6;  // N m, rad/s
constexpr uint16_t kBodyBits = 0x20, kGroundBits = 0x1;
constexpr double kStartX = Terrain::kStep * Terrain::kStart / 2;
constexpr double kStartY = Terrain::kHeight + 2 * kLegHeight;

bool IsKnee(int joint) {
  return joint % 2 == 1;
}
float SpeedOf(int joint) {
  return IsKnee(joint) ? kKneeSpeed : kHipSpeed;
}
template <class T>
T Effort(T torque) {
  return std::min(std::abs(torque), T{1});
}

// Where ray `i` of 10 ends if nothing is in its way, m.
Point EndOfRay(b2Vec2 from, int i) {
  constexpr double kRange = 160 / kScale;  // m
  const double angle = 1.5 * i / 10.0;
  return {from.x + std::sin(angle) * kRange, from.y - std::cos(angle) * kRange};
}

// Finds where a ray meets the ground.
struct RayCast final : b2RayCastCallback {
  explicit RayCast(b2Vec2 end) : to(end) {}

  float32 ReportFixture(b2Fixture* fixture, const b2Vec2& point, const b2Vec2&,
                        float32 at) override {
    if ((fixture->GetFilterData().categoryBits & kGroundBits) == 0) return -1;
    to = point;
    return fraction = at;
  }

  b2Vec2 to;
  float fraction = 1;
};

b2FixtureDef BodyFixture(const b2Shape& shape, float density) {
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = density;
  fixture.filter.categoryBits = kBodyBits;
  fixture.filter.maskBits = kGroundBits;
  return fixture;
}

}  // namespace

EnvSpec<BipedalWalker::Action, BipedalWalker::State> BipedalWalker::Describe(const Config&) {
  constexpr double kPi = M_PI;
  std::vector<double> high{kPi, 5, 5, 5, kPi, 5, kPi, 5, 5, kPi, 5, kPi, 5, 5}, low;
  for (const double h : high) low.push_back(-h);
  low[8] = low[13] = -0.0;
  high.resize(high.size() + kRays, 1);
  low.resize(low.size() + kRays, -1);
  return {.action = {Array<&Action::torque>("action", Box({4}, {-1}, {1}))},
          .state = {Array<&State::obs>("obs", Box({24}, low, high))}};
}

BipedalWalker::BipedalWalker(const Config& config, Rng& rng) : config_(config), rng_(rng) {
  MakeWorld();
}

void BipedalWalker::MakeWorld() {
  world_.emplace(b2Vec2(0, -10), &touch_);
  ground_.clear();
  hull_ = nullptr;
}

void BipedalWalker::Reset() {
  Destroy();
  terrain_.Draw(config_.hardcore, rng_);
  MakeBodies();
  hull_->ApplyForceToCenter(Vec(rng_.Uniform(-5, 5), 0), true);
  const AnyFloat zeros[kLegParts + 1] = {};  // a row of floats
  const Action none{{zeros, kLegParts}};
  Act(none);
  world_->Step();
  num_looks_ = 0;
  Judge(none);
}

void BipedalWalker::MakeBodies() {
  MakeGround();
  MakeHull();
  for (int i = 0; i < kLegParts; ++i) MakeLegPart(i);
  touch_ = {};
  touch_.hull = hull_;
  touch_.feet = {leg_[1], leg_[3]};
}

// The order counts: it decides the order in which the next episode's bodies touch.
void BipedalWalker::Destroy() {
  if (hull_ == nullptr) return;
  touch_ = {};
  for (b2Body* body : ground_ | std::views::reverse) world_->box2d().DestroyBody(body);
  ground_.clear();
  world_->box2d().DestroyBody(hull_);
  for (b2Body* body : leg_) world_->box2d().DestroyBody(body);
  hull_ = nullptr;
}

void BipedalWalker::MakeGround() {
  const auto add = [&](const b2Shape& shape) {
    const b2BodyDef body;
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.friction = 2.5f;
    ground_.push_back(world_->box2d().CreateBody(&body));
    ground_.back()->CreateFixture(&fixture);
  };
  for (const auto& [a, b, c, d] : terrain_.obstacles) {
    add(Polygon({{a.x, a.y}, {b.x, b.y}, {c.x, c.y}, {d.x, d.y}}));
  }
  const auto point = [&](int i) { return Vec(terrain_.x(i), terrain_.y[i]); };
  for (int i = 0; i + 1 < Terrain::kLength; ++i) add(Edge(point(i), point(i + 1)));
}

void BipedalWalker::MakeHull() {
  b2BodyDef body;
  body.type = b2_dynamicBody;
  body.position = Vec(kStartX, kStartY);
  hull_ = world_->box2d().CreateBody(&body);
  const b2PolygonShape shape = Polygon({{-30 / kScale, 9 / kScale},
                                        {6 / kScale, 9 / kScale},
                                        {34 / kScale, 1 / kScale},
                                        {34 / kScale, -8 / kScale},
                                        {-30 / kScale, -8 / kScale}});
  b2FixtureDef fixture = BodyFixture(shape, 5);
  fixture.friction = 0.1f;
  hull_->CreateFixture(&fixture);
}

void BipedalWalker::MakeLegPart(int i) {
  const bool lower = IsKnee(i);
  const int side = i < 2 ? -1 : 1;
  b2BodyDef body;
  body.type = b2_dynamicBody;
  body.angle = static_cast<float>(side * 0.05);
  body.position = Vec(kStartX, kStartY - (lower ? kLegHeight * 3 / 2 : kLegHeight / 2) - kLegDown);
  leg_[i] = world_->box2d().CreateBody(&body);
  b2PolygonShape shape;
  shape.SetAsBox(static_cast<float>(lower ? 0.8 * kLegWidth / 2 : kLegWidth / 2),
                 static_cast<float>(kLegHeight / 2));
  const b2FixtureDef fixture = BodyFixture(shape, 1);
  leg_[i]->CreateFixture(&fixture);
  joints_[i] = world_->Add({.a = lower ? leg_[i - 1] : hull_,
                            .b = leg_[i],
                            .anchor_a = lower ? Vec(0, -kLegHeight / 2) : Vec(0, kLegDown),
                            .anchor_b = Vec(0, kLegHeight / 2),
                            .torque = kTorque,
                            .speed = lower ? 1.0 : side,
                            .lower = lower ? -1.6 : -0.8,
                            .upper = lower ? -0.1 : 1.1});
}

void BipedalWalker::Act(const Action& action) {
  action.torque.Visit([this]<class T>(View<const T> torque) {
    for (int i = 0; i < kLegParts; ++i) {
      const auto sign = static_cast<float>((torque[i] > 0) - (torque[i] < 0));
      joints_[i]->SetMotorSpeed(SpeedOf(i) * sign);
      joints_[i]->SetMaxMotorTorque(static_cast<float>(T{kTorque} * Effort(torque[i])));
    }
  });
}

Outcome BipedalWalker::Judge(const Action& action) {
  Look();
  const double x = hull_->GetPosition().x;
  double shaping = 130 * x / kScale;
  shaping -= 5.0 * std::abs(static_cast<double>(hull_->GetAngle()));
  // Gymnasium's reward has the action's type from here on, as NumPy's rules have it.
  const double reward = action.torque.Visit([&]<class T>(View<const T> torque) -> double {
    auto sum = static_cast<T>(shaping - shaping_);
    for (int i = 0; i < kLegParts; ++i)
      sum -= static_cast<T>(0.00035 * kTorque) * Effort(torque[i]);
    return sum;
  });
  shaping_ = shaping;
  if (touch_.hull_has_touched || x < 0) return {.reward = -100, .terminated = true};
  constexpr double kEnd = (Terrain::kLength - Terrain::kGrass) * Terrain::kStep;
  return {.reward = reward, .terminated = x > kEnd};
}

void BipedalWalker::Look() {
  ++num_looks_;
  const b2Vec2 from = hull_->GetPosition();
  for (int i = 0; i < kRays; ++i) {
    const auto [x, y] = EndOfRay(from, i);
    RayCast ray(Vec(x, y));
    world_->box2d().RayCast(&ray, from, b2Vec2(ray.to));
    rays_[i] = {ray.to, ray.fraction};
  }
}

void BipedalWalker::Observe(const State& state) const {
  const b2Vec2 speed = hull_->GetLinearVelocity();
  float* out = state.obs.begin();
  const auto put = [&](double value) { *out++ = static_cast<float>(value); };
  put(hull_->GetAngle());
  put(2.0 * hull_->GetAngularVelocity() / kFps);
  put(0.3 * speed.x * (600 / kScale) / kFps);
  put(0.3 * speed.y * (400 / kScale) / kFps);
  for (int i = 0; i < kLegParts; ++i) {
    const double angle = joints_[i]->GetJointAngle();
    put(IsKnee(i) ? angle + 1.0 : angle);
    put(joints_[i]->GetJointSpeed() / static_cast<double>(SpeedOf(i)));
    if (IsKnee(i)) put(touch_.foot_touches[i / 2] ? 1.0 : 0.0);
  }
  for (const Ray& ray : rays_) put(ray.fraction);
}

void BipedalWalker::Render(View<uint8_t> rgb) const {
  constexpr Rgb kStone{255, 255, 255}, kStoneEdge{153, 153, 153};
  WalkerScene scene{.scroll = hull_->GetPosition().x - 600 / kScale / 5,
                    .terrain = terrain_,
                    .bodies = {},
                    .ray = ShownRay()};
  const auto num_obstacles = static_cast<int>(terrain_.obstacles.size());
  for (int i = static_cast<int>(ground_.size()) - 1; i >= 0; --i) {
    const int edge = i - num_obstacles;
    const Rgb grass{76, static_cast<uint8_t>(edge % 2 == 0 ? 255 : 204), 76};
    scene.bodies.push_back(edge < 0 ? Show(*ground_[i], kStone, kStoneEdge)
                                    : Show(*ground_[i], grass, grass));
  }
  for (int i = 0; i < kLegParts; ++i) {
    const bool is_first = i < 2;
    scene.bodies.push_back(Show(*leg_[i], is_first ? Rgb{178, 101, 152} : Rgb{128, 51, 102},
                                is_first ? Rgb{127, 76, 101} : Rgb{77, 26, 51}));
  }
  scene.bodies.push_back(Show(*hull_, {127, 51, 229}, {76, 76, 127}));
  DrawWalkerPicture(scene, rgb.begin());
}

// Gymnasium shows another ray in each picture. This is the one of an env that is drawn once after
// its reset and once after each step.
std::optional<WalkerScene::Ray> BipedalWalker::ShownRay() const {
  const int turn = num_looks_ % 100;
  if (turn >= 2 * kRays) return std::nullopt;
  const int i = turn < kRays ? turn : 2 * kRays - 1 - turn;
  const b2Vec2 from = hull_->GetPosition();
  const Point end = rays_[i].fraction < 1 ? Point{rays_[i].to.x, rays_[i].to.y} : EndOfRay(from, i);
  return WalkerScene::Ray{.from = {from.x, from.y}, .to = end};
}

void BipedalWalker::Save(Writer& writer) const {
  bool is_made = hull_ != nullptr;
  WriteAll(writer, std::tie(is_made));
  if (!is_made) return;
  WriteAll(writer,
           std::tie(terrain_.y, terrain_.obstacles, terrain_.clouds, touch_.hull_has_touched,
                    touch_.foot_touches, rays_, num_looks_, shaping_));
  world_->Save(writer);
}

bool BipedalWalker::Load(Reader& reader) {
  bool is_made = false;
  if (!ReadAll(reader, std::tie(is_made))) return false;
  MakeWorld();
  if (!is_made) return true;
  if (!ReadAll(reader, terrain_.Saved())) return false;
  MakeBodies();
  return ReadAll(reader, std::tie(touch_.hull_has_touched, touch_.foot_touches, rays_, num_looks_,
                                  shaping_)) &&
         world_->Load(reader);
}

}  // namespace parallel_pool::box2d
