#include "parallel_pool/envs/highway/driver.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "parallel_pool/envs/highway/ego.h"

namespace parallel_pool::highway {
namespace {

constexpr double kMostAcceleration = 6;  // m/s^2, also of braking
constexpr double kImposedBraking = 2;    // m/s^2, of others by a change of lanes
constexpr double kLaneChangeDelay = 1;   // s
constexpr double kLeastExponent = 3.5, kMostExponent = 4.5;
constexpr double kHeadingGain = 1 / .2, kLateralGain = 1 / .6;  // 1/s
constexpr double kPursuitTime = .5 * .2;                        // s
constexpr double kMostSteering = kPi / 3;                       // rad

using Weights = std::array<double, 3>;
constexpr Weights kLinearWeights = {.3, .3, 2};

// The weights of drivers who merge with this gain of acceleration.
constexpr Weights WeightsOf(double gain, double gap_weight) {
  constexpr double kSpeedRatio = .75, kMergeSpeed = 30;
  return {gain / ((1 - kSpeedRatio) * kMergeSpeed), gain / (kSpeedRatio * kMergeSpeed), gap_weight};
}

// The decisions of one driver, `self`. Drivers judge other cars as if these drove as they do.
class Driver {
 public:
  Driver(const Traffic& traffic, Neighborhood& neighborhood, Car& self)
      : traffic_(traffic),
        neighborhood_(neighborhood),
        road_(traffic.road()),
        rules_(traffic.rules().drivers),
        self_(self) {}

  void Drive() {
    if (self_.is_crashed) return;  // its last decision holds; Move brakes
    FollowRoad(road_, self_);
    if (self_.changes_lanes) ChangeLanes();
    self_.steering = Steering();
    double acceleration = InOwnLane();
    if (self_.lane != self_.target_lane) {
      acceleration = std::min(acceleration, AccelerationIn(self_.target_lane));
    }
    self_.acceleration = Clip(acceleration, -kMostAcceleration, kMostAcceleration);
  }

 private:
  bool is_linear() const { return self_.kind != CarKind::kIdm; }

  double AccelerationIn(int lane) {
    return AccelerationOf(&self_, neighborhood_.Of(self_, lane).front);
  }
  double InOwnLane() {
    if (!in_own_lane_) in_own_lane_ = AccelerationIn(self_.lane);
    return *in_own_lane_;
  }
  // The acceleration of `car`, or 0 if there is none, behind `front`, if that is a car.
  double AccelerationOf(const Car* car, const Car* front) {
    if (is_linear()) return LinearAcceleration(car, front);
    if (car == nullptr || !car->is_car()) return 0;
    double acceleration = car == &self_ ? OnFreeRoad() : OnFreeRoad(*car);
    if (front != nullptr) {
      const double ratio = WantedGap(*car, *front) / NotZero(traffic_.GapBetween(*car, *front));
      acceleration -= rules_.comfort_acceleration * (ratio * ratio);
    }
    return acceleration;
  }

  double OnFreeRoad(const Car& car) const {
    const double wanted = Clip(car.target_speed, 0, traffic_.LaneOf(car).traits().speed_limit);
    const double part = std::max(car.speed, 0.0) / std::abs(NotZero(wanted));
    return rules_.comfort_acceleration * (1 - Power(part, self_.exponent));
  }
  double OnFreeRoad() {
    if (!on_free_road_) on_free_road_ = OnFreeRoad(self_);
    return *on_free_road_;
  }

  double WantedGap(const Car& car, const Car& front) const {
    const double closing = Dot(car.velocity() - front.velocity(), car.direction);
    const double braking = -rules_.comfort_acceleration * rules_.comfort_braking;
    return rules_.jam_distance + car.speed * rules_.time_gap +
           car.speed * closing / (2 * std::sqrt(braking));
  }

  double LinearAcceleration(const Car* car, const Car* front) const {
    double faster = 0, front_slower = 0, too_close = 0;
    if (car != nullptr) {
      if (car->follows_lanes()) faster = car->target_speed - car->speed;
      const double safe = rules_.jam_distance + std::max(car->speed, 0.0) * rules_.time_gap;
      if (front != nullptr) {
        front_slower = std::min(front->speed - car->speed, 0.0);
        too_close = std::min(traffic_.GapBetween(*car, *front) - safe, 0.0);
      }
    }
    const Weights& w = self_.acceleration_weights;
    return w[0] * faster + w[1] * front_slower + w[2] * too_close;
  }

  double Steering() const {
    const Lane& lane = road_.lane(self_.target_lane);
    if (!is_linear()) return SteeringTo(lane, self_);
    const LanePoint p = lane.Locate(self_.position);
    const double ahead = lane.HeadingAt(p.along + self_.speed * kPursuitTime);
    const double speed = NotZero(self_.speed);
    const double turn = WrapToPi(ahead - self_.heading) * kCarLength / speed;
    const double to_middle = -p.across * kCarLength / PythonSquare(speed);
    const Point weights = {self_.steering_weights[0], self_.steering_weights[1]};
    return Clip(Dot(weights, {turn, to_middle}), -kMostSteering, kMostSteering);
  }

  void ChangeLanes() {
    if (self_.lane != self_.target_lane) {
      if (IsTakenByOther()) self_.target_lane = self_.lane;
      return;
    }
    if (!(kLaneChangeDelay < self_.timer)) return;
    self_.timer = 0;
    const Road::Section& section = road_.section(road_.section_of(self_.lane));
    const int lane = self_.lane;
    if (lane > section.first_lane) TryLane(lane - 1);
    if (lane + 1 < section.first_lane + section.lanes) TryLane(lane + 1);
  }

  // Whether another car changes to the target lane of this road, too near in front.
  bool IsTakenByOther() const {
    const int target = self_.target_lane;
    if (road_.section_of(self_.lane) != road_.section_of(target)) return false;
    for (const Car& other : traffic_.cars) {
      if (&other == &self_ || other.lane == target || other.target_lane != target) continue;
      const double gap = traffic_.GapBetween(self_, other);
      if (0 < gap && gap < WantedGap(self_, other)) return true;
    }
    return false;
  }

  void TryLane(int lane) {
    if (!road_.lane(lane).IsReachableFrom(self_.position) || std::abs(self_.speed) < 1) return;
    if (IsBetter(lane)) self_.target_lane = lane;
  }

  // MOBIL's decision, with a politeness of 0.
  bool IsBetter(int lane) {
    const Neighborhood::Neighbors there = neighborhood_.Of(self_, lane);
    if (AccelerationOf(there.rear, &self_) < -kImposedBraking) return false;
    const double own = AccelerationOf(&self_, there.front);
    if (!self_.route.empty() && self_.route.front().number != kAnyLane) {
      const auto sign = [](int x) { return (x > 0) - (x < 0); };
      const int target = road_.place_of(self_.target_lane);
      const int way = road_.place_of(lane) - target, planned = self_.route.front().number - target;
      return sign(way) == sign(planned) && !(own < -kImposedBraking);
    }
    const double before = InOwnLane();
    return !(own - before < rules_.least_gain);
  }

  const Traffic& traffic_;
  Neighborhood& neighborhood_;
  const Road& road_;
  const DriverRules& rules_;
  Car& self_;
  std::optional<double> on_free_road_, in_own_lane_;  // accelerations of `self`
};

}  // namespace

DriverRules RulesOf(CarKind kind) {
  DriverRules rules{.kind = kind};
  if (kind != CarKind::kIdm) rules.time_gap = 2.5;
  if (kind == CarKind::kAggressive || kind == CarKind::kDefensive) rules.least_gain = 1;
  return rules;
}

void SetUpDriver(Car& car) {
  car.target_speed = car.speed;
  const double turns = (car.position.x + car.position.y) * kPi;
  const double rest = std::fmod(turns, 1.0);
  car.timer = rest < 0 ? rest + 1.0 : std::abs(rest);
  car.steering_weights = {kHeadingGain, kHeadingGain * kLateralGain};
  car.acceleration_weights = kLinearWeights;
  if (car.kind == CarKind::kAggressive) car.acceleration_weights = WeightsOf(.8, .5);
  if (car.kind == CarKind::kDefensive) car.acceleration_weights = WeightsOf(1.2, 2);
}

void RandomizeDriver(Rng& rng, Car& car) {
  if (car.kind != CarKind::kIdm) {
    for (size_t i = 0; i < kLinearWeights.size(); ++i) {
      const double least = .5 * kLinearWeights[i], most = 1.5 * kLinearWeights[i];
      car.acceleration_weights[i] = least + rng.Random() * (most - least);
    }
    constexpr double kMiddle[] = {kHeadingGain, kHeadingGain * kLateralGain},
                     kSpread[] = {.07, 1.5};
    for (size_t i = 0; i < 2; ++i) {
      const double least = kMiddle[i] - kSpread[i], most = kMiddle[i] + kSpread[i];
      car.steering_weights[i] = least + rng.Random() * (most - least);
    }
  }
  car.exponent = rng.Uniform(kLeastExponent, kMostExponent);
}

void Drive(const Traffic& traffic, Neighborhood& neighborhood, Car& car) {
  Driver(traffic, neighborhood, car).Drive();
}

}  // namespace parallel_pool::highway
