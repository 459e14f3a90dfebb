// What the tasks of Gymnasium's MuJoCo family have in common: a model that an agent's controls
// move, and that begins each episode with some noise.
#pragma once

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/mujoco/engine/numpy_math.h"
#include "parallel_pool/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco {

// Lines of help for options that several tasks have.
inline constexpr char kXmlFileDoc[] = "model: a file of Gymnasium's, or a path with a '/' or '~'";
inline constexpr char kFrameSkipDoc[] = "steps of the model for which an action is held";
inline constexpr char kForwardDoc[] = "weight of the forward speed in the reward";
inline constexpr char kControlCostDoc[] = "weight of the squared action in the cost";
inline constexpr char kContactCostDoc[] = "weight of the squared forces on bodies in the cost";
inline constexpr char kHealthyDoc[] = "reward of a step that ends healthy";
inline constexpr char kTerminateDoc[] = "an episode ends when the robot is not healthy";
inline constexpr char kHealthyZDoc[] = "height of a healthy robot, in m";
inline constexpr char kHealthyAngleDoc[] = "angle of a healthy robot, in rad";
inline constexpr char kNoiseDoc[] = "scale of the noise that an episode begins with";
inline constexpr Range kNoiseRange = {.min = 0, .max = 1e300};

// What gives the same numbers in less time where a model is one tree of bodies: there is nothing to
// be divided into islands.
inline constexpr int kOneTree = mjDSBL_ISLAND;

// What a task needs of a model.
struct Needs {
  int positions = 1, speeds = 1;  // at least
  bool exactly = false;           // not more of them
  std::vector<const char*> bodies = {};
};

// The model that the option xml_file names: a path if it begins with ".", "/" or "~", else a file
// of models/ beside this library. `flags` (mjDSBL_...) are those with which the task's own model,
// `own`, gives the same numbers faster. std::invalid_argument if it is no model or not enough.
Model LoadRobot(const std::string& xml_file, const std::string& own, int flags, const Needs& needs);

// Options that are pairs are ranges (low, high): std::invalid_argument unless low <= high.
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

// The model of a user: `path`, the value of `option`, is a file or the name of one of models/.
// std::invalid_argument if it is no model or has no controls.
Model LoadControlled(const std::string& option, const std::string& path);

// The number of the body that `option` names or numbers. std::invalid_argument if the model has
// none such.
int FindBody(const std::string& option, const mjModel& model, const IntOrString& body);

// Of the action: one number for each control, within its range. Numbers outside are clipped by
// MuJoCo where the model says so.
Space ControlSpace(const mjModel& model);

inline Space AnyNumber() {
  return Box({}, {-kInf}, {kInf});
}
template <class T>
void Append(std::vector<T>& to, std::initializer_list<T> more) {
  to.insert(to.end(), more);
}

// Writes a number, if the task has an array for it.
inline void Put(View<double> place, double number) {
  if (place.size > 0) *place = number;
}

inline Space AnyNumbers(int n) {
  return Box({n}, {-kInf}, {kInf});
}

// Whether x is strictly between the two.
inline bool Within(const Numbers<2>& range, double x) {
  return range[0] < x && x < range[1];
}

// numpy.clip
inline double Clip(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// weight * numpy.sum(numpy.square(action)), in float32 as the action is.
inline float ControlCost(double weight, View<const float> action) {
  return static_cast<float>(weight) * SumOfSquares(action.data, action.size);
}

// Writes arrays one after another.
class Row {
 public:
  explicit Row(View<double> row) : out_(row.data) {}

  Row& Add(const mjtNum* from, int n) {
    for (int i = 0; i < n; ++i) *out_++ = from[i];
    return *this;
  }
  Row& AddClipped(const mjtNum* from, int n, double low, double high) {
    for (int i = 0; i < n; ++i) *out_++ = Clip(from[i], low, high);
    return *this;
  }
  template <class F>
  Row& AddEach(const mjtNum* from, int n, const F& f) {
    for (int i = 0; i < n; ++i) *out_++ = f(from[i]);
    return *this;
  }

 private:
  double* out_;
};

// A Simulation as an agent meets it.
class Robot final : public Simulation {
 public:
  Robot(const Model& model, int frame_skip, Rng& rng);

  // Seconds that an action is held.
  double dt() const { return model().opt.timestep * frame_skip_; }
  const double* qpos() const { return data().qpos; }
  const double* qvel() const { return data().qvel; }
  // From the origin of the first two coordinates.
  double Distance() const { return Norm(qpos(), 2); }
  // How far coordinate i is from where the model has it.
  double Moved(int i) const { return qpos()[i] - model().qpos0[i]; }

  // Its number; the body must be there (Needs::bodies).
  int BodyOf(const char* name) const { return mj_name2id(&model(), mjOBJ_BODY, name); }
  // From the origin of body `from` to that of body `to`, in m.
  void Way(int from, int to, double way[3]) const {
    const mjtNum* const x = data().xpos;
    for (int i = 0; i < 3; ++i) way[i] = x[3 * to + i] - x[3 * from + i];
  }

  // An episode begins with positions and speeds that are drawn, perhaps changed by the caller, and
  // then taken by Begin. Positions are the model's own and noise of -scale to scale; speeds are
  // noise.
  double* FirstPositions();
  double* FirstSpeeds();  // 0
  double* DrawPositions(double scale);
  double* DrawSpeeds(double scale);
  double* DrawNormalSpeeds(double deviation);
  void Begin() { Simulation::Begin(start_qpos_.data(), start_qvel_.data()); }

  void Act(View<const float> action) { Step(action, frame_skip_); }

 private:
  const int frame_skip_;
  Rng& rng_;
  std::vector<double> start_qpos_, start_qvel_;
};

}  // namespace parallel_pool::mujoco
