#include "parallel_pool/envs/highway/tasks/merge.h"

namespace parallel_pool::highway {

Options<MergeOptions> MergeOptions::Describe() {
  using T = MergeOptions;
  return {Option<&T::collision_reward>("collision_reward", "for crashes"),
          Option<&T::right_lane_reward>("right_lane_reward", "for driving on the right"),
          Option<&T::high_speed_reward>("high_speed_reward", "for driving fast"),
          Option<&T::reward_speed_range>("reward_speed_range",
                                         "speeds of no and of the whole reward (m/s)"),
          Option<&T::merging_speed_reward>("merging_speed_reward",
                                           "for cars on the ramp that must be slow"),
          Option<&T::lane_change_reward>("lane_change_reward", "for changes of lanes")};
}

TermValues RateMerging(const MergeOptions& options, const Traffic& traffic,
                       const Decision& decision) {
  const Car& ego = traffic.ego();
  const Road& road = traffic.road();
  const Road::Section& merging = road.section(road.FindSection("b", "c"));
  double missing_speed = 0;
  for (const Car& car : traffic.cars) {
    if (car.lane != merging.first_lane + 2 || merging.lanes <= 2 || !car.follows_lanes()) continue;
    missing_speed += (car.target_speed - car.speed) / car.target_speed;
  }
  const auto [low, high] = options.reward_speed_range;
  return {static_cast<double>(ego.is_crashed), road.place_of(ego.lane) / 1.0,
          LinearMap(ego.speed, low, high, 0, 1), static_cast<double>(decision.changes_lane()),
          missing_speed};
}

double MergeReward(const MergeOptions& options, double sum) {
  return LinearMap(sum, options.collision_reward + options.merging_speed_reward,
                   options.high_speed_reward + options.right_lane_reward, 0, 1);
}

void AddMergingCar(double along, Traffic& traffic) {
  const Road& road = traffic.road();
  const Point place = road.lane(road.FindLane("j", "k", 0)).MiddleAt(along);
  Car car = traffic.MakeDriver(place, 0, 20);
  car.target_speed = 30;
  traffic.cars.push_back(car);
}

void AddEndOfRamp(Traffic& traffic) {
  const Road& road = traffic.road();
  const Road::Section& merging = road.section(road.FindSection("b", "c"));
  const Lane& ramp = road.lane(merging.first_lane + merging.lanes - 1);
  traffic.things.push_back(traffic.MakeCar(CarKind::kObstacle, ramp.MiddleAt(ramp.length()), 0, 0));
}

void CheckLaneChanges(const ActionOptions& options) {
  if (options.is_continuous() && options.size() == 2) {
    Refuse("action.type", options.type, "another one, or of one number: it is asked for 0 and 2");
  }
}

Options<MergeConfig> Merge::Describe() {
  return DescribeAll<Config, TaskOptions, ObservationOptions, ActionOptions, MergeOptions>();
}

std::vector<PlacedLane> Merge::Lanes(const Config&) {
  constexpr LineType c = LineType::kContinuousLine, s = LineType::kStriped, n = LineType::kNone;
  constexpr double kBefore = 150, kConverging = 80, kMerging = 80, kAfter = 150;  // m
  constexpr double kMergeAt = kBefore + kConverging, kMergeEnd = kMergeAt + kMerging;
  constexpr double kEnd = kMergeEnd + kAfter, kRampY = 6.5 + 4 + 4, kAmplitude = 3.25;
  std::vector<PlacedLane> lanes;
  for (int i = 0; i < 2; ++i) {
    const double y = i * kLaneWidth;
    const LaneTraits traits = {.left = i == 0 ? c : n, .right = i == 0 ? s : c};
    LaneTraits beside_ramp = traits;
    beside_ramp.right = s;
    lanes.push_back({"a", "b", Lane::Straight({0, y}, {kMergeAt, y}, traits)});
    lanes.push_back({"b", "c", Lane::Straight({kMergeAt, y}, {kMergeEnd, y}, beside_ramp)});
    lanes.push_back({"c", "d", Lane::Straight({kMergeEnd, y}, {kEnd, y}, traits)});
  }
  const LaneTraits ramp = {.is_forbidden = true, .left = c, .right = c};
  LaneTraits merging = ramp;
  merging.left = n;
  const Lane access = Lane::Straight({0, kRampY}, {kBefore, kRampY}, ramp);
  const Lane curve = Lane::Sine(access.PositionAt({kBefore, -kAmplitude}),
                                access.PositionAt({kMergeAt, -kAmplitude}), kAmplitude,
                                2 * kPi / (2 * kConverging), kPi / 2, ramp);
  const Point begin = curve.MiddleAt(kConverging);
  lanes.push_back({"j", "k", access});
  lanes.push_back({"k", "b", curve});
  lanes.push_back({"b", "c", Lane::Straight(begin, begin + Point{kMerging, 0}, merging)});
  return lanes;
}

void Merge::Begin(Traffic& traffic, Rng& rng) {
  struct Start { double along, speed; };
  constexpr Start kOthers[] = {{90, 29}, {70, 31}, {5, 31.5}};
  const Road& road = traffic.road();
  AddEndOfRamp(traffic);
  const Point place = road.lane(road.FindLane("a", "b", 1)).MiddleAt(30);
  traffic.AddEgo(traffic.MakeCar(traffic.rules().ego_kind, place, 0, 30));
  for (const Start& start : kOthers) {
    const int lane = road.FindLane("a", "b", static_cast<int>(rng.Integers(0, 2)));
    const Point position = road.lane(lane).MiddleAt(start.along + rng.Uniform(-5, 5));
    traffic.cars.push_back(traffic.MakeDriver(position, 0, start.speed + rng.Uniform(-1, 1)));
  }
  AddMergingCar(110, traffic);
}

}  // namespace parallel_pool::highway
