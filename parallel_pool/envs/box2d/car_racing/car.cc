#include "parallel_pool/envs/box2d/car_racing/car.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace parallel_pool::box2d {
namespace {

constexpr double kSize = 0.02;
constexpr double kStep = 1.0 / kFps;  // s
constexpr double kEnginePower = 100000000 * kSize * kSize;
constexpr double kWheelInertia = 4000 * kSize * kSize;
constexpr double kFrictionLimit = 1000000 * kSize * kSize;
constexpr double kWheelRadius = 27, kWheelWidth = 14;  // in kSize m
constexpr std::array<std::array<double, 2>, Car::kWheels> kWheelPlaces{
    {{-55, 80}, {55, 80}, {-55, -82}, {55, -82}}};

double Sign(double x) {
  return (x > 0) - (x < 0);
}

b2PolygonShape Scaled(std::initializer_list<std::array<double, 2>> corners) {
  b2Vec2 points[b2_maxPolygonVertices];
  int n = 0;
  for (const auto& [x, y] : corners) points[n++] = Vec(x * kSize, y * kSize);
  b2PolygonShape shape;
  shape.Set(points, n);
  return shape;
}

void Add(b2Body& body, const b2PolygonShape& shape, float density, b2Filter filter = {}) {
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = density;
  fixture.filter = filter;
  body.CreateFixture(&fixture);
}

b2Body* MakeBody(World& world, double angle, double x, double y) {
  b2BodyDef body;
  body.type = b2_dynamicBody;
  body.position = Vec(x, y);
  body.angle = static_cast<float>(angle);
  return world.box2d().CreateBody(&body);
}

Outline OutlineOf(const b2Fixture& fixture) {
  const auto& shape = static_cast<const b2PolygonShape&>(*fixture.GetShape());
  Outline outline{.corners = {}, .num_corners = shape.GetVertexCount()};
  for (int i = 0; i < outline.num_corners; ++i) {
    const b2Vec2 corner = b2Mul(fixture.GetBody()->GetTransform(), shape.GetVertex(i));
    outline.corners[i] = {corner.x, corner.y};
  }
  return outline;
}

Point ToPoint(b2Vec2 v) {
  return {v.x, v.y};
}

}  // namespace

SkidMarks::SkidMarks() {
  for (SkidMark& mark : marks_) mark.points.reserve(kMostPoints);
}

void SkidMarks::Add(Trace& trace, Point at, bool is_on_grass) {
  if (trace.mark >= 0 && trace.is_on_grass == is_on_grass && trace.num_points < kMostPoints) {
    ++trace.num_points;
    if (trace.mark + kMost >= num_marks_) Mark(trace.mark).points.push_back(at);
  } else if (!trace.has_started) {
    trace.has_started = true;
  } else {
    SkidMark& mark = Mark(num_marks_);
    // Gymnasium's first point is a reference to the wheel's position, which has moved since.
    mark.points.assign({at, at});
    mark.is_on_grass = is_on_grass;
    trace = {.mark = num_marks_++, .num_points = 2, .is_on_grass = is_on_grass};
  }
}

void SkidMarks::End(Trace& trace) {
  trace = {};
}

std::vector<SkidMark> SkidMarks::List() const {
  std::vector<SkidMark> list;
  for (int64_t i = std::max<int64_t>(0, num_marks_ - kMost); i < num_marks_; ++i) {
    list.push_back(marks_[i % kMost]);
  }
  return list;
}

void SkidMarks::Save(Writer& writer) const {
  int64_t num_marks = num_marks_;
  WriteAll(writer, std::tie(num_marks));
  for (const SkidMark& mark : marks_) {
    std::vector<Point> points = mark.points;
    bool is_on_grass = mark.is_on_grass;
    WriteAll(writer, std::tie(points, is_on_grass));
  }
}

bool SkidMarks::Load(Reader& reader) {
  bool good = ReadAll(reader, std::tie(num_marks_));
  for (SkidMark& mark : marks_) {
    good = good && ReadAll(reader, std::tie(mark.points, mark.is_on_grass));
  }
  return good;
}

void Car::Make(World& world, double angle, double x, double y) {
  marks_.Clear();
  wheels_ = {};
  MakeHull(world, angle, x, y);
  for (int i = 0; i < kWheels; ++i) MakeWheel(world, i, angle, x, y);
}

void Car::MakeHull(World& world, double angle, double x, double y) {
  hull_ = MakeBody(world, angle, x, y);
  Add(*hull_, Scaled({{-60, 130}, {60, 130}, {60, 110}, {-60, 110}}), 1);
  Add(*hull_, Scaled({{-15, 120}, {15, 120}, {20, 20}, {-20, 20}}), 1);
  Add(*hull_,
      Scaled({{25, 20},
              {50, -10},
              {50, -40},
              {20, -90},
              {-20, -90},
              {-50, -40},
              {-50, -10},
              {-25, 20}}),
      1);
  Add(*hull_, Scaled({{-50, -120}, {50, -120}, {50, -90}, {-50, -90}}), 1);
}

void Car::MakeWheel(World& world, int i, double angle, double x, double y) {
  const double at_x = kWheelPlaces[i][0] * kSize, at_y = kWheelPlaces[i][1] * kSize;
  constexpr double kW = kWheelWidth, kR = kWheelRadius;
  Wheel& wheel = wheels_[i];
  wheel.body = MakeBody(world, angle, x + at_x, y + at_y);
  b2Filter filter;
  filter.categoryBits = 0x20;
  filter.maskBits = 0x1;
  Add(*wheel.body, Scaled({{-kW, kR}, {kW, kR}, {kW, -kR}, {-kW, -kR}}), 0.1f, filter);
  wheel.joint = world.Add({.a = hull_,
                           .b = wheel.body,
                           .anchor_a = Vec(at_x, at_y),
                           .anchor_b = {0, 0},
                           .torque = 180 * 900 * kSize * kSize,
                           .speed = 0,
                           .lower = -0.4,
                           .upper = 0.4});
}

void Car::Destroy(b2World& world) {
  if (hull_ == nullptr) return;
  world.DestroyBody(hull_);
  for (const Wheel& wheel : wheels_) world.DestroyBody(wheel.body);
  hull_ = nullptr;
}

void Car::Control(const Controls& controls) {
  for (int i = 0; i < kWheels; ++i) {
    Wheel& wheel = wheels_[i];
    if (i < 2) {
      wheel.steer = controls.steer;
    } else {
      // The gas rises in steps, and stops at once.
      wheel.gas += std::min(std::clamp(controls.gas, 0.0, 1.0) - wheel.gas, 0.1);
    }
    wheel.brake = controls.brake;
  }
}

void Car::Drive() {
  for (Wheel& wheel : wheels_) Drive(wheel);
}

// The engine and the brake.
void Car::TurnWheel(Wheel& wheel) {
  // 5 rad/s keep the power of a wheel that stands from being infinite.
  wheel.omega += kStep * kEnginePower * wheel.gas / kWheelInertia / (std::abs(wheel.omega) + 5.0);
  if (wheel.brake >= 0.9) {
    wheel.omega = 0;
  } else if (wheel.brake > 0) {
    constexpr double kBrake = 15;  // rad/s per step
    const double direction = -Sign(wheel.omega);
    wheel.omega += direction * std::min(kBrake * wheel.brake, std::abs(wheel.omega));
  }
  wheel.phase += wheel.omega * kStep;
}

void Car::Drive(Wheel& wheel) {
  const double turn = wheel.steer - wheel.joint->GetJointAngle();
  wheel.joint->SetMotorSpeed(static_cast<float>(Sign(turn) * std::min(50.0 * std::abs(turn), 3.0)));

  const bool is_on_grass = wheel.tiles == 0;
  const double limit = is_on_grass ? kFrictionLimit * 0.6 : kFrictionLimit;
  const Point ahead = ToPoint(wheel.body->GetWorldVector({0, 1}));
  const Point side = ToPoint(wheel.body->GetWorldVector({1, 0}));
  const Point speed = ToPoint(wheel.body->GetLinearVelocity());
  const double speed_ahead = ahead.x * speed.x + ahead.y * speed.y;
  const double speed_side = side.x * speed.x + side.y * speed.y;
  TurnWheel(wheel);

  // The tire resists the difference between the wheel's speed and the ground's, up to a limit.
  constexpr double kRadius = kWheelRadius * kSize, kGrip = 205000 * kSize * kSize;
  double force_ahead = (-speed_ahead + wheel.omega * kRadius) * kGrip;
  double force_side = -speed_side * kGrip;
  const double force = std::sqrt(force_ahead * force_ahead + force_side * force_side);
  if (force > 2.0 * limit) {
    marks_.Add(wheel.trace, ToPoint(wheel.body->GetPosition()), is_on_grass);
  } else {
    SkidMarks::End(wheel.trace);
  }
  if (force > limit) {
    force_ahead = force_ahead / force * limit;
    force_side = force_side / force * limit;
  }
  wheel.omega -= kStep * force_ahead * kRadius / kWheelInertia;
  wheel.body->ApplyForceToCenter(
      Vec(force_side * side.x + force_ahead * ahead.x, force_side * side.y + force_ahead * ahead.y),
      true);
}

Car::Wheel* Car::Find(const b2Body* body) {
  for (Wheel& wheel : wheels_) {
    if (wheel.body == body) return &wheel;
  }
  return nullptr;
}

void Car::Show(CarScene& scene) const {
  scene.position = ToPoint(hull_->GetPosition());
  scene.angle = hull_->GetAngle();
  scene.velocity = ToPoint(hull_->GetLinearVelocity());
  scene.angular_velocity = hull_->GetAngularVelocity();
  scene.steering = wheels_[0].joint->GetJointAngle();
  // Box2D's list begins with the newest fixture.
  size_t i = scene.hull.size();
  for (const b2Fixture* f = hull_->GetFixtureList(); f != nullptr; f = f->GetNext()) {
    scene.hull[--i] = OutlineOf(*f);
  }
  for (i = 0; i < kWheels; ++i) {
    const Wheel& wheel = wheels_[i];
    const b2Transform& pose = wheel.body->GetTransform();
    scene.wheels[i] = {.outline = OutlineOf(*wheel.body->GetFixtureList()),
                       .x = pose.p.x,
                       .y = pose.p.y,
                       .sin = pose.q.s,
                       .cos = pose.q.c,
                       .phase = wheel.phase,
                       .omega = wheel.omega};
  }
}

void Car::Save(Writer& writer) const {
  for (Wheel wheel : wheels_) {
    WriteAll(writer, std::tie(wheel.tiles, wheel.gas, wheel.brake, wheel.steer, wheel.phase,
                              wheel.omega, wheel.trace));
  }
  marks_.Save(writer);
}

bool Car::Load(Reader& reader) {
  bool good = true;
  for (Wheel& wheel : wheels_) {
    good = good && ReadAll(reader, std::tie(wheel.tiles, wheel.gas, wheel.brake, wheel.steer,
                                            wheel.phase, wheel.omega, wheel.trace));
  }
  return good && marks_.Load(reader);
}

}  // namespace parallel_pool::box2d
