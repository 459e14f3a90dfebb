#include "parallel_pool/envs/highway/road.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

namespace parallel_pool::highway {

Road::Road(const std::vector<PlacedLane>& lanes) {
  // Only nodes at which a lane begins have a place in the order.
  for (const PlacedLane& placed : lanes) NodeOf(placed.from);
  const auto sources = static_cast<int>(nodes_.size());
  for (const PlacedLane& placed : lanes) NodeOf(placed.to);
  leaving_.resize(nodes_.size());
  for (int from = 0; from < sources; ++from) {
    for (const PlacedLane& first : lanes) {
      if (first.from != nodes_[from]) continue;
      const int to = NodeOf(first.to);
      if (SectionBetween(from, to) >= 0) continue;
      Section section{from, to, num_lanes(), 0};
      for (const PlacedLane& placed : lanes) {
        if (placed.from != first.from || placed.to != first.to) continue;
        lanes_.push_back(placed.lane);
        section_of_.push_back(num_sections());
        ++section.lanes;
      }
      leaving_[from].push_back(num_sections());
      sections_.push_back(section);
    }
  }
  Connect();
  paths_.resize(nodes_.size());
  for (int start = 0; start < num_nodes(); ++start) {
    for (int goal = 0; goal < num_nodes(); ++goal) {
      paths_[start].push_back(ShortestPath(start, goal));
    }
  }
}

int Road::NodeOf(const std::string& name) {
  const auto place = std::find(nodes_.begin(), nodes_.end(), name);
  if (place != nodes_.end()) return static_cast<int>(place - nodes_.begin());
  nodes_.push_back(name);
  return num_nodes() - 1;
}

int Road::SectionBetween(int from, int to) const {
  for (const int s : leaving_[from]) {
    if (sections_[s].to == to) return s;
  }
  return -1;
}

void Road::Connect() {
  for (int lane = 0; lane < num_lanes(); ++lane) {
    const Section& own = sections_[section_of_[lane]];
    const auto same_place = [&](const Section& section) {
      const int place = place_of(lane);
      return section.first_lane + (place < section.lanes ? place : 0);
    };
    std::vector<Connection> all = {{lane, 0}};
    for (const int s : leaving_[own.to]) {
      all.push_back({same_place(sections_[s]), lanes_[lane].length()});
    }
    for (const Section& section : sections_) {
      if (section.to != own.from) continue;
      const int before = same_place(section);
      all.push_back({before, -lanes_[before].length()});
    }
    connections_.push_back(std::move(all));
  }
}

int Road::most_lanes_of_a_section() const {
  int most = 0;
  for (const Section& section : sections_) most = std::max(most, section.lanes);
  return most;
}

int Road::FindSection(std::string_view from, std::string_view to) const {
  for (int s = 0; s < num_sections(); ++s) {
    if (nodes_[sections_[s].from] == from && nodes_[sections_[s].to] == to) return s;
  }
  throw std::out_of_range("the road has no section from " + std::string(from) + " to " +
                          std::string(to));
}

int Road::FindLane(std::string_view from, std::string_view to, int place) const {
  const Section& section = sections_[FindSection(from, to)];
  if (place >= 0 && place < section.lanes) return section.first_lane + place;
  throw std::out_of_range("the section from " + std::string(from) + " to " + std::string(to) +
                          " has no lane " + std::to_string(place));
}

int Road::Closest(const Point& position, double heading, int near) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  int best = near;
  double least = lanes_[near].DistanceTo(position, heading, kInfinity);
  for (int i = 0; i < num_lanes(); ++i) {
    if (i == near) continue;
    const double distance = lanes_[i].DistanceTo(position, heading, least);
    // The first of lanes at the same distance is the closest.
    if (distance > least || (distance == least && i > best)) continue;
    least = distance;
    best = i;
  }
  return best;
}

Road::NextLane Road::Enter(int lane, int section, int number, const Point& position) const {
  const Section& next = sections_[section];
  if (next.lanes == count_beside(lane)) {
    const int chosen = next.first_lane + (number == kAnyLane ? place_of(lane) : number);
    return {chosen, lanes_[chosen].DistanceTo(position)};
  }
  NextLane best{next.first_lane, lanes_[next.first_lane].DistanceTo(position)};
  for (int i = 1; i < next.lanes; ++i) {
    const int other = next.first_lane + i;
    const double distance = lanes_[other].DistanceTo(position);
    if (distance < best.distance) best = {other, distance};
  }
  return best;
}

int Road::Next(int lane, Route& route, const Point& position) const {
  const int section = section_of_[lane];
  const int end = sections_[section].to;
  const Point middle = lanes_[lane].MiddleAt(lanes_[lane].Locate(position).along);
  if (!route.empty() && route.front().section == section) route.PopFront();
  if (!route.empty() && sections_[route.front().section].from == end) {
    return Enter(lane, route.front().section, route.front().number, middle).lane;
  }
  NextLane best{lane, std::numeric_limits<double>::infinity()};
  for (const int s : leaving_[end]) {
    const NextLane next = Enter(lane, s, kAnyLane, middle);
    if (next.distance < best.distance) best = next;
  }
  return best.lane;
}

std::vector<int> Road::ShortestPath(int start, int goal) const {
  if (leaving_[start].empty()) return {};
  std::deque<std::vector<int>> queue = {{start}};  // nodes of paths
  for (; !queue.empty(); queue.pop_front()) {
    const std::vector<int> path = queue.front();
    std::vector<int> next;
    for (const int s : leaving_[path.back()]) {
      const int node = sections_[s].to;
      if (std::find(path.begin(), path.end(), node) == path.end()) next.push_back(node);
    }
    std::ranges::sort(next, {}, [this](int node) -> const std::string& { return nodes_[node]; });
    for (const int node : next) {
      std::vector<int> longer = path;
      longer.push_back(node);
      if (node == goal) {
        std::vector<int> sections;
        for (size_t i = 1; i < longer.size(); ++i) {
          sections.push_back(SectionBetween(longer[i - 1], longer[i]));
        }
        return sections;
      }
      if (!leaving_[node].empty()) queue.push_back(std::move(longer));
    }
  }
  return {};
}

Route Road::Plan(int lane, std::string_view goal) const {
  Route route;
  route.Append({static_cast<int16_t>(section_of_[lane]), static_cast<int16_t>(place_of(lane))});
  const auto place = std::find(nodes_.begin(), nodes_.end(), goal);
  if (place == nodes_.end()) return route;
  for (const int s : paths_[sections_[section_of_[lane]].to][place - nodes_.begin()]) {
    route.Append({static_cast<int16_t>(s), kAnyLane});
  }
  return route;
}

bool Road::AreConnected(int from, int other, const Route& route, int first, int depth) const {
  if (from == other || sections_[other].to == sections_[from].from) return true;
  if (depth == 0) return false;
  const int end = sections_[from].to;
  if (first < route.size()) {
    const int step = route[first].section;
    if (step == from) return AreConnected(from, other, route, first + 1, depth);
    if (sections_[step].from == end) return AreConnected(step, other, route, first + 1, depth - 1);
  }
  return std::ranges::any_of(
      leaving_[end], [&](int s) { return AreConnected(s, other, route, first, depth - 1); });
}

}  // namespace parallel_pool::highway
