#include "parallel_pool/envs/box2d/island.h"

#include <algorithm>

namespace parallel_pool::box2d {

// island_solver.inc
namespace one_lane { void Solve(Island* const* islands, int n, int iterations); }
namespace sse2 { void Solve(Island* const* islands, int n, int iterations); }
namespace avx2 { void Solve(Island* const* islands, int n, int iterations); }
namespace avx512 { void Solve(Island* const* islands, int n, int iterations); }

namespace {

bool SameJoints(const Island& a, const Island& b) {
  return a.num_bodies == b.num_bodies && a.num_joints == b.num_joints &&
         std::equal(a.joints, a.joints + a.num_joints, b.joints,
                    [](const auto& x, const auto& y) { return x.a == y.a && x.b == y.b; });
}

const Solver& Widest() {
  static const Solver& widest = *std::ranges::find_if(
      Solvers().rbegin(), Solvers().rend(), [](const Solver& solver) { return solver.can_run; });
  return widest;
}

}  // namespace

std::span<const Solver> Solvers() {
  static const Solver solvers[] = {
      {"one lane", 1, true, &one_lane::Solve},
      {"SSE2", 4, __builtin_cpu_supports("sse2") != 0, &sse2::Solve},
      {"AVX2", 8, __builtin_cpu_supports("avx2") != 0, &avx2::Solve},
      {"AVX-512", 16, __builtin_cpu_supports("avx512f") != 0, &avx512::Solve},
  };
  return solvers;
}

int NumLanes() { return Widest().lanes; }

void SolveVelocities(std::span<Island* const> islands, int iterations) {
  const Solver &one = Solvers().front(), &widest = Widest();
  for (size_t first = 0, last = 0; first < islands.size(); first = last) {
    const auto fits = [&](size_t i) {
      return i < islands.size() && i < first + widest.lanes &&
             SameJoints(*islands[i], *islands[first]);
    };
    do ++last;
    while (fits(last));
    const int n = static_cast<int>(last - first);
    (n == 1 ? one : widest).solve(&islands[first], n, iterations);
  }
}

}  // namespace parallel_pool::box2d
