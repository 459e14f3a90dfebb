// The lanes that cars drive on, and the ways from lane to lane. A road never changes; the envs of a
// setup share it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "parallel_pool/envs/highway/lane.h"

namespace parallel_pool::highway {

// A lane that leads from one node to another.
struct PlacedLane {
  std::string from, to;
  Lane lane;
};

inline constexpr int kAnyLane = -1;

// A part of a route: a section, and its lane by number or kAnyLane.
struct RouteStep { int16_t section, number; };

// The sections that a car will follow, the next one first. Plain data.
class Route {
 public:
  bool empty() const { return begin_ == end_; }
  int size() const { return end_ - begin_; }
  const RouteStep& operator[](int i) const { return steps_[begin_ + i]; }
  const RouteStep& front() const { return steps_[begin_]; }
  const RouteStep& back() const { return steps_[end_ - 1]; }
  void PopFront() { ++begin_; }
  void Append(RouteStep step) {
    if (end_ == kMost) throw std::length_error("a route has more than 16 sections");
    steps_[end_++] = step;
  }

 private:
  static constexpr int kMost = 16;
  std::array<RouteStep, kMost> steps_ = {};
  uint8_t begin_ = 0, end_ = 0;
};

class Road {
 public:
  // The parallel lanes from one node to another. Lane k of them is number first_lane + k of all.
  struct Section { int from, to, first_lane, lanes; };
  // A lane in which cars are neighbors, and what to add to its coordinate along for that of the
  // lane they are neighbors in.
  struct Connection {
    int lane;
    double shift;
  };

  explicit Road(const std::vector<PlacedLane>& lanes);

  // Lanes are numbered by the order in which their first nodes were first used, then their second
  // nodes: closest lanes are the first ones in this order.
  int num_lanes() const { return static_cast<int>(lanes_.size()); }
  const Lane& lane(int number) const { return lanes_[number]; }
  const Section& section(int number) const { return sections_[number]; }
  int num_sections() const { return static_cast<int>(sections_.size()); }
  int section_of(int lane) const { return section_of_[lane]; }
  // The number of a lane in its section.
  int place_of(int lane) const { return lane - sections_[section_of_[lane]].first_lane; }
  // Lanes next to this one, and itself.
  int count_beside(int lane) const { return sections_[section_of_[lane]].lanes; }
  int most_lanes_of_a_section() const;
  std::span<const int> leaving(int node) const { return leaving_[node]; }
  const std::string& name(int node) const { return nodes_[node]; }
  int num_nodes() const { return static_cast<int>(nodes_.size()); }

  // By names. They throw std::out_of_range if the road has no such thing.
  int FindSection(std::string_view from, std::string_view to) const;
  int FindLane(std::string_view from, std::string_view to, int place) const;

  // The lane with the least distance to a place and heading. `near` is a guess.
  int Closest(const Point& position, double heading, int near = 0) const;
  // The lane that follows `lane` for a car at `position`, which drops what it has driven of its
  // route; `lane` if none does.
  int Next(int lane, Route& route, const Point& position) const;
  // The shortest route from a lane to a node by its name; only the lane if there is none.
  Route Plan(int lane, std::string_view goal) const;
  // The lane, and those before and after it.
  std::span<const Connection> connections(int lane) const { return connections_[lane]; }
  // Whether cars on section `other` matter to one on section `from`: it leads there, or is at most
  // `depth` sections ahead on the route, whose first part is number `first`.
  bool AreConnected(int from, int other, const Route& route, int first, int depth) const;

 private:
  struct NextLane {
    int lane;
    double distance;
  };

  int NodeOf(const std::string& name);
  void Connect();
  // The lane of a section that follows `lane`: of this number, if there are as many, else the
  // closest.
  NextLane Enter(int lane, int section, int number, const Point& position) const;
  std::vector<int> ShortestPath(int start, int goal) const;
  int SectionBetween(int from, int to) const;

  std::vector<std::string> nodes_;  // by their first use
  std::vector<Lane> lanes_;
  std::vector<Section> sections_;
  std::vector<int> section_of_;
  std::vector<std::vector<int>> leaving_;             // the sections that begin at each node
  std::vector<std::vector<Connection>> connections_;  // of each lane
  std::vector<std::vector<std::vector<int>>> paths_;  // sections from node to node
};

}  // namespace parallel_pool::highway
