// The numbers of soft constraints: mj_makeImpedance for one constraint, without lanes.
#pragma once

#include <mujoco/mujoco.h>

namespace parallel_pool::mujoco::lanes {

// The constants of a constraint's reference acceleration, by solref and solimp.
struct ConstraintLaw {
  double impedance[5];  // solimp
  double stiffness, damping;
  double diagonal;  // of the inverse inertia at the constraint, approximately
  double margin;    // the distance or angle below which it acts
};

// Throws std::invalid_argument if solref is in direct format (negative).
ConstraintLaw MakeLaw(const mjModel& model, const double* solref, const double* solimp,
                      double diagonal, double margin);

// As above, but only with the impedance and the margin.
ConstraintLaw MakeImpedance(const double* solimp, double margin);

// The impedance, in 0 .. 1, at the distance or angle `pos`.
double Impedance(const ConstraintLaw& law, double pos);

// The regularizer R of a constraint, and that of the four edges of a friction pyramid.
double Regularizer(const ConstraintLaw& law, double impedance);
double PyramidRegularizer(double regularizer, double friction, double impratio);

}  // namespace parallel_pool::mujoco::lanes
