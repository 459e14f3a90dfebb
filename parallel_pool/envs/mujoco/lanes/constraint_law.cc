#include "parallel_pool/envs/mujoco/lanes/constraint_law.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "parallel_pool/envs/mujoco/lanes/real.h"

namespace parallel_pool::mujoco::lanes {
namespace {

double Power(double a, double b) {
  return b == 1 ? a : b == 2 ? a * a : std::pow(a, b);
}

}  // namespace

ConstraintLaw MakeImpedance(const double* solimp, double margin) {
  const auto impedance = [](double x) { return std::min(mjMAXIMP, std::max(mjMINIMP, x)); };
  return {.impedance = {impedance(solimp[0]), impedance(solimp[1]), std::max(0.0, solimp[2]),
                        impedance(solimp[3]), std::max(1.0, solimp[4])},
          .stiffness = 0,
          .damping = 0,
          .diagonal = 0,
          .margin = margin};
}

ConstraintLaw MakeLaw(const mjModel& model, const double* solref, const double* solimp,
                      double diagonal, double margin) {
  if (solref[0] <= 0 || solref[1] <= 0) throw std::invalid_argument("a solref in direct format");
  ConstraintLaw law = MakeImpedance(solimp, margin);
  law.diagonal = diagonal;
  const double time = std::max(solref[0], 2 * model.opt.timestep), ratio = solref[1];
  const double most = law.impedance[1];
  law.stiffness = 1 / std::max(mjMINVAL, most * most * time * time * ratio * ratio);
  law.damping = 2 / std::max(mjMINVAL, most * time);
  return law;
}

double Impedance(const ConstraintLaw& law, double pos) {
  const auto [low, high, width, middle, power] = law.impedance;
  if (low == high || width <= mjMINVAL) return 0.5 * (low + high);
  double x = (pos - law.margin) / width;
  if (x < 0) x = -x;
  if (x >= 1) return high;
  if (x <= 0) return low;
  Real y = x;
  if (power != 1 && x <= middle) {
    y = 1 / Power(middle, power - 1) * Power(x, power);
  } else if (power != 1) {
    y = 1 - Real(1 / Power(1 - middle, power - 1)) * Power(1 - x, power);
  }
  return low + y * (high - low);
}

double Regularizer(const ConstraintLaw& law, double impedance) {
  return std::max(mjMINVAL, (1 - impedance) * law.diagonal / impedance);
}

double PyramidRegularizer(double regularizer, double friction, double impratio) {
  const double tangential = regularizer / std::max(mjMINVAL, impratio);
  const double mu = friction * std::sqrt(tangential / regularizer);
  return 2 * mu * mu * regularizer;
}

}  // namespace parallel_pool::mujoco::lanes
