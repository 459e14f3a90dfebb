// Parts of Machine; only its own files include this.
#pragma once

#include "ale/ale_interface.hpp"
#include "ale/emucore/TIA.hxx"
#include "parallel_pool/envs/atari/machine.h"

namespace parallel_pool::atari {

struct Machine::Emulator {
  ale::ALEInterface ale;
  ale::stella::TIA* tia;  // the video chip; owned by `ale`
};

}  // namespace parallel_pool::atari
