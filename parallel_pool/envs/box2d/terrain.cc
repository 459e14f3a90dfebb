#include "parallel_pool/envs/box2d/terrain.h"

#include <cmath>

namespace parallel_pool::box2d {
namespace {

using Point = Terrain::Point;
constexpr double kStep = Terrain::kStep;

Terrain::Box MakeBox(double left, double bottom, double right, double top) {
  return {Point{left, bottom}, {right, bottom}, {right, top}, {left, top}};
}

double Sign(double x) {
  return (x > 0) - (x < 0);
}

// Walks along the ground and draws it, point by point. A stretch of grass and an obstacle take
// turns; the first point of a stretch decides its form.
class Builder {
 public:
  Builder(bool hardcore, Rng& rng, std::vector<Terrain::Box>& boxes)
      : hardcore_(hardcore), rng_(rng), boxes_(boxes) {}

  // The height of the point `i` at `x`.
  double Next(int i, double x) {
    const bool begins = begins_;
    begins_ = false;
    switch (stretch_) {
      case kGrass:
        if (!begins) Roll(i);
        break;
      case kStump:
        if (begins) BeginStump(x);
        break;
      case kStairs:
        begins ? BeginStairs(x) : Climb();
        break;
      case kPit:
        begins ? BeginPit(x) : Fall();
        break;
    }
    if (--left_ == 0) {
      left_ = rng_.Integers(Terrain::kGrass / 2, Terrain::kGrass);
      const bool to_obstacle = stretch_ == kGrass && hardcore_;
      stretch_ = to_obstacle ? static_cast<Stretch>(rng_.Integers(1, 4)) : kGrass;
      begins_ = true;
    }
    return y_;
  }

 private:
  enum Stretch { kGrass, kStump, kStairs, kPit };

  void Roll(int i) {
    slope_ = 0.8 * slope_ + 0.01 * Sign(Terrain::kHeight - y_);
    if (i > Terrain::kStart) slope_ += rng_.Uniform(-1, 1) / Terrain::kScale;
    y_ += slope_;
  }

  void BeginStump(double x) {
    left_ = rng_.Integers(1, 3);
    const double side = static_cast<double>(left_) * kStep;
    boxes_.push_back(MakeBox(x, y_, x + side, y_ + side));
  }

  void BeginStairs(double x) {
    rise_ = rng_.Random() > 0.5 ? 1 : -1;
    width_ = rng_.Integers(4, 5);
    stairs_ = rng_.Integers(3, 5);
    before_ = y_;
    const auto at = [](double from, int64_t steps) {
      return from + static_cast<double>(steps) * kStep;
    };
    for (int64_t s = 0; s < stairs_; ++s) {
      boxes_.push_back(MakeBox(at(x, s * width_), at(y_, s * rise_), at(x, (1 + s) * width_),
                               at(y_, -1 + s * rise_)));
    }
    left_ = stairs_ * width_;
  }

  void Climb() {
    const int64_t points = stairs_ * width_ - left_ - rise_;
    const double n = static_cast<double>(points) / static_cast<double>(width_);
    y_ = before_ + (n * static_cast<double>(rise_)) * kStep;
  }

  void BeginPit(double x) {
    left_ = rng_.Integers(3, 5);
    const double across = kStep * static_cast<double>(left_), bottom = y_ - 4 * kStep;
    boxes_.push_back({Point{x, y_}, {x + kStep, y_}, {x + kStep, bottom}, {x, bottom}});
    Terrain::Box beyond = boxes_.back();
    for (Point& p : beyond) p.x += across;
    boxes_.push_back(beyond);
    left_ += 2;
    before_ = y_;
  }

  void Fall() {
    y_ = before_;
    if (left_ > 1) y_ -= 4 * kStep;
  }

  const bool hardcore_;
  Rng& rng_;
  std::vector<Terrain::Box>& boxes_;
  Stretch stretch_ = kGrass;
  bool begins_ = false;
  int64_t left_ = Terrain::kStart;  // points of the stretch
  double y_ = Terrain::kHeight, slope_ = 0;
  double before_ = 0;  // the height before the obstacle
  int64_t rise_ = 0, width_ = 0, stairs_ = 0;
};

Terrain::Cloud DrawCloud(Rng& rng) {
  const double x = rng.Uniform(0, Terrain::kLength) * kStep;
  const double y = 400 / Terrain::kScale * 3 / 4;
  Terrain::Cloud cloud;
  for (int i = 0; i < 5; ++i) {
    const double angle = 3.14 * 2 * i / 5;
    cloud[i].x = x + 15 * kStep * std::sin(angle) + rng.Uniform(0, 5 * kStep);
    cloud[i].y = y + 5 * kStep * std::cos(angle) + rng.Uniform(0, 5 * kStep);
  }
  return cloud;
}

}  // namespace

void Terrain::Draw(bool hardcore, Rng& rng) {
  obstacles.clear();
  Builder builder(hardcore, rng, obstacles);
  for (int i = 0; i < kLength; ++i) y[i] = builder.Next(i, x(i));
  for (Cloud& cloud : clouds) cloud = DrawCloud(rng);
}

}  // namespace parallel_pool::box2d
