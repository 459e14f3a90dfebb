// Measures a step of each model: by mj_step, and in each number of lanes that the processor has.
// All play the same episodes with random actions.
//
//   tools/bazel.sh run //parallel_pool/envs/mujoco/lanes/proof:steps_benchmark [-- PART_OF_NAME]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/simulation.h"
#include "parallel_pool/envs/mujoco/lanes/flatten.h"
#include "parallel_pool/envs/mujoco/lanes/proof/comparison.h"
#include "parallel_pool/envs/mujoco/lanes/widths.h"

namespace parallel_pool::mujoco::lanes {
namespace {

constexpr int kEnvs = 32, kSkip = 5, kBatches = 150, kRounds = 5;

struct Robot {
  const char* model;
  int episode;  // steps of an episode, about those of a random policy
};
constexpr Robot kRobots[] = {
    {"gym/half_cheetah", 5000},
    {"gym/hopper", 90},
    {"gym/walker2d_v5", 90},
    {"gym/ant", 500},
    {"gym/swimmer", 4000},
    {"gym/humanoid", 110},
    {"gym/humanoidstandup", 5000},
    {"gym/reacher", 100},
    {"gym/inverted_pendulum", 30},
    {"gym/inverted_double_pendulum", 30},
    {"dm_control/cheetah", 1000},
    {"dm_control/hopper", 4000},
    {"dm_control/walker", 10000},
    {"dm_control/humanoid", 5000},
    {"dm_control/acrobot", 1000},
    {"dm_control/cartpole", 1000},
    {"robotics/fetch/reach", 1000},
    {"robotics/fetch/push", 1000},
    {"robotics/hand/reach", 1000},
    {"robotics/hand/manipulate_block", 2000},
    {"robotics/kitchen_franka/kitchen_assets/kitchen_env_model", 11200},
    {"robotics/adroit_hand/adroit_door", 1000},
    {"robotics/adroit_hand/adroit_hammer", 1000},
    {"dm_control/finger", 2000},
    {"dm_control/fish", 10000},
    {"dm_control/ball_in_cup", 10000},
    {"dm_control/stack_4", 2000},
    {"dm_control/bring_ball", 2000},
    {"dm_control/quadruped_run", 2000},
    {"dm_control/humanoid_CMU", 10000},
    {"dm_control/dog_run", 3000},
};

double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// kEnvs envs of a model that one way steps.
class Envs {
 public:
  // 0 lanes: by mj_step, without the search for islands where the model is one tree.
  Envs(const Model& model, const Robot& robot, const Width& way)
      : m_(*model),
        lanes_(way.lanes),
        robot_(robot),
        fast_(mj_copyModel(nullptr, &m_), &mj_deleteModel) {
    if (m_.ntree == 1) fast_->opt.disableflags |= mjDSBL_ISLAND;
    std::string why_not;
    flat_ = Flatten(m_, &why_not);
    reads_ = flat_->is_general ? kPlaces : kPlaces | kContactForces;
    if (lanes_ != 0) stepper_.reset(way.make(*flat_));
    for (int k = 0; k < kEnvs; ++k) {
      envs_.push_back(std::make_unique<Simulation>(model, reads_));
      Reset(k);
      ages_[k] = robot.episode * k / kEnvs;
    }
  }

  // Microseconds of processor time for a step of one env.
  double Measure() {
    double seconds = 0;
    for (int batch = 0; batch < kBatches; ++batch) {
      for (int k = 0; k < kEnvs; ++k) {
        if (ages_[k] >= robot_.episode) Reset(k);
        ages_[k] += kSkip;
        mjtNum* const ctrl = envs_[k]->data().ctrl;
        for (int i = 0; i < 3 * m_.nmocap; ++i) {
          envs_[k]->data().mocap_pos[i] += 0.02 * (uniform_(random_) - 0.5);
        }
        for (int i = 0; i < m_.nu; ++i) {
          const double low = m_.actuator_ctrlrange[2 * i], high = m_.actuator_ctrlrange[2 * i + 1];
          ctrl[i] = low + (high - low) * uniform_(random_);
        }
      }
      const double start = CpuSeconds();
      lanes_ == 0 ? StepByLibrary() : StepInLanes();
      seconds += CpuSeconds() - start;
    }
    return seconds / (kBatches * kEnvs * kSkip) * 1e6;
  }

 private:
  void Reset(int k) {
    std::vector<double> qpos(m_.qpos0, m_.qpos0 + m_.nq), qvel(m_.nv);
    for (double& q : qpos) q += 0.1 * uniform_(random_) - 0.05;
    for (double& v : qvel) v = 0.1 * uniform_(random_) - 0.05;
    PlaceFetch(m_, qpos);
    envs_[k]->Begin(qpos.data(), qvel.data());
    ages_[k] = 0;
  }
  void StepByLibrary() {
    for (const auto& env : envs_) {
      for (int i = 0; i < kSkip; ++i) mj_step(fast_.get(), &env->data());
      if (reads_ & kContactForces) mj_rnePostConstraint(fast_.get(), &env->data());
    }
  }
  void StepInLanes() {
    for (int first = 0; first < kEnvs; first += lanes_) {
      LaneEnv group[kMostLanes];
      for (int k = 0; k < lanes_; ++k) group[k] = envs_[first + k]->BeginLane();
      stepper_->Step(*flat_, group, lanes_, kSkip, reads_);
      for (int k = 0; k < lanes_; ++k) envs_[first + k]->EndLane(group[k]);
    }
  }

  const mjModel& m_;
  const int lanes_;
  const Robot& robot_;
  const std::unique_ptr<mjModel, decltype(&mj_deleteModel)> fast_;
  std::unique_ptr<const StepModel> flat_;
  unsigned reads_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<std::unique_ptr<Simulation>> envs_;
  int ages_[kEnvs];
  std::mt19937_64 random_{1};
  std::uniform_real_distribution<double> uniform_{0, 1};
};

void Measure(const Robot& robot, const std::vector<Width>& ways) {
  const Model model = TaskModel(robot.model);
  std::vector<std::unique_ptr<Envs>> envs;
  std::string why_not;
  const auto widths = WidthsFor(*Flatten(*model, &why_not));
  for (size_t i = 0; i <= widths.size(); ++i) {
    envs.push_back(std::make_unique<Envs>(model, robot, ways[i]));
  }
  std::vector<std::vector<double>> times(envs.size());
  for (int round = 0; round < kRounds; ++round) {  // all ways take turns
    for (size_t i = 0; i < envs.size(); ++i) times[i].push_back(envs[i]->Measure());
  }
  std::printf("| %s |", robot.model);
  double library = 0;
  for (size_t i = 0; i < envs.size(); ++i) {
    std::ranges::sort(times[i]);
    const double median = times[i][kRounds / 2];
    if (i == 0) library = median;
    std::printf(i == 0 ? " %.1f |" : " %.2f (x%.1f) |", median, library / median);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void MeasureAll(const std::string& only) {
  std::vector<Width> ways(Widths().begin(), Widths().end());
  std::string titles = "| us of a step | mj_step |", rule = "| --- | ---: |";
  for (const auto& [lanes, make] : ways) {
    titles += " " + std::to_string(lanes) + (lanes == 1 ? " lane |" : " lanes |");
    rule += " ---: |";
  }
  std::printf("%s\n%s\n", titles.c_str(), rule.c_str());
  ways.insert(ways.begin(), Width{0, nullptr});
  for (const Robot& robot : kRobots) {
    if (std::string(robot.model).find(only) != std::string::npos) Measure(robot, ways);
  }
}

}  // namespace
}  // namespace parallel_pool::mujoco::lanes

int main(int argc, char** argv) {
  parallel_pool::mujoco::lanes::MeasureAll(argc > 1 ? argv[1] : "");
}
