// The robot of MetaWorld's tasks: a Sawyer arm whose hand follows a mocap body.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>

#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/own_world.h"
#include "parallel_pool/envs/mujoco/metaworld/number.h"
#include "parallel_pool/envs/mujoco/metaworld/rests.h"

namespace parallel_pool::mujoco::metaworld {

// A task's constants.
struct TaskInfo {
  const char* name;           // such as reach-v3
  const char* model;          // a file of the package metaworld
  int size = 3;               // of an episode's vector, which places the object and the goal
  double low[6], high[6];     // of its numbers
  double least_distance = 0;  // along the table, between its halves, m; 0: any
  const double* keeps_from = nullptr;  // a place that takes the second half's part
  double goal_low[3] = {-.5, .4, .05}, goal_high[3] = {.5, 1, .5};  // of an observation's goal
  double hand[3] = {0, .6, .2};                                     // where an episode begins
  double hand_low[3] = {-.5, .4, .05}, hand_high[3] = {.5, 1, .5};  // of the mocap body, m
};

// A place, in m.
struct Point {
  double at[3];

  operator const double*() const { return at; }
};

// How a reward cages an object between the pads.
struct CageSizes {
  double object_radius, pad_distance, xz_distance;  // m
  bool is_dense = false;
  double effort = 1;        // with which the fingers close
  double medium_reach = 0;  // m; above 0: half of the reward is for coming that near
};

// The world of an env, and what is measured in it. Places are in m.
class Sawyer {
 public:
  // Numbers of an episode, which are saved.
  struct Episode {
    double vector[6];
    double target[3], object[3];  // the goal, and where the object began
    double tcp[3];                // the tool's center point when the hand had come to rest
    double own[3];                // the task's own
    double seen[18];              // the part of the last observation that does not have the goal
  };

  // `file`: of assets/sawyer_xyz of the package. Throws std::invalid_argument that says how to
  // install it.
  static Model LoadModel(const std::string& file);

  // `rests`: of all envs with this task and model.
  Sawyer(const TaskInfo& task, const Model& model, std::shared_ptr<Rests> rests);

  const TaskInfo& task() const { return task_; }
  OwnWorld& world() { return world_; }
  Simulation& simulation() { return world_.simulation(); }
  const Simulation& simulation() const { return world_.simulation(); }
  Episode& episode() { return episode_; }
  const Episode& episode() const { return episode_; }
  const mjData& data() const { return world_.simulation().data(); }

  int Body(const char* name) const { return Find(mjOBJ_BODY, name); }
  int Geom(const char* name) const { return Find(mjOBJ_GEOM, name); }
  int Site(const char* name) const { return Find(mjOBJ_SITE, name); }
  // Places of the model, of which this env has its own: 3 numbers.
  double* BodyPlace(int body) { return body_pos_ + 3 * body; }
  double* GoalPlace(const char* site = "goal") { return site_pos_ + 3 * Site(site); }
  const double* SitePlace(int site) const { return data().site_xpos + 3 * site; }
  const double* BodyPlaceNow(int body) const { return data().xpos + 3 * body; }

  // Lets the hand come to rest where an episode begins.
  void ResetHand();
  // Moves the mocap body and the fingers, and begins a step.
  void Move(View<const AnyFloat> action);
  // Puts the free object there, at rest.
  void PlaceObject(const double* place);
  // Puts the joint of the object there; `rests`: with speed 0.
  void PlaceJoint(double position, bool rests);
  // The same, and not turned; its angular speed stays.
  void PlacePlug(const double* place);
  // Puts what two joints move there, where a stick is on the table, too.
  void PlaceSlide(double x, double y);
  // Puts the plate there along its two joints.
  void PlacePlate(double x, double y);
  // The reference means to place a mug, but gives its place to the first joints of the arm.
  void PlaceMug(const double* place);
  // Moves the sites to their places in the model, for pictures. The reference begins an episode
  // twice, so that its last step knows the places already.
  void MoveSites();
  // Makes steps with the controls of the moment.
  void Run(int sub_steps);

  // The tool's center point, between the fingers.
  Point Tcp() const;
  // The hand, how far the gripper is open (0 to 1), and the object: 18 numbers. The last 14 are
  // those of `object`, of which `size` are not zero.
  void See(const double* object, int size, double* seen) const;
  // The place of the right pad (0) or the left one (1).
  const double* Pad(int side) const { return data().xpos + 3 * pads_[side]; }
  // Whether both pads press on a geom. Computes the forces of contacts only if both are near.
  bool IsGripped(int geom);
  Number Cage(View<const AnyFloat> action, const double* object, const CageSizes& sizes) const;
  // Parts of other cages: how near both pads are to `low` .. `high` m at the sides of an object,
  // and how near the tool's center point is to it in x and z.
  double Sides(const double* object, double low, double high) const;
  double Above(const double* object, double near) const;
  // A cage that does not depend on the action: the pads grip within `grip` m of the radius.
  double CageByPads(const double* object, double radius, double grip, double near) const;

 private:
  int Find(int type, const char* name) const;

  const TaskInfo& task_;
  const std::shared_ptr<Rests> rests_;
  OwnWorld world_;
  double *body_pos_, *site_pos_;
  int hand_, claws_[2], ends_[2], pads_[2], pad_geoms_[2];  // right, left
  Episode episode_ = {};
};

// scipy.spatial.transform.Rotation.from_matrix(matrix).as_quat(): x, y, z, w.
void MatrixToQuat(const double* matrix, double* quat);

// numpy.linalg.norm(a - b) of 3 numbers each.
double Distance3(const double* a, const double* b);

}  // namespace parallel_pool::mujoco::metaworld
