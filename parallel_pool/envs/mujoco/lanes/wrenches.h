// The forces of contacts on bodies (cfrc_ext): a part of mj_rnePostConstraint.
#pragma once

#include "parallel_pool/envs/mujoco/lanes/constraints.h"

namespace parallel_pool::mujoco::lanes {

template <int kNv, class V>
void FindContactForces(const StepModel& m, const World<V>& w, const Contacts* contacts,
                       const ConstraintRows<kNv, V>& rows, Spatial<V>* cfrc_ext) {
  const V zero = All<V>(0);
  for (int b = 0; b < m.nbody; ++b) cfrc_ext[b] = {{zero, zero, zero, zero, zero, zero}};
  for (int k = 0; k < kLanesOf<V>; ++k) {
    int row = rows.num_limits;
    for (int c = 0; c < contacts[k].size; ++c) {
      const Contact& contact = contacts[k].items[c];
      const GeomPair& pair = m.pairs[contact.pair];
      if (contact.dist >= pair.law.margin) continue;
      double local[3] = {0, 0, 0}, force[3];
      if (pair.dimensions == 1) {
        local[0] = At(rows.force[row++], k);
      } else {
        double edges[4];
        for (double& edge : edges) local[0] += edge = At(rows.force[row++], k);
        local[1] = (edges[0] - edges[1]) * pair.friction;
        local[2] = (edges[2] - edges[3]) * pair.friction;
      }
      const double* const f = contact.frame;
      for (int i = 0; i < 3; ++i) force[i] = f[i] * local[0] + f[3 + i] * local[1] + f[6 + i] * local[2];
      const int geoms[2] = {pair.geom1, pair.geom2};
      for (const int geom : geoms) {
        const int b = m.geoms[geom].frame.body;
        if (b == 0) continue;
        double d[3];
        Get(w.subtree_com[m.bodies[b].root], k, d);
        for (int i = 0; i < 3; ++i) d[i] -= contact.pos[i];
        const double wrench[6] = {0 - (d[1] * force[2] - d[2] * force[1]),
                                  0 - (d[2] * force[0] - d[0] * force[2]),
                                  0 - (d[0] * force[1] - d[1] * force[0]), force[0], force[1], force[2]};
        for (int i = 0; i < 6; ++i) {
          At(cfrc_ext[b].a[i], k) += geom == pair.geom2 ? wrench[i] : -wrench[i];
        }
      }
    }
  }
}

}  // namespace parallel_pool::mujoco::lanes
