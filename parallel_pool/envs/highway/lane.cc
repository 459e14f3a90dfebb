#include "parallel_pool/envs/highway/lane.h"

namespace parallel_pool::highway {

Lane Lane::Straight(Point start, Point end, const LaneTraits& traits) {
  Lane lane;
  lane.traits_ = traits;
  lane.start_ = start;
  const Point way = end - start;
  lane.heading_ = Arctan2(way.y, way.x);
  lane.length_ = Norm(way);
  lane.direction_ = {way.x / lane.length_, way.y / lane.length_};
  lane.right_ = {-lane.direction_.y, lane.direction_.x};
  return lane;
}

Lane Lane::Sine(Point start, Point end, double amplitude, double pulsation, double phase,
                const LaneTraits& traits) {
  Lane lane = Straight(start, end, traits);
  lane.shape_ = Shape::kSine;
  lane.amplitude_ = amplitude;
  lane.pulsation_ = pulsation;
  lane.phase_ = phase;
  return lane;
}

Lane Lane::Circle(Point center, double radius, double start_phase, double end_phase,
                  bool is_clockwise, const LaneTraits& traits) {
  Lane lane;
  lane.shape_ = Shape::kCircle;
  lane.traits_ = traits;
  lane.start_ = center;
  lane.radius_ = radius;
  lane.start_phase_ = start_phase;
  lane.way_ = is_clockwise ? 1 : -1;
  lane.length_ = radius * (end_phase - start_phase) * lane.way_;
  return lane;
}

Point Lane::PositionAt(LanePoint p) const {
  if (shape_ == Shape::kCircle) {
    const double phase = way_ * p.along / radius_ + start_phase_;
    return start_ + (radius_ - p.across * way_) * DirectionOf(phase);
  }
  if (shape_ == Shape::kSine) p.across = p.across + SineAt(p.along);
  return start_ + p.along * direction_ + p.across * right_;
}

double Lane::HeadingAt(double along) const {
  switch (shape_) {
    case Shape::kStraight:
      return heading_;
    case Shape::kSine:
      return heading_ + Arctan(amplitude_ * pulsation_ * Cos(pulsation_ * along + phase_));
    default:
      return way_ * along / radius_ + start_phase_ + kPi / 2 * way_;
  }
}

LanePoint Lane::LocateOnCurve(const Point& position) const {
  if (shape_ == Shape::kCircle) {
    const Point from_center = position - start_;
    const double angle = Arctan2(from_center.y, from_center.x);
    const double phase = start_phase_ + WrapToPi(angle - start_phase_);
    return {way_ * (phase - start_phase_) * radius_, way_ * (radius_ - Norm(from_center))};
  }
  LanePoint p = LocateStraight(position);
  p.across -= SineAt(p.along);
  return p;
}

bool Lane::IsReachableFrom(const Point& position) const {
  if (traits_.is_forbidden) return false;
  const LanePoint p = Locate(position);
  return std::abs(p.across) <= 2 * traits_.width && 0 <= p.along && p.along < length_ + kCarLength;
}

double Lane::DistanceTo(const Point& position) const {
  return DistanceOf(Locate(position));
}

double Lane::DistanceTo(const Point& position, double heading, double most) const {
  // A sum of numbers that are not negative is never below one of them, so a lane that is too far
  // away by one of its parts needs no angle.
  LanePoint p;
  if (shape_ == Shape::kCircle) {
    const double across = std::abs(radius_ - Norm(position - start_));
    if (across > most) return across;
    p = LocateOnCurve(position);
  } else {
    p = LocateStraight(position);
    if (shape_ == Shape::kSine) {
      const double beyond = DistanceOf({p.along, 0});
      if (beyond > most) return beyond;
      p.across -= SineAt(p.along);
    }
  }
  const double distance = DistanceOf(p);
  if (distance > most) return distance;
  return distance + std::abs(WrapToPi(heading - HeadingAt(p.along)));
}

}  // namespace parallel_pool::highway
