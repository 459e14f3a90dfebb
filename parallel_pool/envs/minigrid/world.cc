#include "parallel_pool/envs/minigrid/world.h"

#include <algorithm>

#include "parallel_pool/envs/minigrid/view.h"

namespace parallel_pool::minigrid {

World::World(const Rules& rules, Rng& rng)
    : rules_(rules),
      rng_(rng),
      margin_(rules.view_size - 1),
      stride_(rules.width + 2 * margin_),
      cells_(stride_ * (rules.height + 2 * margin_), kWall) {
  objects_.reserve(kMostObjects + 1);
}

void World::Clear() {
  for (int y = 0; y < height(); ++y) {
    std::fill_n(cells_.begin() + IndexOf({0, y}), width(), kEmpty);
  }
  objects_.assign(1, {});
  agent_ = kNowhere;
}

void World::HorizontalLine(Point from, int length, Cell cell) {
  for (int i = 0; i < length; ++i) Set(from + Point{i, 0}, cell);
}

void World::VerticalLine(Point from, int length, Cell cell) {
  for (int i = 0; i < length; ++i) Set(from + Point{0, i}, cell);
}

void World::Walls(Area area) {
  HorizontalLine(area.top, area.width);
  HorizontalLine(area.top + Point{0, area.height - 1}, area.width);
  VerticalLine(area.top, area.height);
  VerticalLine(area.top + Point{area.width - 1, 0}, area.height);
}

Cell World::New(Kind kind, Color color) {
  if (objects_.size() > kMostObjects) {
    throw std::length_error("a world has at most " + std::to_string(kMostObjects) +
                            " objects; ask for fewer objects, rooms or doors");
  }
  objects_.push_back({});
  return {LookOf(kind, color), static_cast<uint8_t>(objects_.size() - 1)};
}

Cell World::Box(Color color, Cell contents) {
  const Cell box = New(Kind::kBox, color);
  objects_[box.id].contents = contents;
  return box;
}

void World::Put(Cell object, Point p) {
  Set(p, object);
  objects_[object.id].place = p;
}

void World::PlaceAgent(Area area, int most) {
  agent_ = kNowhere;
  agent_ = FreePlace(area, most);
  direction_ = RandInt(0, 4);
}

Outcome World::Act(int move) {
  ++steps_;
  const Point ahead = front();
  const Cell cell = At(ahead);
  switch (move) {
    case kLeft:
      direction_ = (direction_ + 3) % 4;
      break;
    case kRight:
      direction_ = (direction_ + 1) % 4;
      break;
    case kForward:
      if (CanBeEntered(cell.kind())) agent_ = ahead;
      if (cell.kind() == Kind::kGoal) return Success();
      if (cell.kind() == Kind::kLava) return {.terminated = true};
      break;
    case kPickUp:
      if (CanBePickedUp(cell.kind()) && !is_carrying()) {
        Set(ahead, kEmpty);
        objects_[cell.id].place = kNowhere;
        carried_ = cell;
      }
      break;
    case kDrop:
      if (cell.is_empty() && is_carrying()) {
        Put(carried_, ahead);
        carried_ = kEmpty;
      }
      break;
    case kToggle:
      Toggle(ahead);
      break;
    default:
      break;
  }
  return {};
}

void World::Toggle(Point p) {
  const Cell cell = At(p);
  const auto turn_into = [&](Kind kind) { Set(p, {LookOf(kind, cell.color()), cell.id}); };
  switch (cell.kind()) {
    case Kind::kOpenDoor:
      turn_into(Kind::kClosedDoor);
      break;
    case Kind::kClosedDoor:
      turn_into(Kind::kOpenDoor);
      break;
    case Kind::kLockedDoor:
      if (carried_.look == LookOf(Kind::kKey, cell.color())) turn_into(Kind::kOpenDoor);
      break;
    case Kind::kBox:
      Set(p, objects_[cell.id].contents);
      break;
    default:
      break;
  }
}

void World::See(Look* looks) const {
  if (view_size() == 7) {
    SeeSized<7>(looks);
  } else {
    SeeSized<0>(looks);
  }
}

template <int fixed_size>
void World::SeeSized(Look* looks) const {
  const int n = fixed_size > 0 ? fixed_size : rules_.view_size;
  const ptrdiff_t ahead = OffsetOf(direction_), right = OffsetOf(direction_ + 1);
  const Cell* const corner = cells_.data() + IndexOf(agent_) + ahead * (n - 1) - right * (n / 2);
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) looks[x * n + y] = corner[right * x - ahead * y].look;
  }
  if (!rules_.sees_through_walls) {
    constexpr int kSize = fixed_size > 0 ? fixed_size : kLargestView;
    RowBits opaque[kSize] = {}, lit[kSize];
    for (int x = 0; x < n; ++x) {
      for (int y = 0; y < n; ++y) {
        opaque[y] |= static_cast<RowBits>(IsOpaque(KindOf(looks[x * n + y]))) << x;
      }
    }
    SpreadLight<fixed_size>(opaque, lit, n);
    for (int x = 0; x < n; ++x) {
      for (int y = 0; y < n; ++y) {
        looks[x * n + y] &= static_cast<Look>(-static_cast<int>(lit[y] >> x & 1));
      }
    }
  }
  looks[n / 2 * n + n - 1] = carried_.look;
}

void World::MarkSeen(bool* seen) const {
  const int n = view_size();
  std::fill_n(seen, width() * height(), false);
  Look looks[kLargestView * kLargestView];
  See(looks);
  const Point ahead = kDirections[direction_], right = kDirections[(direction_ + 1) % 4];
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) {
      const int across = x - n / 2, depth = n - 1 - y;
      const Point p = {agent_.x + right.x * across + ahead.x * depth,
                       agent_.y + right.y * across + ahead.y * depth};
      if (looks[x * n + y] != 0 && whole().Contains(p)) seen[p.y * width() + p.x] = true;
    }
  }
}

}  // namespace parallel_pool::minigrid
