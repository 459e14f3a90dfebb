// The options that several tasks have. Names with a dot are keys of highway-env's nested dicts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/highway/road.h"
#include "parallel_pool/envs/highway/traffic.h"

namespace parallel_pool::highway {

// Options of all tasks.
struct TaskOptions {
  int simulation_frequency = 15, policy_frequency = 1;
  std::string other_vehicles_type = "highway_env.vehicle.behavior.IDMVehicle";
  bool neighbour_vehicles_connected_lanes = false;
  int screen_width = 600, screen_height = 150;
  Numbers<2> centering_position = {.3, .5};
  double scaling = 5.5;

  std::shared_ptr<const Road> road;  // which Complete makes

  static Options<TaskOptions> Describe();
  int frames() const { return simulation_frequency / policy_frequency; }  // of a step
};

// Options of tasks that can have several players.
struct PlayerOptions {
  int controlled_vehicles = 1;
  bool multi_agent = false;

  static Options<PlayerOptions> Describe();
  int players() const { return multi_agent ? controlled_vehicles : 1; }
};

struct ActionOptions {
  std::string type = "DiscreteMetaAction";
  bool longitudinal = true, lateral = true;
  std::vector<double> target_speeds = {20, 25, 30};
  Numbers<2> acceleration_range = {-5, 5}, steering_range = {-kPi / 4, kPi / 4};
  std::vector<double> speed_range = {};
  bool dynamical = false, clip = true;
  int actions_per_axis = 3;

  static Options<ActionOptions> Describe();
  bool is_meta() const { return type == "DiscreteMetaAction"; }
  bool is_continuous() const { return type == "ContinuousAction"; }
  int size() const { return longitudinal && lateral ? 2 : 1; }  // numbers of an action
};

struct ObservationOptions {
  std::string type = "Kinematics";
  int vehicles_count = 5;
  Lines features = {"presence\nx\ny\nvx\nvy"};
  NumbersByKey<std::string, 2> features_range = {};
  bool absolute = false;
  std::string order = "sorted";
  bool normalize = true, clip = true;
  bool see_behind = false, observe_intentions = false, include_obstacles = true;
  bool flatten = false;
  int horizon = 10;
  Numbers<4> grid_size = {-27.5, 27.5, -27.5, 27.5};
  Numbers<2> grid_step = {5, 5};
  bool align_to_vehicle_axes = false, as_image = false;
  std::vector<double> scales = {};
  Lines attributes = {};
  Numbers<2> observation_shape = {84, 84};
  int stack_size = 4;
  Numbers<3> weights = {.2989, .587, .114};
  double scaling = 0;
  std::vector<double> centering_position = {};
  int cells = 16;
  double maximum_range = 60;

  static Options<ObservationOptions> Describe();
  // The defaults of highway-env's class for this type.
  static ObservationOptions Of(const std::string& type);
};

// The names of a list.
std::vector<std::string> NamesOf(const Lines& lines);

// A user who gives a type replaces highway-env's whole dict, so the other options of the dict get
// the defaults of that type.
template <class Group, class Given>
void TakeDefaults(const Group& defaults, const Given& given, Group& options) {
  for (const auto& option : Group::Describe()) {
    if (!given(option.name)) option.set(options, option.get(defaults));
  }
}
template <class Given>
void CompleteTypes(const Given& given, ObservationOptions& observation, ActionOptions& action) {
  if (given("observation.type")) {
    TakeDefaults(ObservationOptions::Of(observation.type), given, observation);
  }
  if (given("action.type")) {
    ActionOptions defaults;
    defaults.type = action.type;
    TakeDefaults(defaults, given, action);
  }
}

// They throw std::invalid_argument if options contradict each other.
void CheckTask(const TaskOptions& options);
void CheckAction(const ActionOptions& options);
void CheckObservation(const ObservationOptions& observation, const ActionOptions& action);
// The type of observations must be one of all tasks, or `own`, that of this task.
void CheckOwnObservation(const ObservationOptions& options, const std::string& own);
// Refuses the value of an option: `allowed` says what it must be.
[[noreturn]] void Refuse(const std::string& name, const std::string& value,
                         const std::string& allowed);

CarKind DriverKindOf(const TaskOptions& options);
// For up to `most_cars` cars.
TrafficRules RulesOf(const TaskOptions& task, const ActionOptions& action, int most_cars = 64);

// The options of a Config: those of all of its `Groups`, in this order.
template <class Config, class... Groups>
Options<Config> DescribeAll() {
  Options<Config> all;
  const auto append = [&all](const auto& options) {
    for (const auto& option : options) all.push_back(option);
  };
  (append(Groups::Describe()), ...);
  return all;
}

}  // namespace parallel_pool::highway
