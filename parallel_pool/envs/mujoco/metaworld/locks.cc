#include <cmath>

#include "parallel_pool/envs/mujoco/metaworld/common.h"

// Tasks with a door that is shut, or whose lock is turned.
namespace parallel_pool::mujoco::metaworld {
namespace {

constexpr double kRightAngle = 1.5708;  // as there

// Push a door shut.
class DoorClose : public Placed {
 public:
  explicit DoorClose(Sawyer& sawyer) : Placed(sawyer, "door"), handle_(sawyer.Geom("handle")) {}

  void Begin() override {
    std::copy_n(episode().vector, 3, episode().object);
    Add(episode().vector, {.2, -.2, 0}, episode().target);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
    sawyer().PlaceJoint(-kRightAngle, true);
  }
  int See(double* object) const override {
    return JoinTurned(object, data().geom_xpos + 3 * handle_, data().geom_xmat + 9 * handle_);
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    const Point tcp = sawyer().Tcp();
    const double *const handle = obs + 4, *const target = episode().target;
    const double far = Distance3(handle, target);
    const double in_place =
        GaussianTolerance(far, 0, kReached, Distance3(episode().object, target));
    const double margin = Distance3(sawyer().task().hand, handle) + .1;
    const double hand = GaussianTolerance(Distance3(tcp, target), 0, .25 * kReached, margin);
    return {.reward = far < kReached ? 10 : 3 * hand + 6 * in_place,
            .success = Is(far <= .08),
            .grasp_success = 1,
            .grasp_reward = 1,
            .in_place_reward = hand,
            .obj_to_target = far};
  }

 private:
  const int handle_;
};

// Turn a lock, one way or the other.
class Lock : public Placed {
 public:
  Lock(Sawyer& sawyer, const char* handle)
      : Placed(sawyer, "door"),
        link_(sawyer.Body("door_link")),
        lock_(sawyer.Body("lock_link")),
        handle_(sawyer.Site(handle)) {}

  int See(double* object) const override {
    return JoinPose(object, sawyer().SitePlace(handle_), data().xquat + 4 * link_);
  }

 protected:
  static constexpr double kLength = .1;             // of the lock, m
  static constexpr double kScale[] = {.25, 1, .5};  // of distances to the lock

  const double* lock() const { return sawyer().BodyPlaceNow(lock_); }
  Judged Result(const double* obs, Number reward, double near, double reach, double far,
                double turned) const {
    return {.reward = reward,
            .success = Is(far <= .02),
            .near_object = Is(near <= .05),
            .grasp_success = Is(obs[3] > 0),
            .grasp_reward = reach,
            .in_place_reward = turned,
            .obj_to_target = far};
  }

 private:
  const int link_, lock_, handle_;
};

class DoorLock : public Lock {
 public:
  explicit DoorLock(Sawyer& sawyer) : Lock(sawyer, "lockStartLock") {}

  void Begin() override {
    sawyer().Run(5);
    Add(lock(), {0, -.04, -.1}, episode().target);
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    const double* const handle = obs + 4;
    const double near = ScaledDistance(handle, sawyer().Pad(1), kScale);
    const double far = std::abs(episode().target[2] - handle[2]);
    // The margin is where the pad is, not where it began, as there.
    const double reach = Tolerance(near, 0, .01, near);
    const double turned = Tolerance(far, 0, .005, kLength);
    const Number reward = 2 * Hamacher(std::max(obs[3], 0.), reach) + 8 * turned;
    return Result(obs, reward, near, reach, far, turned);
  }
};

class DoorUnlock : public Lock {
 public:
  explicit DoorUnlock(Sawyer& sawyer) : Lock(sawyer, "lockStartUnlock") {}

  void Begin() override {
    sawyer().PlaceJoint(kRightAngle, true);
    Add(lock(), {.1, -.04, 0}, episode().target);
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    const double* const handle = obs + 4;
    double shoulder[3], first[3];
    Add(obs, {0, .055, .07}, shoulder);
    Add(episode().tcp, {0, .055, .07}, first);
    const double near = ScaledDistance(shoulder, handle, kScale);
    const double far = std::abs(episode().target[0] - handle[0]);
    const double reach = Tolerance(near, 0, .02, ScaledDistance(first, lock(), kScale));
    const double turned = Tolerance(far, 0, .005, kLength);
    return Result(obs, 2 * reach + 8 * turned, near, reach, far, turned);
  }
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "door-close-v3",
              .model = "sawyer_door_pull.xml",
              .low = {0, .85, .15},
              .high = {.1, .95, .15},
              .goal_low = {.2, .65, .1499},
              .goal_high = {.3, .75, .1501},
              .hand = {-.5, .6f, .2f}},
     .make = &Make<DoorClose>},
    {.info = {.name = "door-lock-v3",
              .model = "sawyer_door_lock.xml",
              .low = {-.1, .8, .15},
              .high = {.1, .85, .15},
              .goal_low = {-.5, .4, -.15},
              .goal_high = {.5, 1, .5},
              .hand = {0, .6f, .2f},
              .hand_low = {-.5, .4, -.15}},
     .make = &Make<DoorLock>},
    {.info = {.name = "door-unlock-v3",
              .model = "sawyer_door_lock.xml",
              .low = {-.1, .8, .15},
              .high = {.1, .85, .15},
              .goal_low = {0, .64, .21},
              .goal_high = {.2, .7, .2111},
              .hand = {0, .6f, .2f},
              .hand_low = {-.5, .4, -.15}},
     .make = &Make<DoorUnlock>},
};

}  // namespace

std::span<const TaskKind> Locks() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
