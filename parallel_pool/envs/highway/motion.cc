#include "parallel_pool/envs/highway/motion.h"

#include <algorithm>

namespace parallel_pool::highway {
namespace {

constexpr double kHalfLength = kCarLength / 2;
constexpr double kInertia = 1 / 12.0 * 1 * 29.0;  // of a box of 1 kg: kg m^2
constexpr double kFriction = 15;                  // of the tires of an axle: N
constexpr double kMostYawRate = 2 * kPi;          // rad/s

// Crashed cars brake, and cars that are too fast slow down.
void LimitControls(Car& car) {
  if (car.is_crashed) {
    car.steering = 0;
    car.acceleration = -1.0 * car.speed;
  }
  if (car.speed > car.max_speed) {
    car.acceleration = std::min(car.acceleration, 1.0 * (car.max_speed - car.speed));
  } else if (car.speed < car.min_speed) {
    car.acceleration = std::max(car.acceleration, 1.0 * (car.min_speed - car.speed));
  }
}

// Wheels that do not slip: the middle of the car moves at the angle `slip` to its heading.
void MoveRolling(double dt, Car& car) {
  const double slip = car.steering == 0 ? 0 : Arctan(.5 * Tan(car.steering));
  const Point way = slip == 0 ? car.direction : DirectionOf(car.heading + slip);
  car.position = {car.position.x + car.speed * way.x * dt, car.position.y + car.speed * way.y * dt};
  if (car.is_pushed) {
    car.position = car.position + car.push;
    car.is_crashed = true;
    car.is_pushed = false;
  }
  const double turn = slip == 0 ? 0 : car.speed * Sin(slip) / kHalfLength * dt;
  if (turn != 0) car.SetHeading(car.heading + turn);
  car.speed += car.acceleration * dt;
}

BicycleState Along(const BicycleState& state, const BicycleState& rates, double time) {
  BicycleState moved;
  for (size_t i = 0; i < state.size(); ++i) moved[i] = state[i] + rates[i] * time;
  return moved;
}

// The classical Runge-Kutta method. A push has no effect.
void MoveBicycle(double dt, Car& car) {
  car.steering = Clip(car.steering, -kPi / 2, kPi / 2);
  car.yaw_rate = Clip(car.yaw_rate, -kMostYawRate, kMostYawRate);
  BicycleState state = StateOf(car);
  const BicycleState f1 = RatesOf(car, state);
  const BicycleState f2 = RatesOf(car, Along(state, f1, dt / 2));
  const BicycleState f3 = RatesOf(car, Along(state, f2, dt / 2));
  const BicycleState f4 = RatesOf(car, Along(state, f3, dt));
  for (size_t i = 0; i < state.size(); ++i) {
    state[i] = state[i] + dt / 6 * (f1[i] + 2 * f2[i] + 2 * f3[i] + f4[i]);
  }
  car.position = {state[0], state[1]};
  car.SetHeading(state[2]);
  car.speed = state[3];
  car.lateral_speed = state[4];
  car.yaw_rate = state[5];
}

}  // namespace

BicycleState StateOf(const Car& car) {
  return {car.position.x, car.position.y, car.heading, car.speed, car.lateral_speed, car.yaw_rate};
}

BicycleState RatesOf(const Car& car, const BicycleState& state) {
  const auto [x, y, heading, speed, lateral_speed, yaw_rate] = state;
  const double front_angle = Arctan2(lateral_speed + kHalfLength * yaw_rate, speed);
  const double rear_angle = Arctan2(lateral_speed - kHalfLength * yaw_rate, speed);
  double front = 2 * kFriction * (car.steering - front_angle);  // lateral forces of the tires
  double rear = 2 * kFriction * (0 - rear_angle);
  if (std::abs(speed) < 1) {  // slow cars: only damping
    front = -1 * lateral_speed - kInertia / kHalfLength * yaw_rate;
    rear = -1 * lateral_speed + kInertia / kHalfLength * yaw_rate;
  }
  const Point velocity = Turned(DirectionOf(heading), {speed, lateral_speed});
  return {velocity.x,
          velocity.y,
          yaw_rate,
          car.acceleration,
          1.0 * (front + rear) - yaw_rate * speed,
          1 / kInertia * (kHalfLength * front - kHalfLength * rear)};
}

void Move(double dt, Car& car) {
  LimitControls(car);
  if (car.kind == CarKind::kBicycle) {
    MoveBicycle(dt, car);
  } else {
    MoveRolling(dt, car);
  }
}

}  // namespace parallel_pool::highway
