#include "parallel_pool/envs/highway/observations/time_to_collision.h"

#include <algorithm>
#include <cmath>

namespace parallel_pool::highway {

TimeToCollision::TimeToCollision(int horizon, int policy_frequency, int speeds, int most_lanes)
    : times_(TimesOf(horizon, policy_frequency)),
      speeds_(speeds),
      quantum_(1.0 / policy_frequency) {
  grid_.reserve(static_cast<size_t>(speeds) * most_lanes * times_);
}

int TimeToCollision::TimesOf(int horizon, int policy_frequency) {
  return static_cast<int>(horizon / (1.0 / policy_frequency));
}

void TimeToCollision::AddCar(const Traffic& traffic, const Car& ego, const Car& other,
                             int speed_index) {
  struct Margin { double length, cost; };
  constexpr Margin kMargins[] = {{0, 1}, {-kCarLength, .5}, {kCarLength, .5}};
  const Road& road = traffic.road();
  const double speed = traffic.rules().ego_speeds[speed_index];
  const double closing = NotZero(speed - other.speed * Dot(other.direction, ego.direction));
  const double gap = traffic.GapBetween(ego, other);
  const bool has_same_lanes = road.count_beside(other.lane) == road.count_beside(ego.lane);
  const int own = road.place_of(other.lane);
  const int first = has_same_lanes ? own : 0, last = has_same_lanes ? own + 1 : lanes_;
  for (const Margin& margin : kMargins) {
    const double time = (gap + margin.length) / closing;
    if (time < 0) continue;
    for (const double t : {std::trunc(time / quantum_), std::ceil(time / quantum_)}) {
      if (!(0 <= t && t < times_)) continue;
      for (int lane = first; lane < std::min(last, lanes_); ++lane) {
        double& cost = cell(speed_index, lane, static_cast<int>(t));
        cost = std::max(cost, margin.cost);
      }
    }
  }
}

void TimeToCollision::Fill(const Traffic& traffic, const Car& ego) {
  constexpr int kDepth = 3;  // sections ahead
  const Road& road = traffic.road();
  lanes_ = road.count_beside(traffic.ego().lane);
  grid_.assign(static_cast<size_t>(speeds_) * lanes_ * times_, 0.0);
  for (const Car& other : traffic.cars) {
    if (&other == &ego || !road.AreConnected(road.section_of(ego.lane), road.section_of(other.lane),
                                             ego.route, 0, kDepth)) {
      continue;
    }
    for (int s = 0; s < speeds_; ++s) {
      if (traffic.rules().ego_speeds[s] != other.speed) AddCar(traffic, ego, other, s);
    }
  }
}

void TimeToCollision::Write(const Traffic& traffic, int ego_number, float* out) {
  const Car& ego = traffic.ego(ego_number);
  Fill(traffic, ego);
  const int own_lane = traffic.road().place_of(ego.lane);
  for (int i = 0; i < kSpeeds; ++i) {
    const int speed = std::clamp(ego.speed_index - 1 + i, 0, speeds_ - 1);
    for (int j = 0; j < kLanes; ++j) {
      const int lane = own_lane - 1 + j;
      if (lane < 0 || lane >= lanes_) {
        out = std::fill_n(out, times_, 1.0f);
      } else {
        out = std::transform(&cell(speed, lane, 0), &cell(speed, lane, 0) + times_, out,
                             [](double cost) { return static_cast<float>(cost); });
      }
    }
  }
}

}  // namespace parallel_pool::highway
