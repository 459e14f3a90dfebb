// The search for the best step along a direction, for several envs at once. It is libmujoco's:
// Newton steps from one side, then between two sides.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/lane.h"

namespace parallel_pool::mujoco::lanes {

// A place on the line: the cost relative to the start, its slope and its curvature.
template <class V>
struct LinePoint {
  V alpha, cost, slope, curvature;
};

// `Line` derives from it, and has `LinePoint<V> Evaluate(V alpha) const`.
template <class V, class Line>
class LineSearch {
 public:
  using Point = LinePoint<V>;

  // Finds for the lanes of `live` the step and the cost that it saves; 0 where it saves none.
  // `slack` is the slope that counts as none.
  void Run(unsigned live, const V& slack_of_lanes, int most_evaluations, V& step, V& saved) {
    todo_ = live;
    step_ = saved_ = All<V>(0);
    slack_ = slack_of_lanes;
    Search(All<V>(most_evaluations));
    step = step_;
    saved = saved_;
  }

 private:
  Point Evaluate(V alpha) const { return static_cast<const Line*>(this)->Evaluate(alpha); }
  Point Next(const Point& p) const { return Evaluate(p.alpha - p.slope / p.curvature); }

  static void Choose(unsigned lanes, const Point& from, Point& to) {
    const Mask<V> mask = MaskOf<V>(lanes);
    to.alpha = Pick<V>(mask, from.alpha, to.alpha);
    to.cost = Pick<V>(mask, from.cost, to.cost);
    to.slope = Pick<V>(mask, from.slope, to.slope);
    to.curvature = Pick<V>(mask, from.curvature, to.curvature);
  }
  static V Count(unsigned lanes) { return Pick<V>(MaskOf<V>(lanes), All<V>(1), All<V>(0)); }

  unsigned IsFlat(const Point& p) const { return Bits<V>(Abs<V>(p.slope) < slack_); }
  static unsigned IsBetter(const Point& p) { return Bits<V>(p.cost < 0); }

  // Ends the search of `lanes` at p.
  void Finish(unsigned lanes, const Point& p) {
    lanes &= todo_;
    if (lanes == 0) return;
    step_ = Pick<V>(MaskOf<V>(lanes), p.alpha, step_);
    saved_ = Pick<V>(MaskOf<V>(lanes), -p.cost, saved_);
    todo_ &= ~lanes;
  }

  // Moves the side p to a candidate with a slope of its sign that is nearer to zero; then `next` is
  // the Newton step from there. Returns the lanes that moved.
  unsigned Tighten(unsigned lanes, const Point (&candidates)[3], Point& p, Point& next, V& count) {
    unsigned moved = 0;
    for (const Point& c : candidates) {
      const unsigned falls =
          Bits<V>(p.slope < 0) & Bits<V>(c.slope < 0) & Bits<V>(p.slope < c.slope);
      const unsigned rises =
          Bits<V>(p.slope > 0) & Bits<V>(c.slope > 0) & Bits<V>(p.slope > c.slope);
      const unsigned moves = lanes & (falls | rises);
      if (moves == 0) continue;
      Choose(moves, c, p);
      moved |= moves;
    }
    if (moved == 0) return 0;
    Choose(moved, Next(p), next);
    count = count + Count(moved);
    return moved;
  }

  void Search(const V most) {
    const Point start = Evaluate(All<V>(0));
    Point p1 = Evaluate(All<V>(0) - start.slope / start.curvature);
    Finish(IsFlat(p1) & (Bits<V>(p1.alpha == 0) | IsBetter(p1)), p1);
    if (todo_ == 0) return;
    V count = All<V>(2);
    Point p2 = start;
    SearchOneSide(most, p1, p2, count);
    Finish(Bits<V>(count >= most), p1);
    if (todo_ == 0) return;
    SearchTwoSides(most, p1, p2, count);
    if (todo_ == 0) return;
    Finish(Bits<V>(p1.cost <= p2.cost) & IsBetter(p1), p1);
    Finish(Bits<V>(p2.cost <= p1.cost) & IsBetter(p2), p2);
  }

  // Newton steps until the slope changes its sign: then the minimum is between p2 and p1.
  void SearchOneSide(const V& most, Point& p1, Point& p2, V& count) {
    const V direction = Pick<V>(p1.slope < 0, All<V>(1), All<V>(-1));
    for (;;) {
      const unsigned lanes =
          todo_ & Bits<V>(p1.slope * direction <= -slack_) & Bits<V>(count < most);
      if (lanes == 0) return;
      Choose(lanes, p1, p2);
      Choose(lanes, Next(p1), p1);
      count = count + Count(lanes);
      Finish(lanes & IsFlat(p1) & IsBetter(p1), p1);
    }
  }

  void SearchTwoSides(const V& most, Point& p1, Point& p2, V& count) {
    Point next2 = p1, next1 = Next(p1);
    count = count + All<V>(1);
    for (;;) {
      unsigned lanes = todo_ & Bits<V>(count < most);
      if (lanes == 0) return;
      const Point middle = Evaluate(0.5 * (p1.alpha + p2.alpha));
      count = count + All<V>(1);
      const Point candidates[3] = {next1, next2, middle};
      Point best = middle;
      unsigned found = 0;
      for (const Point& c : candidates) {
        const unsigned better = IsFlat(c) & (~found | Bits<V>(c.cost < best.cost));
        Choose(better, c, best);
        found |= better;
      }
      Finish(lanes & found, best);
      lanes &= ~found;
      if (lanes == 0) continue;
      const unsigned moved1 = Tighten(lanes, candidates, p1, next1, count);
      const unsigned moved2 = Tighten(lanes, candidates, p2, next2, count);
      Finish(lanes & ~(moved1 | moved2), middle);
    }
  }

  unsigned todo_;
  V step_, saved_, slack_;
};

}  // namespace parallel_pool::mujoco::lanes
