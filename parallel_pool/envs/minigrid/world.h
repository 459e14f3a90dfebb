// The world of one env: the grid, its objects and the agent. A level derives from it, builds the
// world in Generate and says what ends an episode (env.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/minigrid/cell.h"
#include "parallel_pool/envs/minigrid/list.h"
#include "parallel_pool/envs/minigrid/point.h"

namespace parallel_pool::minigrid {

enum Move { kLeft, kRight, kForward, kPickUp, kDrop, kToggle, kDone };
inline constexpr int kMoves = 7;

// A random place or world was not found. BabyAI's levels begin again then.
struct Rejected : std::runtime_error { using runtime_error::runtime_error; };

// Sizes and rules of a world.
struct Rules {
  int width, height;  // cells
  int max_steps = 0;  // of an episode; 0: the level sets them with each mission
  int view_size = 7;  // cells that the agent sees ahead and across; odd
  bool sees_through_walls = false;
};

inline constexpr int kMostObjects = 255;  // ids fit in a byte, and 0 is no object

class World {
 public:
  // A level that differs has constants of its own of these names.
  static constexpr bool kSeesThroughWalls = false;  // unless the user says so
  static constexpr int kNumMoves = kMoves;          // the first ones of Move
  static constexpr int kMissionSize = 96;           // the most characters of a mission

  World(const Rules& rules, Rng& rng);

  // --- The grid ---
  int width() const { return rules_.width; }
  int height() const { return rules_.height; }
  Area whole() const { return {{0, 0}, width(), height()}; }
  // The cell at p. Cells up to view_size - 1 outside the grid are walls.
  Cell At(Point p) const { return cells_[IndexOf(p)]; }
  void Set(Point p, Cell cell) { cells_[IndexOf(p)] = cell; }

  // Makes the grid empty and the ids free, and takes the agent away.
  void Clear();
  void HorizontalLine(Point from, int length, Cell cell = kWall);
  void VerticalLine(Point from, int length, Cell cell = kWall);
  void Walls(Area area);  // along the border of the area

  // --- Objects ---
  Cell New(Kind kind, Color color);  // an object with its own id, not yet on the grid
  Cell Box(Color color, Cell contents);
  void Put(Cell object, Point p);
  int num_objects() const { return static_cast<int>(objects_.size()) - 1; }  // with ids 1, 2, ...
  // Where an object was put last; nowhere while it is carried.
  Point PlaceOf(Cell object) const { return objects_[object.id].place; }
  // The cell at the object's last place. It shows the object's current state, or another object if
  // this one was removed.
  Cell Now(Cell object) const { return At(PlaceOf(object)); }

  // The reference tries forever where a level sets no limit.
  static constexpr int kMostTries = 1'000'000;

  // --- Random choices, in the reference's order and number ---
  int RandInt(int low, int high) { return static_cast<int>(rng_.Integers(low, high)); }
  bool RandBool() { return RandInt(0, 2) == 0; }
  double RandFloat() { return rng_.Uniform(0.0, 1.0); }
  Point RandPlace(Area area) {  // inside the border of the area
    const int x = RandInt(area.top.x + 1, area.top.x + area.width - 1);
    return {x, RandInt(area.top.y + 1, area.top.y + area.height - 1)};
  }
  template <class Elements>
  const auto& RandElement(const Elements& elements) {
    return elements[RandInt(0, static_cast<int>(elements.size()))];
  }
  Color RandColor() { return RandElement(kDrawnColors); }
  // `count` elements of the list in random order.
  template <class T, size_t n>
  List<T, n> RandSubset(List<T, n> elements, int count) {
    List<T, n> chosen;
    for (int i = 0; i < count; ++i) {
      const int k = RandInt(0, static_cast<int>(elements.size()));
      chosen.Add(elements[k]);
      elements.Remove(k);
    }
    return chosen;
  }
  Rng& rng() { return rng_; }

  // A free random place in the area, where is_refused(place) is false; nothing after more than
  // `most` failures.
  template <class IsRefused>
  std::optional<Point> FindPlace(Area area, int most, const IsRefused& is_refused) {
    const int left = std::max(area.top.x, 0), top = std::max(area.top.y, 0);
    const int right = std::min(left + area.width, width());
    const int bottom = std::min(top + area.height, height());
    for (int tries = 0; tries <= most; ++tries) {
      const int x = RandInt(left, right);
      const Point p = {x, RandInt(top, bottom)};
      if (At(p).is_empty() && p != agent_ && !is_refused(p)) return p;
    }
    return {};
  }
  // The same; throws Rejected after more than `most` failures.
  template <class IsRefused>
  Point FreePlace(Area area, int most, const IsRefused& is_refused) {
    const std::optional<Point> place = FindPlace(area, most, is_refused);
    if (place) return *place;
    throw Rejected("no free place was found; ask for fewer objects or a larger grid");
  }
  Point FreePlace(Area area, int most = kMostTries) {
    return FreePlace(area, most, [](Point) { return false; });
  }
  Point Place(Cell object, Area area, int most = kMostTries) {
    const Point p = FreePlace(area, most);
    Put(object, p);
    return p;
  }
  Point Place(Cell object) { return Place(object, whole()); }
  // Puts the agent on a free place and turns it at random.
  void PlaceAgent(Area area, int most = kMostTries);
  void PlaceAgent() { PlaceAgent(whole()); }

  // --- The agent ---
  Point agent() const { return agent_; }
  int direction() const { return direction_; }
  Cell carried() const { return carried_; }  // kEmpty: nothing
  bool is_carrying() const { return !carried_.is_empty(); }
  Point front() const { return agent_ + kDirections[direction_]; }
  void SetAgent(Point p, int direction) {
    agent_ = p;
    direction_ = direction;
  }
  void SetCarried(Cell object) { carried_ = object; }

  // --- The episode ---
  // What the agent is told to do, in parts. `id` is its number among the level's missions: of the
  // words that vary, the last varies fastest; -1 where they are too many to be numbered.
  void SetMission(std::initializer_list<std::string_view> parts, int id = 0) {
    mission_.clear();
    for (const std::string_view part : parts) mission_ += part;
    mission_id_ = id;
  }
  const std::string& mission() const { return mission_; }
  int mission_id() const { return mission_id_; }
  void set_max_steps(int steps) { max_steps_ = steps; }
  int max_steps() const { return max_steps_; }
  // The reward of success at this step.
  double Reward() const { return 1 - 0.9 * (static_cast<double>(steps_) / max_steps_); }
  Outcome Success() const { return {.reward = Reward(), .terminated = true}; }

  // Begins an episode: clears the world, calls generate(), and lets the agent drop all.
  template <class Generate>
  void Begin(const Generate& generate) {
    Clear();
    max_steps_ = rules_.max_steps;
    generate();
    carried_ = kEmpty;
    steps_ = 0;
  }
  // Counts a step and moves the agent. Goals and lava terminate the episode.
  Outcome Act(int move);
  bool IsOver() const { return steps_ >= max_steps_; }

  // --- What the agent sees ---
  int view_size() const { return rules_.view_size; }
  // The looks of the view_size x view_size cells before the agent, [x][y], in its direction: it is
  // at (view_size / 2, view_size - 1) and looks to y = 0. The object that it carries is at its
  // place.
  void See(Look* looks) const;
  // Whether it sees each cell of the grid, row by row.
  void MarkSeen(bool* seen) const;

  auto Saved() {
    return std::tie(cells_, objects_, agent_, direction_, carried_, steps_, max_steps_, mission_,
                    mission_id_);
  }

 private:
  // The data of an object that its cell does not show.
  struct Object {
    Point place = kNowhere;
    Cell contents = kEmpty;  // of a box
  };

  ptrdiff_t IndexOf(Point p) const { return (p.y + margin_) * stride_ + p.x + margin_; }
  ptrdiff_t OffsetOf(int direction) const {
    const Point d = kDirections[direction & 3];
    return d.y * stride_ + d.x;
  }
  void Toggle(Point p);
  template <int fixed_size>
  void SeeSized(Look* looks) const;

  const Rules rules_;
  Rng& rng_;
  const ptrdiff_t margin_, stride_;  // cells around the grid, so that each view is inside
  std::vector<Cell> cells_;
  std::vector<Object> objects_;  // by id
  Point agent_ = kNowhere;
  int direction_ = 0;
  Cell carried_ = kEmpty;
  int steps_ = 0, max_steps_ = 0;
  std::string mission_;
  int mission_id_ = 0;
};

}  // namespace parallel_pool::minigrid
