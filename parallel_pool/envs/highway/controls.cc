#include "parallel_pool/envs/highway/controls.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace parallel_pool::highway {
namespace {

// In the order of EgoAction.
constexpr const char* kNames[] = {"LANE_LEFT", "IDLE", "LANE_RIGHT", "FASTER", "SLOWER"};

std::vector<EgoAction> MeaningsOf(const ActionOptions& options) {
  using A = EgoAction;
  if (!options.is_meta()) return {};
  if (!options.lateral) return {A::kSlower, A::kIdle, A::kFaster};
  if (!options.longitudinal) return {A::kLaneLeft, A::kIdle, A::kLaneRight};
  return {A::kLaneLeft, A::kIdle, A::kLaneRight, A::kFaster, A::kSlower};
}

// A number of -1 .. 1 in a range. T is float or double, in which NumPy computes it.
template <class T>
double Scale(double number, bool clips, const Numbers<2>& range) {
  T x = static_cast<T>(number);
  if (clips) x = std::min(std::max(x, T{-1}), T{1});
  const T size = static_cast<T>(range[1] - range[0]);
  return static_cast<T>(range[0]) + (x - T{-1}) * size / T{2};
}

}  // namespace

bool Decision::changes_lane() const {
  if (numbers.size() == 1) return numbers[0] == 0 || numbers[0] == 2;
  return choice == 0 || choice == 2;
}

double Decision::Norm() const {
  if (numbers.empty()) return std::abs(choice);
  // As OpenBLAS adds up: products of float32 in a double.
  double sum = 0;
  for (const double x : numbers) {
    sum += is_double ? x * x : static_cast<float>(x) * static_cast<float>(x);
  }
  return is_double ? std::sqrt(sum) : std::sqrt(static_cast<float>(sum));
}

Controls::Controls(const ActionOptions& options, int players)
    : options_(options), players_(players), meanings_(MeaningsOf(options)) {
  if (options.is_continuous()) decision_.numbers.resize(players * options.size());
}

Space Controls::SpaceOf(const ActionOptions& options) {
  if (options.is_continuous()) return Box({options.size()}, {-1}, {1});
  if (!options.is_meta()) {
    const int n = options.actions_per_axis;
    return Discrete(options.size() == 2 ? n * n : n);
  }
  std::vector<std::string> names;
  for (const EgoAction action : MeaningsOf(options)) {
    names.push_back(kNames[static_cast<int>(action)]);
  }
  return Discrete(names);
}

void Controls::Begin() {
  decision_.choice = -1;
  std::ranges::fill(decision_.numbers, 0);
}

double Controls::AxisValue(int choice) const {
  const int last = options_.actions_per_axis - 1;
  if (last == 0) return -1;
  if (choice == last) return 1;
  return static_cast<float>(choice) * (2.0f / static_cast<float>(last)) + -1.0f;
}

void Controls::Apply(const ActionViews& action, Traffic& traffic) {
  const int size = options_.size();
  decision_.is_double = options_.is_continuous() && action.numbers.is_double();
  for (int player = 0; player < players_; ++player) {
    Car& car = traffic.cars[traffic.egos[player]];
    double numbers[2] = {};
    if (options_.is_continuous()) {
      for (int k = 0; k < size; ++k) numbers[k] = action.numbers[player * size + k];
      std::copy_n(numbers, size, decision_.numbers.begin() + player * size);
      ApplyNumbers(numbers, decision_.is_double, car);
      continue;
    }
    const int choice = action.choice[player];
    decision_.choice = players_ == 1 ? choice : -1;
    if (options_.is_meta()) {
      Steer(traffic, meanings_[choice], car);
      continue;
    }
    const int n = options_.actions_per_axis;
    numbers[0] = AxisValue(size == 2 ? choice / n : choice);
    numbers[1] = AxisValue(choice % n);
    ApplyNumbers(numbers, false, car);
  }
}

void Controls::ApplyNumbers(const double* numbers, bool is_double, Car& car) const {
  if (options_.is_continuous() && !options_.speed_range.empty()) {
    car.min_speed = options_.speed_range[0];
    car.max_speed = options_.speed_range[1];
  }
  const auto scale = [&](double x, const Numbers<2>& range) {
    return is_double ? Scale<double>(x, options_.clip, range)
                     : Scale<float>(x, options_.clip, range);
  };
  car.acceleration = options_.longitudinal ? scale(numbers[0], options_.acceleration_range) : 0;
  car.steering =
      options_.lateral ? scale(numbers[options_.longitudinal ? 1 : 0], options_.steering_range) : 0;
}

}  // namespace parallel_pool::highway
