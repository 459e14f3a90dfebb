// The rules of a task: what an episode begins with, what is seen, and what a step is worth.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/envs/mujoco/metaworld/sawyer.h"

namespace parallel_pool::mujoco::metaworld {

// The result of a step: the reward, and the infos.
struct Judged {
  Number reward = 0;
  double success = 0, near_object = 0, grasp_success = 0;
  double grasp_reward = 0, in_place_reward = 0, obj_to_target = 0;
};

// The rules in one env.
class Task {
 public:
  explicit Task(Sawyer& sawyer) : sawyer_(sawyer) {}
  virtual ~Task() = default;

  // Places what the episode's vector moves in the model, before the hand comes to rest.
  virtual void Edit() {}
  // Sets the episode's target and object, when the hand has come to rest.
  virtual void Begin() = 0;
  // Writes what is seen of the objects, at most 14 numbers, and returns how many.
  virtual int See(double* object) const = 0;
  // `obs`: the observation after the step.
  virtual Judged Judge(const double* obs, View<const AnyFloat> action) const = 0;

 protected:
  Sawyer& sawyer() const { return sawyer_; }
  Sawyer::Episode& episode() const { return sawyer_.episode(); }
  const mjData& data() const { return sawyer_.data(); }
  // Takes the places of the object and of the goal from the episode's vector.
  void TakePlaces() {
    std::copy_n(episode().vector, 3, episode().object);
    std::copy_n(episode().vector + 3, 3, episode().target);
  }

 private:
  Sawyer& sawyer_;
};

struct TaskKind {
  TaskInfo info;
  std::unique_ptr<Task> (*make)(Sawyer&);
};

// The tasks, by what they move.
std::span<const TaskKind> Buttons();
std::span<const TaskKind> Doors();
std::span<const TaskKind> Handles();
std::span<const TaskKind> Holes();
std::span<const TaskKind> Levers();
std::span<const TaskKind> Lifts();
std::span<const TaskKind> Locks();
std::span<const TaskKind> Mugs();
std::span<const TaskKind> Pegs();
std::span<const TaskKind> Plates();
std::span<const TaskKind> Pucks();
std::span<const TaskKind> Sticks();
std::span<const TaskKind> Sweeps();
std::span<const TaskKind> Tools();
std::span<const TaskKind> Walls();

const std::vector<const TaskKind*>& AllTasks();
// Throws std::invalid_argument if MetaWorld has no such task.
const TaskKind& FindTask(const std::string& name);

}  // namespace parallel_pool::mujoco::metaworld
