// A lane of a road: its middle line, and coordinates along and across it.
#pragma once

#include <cstdint>

#include "parallel_pool/envs/highway/numpy_math.h"

namespace parallel_pool::highway {

inline constexpr double kLaneWidth = 4;  // m

enum class LineType : uint8_t { kNone, kStriped, kContinuous, kContinuousLine };

// Traits of a lane in addition to its middle line.
struct LaneTraits {
  double width = kLaneWidth;                                       // m
  double speed_limit = 20;                                         // m/s
  int priority = 0;                                                // who has the right of way
  bool is_forbidden = false;                                       // cars do not change to it
  LineType left = LineType::kStriped, right = LineType::kStriped;  // for pictures
};

// Where a point is in a lane (m): along its middle line from its start, and across, positive on the
// right.
struct LanePoint { double along, across; };

class Lane {
 public:
  enum class Shape : uint8_t { kStraight, kSine, kCircle };

  static Lane Straight(Point start, Point end, const LaneTraits& traits = {});
  // A sine curve around the straight line: amplitude (m), pulsation (rad/m), phase (rad).
  static Lane Sine(Point start, Point end, double amplitude, double pulsation, double phase,
                   const LaneTraits& traits = {});
  // An arc between two angles (rad).
  static Lane Circle(Point center, double radius, double start_phase, double end_phase,
                     bool is_clockwise, const LaneTraits& traits = {});

  Shape shape() const { return shape_; }
  const LaneTraits& traits() const { return traits_; }
  double length() const { return length_; }
  void set_speed_limit(double limit) { traits_.speed_limit = limit; }

  Point PositionAt(LanePoint p) const;
  Point MiddleAt(double along) const { return PositionAt({along, 0}); }
  double HeadingAt(double along) const;
  LanePoint Locate(const Point& position) const {
    return shape_ == Shape::kStraight ? LocateStraight(position) : LocateOnCurve(position);
  }

  // Whether the point is on the lane, or up to `margin` m next to it.
  bool Contains(const LanePoint& p, double margin = 0) const {
    return std::abs(p.across) <= traits_.width / 2 + margin && -kCarLength <= p.along &&
           p.along < length_ + kCarLength;
  }
  // Whether a car at the position may change to the lane.
  bool IsReachableFrom(const Point& position) const;
  bool IsAfterEnd(const Point& position) const {
    return Locate(position).along > length_ - kCarLength / 2;
  }
  // From the position to the lane, along and across it.
  double DistanceTo(const Point& position) const;
  // The same and the difference to the heading, if that is `most` or less; else any greater number.
  double DistanceTo(const Point& position, double heading, double most) const;

 private:
  static constexpr double kCarLength = 5;

  LanePoint LocateStraight(const Point& position) const {
    const Point from_start = position - start_;
    return {Dot(from_start, direction_), Dot(from_start, right_)};
  }
  LanePoint LocateOnCurve(const Point& position) const;
  double DistanceOf(const LanePoint& p) const {
    return std::abs(p.across) + std::max(p.along - length_, 0.0) + std::max(0 - p.along, 0.0);
  }
  double SineAt(double along) const { return amplitude_ * Sin(pulsation_ * along + phase_); }

  Shape shape_ = Shape::kStraight;
  LaneTraits traits_;
  double length_ = 0;
  Point start_ = {};  // of an arc: its center
  Point direction_ = {}, right_ = {};
  double heading_ = 0;
  double amplitude_ = 0, pulsation_ = 0, phase_ = 0;  // of a sine
  double radius_ = 0, start_phase_ = 0;               // of an arc
  double way_ = 1;                                    // 1 clockwise, -1 not
};

}  // namespace parallel_pool::highway
