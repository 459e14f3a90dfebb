// MuJoCo-v0: any model of a user, moved by its controls. There is no reward, and episodes end only
// at the time limit. The observation is a selection of fields of mjData.
#pragma once

#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/engine/data_reads.h"
#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco {

// An array of mjData: one row of numbers for each element of the model, such as each body.
struct Field {
  const char* name;
  mjtNum* mjData::* data;
  mjtSize mjModel::* rows;
  int columns;
};

// The fields with these names, one per line. Throws std::invalid_argument if one is unknown or
// there is none.
std::vector<Field> FieldsOf(const Lines& names);

class AnyModel {
 public:
  struct Config {
    std::string xml_path = "half_cheetah.xml";
    int frame_skip = 1;
    Lines obs = {"qpos\nqvel"};
    Model model = nullptr;      // the model of xml_path
    std::vector<Field> fields;  // the fields of obs
  };
  struct Action { View<const AnyFloat> control; };
  struct State { View<double> obs; };  // the fields, one after another

  static Options<Config> Describe() {
    return {Option<&Config::xml_path>("xml_path",
                                      "model: a file of Gymnasium's, or a path with a '/' or '~'"),
            Option<&Config::frame_skip>(
                "frame_skip", "steps of the model for which an action is held", {.min = 1}),
            Option<&Config::obs>("obs", "observed fields of mjData, such as sensordata")};
  }
  static void Complete(Config& config) {
    config.fields = FieldsOf(config.obs);
    config.model = LoadControlled("gym", "xml_path", config.xml_path);
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    int size = 0;
    for (const Field& field : config.fields) size += Size(*config.model, field);
    return {.action = {Array<&Action::control>("action", Controls(*config.model))},
            .state = {Array<&State::obs>("obs", AnyNumbers(size))}};
  }

  static bool IsDeterministic(const Config&) { return true; }
  static unsigned ReadsOf(const Config& config) {
    unsigned reads = kNothing;
    for (const Field& field : config.fields) reads |= mujoco::ReadsOf(field.name);
    return reads;
  }

  AnyModel(const Config& config, Rng&)
      : fields_(config.fields),
        frame_skip_(config.frame_skip),
        at_rest_(config.model->nv),
        simulation_(config.model, ReadsOf(config)) {}

  void Reset() {
    simulation_.Begin(simulation_.model().qpos0, at_rest_.data());
    if (simulation_.reads() & kContactForces) simulation_.ComputeForces();
  }

  Simulation& Act(const Action& action) {
    simulation_.Hold(action.control, frame_skip_);
    return simulation_;
  }
  Outcome Judge(const Action&) { return {}; }

  const Simulation& simulation() const { return simulation_; }
  auto Saved() { return std::tie(simulation_); }
  void Observe(const State& state) const {
    Row row(state.obs);
    for (const Field& field : fields_) {
      row.Add(simulation_.data().*field.data, Size(simulation_.model(), field));
    }
  }

 private:
  // The bounds of the controls; those without a range have none.
  static Space Controls(const mjModel& model) {
    Space space = ControlSpace(model);
    for (int i = 0; i < model.nu; ++i) {
      if (model.actuator_ctrllimited[i]) continue;
      space.low[i] = -std::numeric_limits<double>::infinity();
      space.high[i] = std::numeric_limits<double>::infinity();
    }
    return space;
  }
  static int Size(const mjModel& model, const Field& field) {
    return static_cast<int>(model.*field.rows) * field.columns;
  }

  const std::vector<Field> fields_;
  const int frame_skip_;
  const std::vector<double> at_rest_;  // the speeds of the first state: 0
  Simulation simulation_;
};

}  // namespace parallel_pool::mujoco
