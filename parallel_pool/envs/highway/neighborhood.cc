#include "parallel_pool/envs/highway/neighborhood.h"

#include <algorithm>

namespace parallel_pool::highway {

void Neighborhood::Begin(const Traffic& traffic) {
  traffic_ = &traffic;
  const size_t lanes = traffic.road().num_lanes();
  if (lanes_.size() < lanes) lanes_.resize(lanes);
  is_listed_.assign(lanes, false);
}

Neighborhood::Neighbors Neighborhood::Of(const Car& car, int lane) {
  const double own = traffic_->road().lane(lane).Locate(car.position).along;
  const std::vector<Place>& places = In(lane);
  auto front = std::ranges::partition_point(
      places, [own](const Place& place) { return !(own <= place.along); });
  auto rear = front;
  if (front != places.end() && front->car == &car) ++front;
  if (rear != places.begin() && std::prev(rear)->car == &car) --rear;
  return {front == places.end() ? nullptr : front->car,
          rear == places.begin() ? nullptr : std::prev(rear)->car};
}

const std::vector<Neighborhood::Place>& Neighborhood::In(int lane) {
  if (!is_listed_[lane]) {
    List(lane, lanes_[lane]);
    is_listed_[lane] = true;
  }
  return lanes_[lane];
}

void Neighborhood::List(int lane, std::vector<Place>& places) const {
  const Road& road = traffic_->road();
  auto lanes = road.connections(lane);
  if (!traffic_->rules().sees_connected_lanes) lanes = lanes.first(1);
  places.clear();
  const auto add = [&](const Car& car) {
    if (car.kind == CarKind::kLandmark) return;
    for (const Road::Connection& c : lanes) {
      const Lane& l = road.lane(c.lane);
      const LanePoint p = l.Locate(car.position);
      if (!l.Contains(p, 1)) continue;
      const double along = p.along + c.shift;
      size_t i = places.size();
      places.push_back({});
      for (; i > 0 && places[i - 1].along >= along; --i) places[i] = places[i - 1];
      places[i] = {along, &car};
      return;
    }
  };
  for (const Car& car : traffic_->cars) add(car);
  for (const Car& thing : traffic_->things) add(thing);
}

}  // namespace parallel_pool::highway
