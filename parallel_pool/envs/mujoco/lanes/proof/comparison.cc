#include "parallel_pool/envs/mujoco/lanes/proof/comparison.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco::lanes {
namespace {

// An env in lanes, and the same one of libmujoco.
struct Pair {
  Pair(const Model& model, unsigned reads)
      : own(model, reads), theirs(mj_makeData(model.get()), &mj_deleteData) {}

  Simulation own;
  std::unique_ptr<mjData, decltype(&mj_deleteData)> theirs;
};

class Player {
 public:
  Player(const Model& model, const StepModel& flat, Stepper& stepper, const Play& play)
      : m_(*model),
        flat_(flat),
        stepper_(stepper),
        play_(play),
        reads_(play.reads_least ? kConstraints
                                : kAll & ~(flat.has_tendons_in_space ? kTendons : 0u)),
        random_(play.seed) {
    for (int k = 0; k < play.lanes; ++k) {
      pairs_.push_back(std::make_unique<Pair>(model, reads_));
      Reset(*pairs_[k]);
    }
  }

  Comparison Run() {
    for (step_ = 0; step_ < play_.steps; ++step_) {
      std::vector<LaneEnv> envs;
      for (const auto& pair : pairs_) {
        mjData& own = pair->own.data();
        Disturb(own, *pair->theirs);
        if (step_ % 5 == 0) Act(own, *pair->theirs);
        if (play_.plant) play_.plant(own);
        mj_step(&m_, pair->theirs.get());
        mj_rnePostConstraint(&m_, pair->theirs.get());
        envs.push_back(pair->own.BeginLane());
      }
      stepper_.Step(flat_, envs.data(), play_.lanes, 1, reads_);
      for (int k = 0; k < play_.lanes; ++k) Finish(*pairs_[k], k, envs[k]);
    }
    return c_;
  }

 private:
  double Draw() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  void Reset(Pair& pair) {
    std::vector<double> qpos(m_.qpos0, m_.qpos0 + m_.nq), qvel(m_.nv);
    for (double& q : qpos) q += 0.1 * Draw();
    PlaceFetch(m_, qpos);
    for (double& v : qvel) v = 0.1 * Draw();
    pair.own.Begin(qpos.data(), qvel.data());
    mj_copyData(pair.theirs.get(), &m_, &pair.own.data());
    // A step of a general model needs no frames of before, as after mj_resetData.
    if (flat_.is_general && flat_.has_contacts)
      std::fill_n(pair.own.data().geom_xpos, 3 * m_.ngeom, 0.0);
  }

  void Disturb(mjData& own, mjData& theirs) {
    if (!play_.is_wild) return;
    const double bad[] = {std::nan(""), 1e11, -INFINITY};
    const int which = static_cast<int>(random_() % 3), place = static_cast<int>(random_() % m_.nv);
    if (Draw() > 0.98) own.qvel[place] = theirs.qvel[place] = bad[which];
    if (Draw() > 0.98) own.qpos[place] = theirs.qpos[place] = bad[which];
    if (m_.nu > 0 && Draw() > 0.98) own.ctrl[0] = theirs.ctrl[0] = bad[which];
    if (m_.nmocap > 0 && Draw() > 0.98) own.mocap_pos[0] = theirs.mocap_pos[0] = bad[which];
  }

  void Act(mjData& own, mjData& theirs) {
    for (int i = 0; i < m_.nu; ++i) {
      const bool has_range = m_.actuator_ctrllimited[i] != 0;
      const double low = has_range ? m_.actuator_ctrlrange[2 * i] : -1;
      const double high = has_range ? m_.actuator_ctrlrange[2 * i + 1] : 1;
      double action = 1.1 * Draw();
      if (play_.is_bang_bang) action = action < 0 ? -1 : 1;
      own.ctrl[i] = theirs.ctrl[i] = (low + high) / 2 + (high - low) / 2 * action;
    }
    for (int i = 0; i < 3 * m_.nmocap; ++i) {
      own.mocap_pos[i] = theirs.mocap_pos[i] = own.mocap_pos[i] + 0.02 * Draw();
    }
    for (int i = 0; i < 4 * m_.nmocap; ++i) {
      own.mocap_quat[i] = theirs.mocap_quat[i] = own.mocap_quat[i] + 0.02 * Draw();
    }
  }

  void Finish(Pair& pair, int lane, const LaneEnv& env) {
    pair.own.EndLane(env);
    if (env.is_placed) {
      ++c_.retreats;
    } else {
      CompareConstraints(lane, *pair.theirs);
    }
    CompareData(pair.own.data(), *pair.theirs);
    if (!(std::fabs(pair.theirs->qpos[0]) < 1e3) || std::fabs(Draw()) < 0.003) Reset(pair);
  }

  void Same(const char* name, double own, double theirs) {
    ++c_.numbers;
    // A mocap body that nothing moves may stay at a place that is no number.
    if (own == theirs || (std::isnan(own) && std::isnan(theirs)) || c_.different++ > 0) return;
    c_.first = std::string(name) + " in step " + std::to_string(step_) + " is " +
               std::to_string(own) + ", not " + std::to_string(theirs);
  }
  template <class T>
  void Same(const char* name, const T* own, const double* theirs, int64_t n) {
    for (int64_t i = 0; i < n; ++i) Same(name, own[i], theirs[i]);
  }

  // In the order of the stages, so that the first difference names the stage.
#define SAME(array, n) Same(#array, own.array, theirs.array, n)
  void CompareData(const mjData& own, const mjData& theirs) {
    if (!play_.reads_least) CompareStages(own, theirs);
    SAME(qfrc_constraint, m_.nv);
    SAME(qacc, m_.nv);
    SAME(qacc_warmstart, m_.nv);
    SAME(qvel, m_.nv);
    SAME(qpos, m_.nq);
    SAME(act, m_.na);
    Same("time", own.time, theirs.time);
  }
  void CompareStages(const mjData& own, const mjData& theirs) {
    SAME(xpos, 3 * m_.nbody);
    SAME(xquat, 4 * m_.nbody);
    SAME(xmat, 9 * m_.nbody);
    SAME(xipos, 3 * m_.nbody);
    SAME(ximat, 9 * m_.nbody);
    SAME(xanchor, 3 * m_.njnt);
    SAME(xaxis, 3 * m_.njnt);
    SAME(geom_xpos, 3 * m_.ngeom);
    SAME(geom_xmat, 9 * m_.ngeom);
    SAME(site_xpos, 3 * m_.nsite);
    SAME(site_xmat, 9 * m_.nsite);
    if (reads_ & kTendons) SAME(ten_length, m_.ntendon);
    SAME(subtree_com, 3 * m_.nbody);
    SAME(cinert, 10 * m_.nbody);
    SAME(crb, 10 * m_.nbody);
    SAME(cdof, 6 * m_.nv);
    SAME(M, m_.nC);
    SAME(qLD, m_.nC);
    SAME(qLDiagInv, m_.nv);
    if (reads_ & kTendons) SAME(ten_velocity, m_.ntendon);
    SAME(cvel, 6 * m_.nbody);
    SAME(cdof_dot, 6 * m_.nv);
    SAME(qfrc_spring, m_.nv);
    SAME(qfrc_damper, m_.nv);
    SAME(qfrc_passive, m_.nv);
    SAME(qfrc_bias, m_.nv);
    SAME(actuator_force, m_.nu);
    SAME(qfrc_actuator, m_.nv);
    SAME(qfrc_smooth, m_.nv);
    SAME(qacc_smooth, m_.nv);
    SAME(qfrc_constraint, m_.nv);
    SAME(qacc, m_.nv);
    SAME(cfrc_ext, 6 * m_.nbody);
    if (m_.opt.integrator == mjINT_EULER) SAME(qHDiagInv, m_.nv);
    for (int s = 0; s < flat_.num_touches; ++s) {
      const int address = flat_.touches[s].address;
      Same("touch", own.sensordata[address], theirs.sensordata[address]);
    }
    for (int s = 0; s < flat_.num_sensors; ++s) {
      const int address = flat_.sensors[s].address;
      Same("sensordata", own.sensordata + address, theirs.sensordata + address,
           flat_.sensors[s].size);
    }
    for (int s = 0; s < flat_.num_force_sensors; ++s) {
      const int address = flat_.force_sensors[s].address;
      Same("force sensors", own.sensordata + address, theirs.sensordata + address, 3);
    }
  }
#undef SAME

  void CompareConstraints(int lane, const mjData& theirs) {
    if (const Contacts* const contacts = stepper_.contacts(lane); contacts != nullptr) {
      Same("ncon", contacts->size, theirs.ncon);
      CompareContacts(contacts->items, std::min<int>(contacts->size, theirs.ncon), theirs);
    } else {
      const mjData& own = pairs_[lane]->own.data();
      Same("ncon", own.ncon, theirs.ncon);
      CompareContacts(own.contact, std::min<int>(own.ncon, theirs.ncon), theirs);
    }
    double forces[kMostRows];
    const int rows = stepper_.CopyForces(lane, forces);
    Same("nefc", rows, theirs.nefc);
    if (rows != theirs.nefc || rows == 0) return;
    Same("efc_force", forces, theirs.efc_force, rows);
    int iterations = 0;  // of all trees
    for (int i = 0; i < theirs.nisland; ++i) iterations += theirs.solver_niter[i];
    if (theirs.nisland == 0) iterations = theirs.solver_niter[0];
    Same("solver_niter", stepper_.iterations(lane), iterations);
    c_.contacts += theirs.ncon;
    c_.rows += rows;
    c_.iterations += iterations;
  }

  template <class Contact>
  void CompareContacts(const Contact* contacts, int n, const mjData& theirs) {
    for (int i = 0; i < n; ++i) {
      Same("contact.dist", contacts[i].dist, theirs.contact[i].dist);
      Same("contact.pos", contacts[i].pos, theirs.contact[i].pos, 3);
      Same("contact.frame", contacts[i].frame, theirs.contact[i].frame, 9);
    }
  }

  const mjModel& m_;
  const StepModel& flat_;
  Stepper& stepper_;
  const Play& play_;
  const unsigned reads_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Pair>> pairs_;
  int step_ = 0;
  Comparison c_;
};

}  // namespace

Comparison Compare(const Model& model, const StepModel& flat, Stepper& stepper, const Play& play) {
  return Player(model, flat, stepper, play).Run();
}

void PlaceFetch(const mjModel& model, std::vector<double>& qpos) {
  const auto place = [&](const char* name) {
    const int joint = mj_name2id(&model, mjOBJ_JOINT, name);
    return joint < 0 ? -1 : model.jnt_qposadr[joint];
  };
  const int base = place("robot0:slide0"), object = place("object0:joint");
  if (base < 0) return;
  const double station[] = {.405, .48, 0}, pose[] = {1.25, .75, .43, 1, 0, 0, 0};
  std::copy_n(station, 3, qpos.begin() + base);
  if (object < 0) return;
  const double x = qpos[object] / 10, y = qpos[object + 1] / 10;
  std::copy_n(pose, 7, qpos.begin() + object);
  qpos[object] += x;
  qpos[object + 1] += y;
}

Model TaskModel(const std::string& name) {
  return LoadModel("parallel_pool/envs/mujoco/models/" + name + ".xml");
}

}  // namespace parallel_pool::mujoco::lanes
