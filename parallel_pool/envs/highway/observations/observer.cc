#include "parallel_pool/envs/highway/observations/observer.h"

#include <algorithm>

namespace parallel_pool::highway {

size_t ObservationForm::size() const {
  size_t size = 1;
  for (const int32_t n : shape) size *= n;
  return size;
}

ObservationForm FormOf(const TaskOptions& task, const ObservationOptions& options,
                       const ActionOptions&) {
  using Type = ObservationForm::Type;
  const auto features = static_cast<int32_t>(NamesOf(options.features).size());
  if (options.type == "TimeToCollision") {
    const int times = TimeToCollision::TimesOf(options.horizon, task.policy_frequency);
    return {Type::kFloat, {TimeToCollision::kSpeeds, TimeToCollision::kLanes, times}, 0, 1};
  }
  if (options.type == "OccupancyGrid") {
    const std::vector<int32_t> shape = OccupancyGrid::ShapeOf(options);
    if (options.as_image) return {Type::kByte, shape, 0, 255};
    return {Type::kFloat, shape};
  }
  if (options.type == "KinematicsGoal") {
    return {.type = Type::kDouble,
            .shape = {features},
            .parts = {"observation", "achieved_goal", "desired_goal"}};
  }
  if (options.type == "AttributesObservation") {
    return {.type = Type::kDouble, .shape = {4, 1}, .parts = NamesOf(options.attributes)};
  }
  if (options.type == "GrayscaleObservation") {
    return {Type::kByte,
            {options.stack_size, static_cast<int32_t>(options.observation_shape[0]),
             static_cast<int32_t>(options.observation_shape[1])},
            0,
            255};
  }
  if (options.type == "LidarObservation") {
    const double high = options.normalize ? 1 : options.maximum_range;
    return {Type::kFloat, {options.cells, 2}, -high, high};
  }
  return {Type::kFloat, {options.vehicles_count, features}};
}

Observer::Observer(const TaskOptions& task, const ObservationOptions& options,
                   const ActionOptions& action, int players)
    : options_(options),
      form_(FormOf(task, options, action)),
      players_(players),
      size_(form_.size()),
      screen_(ScreenOf(task, options)),
      first_lanes_(players) {
  if (options.type == "Kinematics" || options.type == "ExitObservation") {
    kinematics_.emplace(options);
  } else if (options.type == "OccupancyGrid") {
    grid_.emplace(options);
  } else if (options.type == "TimeToCollision") {
    const auto speeds = static_cast<int>(action.target_speeds.size());
    times_.emplace(options.horizon, task.policy_frequency, speeds,
                   task.road->most_lanes_of_a_section());
  } else if (options.type == "LidarObservation") {
    lidar_.emplace(options.cells, options.maximum_range, options.normalize);
  }
  if (form_.type == ObservationForm::Type::kFloat) floats_.resize(players_ * size_);
  if (form_.type == ObservationForm::Type::kByte) bytes_.resize(players_ * size_);
  doubles_.resize(form_.parts.size() * players_ * size_);
}

void Observer::Begin() {
  std::ranges::fill(first_lanes_, 0);
  std::ranges::fill(bytes_, 0);
}

void Observer::ObserveFor(int player, const Traffic& traffic, Rng& rng) {
  float* const floats = floats_.data() + player * size_;
  uint8_t* const bytes = bytes_.data() + player * size_;
  if (kinematics_) {
    int& lanes = first_lanes_[player];
    if (lanes == 0) lanes = traffic.road().count_beside(traffic.ego(player).lane);
    kinematics_->Write(traffic, player, lanes, rng, floats);
  } else if (grid_) {
    if (options_.as_image) {
      grid_->WriteImage(traffic, player, bytes);
    } else {
      grid_->Write(traffic, player, floats);
    }
  } else if (times_) {
    times_->Write(traffic, player, floats);
  } else if (lidar_) {
    lidar_->Write(traffic, player, floats);
  } else if (!bytes_.empty()) {
    // A new picture follows the older ones.
    const size_t picture = size_ / options_.stack_size;
    std::copy(bytes + picture, bytes + size_, bytes);
    DrawGray(SceneOf(traffic, player, screen_), options_.weights,
             {bytes + size_ - picture, picture});
  }
}

void Observer::Observe(const Traffic& traffic, PartWriter* parts, Rng& rng) {
  for (int player = 0; player < players_; ++player) {
    ObserveFor(player, traffic, rng);
    for (int i = 0; i < static_cast<int>(form_.parts.size()); ++i) {
      double* const out = doubles_.data() + (i * players_ + player) * size_;
      parts->WritePart(traffic, player, i, rng, out);
    }
  }
}

}  // namespace parallel_pool::highway
