#include "parallel_pool/envs/box2d/physics/island.h"

#include <algorithm>

#include "parallel_pool/core/instruction_sets.h"

namespace parallel_pool::box2d {

// island_solver.inc
namespace one_lane {
void Solve(Island* const* islands, int n, int iterations);
}
namespace four_lanes {
void Solve(Island* const* islands, int n, int iterations);
}
namespace avx2 {
void Solve(Island* const* islands, int n, int iterations);
}
namespace avx512 {
void Solve(Island* const* islands, int n, int iterations);
}

namespace {

bool SameJoints(const Island& a, const Island& b) {
  return a.num_bodies == b.num_bodies && a.num_joints == b.num_joints &&
         std::equal(a.joints, a.joints + a.num_joints, b.joints,
                    [](const auto& x, const auto& y) { return x.a == y.a && x.b == y.b; });
}

// Solves islands with the same joints, from the first one on, and returns their number.
size_t SolveSome(std::span<Island* const> islands, int iterations) {
  const auto ends = std::ranges::find_if_not(
      islands, [&](const Island* island) { return SameJoints(*island, *islands[0]); });
  const auto same = static_cast<int>(ends - islands.begin());
  const Solver* best = nullptr;  // the first of which one register is enough; or the widest
  for (const Solver& solver : Solvers()) {
    if (solver.can_run && (best == nullptr || best->lanes < same)) best = &solver;
  }
  const int n = std::min(same, best->most);
  best->solve(islands.data(), n, iterations);
  return n;
}

}  // namespace

std::span<const Solver> Solvers() {
  static const Solver solvers[] = {
      {"one lane", 1, 1, true, &one_lane::Solve},
      {"four lanes", 4, 8, true, &four_lanes::Solve},
#if defined(__x86_64__)
      {"AVX2", 8, 16, Has(InstructionSet::kAvx2), &avx2::Solve},
      {"AVX-512", 16, 32, Has(InstructionSet::kAvx512), &avx512::Solve},
#endif
  };
  return solvers;
}

int MostIslands() {
  int most = 1;
  for (const Solver& solver : Solvers()) {
    if (solver.can_run) most = solver.most;
  }
  return most;
}

void SolveVelocities(std::span<Island* const> islands, int iterations) {
  while (!islands.empty()) islands = islands.subspan(SolveSome(islands, iterations));
}

}  // namespace parallel_pool::box2d
