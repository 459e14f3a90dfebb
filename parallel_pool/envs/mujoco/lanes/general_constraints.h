// Constraints of general models: contacts are those that collision::Collider finds, and rows are
// solved island by island. Islands that several envs have are solved together.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/constraints.h"
#include "parallel_pool/envs/mujoco/lanes/contact_rows.h"
#include "parallel_pool/envs/mujoco/lanes/equalities.h"
#include "parallel_pool/envs/mujoco/lanes/forces.h"
#include "parallel_pool/envs/mujoco/lanes/island_newton.h"
#include "parallel_pool/envs/mujoco/lanes/noslip.h"
#include "parallel_pool/envs/mujoco/lanes/scatter.h"
#include "parallel_pool/envs/mujoco/lanes/stepper.h"
#include "parallel_pool/envs/mujoco/lanes/wrenches.h"

namespace parallel_pool::mujoco::lanes {

// As TreeConstraints.
template <class V>
class GeneralConstraints {
 public:
  static constexpr bool kIsGeneral = true;
  static constexpr int kLanes = kLanesOf<V>;

  void Begin() { is_first_ = true; }
  unsigned Find(const StepModel& m, const Scope& scope, const World<V>& w, LaneEnv* envs, int n,
                unsigned lost) {
    for (int k = 0; k < kLanes; ++k) data_[k] = envs[k < n ? k : 0].data;  // left over: env 0's
    limits_ = FindLimits(m, w);
    if (!m.has_contacts) return lost;
    ScatterFrames(m, scope, w, is_first_, n, data_);
    ForEachLane(((1u << n) - 1) & ~lost, [&](int k) {
      if (envs[k].find_contacts(envs[k].owner)) return;
      Scatter(&w.xipos[0].x, 3 * m.nbody, k, data_[k]->xipos);
      Scatter(w.ximat[0].a, 9 * m.nbody, k, data_[k]->ximat);
      if (!envs[k].find_doubtful_contacts(envs[k].owner)) lost |= 1u << k;
    });
    ForEachLane(AllLanes() & ~((1u << n) - 1), [&](int k) { lost |= (lost & 1) << k; });
    is_first_ = false;
    return lost;
  }

  unsigned Solve(const StepModel& m, World<V>& w, unsigned lost) {
    MakeRows(m, w, AllLanes() & ~lost);
    if (rows_.is_full) return AllLanes();
    for (int& n : iterations_) n = 0;
    if (rows_.size == 0) return 0;
    ChooseStart(m, w);
    FindIslands(m);
    unsigned poor = 0;
    for (int i = 0; i < num_islands_; ++i) {
      if (!is_taken_) island_.Take(m, rows_, islands_[i].trees, islands_[i].lanes);
      poor |= newton_.Run(m, island_, start_, w);
      for (int r = 0; r < island_.size; ++r) {
        const V own = island_.D[r];  // 0 where the row is another island's
        V& force = rows_.force[island_.row[r]];
        force = Pick<V>(own != 0, island_.force[r], force);
      }
      for (int k = 0; k < kLanes; ++k) iterations_[k] += newton_.iterations[k];
    }
    if (m.noslip_iterations == 0) return poor;
    return noslip_.Run(m, island_of_, tops_, rows_, w, iterations_) ? poor : AllLanes();
  }

  void FindForcesOnBodies(const StepModel& m, const World<V>& w, Spatial<V>* cfrc_ext) const {
    ClearForces(m, cfrc_ext);
    ForEachForce(m, found_, [&](int k, const mjContact& contact, const Real* local) {
      Real force[3], torque[3];
      for (int i = 0; i < 3; ++i) {
        force[i] = InWorld<V>(contact.frame, local, i);
        torque[i] = InWorld<V>(contact.frame, local + 3, i);
      }
      AddWrench(m, w, k, contact.geom, contact.pos, torque, force, cfrc_ext);
    });
    for (int i = 0; i < m.num_welds; ++i) {
      AddForces(m, m.welds[i], w, rows_.force + 6 * i, cfrc_ext);
    }
    for (int i = 0; i < num_spans_; ++i) {
      const int row = spans_[i].row;
      const V own = Pick<V>(MaskOf<V>(rows_.lanes[row]), rows_.force[row], All<V>(0));
      AddForces(m, m.tendons[spans_[i].tendon], w, spans_[i].is_high ? -own : own, cfrc_ext);
    }
  }
  void FindTouches(const StepModel& m, const World<V>& w, V* touches) const {
    const auto for_each = [&](int k, const auto& f) {
      ForEachForce(m, 1u << k, [&](int, const mjContact& contact, const Real* force) {
        f(contact.geom[0], contact.geom[1], contact.pos, contact.frame, force[0]);
      });
    };
    SumTouches(m, w, found_, for_each, touches);
  }

  // By the islands and the bodies of sparse rows, then by the number of rows.
  uint64_t Number(int lane) const { return number_[lane]; }
  const Contacts* contacts(int) const { return nullptr; }
  int CopyForces(int lane, double* forces) const {
    int n = 0;
    for (int i = 0; i < rows_.size; ++i) {
      if (rows_.lanes[i] >> lane & 1) forces[n++] = At(rows_.force[i], lane);
    }
    return n;
  }
  int iterations(int lane) const { return iterations_[lane]; }

 private:
  static constexpr unsigned AllLanes() { return (1u << kLanes) - 1; }

  void MakeRows(const StepModel& m, const World<V>& w, unsigned lanes) {
    rows_.Clear(m);
    num_spans_ = 0;
    for (int i = 0; i < m.num_welds; ++i) AddWeld(m, m.welds[i], w, rows_);
    for (int i = 0; i < m.num_couplings; ++i) AddCoupling(m, m.couplings[i], w, rows_);
    for (int i = 0; i < m.num_losses; ++i) AddLoss(m, m.losses[i], rows_);
    for (int j = 0; limits_.any != 0 && j < m.njnt; ++j) {
      if (!m.joints[j].is_limited) continue;
      AddJointLimit(m, j, w, limits_.low[j], false);
      AddJointLimit(m, j, w, limits_.high[j], true);
    }
    for (int t = 0; m.has_tendon_limits && t < m.ntendon; ++t) {
      if (m.tendons[t].is_limited) AddTendonLimits(m, t, w);
    }
    AddContacts(m, w, data_, lanes, rows_, first_rows_);
    found_ = lanes;
    for (int i = 0; i < rows_.size; ++i) {
      const V speed = rows_.Times(i, w.qvel);
      rows_.aref[i] = -rows_.damping[i] * speed -
                      rows_.stiffness[i] * rows_.impedance[i] * (rows_.pos[i] - rows_.margin[i]);
    }
    for (int i = 0; i < m.num_welds; ++i) {
      CorrectReferences(m, m.welds[i], w, rows_.aref + 6 * i);
    }
  }
  // Calls f(lane, contact, force) for each contact that acts in some lanes. `force`: 6 numbers, the
  // force and the torque along the contact's axes.
  template <class F>
  void ForEachForce(const StepModel& m, unsigned lanes, const F& f) const {
    ForEachLane(lanes, [&](int k) {
      for (int c = 0; c < data_[k]->ncon; ++c) {
        const mjContact& contact = data_[k]->contact[c];
        if (contact.exclude) continue;
        const V* const rows = rows_.force + first_rows_[k][c];
        Real force[6] = {0, 0, 0, 0, 0, 0};
        if (contact.dim == 1 || m.is_elliptic) {
          for (int i = 0; i < contact.dim; ++i) force[i] = At(rows[i], k);
        } else {
          for (int i = 0; i < 2 * (contact.dim - 1); ++i) force[0] += At(rows[i], k);
          for (int i = 1; i < contact.dim; ++i) {
            force[i] =
                (Real(At(rows[2 * i - 2], k)) - At(rows[2 * i - 1], k)) * contact.friction[i - 1];
          }
        }
        f(k, contact, force);
      }
    });
  }

  void AddJointLimit(const StepModel& m, int j, const World<V>& w, unsigned lanes, bool is_high) {
    if (lanes == 0) return;
    const Joint& joint = m.joints[j];
    const V position = w.qpos[joint.position];
    const V distance = is_high ? joint.high - position : -(joint.low - position);
    const int i = rows_.Add(RowKind::kOneSided, 1, joint.dof);
    rows_.sign[i] = All<V>(is_high ? -1 : 1);
    SetLimit(i, m.limits[j], m.bodies[joint.body].tree, distance, lanes);
  }
  void AddTendonLimits(const StepModel& m, int t, const World<V>& w) {
    const Tendon& tendon = m.tendons[t];
    const bool is_span = tendon.size == 0;
    Span<V> span;
    if (is_span) span = SpanOf(m, w, tendon);
    const V length = is_span ? span.length : LengthOf(m, w, t);
    const V distances[] = {-(tendon.low - length), tendon.high - length};
    for (int side = 0; side < 2; ++side) {
      const unsigned lanes = Bits<V>(distances[side] < tendon.limit.margin);
      if (lanes == 0) continue;
      const int i = rows_.Add(RowKind::kOneSided, 1);
      V J[kMaxDofs];
      if (is_span) {
        FindJacobian(m, w, tendon, span, J);
        spans_[num_spans_++] = {t, i, side == 1};
      }
      for (int e = 0; e < tendon.size; ++e) J[tendon.dof[e]] = w.tendon_scale[t][e];
      tendon.dofs.ForEach([&](int v) {
        rows_.J(i)[v] = Pick<V>(MaskOf<V>(lanes), side == 0 ? J[v] : -J[v], All<V>(0));
      });
      rows_.dofs[i] = tendon.dofs;
      SetLimit(i, tendon.limit, tendon.trees, distances[side], lanes);
    }
  }
  void SetLimit(int i, const ConstraintLaw& law, unsigned trees, const V& distance,
                unsigned lanes) {
    ForEachLane(lanes, [&](int k) {
      const double impedance = Impedance(law, At(distance, k));
      At(rows_.R[i], k) = Regularizer(law, impedance);
      At(rows_.D[i], k) = 1 / At(rows_.R[i], k);
      At(rows_.pos[i], k) = At(distance, k);
      At(rows_.margin[i], k) = law.margin;
      At(rows_.impedance[i], k) = impedance;
      At(rows_.stiffness[i], k) = law.stiffness;
      At(rows_.damping[i], k) = law.damping;
      rows_.trees[i][k] = trees;
    });
    rows_.lanes[i] = lanes;
  }

  // Chooses for all islands together: the warm start, or the acceleration without constraints if
  // that costs less.
  void ChooseStart(const StepModel& m, const World<V>& w) {
    const unsigned all_trees = (1u << m.ntree) - 1;
    island_.Take(m, rows_, all_trees, AllLanes());
    is_taken_ = true;
    unsigned acts[kMostRows];
    V residual[kMostRows], inertia[kMaxDofs];
    for (int i = 0; i < island_.size; ++i) {
      residual[i] = island_.Times(i, w.qacc_warmstart) - island_.aref[i];
    }
    V cost = newton_.FindForces(island_, residual, acts);
    island_.TimesInertia(m, w, w.qacc_warmstart, inertia);
    for (int v = 0; v < m.nv; ++v) {
      cost =
          cost + 0.5 * (inertia[v] - w.qfrc_smooth[v]) * (w.qacc_warmstart[v] - w.qacc_smooth[v]);
    }
    for (int i = 0; i < island_.size; ++i) {
      residual[i] = island_.Times(i, w.qacc_smooth) - island_.aref[i];
    }
    const Mask<V> is_cold = cost > newton_.FindForces(island_, residual, acts);
    for (int v = 0; v < m.nv; ++v) {
      start_[v] = Pick<V>(is_cold, w.qacc_smooth[v], w.qacc_warmstart[v]);
    }
  }

  // Finds the trees that rows link in each lane, and lists each island with the lanes that have it.
  void FindIslands(const StepModel& m) {
    num_islands_ = 0;
    for (unsigned& lanes : tops_) lanes = 0;
    for (int k = 0; k < kLanes; ++k) {
      uint32_t islands = 0, size = 0;
      unsigned island_of[kMaxTrees] = {};
      for (int i = 0; i < rows_.size; ++i) Link(rows_.trees[i][k], island_of);
      for (int t = 0; t < m.ntree; ++t) {
        island_of_[t][k] = t;
        if (island_of[t] == 0) continue;
        // A tree is listed with the first one of its island.
        island_of_[t][k] = __builtin_ctz(island_of[t]);
        if (island_of_[t][k] != t) continue;
        tops_[t] |= 1u << k;
        AddIsland(island_of[t], k);
        islands = islands * 31 + island_of[t];
      }
      for (int i = 0; i < rows_.size; ++i) {
        if ((rows_.lanes[i] >> k & 1) == 0) continue;
        ++size;
        if (rows_.bodies[i] != 0) islands = islands * 31 + rows_.bodies[i];
      }
      number_[k] = uint64_t{islands} << 32 | size;
    }
    is_taken_ = num_islands_ == 1 && islands_[0].lanes == AllLanes() &&
                islands_[0].trees == (1u << m.ntree) - 1;
  }
  static void Link(unsigned trees, unsigned* island_of) {
    if (trees == 0) return;
    unsigned all = trees;
    ForEachLane(trees, [&](int t) { all |= island_of[t]; });
    if (all == island_of[__builtin_ctz(trees)]) return;
    ForEachLane(all, [&](int t) { island_of[t] = all; });
  }
  void AddIsland(unsigned trees, int lane) {
    int i = 0;
    while (i < num_islands_ && islands_[i].trees != trees) ++i;
    if (i == num_islands_) islands_[num_islands_++] = {.trees = trees, .lanes = 0};
    islands_[i].lanes |= 1u << lane;
  }

  mjData* data_[kLanes];
  unsigned found_;                     // the lanes whose contacts are in data_
  int first_rows_[kLanes][kMostRows];  // of their contacts
  ActiveLimits limits_;
  struct {
    int tendon, row;
    bool is_high;
  } spans_[2 * kMaxTendons];  // limited tendons in space
  int num_spans_;
  Rows<V> rows_;
  Island<V> island_;
  IslandNewton<V> newton_;
  V start_[kMaxDofs];
  Noslip<V> noslip_;
  struct { unsigned trees, lanes; } islands_[kMaxTrees * kLanes];
  int island_of_[kMaxTrees][kLanes];  // the first tree of each tree's island
  unsigned tops_[kMaxTrees];          // the lanes in which it is that tree
  int num_islands_, iterations_[kLanes];
  uint64_t number_[kLanes] = {};
  bool is_first_;  // of the steps of these envs
  bool is_taken_;  // whether island_ has all rows and dofs
};

}  // namespace parallel_pool::mujoco::lanes
