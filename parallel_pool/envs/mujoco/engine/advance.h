// Steps simulations, several at once where their models are covered. Steps in lanes equal mj_step,
// bit for bit: lanes/proof/lanes_test.cc compares all numbers.
#pragma once

#include <span>
#include <string>

#include "parallel_pool/envs/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco {

// The number of envs with this model, whose tasks read these arrays, that are best stepped
// together.
int BestChunk(const Model& model, unsigned reads);
// How steps of them are made, for people.
std::string Remark(const Model& model, unsigned reads);

// Makes the steps that each simulation holds (Simulation::Hold). An error of one of them is thrown
// by its Finish.
void Advance(std::span<Simulation* const> simulations);
// As Advance and Finish of one.
inline void AdvanceAlone(Simulation& simulation) {
  Simulation* const one = &simulation;
  Advance({&one, 1});
  simulation.Finish();
}

}  // namespace parallel_pool::mujoco
