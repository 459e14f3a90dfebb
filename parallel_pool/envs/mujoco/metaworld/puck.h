// A puck, or a ball, on the table.
#pragma once

#include "parallel_pool/envs/mujoco/metaworld/common.h"

namespace parallel_pool::mujoco::metaworld {

class WithPuck : public Task {
 public:
  // It is where its body is, or its geom.
  explicit WithPuck(Sawyer& sawyer, bool is_geom = false)
      : Task(sawyer), body_(sawyer.Body("obj")), geom_(sawyer.Geom("objGeom")), is_geom_(is_geom) {}

  int See(double* object) const override {
    return JoinTurned(object, place(), data().geom_xmat + 9 * geom_);
  }

 protected:
  const double* place() const {
    return is_geom_ ? data().geom_xpos + 3 * geom_ : data().xpos + 3 * body_;
  }
  bool IsGripped() const { return sawyer().IsGripped(geom_); }
  // The episode's vector has the places of the puck and of the goal: all of them, or along the
  // table, at the height at which the puck is now.
  void TakePlaces(bool has_heights) {
    const double height = place()[2];
    Task::TakePlaces();
    if (!has_heights) episode().object[2] = episode().target[2] = height;
  }
  // Puts the puck where the episode's object is, and the goal where its target is.
  void Place() {
    sawyer().PlaceObject(episode().object);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }

 private:
  const int body_, geom_;
  const bool is_geom_;
};

}  // namespace parallel_pool::mujoco::metaworld
