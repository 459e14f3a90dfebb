#include "parallel_pool/envs/highway/tasks/merge_generic.h"

#include <algorithm>
#include <cmath>

#include "parallel_pool/envs/highway/tasks/highway.h"

namespace parallel_pool::highway {
namespace {

constexpr double kEgoStart = 30;  // m

}  // namespace

Options<MergeGenericOptions> MergeGenericOptions::Describe() {
  using T = MergeGenericOptions;
  constexpr Range kLength = {.min = 1, .max = 1e6};
  return {
      Option<&T::lanes_count>("lanes_count", "lanes of the highway", {.min = 1, .max = 100}),
      Option<&T::vehicles_count>("vehicles_count", "other cars on the highway",
                                 {.min = 0, .max = 10000}),
      Option<&T::before_merge_length>("before_merge_length", "of the ramp's begin (m)", kLength),
      Option<&T::converge_merge_length>("converge_merge_length", "of its curve (m)", kLength),
      Option<&T::parallel_merge_length>("parallel_merge_length", "of its end (m)", kLength),
      Option<&T::after_merge_length>("after_merge_length", "of the highway behind (m)",
                                     {.min = 90, .max = 1e6})};
}

Options<MergeGenericConfig> MergeGeneric::Describe() {
  return DescribeAll<Config, TaskOptions, ObservationOptions, ActionOptions, MergeOptions,
                     MergeGenericOptions>();
}

std::vector<PlacedLane> MergeGeneric::Lanes(const Config& config) {
  constexpr double kAmplitude = 3.25;
  constexpr LineType c = LineType::kContinuousLine;
  const int lanes_count = config.lanes_count;
  const double before = config.before_merge_length, converging = config.converge_merge_length;
  const double parallel = config.parallel_merge_length, merge = before + converging;
  std::vector<PlacedLane> lanes;
  AddStraightLanes(lanes_count, 0, merge, "a", "b", &lanes);
  AddStraightLanes(lanes_count, merge, parallel, "b", "c", &lanes);
  AddStraightLanes(lanes_count, merge + parallel, config.after_merge_length, "c", "d", &lanes);
  const double y = lanes_count * kLaneWidth, access_y = y + 2 * kAmplitude;
  const LaneTraits ramp = {.speed_limit = 30, .is_forbidden = true, .left = c, .right = c};
  LaneTraits merging = ramp;
  merging.left = LineType::kStriped;
  lanes.push_back({"j", "k", Lane::Straight({0, access_y}, {before, access_y}, ramp)});
  lanes.push_back({"k", "b",
                   Lane::Sine({before, y + kAmplitude}, {merge, y + kAmplitude}, kAmplitude,
                              2 * kPi / (2 * converging), kPi / 2, ramp)});
  lanes.push_back({"b", "c", Lane::Straight({merge, y}, {merge + parallel, y}, merging)});
  return lanes;
}

MergeGeneric::MergeGeneric(const Config& config) : config_(config) {
  taken_.reserve(config.MergeGenericOptions::vehicles_count + 1);
}

void MergeGeneric::AddDriver(Traffic& traffic, Rng& rng) {
  constexpr int kTries = 10;
  constexpr double kSafe = 15;  // m
  const Road& road = traffic.road();
  const double end =
      config_.before_merge_length + config_.converge_merge_length + config_.parallel_merge_length;
  for (int i = 0; i < kTries; ++i) {
    const int64_t lane = rng.Integers(0, config_.lanes_count);
    const double along = rng.Uniform(0, end);
    const bool is_free = std::ranges::all_of(taken_, [&](const Place& place) {
      return place.lane != lane || std::abs(along - place.along) > kSafe;
    });
    if (!is_free) continue;
    const Point position =
        road.lane(road.FindLane("a", "b", static_cast<int>(lane))).MiddleAt(along);
    traffic.cars.push_back(traffic.MakeDriver(position, 0, 30.0 + rng.Uniform(-2, 2)));
    taken_.push_back({lane, along});
    return;
  }
}

void MergeGeneric::Begin(Traffic& traffic, Rng& rng) {
  const Road& road = traffic.road();
  const int last = config_.lanes_count - 1;
  AddEndOfRamp(traffic);
  const Point place = road.lane(road.FindLane("a", "b", last)).MiddleAt(kEgoStart);
  traffic.AddEgo(traffic.MakeCar(traffic.rules().ego_kind, place, 0, 30));
  taken_.assign(1, {last, kEgoStart});
  for (int i = 0; i < config_.MergeGenericOptions::vehicles_count; ++i) AddDriver(traffic, rng);
  AddMergingCar(kEgoStart + 30, traffic);
}

bool MergeGeneric::IsOver(const Traffic& traffic) const {
  constexpr double kAtEnd = 90;  // m
  const double end = config_.before_merge_length + config_.converge_merge_length +
                     config_.parallel_merge_length + config_.after_merge_length - kAtEnd;
  return traffic.ego().is_crashed || traffic.ego().position.x > end;
}

}  // namespace parallel_pool::highway
