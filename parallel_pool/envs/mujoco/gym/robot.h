// Common parts of Gymnasium's MuJoCo tasks: a model that an agent's controls move, and first states
// with some noise.
#pragma once

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"

namespace parallel_pool::mujoco::gym {

// Help texts of options that several tasks have.
inline constexpr char kXmlFileDoc[] = "model: a file of Gymnasium's, or a path with a '/' or '~'";
inline constexpr char kFrameSkipDoc[] = "steps of the model for which an action is held";
inline constexpr char kForwardDoc[] = "weight of the forward speed in the reward";
inline constexpr char kControlCostDoc[] = "weight of the squared action in the cost";
inline constexpr char kContactCostDoc[] = "weight of the squared forces on bodies in the cost";
inline constexpr char kHealthyDoc[] = "reward of a step that ends healthy";
inline constexpr char kTerminateDoc[] = "an episode ends when the robot is not healthy";
inline constexpr char kHealthyZDoc[] = "height of a healthy robot, in m";
inline constexpr char kHealthyAngleDoc[] = "angle of a healthy robot, in rad";
inline constexpr char kNoiseDoc[] = "scale of the noise of the first state";
inline constexpr Range kNoiseRange = {.min = 0, .max = 1e300};

// A flag for models that are one tree of bodies: the same numbers in less time, because there are
// no islands to find.
inline constexpr int kOneTree = mjDSBL_ISLAND;

// Loads the model of the option xml_file, in models/gym or by a path: see LoadTaskModel.
inline Model LoadRobot(const std::string& xml_file, const std::string& own, int flags,
                       const ModelRequirements& requirements) {
  return LoadTaskModel("gym", xml_file, own, flags, requirements);
}

// Checks options that are pairs, which are ranges (low, high). Throws std::invalid_argument unless
// low <= high.
template <class Config>
void CheckRanges(const Config& config, const Options<Config>& options) {
  for (const auto& option : options) {
    const OptionValue value = option.get(config);
    if (value.type != OptionType::kNumbers) continue;
    const double low = value.numbers[0], high = value.numbers[1];
    if (low <= high) continue;
    std::ostringstream what;
    what << option.name << " is (" << low << ", " << high << "); low must not exceed high";
    throw std::invalid_argument(what.str());
  }
}

// weight * numpy.sum(numpy.square(action)), in the action's type: float32 or float64. Agents that
// share a robot have an action of a known type; so each robot's Act and Judge take any of the
// three.
template <class T>
double ControlCost(double weight, View<const T> action) {
  return static_cast<T>(weight) * SumOfSquares(action.begin(), action.size);
}
inline double ControlCost(double weight, View<const AnyFloat> action) {
  return action.Visit([weight](auto numbers) { return ControlCost(weight, numbers); });
}

// A Simulation with random first states and held actions.
class Robot final : public Simulation {
 public:
  // `reads` are the arrays of mjData that the task reads.
  Robot(const Model& model, int frame_skip, Rng& rng, unsigned reads = kNothing);

  // The time that an action is held, in s.
  double dt() const { return model().opt.timestep * frame_skip_; }
  const double* qpos() const { return data().qpos; }
  const double* qvel() const { return data().qvel; }
  // The distance of the first two coordinates from the origin.
  double Distance() const { return Norm(qpos(), 2); }
  // The offset of coordinate i from the model's initial value.
  double Moved(int i) const { return qpos()[i] - model().qpos0[i]; }

  // The number of a body, which must exist (ModelRequirements::bodies).
  int BodyOf(const char* name) const { return mj_name2id(&model(), mjOBJ_BODY, name); }
  // The vector from the origin of body `from` to that of body `to`, in m.
  void Offset(int from, int to, double offset[3]) const {
    const mjtNum* const x = data().xpos;
    for (int i = 0; i < 3; ++i) offset[i] = x[3 * to + i] - x[3 * from + i];
  }

  // To begin an episode, the caller draws positions and speeds, may change them, and calls Begin.
  // Positions are the model's own plus noise of -scale to scale; speeds are noise.
  double* FirstPositions();
  double* FirstSpeeds();  // zeros
  double* DrawPositions(double scale);
  double* DrawSpeeds(double scale);
  double* DrawNormalSpeeds(double deviation);
  void Begin() { Simulation::Begin(start_qpos_.data(), start_qvel_.data()); }

  // Holds an action until the simulation is advanced.
  Simulation& Act(const auto& action) {
    Hold(action, frame_skip_);
    return *this;
  }

 private:
  const int frame_skip_;
  Rng& rng_;
  std::vector<double> start_qpos_, start_qvel_;
};

}  // namespace parallel_pool::mujoco::gym
