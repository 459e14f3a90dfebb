// The lanes of the race tracks, section by section.
#include <algorithm>
#include <utility>

#include "parallel_pool/envs/highway/tasks/racetrack.h"

namespace parallel_pool::highway {
namespace {

constexpr double kWidth = 5;  // m
constexpr double w = kWidth, w2 = 2 * kWidth;
constexpr LineType c = LineType::kContinuous, s = LineType::kStriped, n = LineType::kNone;

class Track {
 public:
  explicit Track(double speed_limit) : traits_{.width = kWidth, .speed_limit = speed_limit} {}

  // The next lanes lead from `from` to `to`.
  void Begin(const char* from, const char* to) {
    from_ = from;
    to_ = to;
  }
  void Straight(Point start, Point end, LineType left, LineType right) {
    Add(Lane::Straight(start, end, With(left, right)));
  }
  // From one angle (degrees) to another.
  void Arc(Point center, double radius, double start, double end, LineType left, LineType right) {
    Add(Lane::Circle(center, radius, Radians(start), Radians(end), end > start, With(left, right)));
  }
  std::vector<PlacedLane> Take() { return std::move(lanes_); }

 private:
  LaneTraits With(LineType left, LineType right) const {
    LaneTraits traits = traits_;
    traits.left = left;
    traits.right = right;
    return traits;
  }
  void Add(const Lane& lane) { lanes_.push_back({from_, to_, lane}); }

  const LaneTraits traits_;
  const char *from_ = "", *to_ = "";
  std::vector<PlacedLane> lanes_;
};

// The large track up to its slanted straight.
void AddBeginOfLargeTrack(Track& track) {
  track.Begin("a", "b");
  track.Straight({42, 0}, {200, 0}, c, s);
  track.Straight({42, w}, {200, w}, s, s);
  track.Straight({42, w2}, {200, w2}, n, c);
  track.Begin("b", "c");
  track.Arc({200, -20}, 20, 90, -1, c, n);
  track.Arc({200, -20}, 20 + w, 90, -1, s, s);
  track.Arc({200, -20}, 20 + w2, 90, -1, n, c);
  track.Begin("c", "d");
  track.Straight({220, -20}, {220, -61}, c, n);
  track.Straight({220 + w, -20}, {220 + w, -61}, s, s);
  track.Straight({220 + w2, -20}, {220 + w2, -61}, n, c);
  track.Begin("d", "e");
  track.Arc({205, -60}, 15, 0, -181, c, n);
  track.Arc({205, -60}, 15 + w, 0, -181, s, s);
  track.Arc({205, -60}, 15 + w2, 0, -181, n, c);
  track.Begin("e", "f");
  track.Arc({170, -60}, 15 + w, 0, 136, c, n);
  track.Arc({170, -60}, 15, 0, 137, s, s);
  track.Arc({170, -60}, 15 - w, 0, 137, n, c);
}

}  // namespace

std::vector<PlacedLane> SmallTrack() {
  Track track(10);
  track.Begin("a", "b");
  track.Straight({42, 0}, {100, 0}, c, s);
  track.Straight({42, 5}, {100, 5}, s, c);
  track.Begin("b", "c");
  track.Arc({100, -20}, 20, 90, -1, c, n);
  track.Arc({100, -20}, 25, 90, -1, s, c);
  track.Begin("c", "d");
  track.Straight({120, -20}, {120, -30}, c, n);
  track.Straight({125, -20}, {125, -30}, s, c);
  track.Begin("d", "e");
  track.Arc({105, -30}, 15, 0, -181, c, n);
  track.Arc({105, -30}, 20, 0, -181, s, c);
  track.Begin("e", "f");
  track.Arc({70, -30}, 20, 0, 136, c, s);
  track.Arc({70, -30}, 15, 0, 137, n, c);
  track.Begin("f", "g");
  track.Straight({55.7, -15.7}, {35.7, -35.7}, c, n);
  track.Straight({59.3934, -19.2}, {39.3934, -39.2}, s, c);
  track.Begin("g", "h");
  track.Arc({18.1, -18.1}, 25, 315, 170, c, n);
  track.Arc({18.1, -18.1}, 30, 315, 165, s, c);
  track.Begin("h", "i");
  track.Arc({18.1, -18.1}, 25, 170, 56, c, n);
  track.Arc({18.1, -18.1}, 30, 170, 58, s, c);
  track.Begin("i", "a");
  track.Arc({43.2, 23.4}, 23.5, 240, 270, c, s);
  track.Arc({43.2, 23.4}, 18.5, 238, 268, n, c);
  return track.Take();
}

std::vector<PlacedLane> LargeTrack(double speed_limit) {
  Track track(speed_limit);
  AddBeginOfLargeTrack(track);

  const Point extension = {-30, -30};
  const Point start = {155.7, -45.7}, end = Point{135.7, -65.7} + extension;
  const Point start_2 = {159.3934, -49.2}, end_2 = Point{139.3934, -69.2} + extension;
  track.Begin("f", "g");
  track.Straight(start, end, c, n);
  track.Straight(start_2, end_2, s, s);
  track.Straight(start + 2 * (start_2 - start), end + 2 * (end_2 - end), n, c);

  const Point center = Point{118.1, -48.1} + extension;
  constexpr double kBegin = 317, kEnd = 205, kRadius = 25;  // degrees, m
  track.Begin("g", "h");
  track.Arc(center, kRadius, kBegin, kEnd - 3, c, n);
  track.Arc(center, kRadius + 5, kBegin, kEnd, s, s);
  track.Arc(center, kRadius + w2, kBegin, kEnd, n, c);

  const auto after_arc = [&](double out) {
    return center + (kRadius + out) * DirectionOf(Radians(kEnd));
  };
  constexpr double kLast = 15;  // m, radius of the last arc
  const auto before_last = [&](double out) {
    const double radius = kLast + out;
    const Point way = DirectionOf(Radians(30));
    return Point{42 - radius * way.x, -kLast - radius * way.y};
  };
  track.Begin("h", "i");
  track.Straight(after_arc(0), before_last(0), c, n);
  track.Straight(after_arc(w), before_last(w), s, s);
  track.Straight(after_arc(w2), before_last(w2), n, c);
  track.Begin("i", "a");
  track.Arc({42, -kLast}, kLast, 210, 88, c, n);
  track.Arc({42, -kLast}, kLast + w, 210, 90, s, s);
  track.Arc({42, -kLast}, kLast + w2, 212, 88, n, c);
  return track.Take();
}

std::vector<PlacedLane> OvalTrack(int length, int lanes) {
  Track track(10);
  // Adds a section with `add`, which gets each lane's distance from the inner one and its lines.
  const auto section = [&](const char* from, const char* to, LineType inner, LineType middle,
                           const auto& add) {
    track.Begin(from, to);
    add(0.0, c, inner);
    for (int i = 1; i < lanes - 1; ++i) add(i * kWidth, s, middle);
    add((lanes - 1) * kWidth, s, c);
  };
  const auto straight = [&](const char* from, const char* to, Point start, Point end, Point out) {
    section(from, to, from[0] == 'a' ? s : n, n, [&](double d, LineType left, LineType right) {
      track.Straight(start + d * out, end + d * out, left, right);
    });
  };
  const auto arc = [&](const char* from, const char* to, Point center, double radius,
                       double begin) {
    section(from, to, n, from[0] == 'h' ? c : n, [&](double d, LineType left, LineType right) {
      track.Arc(center, radius + d, begin, begin - 90, left, right);
    });
  };
  const double l = length;
  straight("a", "b", {0, 0}, {l + 1, 0}, {0, 1});
  arc("b", "c", {l, -20}, 20, 90);
  straight("c", "d", {l + 20, -20}, {l + 20, -50}, {1, 0});
  arc("d", "e", {l + 5, -50}, 15, 0);
  straight("e", "f", {l + 5, -65}, {-5, -65}, {0, -1});
  arc("f", "g", {-5, -50}, 15, -90);
  straight("g", "h", {-20, -50}, {-20, -20}, {-1, 0});
  arc("h", "a", {0, -20}, 20, 180);
  return track.Take();
}

}  // namespace parallel_pool::highway
