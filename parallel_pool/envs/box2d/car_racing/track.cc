#include "parallel_pool/envs/box2d/car_racing/track.h"

#include <algorithm>
#include <cmath>

namespace parallel_pool::box2d {
namespace {

constexpr double kScale = 6.0;
constexpr double kRadius = 900 / kScale, kDetail = 21 / kScale;   // m
constexpr double kHalfWidth = 40 / kScale, kBorder = 8 / kScale;  // m
constexpr double kTurnRate = 0.31;                                // rad, the most for a point
constexpr int kCheckpoints = 12, kBorderPoints = 4;

double Sign(double x) {
  return (x > 0) - (x < 0);
}

struct Checkpoint { double alpha, x, y; };
using Checkpoints = std::array<Checkpoint, kCheckpoints>;

Checkpoints DrawCheckpoints(Rng& rng) {
  Checkpoints points;
  for (int i = 0; i < kCheckpoints; ++i) {
    const double sector = 2 * M_PI * i / kCheckpoints;
    double alpha = sector + rng.Uniform(0, 2 * M_PI * 1 / kCheckpoints);
    double radius = rng.Uniform(kRadius / 3, kRadius);
    if (i == 0) alpha = 0;
    if (i == kCheckpoints - 1) alpha = sector;
    if (i == 0 || i == kCheckpoints - 1) radius = 1.5 * kRadius;
    points[i] = {alpha, radius * std::cos(alpha), radius * std::sin(alpha)};
  }
  return points;
}

// A point on the way, with its angle as seen from the middle of the field.
struct WayPoint {
  double alpha;
  TrackPoint point;
};

// Drives from checkpoint to checkpoint, some rounds long.
class Driver {
 public:
  explicit Driver(const Checkpoints& checkpoints) : checkpoints_(checkpoints) {}

  std::vector<WayPoint> Drive() {
    constexpr int kMostPoints = 2500, kLaps = 4;
    std::vector<WayPoint> way;
    while (static_cast<int>(way.size()) < kMostPoints) {
      double alpha = std::atan2(y_, x_);
      if (was_below_ && alpha > 0) {
        ++laps_;
        was_below_ = false;
      }
      if (alpha < 0) {
        was_below_ = true;
        alpha += 2 * M_PI;
      }
      const Checkpoint& next = NextAfter(alpha);
      TurnTo(next, alpha, way);
      if (laps_ > kLaps) break;
    }
    return way;
  }

 private:
  // Lowers `alpha` by full turns until a checkpoint lies ahead of it.
  const Checkpoint& NextAfter(double& alpha) {
    while (true) {
      do {
        const Checkpoint& checkpoint = checkpoints_[next_ % kCheckpoints];
        if (alpha <= checkpoint.alpha) return checkpoint;
        ++next_;
      } while (next_ % kCheckpoints != 0);
      alpha -= 2 * M_PI;
    }
  }

  void TurnTo(const Checkpoint& to, double alpha, std::vector<WayPoint>& way) {
    const double ahead_x = std::cos(beta_), ahead_y = std::sin(beta_);
    const double off = ahead_x * (to.x - x_) + ahead_y * (to.y - y_);
    while (beta_ - alpha > 1.5 * M_PI) beta_ -= 2 * M_PI;
    while (beta_ - alpha < -1.5 * M_PI) beta_ += 2 * M_PI;
    const double before = beta_, scaled = off * kScale;
    const double turn = std::min(kTurnRate, std::abs(0.001 * scaled));
    if (scaled > 0.3) beta_ -= turn;
    if (scaled < -0.3) beta_ += turn;
    x_ += -ahead_y * kDetail;
    y_ += ahead_x * kDetail;
    way.push_back({alpha, {before * 0.5 + beta_ * 0.5, x_, y_}});
  }

  const Checkpoints& checkpoints_;
  double x_ = 1.5 * kRadius, y_ = 0, beta_ = 0;
  int next_ = 0, laps_ = 0;
  bool was_below_ = false;  // the way came through the lower half of the field
};

// The last full round of the way; empty if there is none, or if its ends lie apart.
std::vector<TrackPoint> LastRound(const std::vector<WayPoint>& way) {
  constexpr double kStart = 2 * M_PI * (-0.5) / kCheckpoints;
  int first = -1, last = -1;
  for (int i = static_cast<int>(way.size()) - 1; first == -1; --i) {
    if (i == 0) return {};
    if (way[i].alpha <= kStart || way[i - 1].alpha > kStart) continue;
    (last == -1 ? last : first) = i;
  }
  std::vector<TrackPoint> track;
  for (int i = first; i < last - 1; ++i) track.push_back(way[i].point);
  const TrackPoint &head = track.front(), &tail = track.back();
  const double x = std::cos(head.beta) * (head.x - tail.x);
  const double y = std::sin(head.beta) * (head.y - tail.y);
  if (std::sqrt(x * x + y * y) > kDetail) return {};
  return track;
}

// Which tiles have a border: several turns to the same side come before them.
std::vector<bool> BordersOf(const std::vector<TrackPoint>& track) {
  const int n = static_cast<int>(track.size());
  std::vector<bool> borders(n);
  for (int i = 0; i < n; ++i) {
    double sides = 0;
    bool is_hard = true;
    for (int back = 0; back < kBorderPoints; ++back) {
      const double turn = track[(i - back + n) % n].beta - track[(i - back - 1 + n) % n].beta;
      is_hard &= std::abs(turn) > kTurnRate * 0.2;
      sides += Sign(turn);
    }
    borders[i] = is_hard && std::abs(sides) == kBorderPoints;
  }
  for (int i = 0; i < n; ++i) {
    for (int back = 0; borders[i] && back < kBorderPoints; ++back) {
      borders[(i - back + n) % n] = true;
    }
  }
  return borders;
}

// The point `away` m from the middle of the road, to the right.
Point Across(const TrackPoint& p, double away) {
  return {p.x + away * std::cos(p.beta), p.y + away * std::sin(p.beta)};
}

}  // namespace

std::vector<TrackPoint> DrawTrack(Rng& rng) {
  std::vector<TrackPoint> track;
  while (track.empty()) {
    const Checkpoints checkpoints = DrawCheckpoints(rng);
    track = LastRound(Driver(checkpoints).Drive());
  }
  return track;
}

std::vector<Tile> TilesOf(const std::vector<TrackPoint>& track) {
  const std::vector<bool> borders = BordersOf(track);
  std::vector<Tile> tiles;
  for (size_t i = 0; i < track.size(); ++i) {
    const TrackPoint &to = track[i], &from = i == 0 ? track.back() : track[i - 1];
    Tile tile{.corners = {Across(to, -kHalfWidth), Across(to, kHalfWidth), Across(from, kHalfWidth),
                          Across(from, -kHalfWidth)},
              .border = {}};
    if (borders[i]) {
      const double side = Sign(from.beta - to.beta);
      const double inner = side * kHalfWidth, outer = side * (kHalfWidth + kBorder);
      tile.border = {Across(to, inner), Across(to, outer), Across(from, outer),
                     Across(from, inner)};
    }
    tiles.push_back(tile);
  }
  return tiles;
}

}  // namespace parallel_pool::box2d
