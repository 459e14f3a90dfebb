#include "parallel_pool/envs/highway/options.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "parallel_pool/envs/highway/driver.h"
#include "parallel_pool/envs/highway/observations/features.h"

namespace parallel_pool::highway {
namespace {

constexpr const char* kDrivers[] = {"highway_env.vehicle.behavior.IDMVehicle",
                                    "highway_env.vehicle.behavior.LinearVehicle",
                                    "highway_env.vehicle.behavior.AggressiveVehicle",
                                    "highway_env.vehicle.behavior.DefensiveVehicle",
                                    "IDMVehicle",
                                    "LinearVehicle",
                                    "AggressiveVehicle",
                                    "DefensiveVehicle"};
constexpr CarKind kDriverKinds[] = {CarKind::kIdm, CarKind::kLinear, CarKind::kAggressive,
                                    CarKind::kDefensive};
constexpr const char* kActions[] = {"DiscreteMetaAction", "ContinuousAction", "DiscreteAction"};
constexpr const char* kObservations[] = {
    "Kinematics",     "ExitObservation",       "OccupancyGrid",        "TimeToCollision",
    "KinematicsGoal", "AttributesObservation", "GrayscaleObservation", "LidarObservation"};
constexpr const char* kOrders[] = {"sorted", "shuffled"};
constexpr Range kScreen = {.min = 1, .max = 4096};

std::string Text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace

Options<TaskOptions> TaskOptions::Describe() {
  using T = TaskOptions;
  return {
      Option<&T::simulation_frequency>("simulation_frequency", "frames per second",
                                       {.min = 1, .max = 1000}),
      Option<&T::policy_frequency>("policy_frequency",
                                   "steps per second; at most simulation_frequency",
                                   {.min = 1, .max = 1000}),
      Option<&T::other_vehicles_type>(
          "other_vehicles_type", "who drives the other cars; no effect in parking and racetrack",
          OneOf(kDrivers)),
      Option<&T::neighbour_vehicles_connected_lanes>(
          "neighbour_vehicles_connected_lanes", "drivers see cars on the lanes before and behind"),
      Option<&T::screen_width>("screen_width", "of pictures (pixels)", kScreen),
      Option<&T::screen_height>("screen_height", "of pictures (pixels)", kScreen),
      Option<&T::centering_position>("centering_position",
                                     "where the ego is in pictures: parts of width and height"),
      Option<&T::scaling>("scaling", "pixels of pictures per m", {.min = 0})};
}

Options<PlayerOptions> PlayerOptions::Describe() {
  using T = PlayerOptions;
  return {
      Option<&T::controlled_vehicles>("controlled_vehicles", "cars of players",
                                      {.min = 1, .max = 64}),
      Option<&T::multi_agent>("multi_agent",
                              "each of them has an action and an observation, as with "
                              "MultiAgentAction and MultiAgentObservation; else only the first")};
}

Options<ActionOptions> ActionOptions::Describe() {
  using T = ActionOptions;
  return {
      Option<&T::type>("action.type", "the kind of actions", OneOf(kActions)),
      Option<&T::longitudinal>("action.longitudinal", "actions change the speed"),
      Option<&T::lateral>("action.lateral", "actions change the lane, or steer"),
      Option<&T::target_speeds>("action.target_speeds",
                                "of DiscreteMetaAction: at least two, at equal distances (m/s)"),
      Option<&T::acceleration_range>("action.acceleration_range", "of actions -1 and 1 (m/s^2)"),
      Option<&T::steering_range>("action.steering_range", "of actions -1 and 1 (rad)"),
      Option<&T::speed_range>(
          "action.speed_range",
          "of ContinuousAction: least and greatest speed (m/s); () is (-40, 40)"),
      Option<&T::dynamical>("action.dynamical", "tires slip; not of DiscreteMetaAction"),
      Option<&T::clip>("action.clip", "numbers are clipped to -1 .. 1"),
      Option<&T::actions_per_axis>("action.actions_per_axis", "values of DiscreteAction",
                                   {.min = 1, .max = 1000})};
}

Options<ObservationOptions> ObservationOptions::Describe() {
  using T = ObservationOptions;
  return {
      Option<&T::type>("observation.type", "the kind of observations", OneOf(kObservations)),
      Option<&T::vehicles_count>("observation.vehicles_count", "rows, the ego's first",
                                 {.min = 2, .max = 1000}),
      Option<&T::features>("observation.features", "columns of rows, or layers of grids"),
      Option<&T::features_range>("observation.features_range",
                                 "numbers that become -1 and 1; {} is the default"),
      Option<&T::absolute>("observation.absolute",
                           "places and speeds are not the ego's differences"),
      Option<&T::order>("observation.order", "of rows", OneOf(kOrders)),
      Option<&T::normalize>("observation.normalize", "map features_range to -1 .. 1"),
      Option<&T::clip>("observation.clip", "numbers are clipped to -1 .. 1"),
      Option<&T::see_behind>("observation.see_behind", "rows of cars more than 10 m behind"),
      Option<&T::observe_intentions>("observation.observe_intentions",
                                     "cos_d and sin_d of other cars are not 0"),
      Option<&T::include_obstacles>("observation.include_obstacles", "rows of obstacles"),
      Option<&T::flatten>("observation.flatten", "no effect, as in highway-env"),
      Option<&T::horizon>("observation.horizon", "of TimeToCollision (s)", {.min = 1, .max = 1000}),
      Option<&T::grid_size>("observation.grid_size", "of OccupancyGrid: x, then y from .. to (m)"),
      Option<&T::grid_step>("observation.grid_step", "size of its cells (m)", {.min = 1e-3}),
      Option<&T::align_to_vehicle_axes>("observation.align_to_vehicle_axes",
                                        "its axes turn with the ego"),
      Option<&T::as_image>("observation.as_image", "it is of integers 0 .. 255"),
      Option<&T::scales>("observation.scales", "of KinematicsGoal: divisors of the features"),
      Option<&T::attributes>("observation.attributes", "of AttributesObservation"),
      Option<&T::observation_shape>("observation.observation_shape",
                                    "of GrayscaleObservation: width and height (pixels)", kScreen),
      Option<&T::stack_size>("observation.stack_size", "its pictures", {.min = 1, .max = 100}),
      Option<&T::weights>("observation.weights", "its parts of red, green and blue"),
      Option<&T::scaling>("observation.scaling", "its pixels per m; 0 is the option scaling",
                          {.min = 0}),
      Option<&T::centering_position>("observation.centering_position",
                                     "where its ego is; () is the option centering_position"),
      Option<&T::cells>("observation.cells", "of LidarObservation", {.min = 1, .max = 10000}),
      Option<&T::maximum_range>("observation.maximum_range", "of LidarObservation (m)",
                                {.min = 1e-3})};
}

ObservationOptions ObservationOptions::Of(const std::string& type) {
  ObservationOptions options;
  options.type = type;
  if (type == "OccupancyGrid") options.features = {"presence\nvx\nvy\non_road"};
  return options;
}

std::vector<std::string> NamesOf(const Lines& lines) {
  std::vector<std::string> names;
  std::istringstream text(lines.text);
  for (std::string name; std::getline(text, name);) names.push_back(name);
  return names;
}

void Refuse(const std::string& name, const std::string& value, const std::string& allowed) {
  throw std::invalid_argument(name + " is " + value + "; it must be " + allowed);
}

void CheckTask(const TaskOptions& options) {
  if (options.policy_frequency > options.simulation_frequency) {
    Refuse("policy_frequency", std::to_string(options.policy_frequency),
           "at most simulation_frequency, " + std::to_string(options.simulation_frequency));
  }
}

void CheckAction(const ActionOptions& options) {
  if (!options.longitudinal && !options.lateral) {
    Refuse("action.lateral", "false", "true if action.longitudinal is false");
  }
  if (options.is_meta()) {
    const std::vector<double>& speeds = options.target_speeds;
    if (speeds.size() < 2 || speeds.front() == speeds.back()) {
      Refuse("action.target_speeds", "of " + std::to_string(speeds.size()) + " numbers",
             "at least two different numbers");
    }
  }
  if (!options.speed_range.empty() && options.speed_range.size() != 2) {
    Refuse("action.speed_range", "of " + std::to_string(options.speed_range.size()) + " numbers",
           "() or two numbers");
  }
}

void CheckObservation(const ObservationOptions& observation, const ActionOptions& action) {
  CheckFeatures(observation);
  if (observation.type == "TimeToCollision" && !action.is_meta()) {
    Refuse("observation.type", observation.type,
           "another one, or action.type DiscreteMetaAction: it needs target speeds");
  }
  if (observation.type == "OccupancyGrid") {
    if (observation.absolute) Refuse("observation.absolute", "true", "false for OccupancyGrid");
    for (int axis = 0; axis < 2; ++axis) {
      const double low = observation.grid_size[2 * axis],
                   high = observation.grid_size[2 * axis + 1];
      const double cells = (high - low) / observation.grid_step[axis];
      if (cells >= 1 && cells <= 1000) continue;
      Refuse("observation.grid_size", "from " + Text(low) + " to " + Text(high),
             "of 1 to 1000 cells of observation.grid_step");
    }
  }
}

void CheckOwnObservation(const ObservationOptions& options, const std::string& own) {
  for (const char* type : {"ExitObservation", "KinematicsGoal", "AttributesObservation"}) {
    if (options.type != type || own == type) continue;
    Refuse("observation.type", type, "another one: this task has no such observations");
  }
}

CarKind DriverKindOf(const TaskOptions& options) {
  const auto* const place = std::ranges::find(kDrivers, options.other_vehicles_type);
  return kDriverKinds[(place - std::begin(kDrivers)) % std::size(kDriverKinds)];
}

TrafficRules RulesOf(const TaskOptions& task, const ActionOptions& action, int most_cars) {
  TrafficRules rules;
  rules.drivers = RulesOf(DriverKindOf(task));
  rules.ego_speeds = action.target_speeds;
  rules.ego_kind = action.is_meta()   ? CarKind::kEgo
                   : action.dynamical ? CarKind::kBicycle
                                      : CarKind::kSteered;
  rules.sees_connected_lanes = task.neighbour_vehicles_connected_lanes;
  rules.most_cars = most_cars;
  return rules;
}

}  // namespace parallel_pool::highway
