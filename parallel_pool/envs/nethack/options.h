// The options of all tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/nethack/engine/library.h"
#include "parallel_pool/envs/nethack/goal.h"
#include "parallel_pool/envs/nethack/keys.h"
#include "parallel_pool/envs/nethack/observations.h"

namespace parallel_pool::nethack {

// Noon of Saturday, 1 January 2000, in UTC: no new or full moon, no night, no Friday the 13th.
inline constexpr int64_t kPlainDay = 946728000;
inline constexpr double kMostSeed = 0x1p63;

struct NethackConfig : PenaltyOptions, Crop {
  std::string engine_path;
  Lines observation_keys = NleKeys();
  std::string character = "mon-hum-neu-mal";
  Lines actions;  // empty: `keys`
  Lines options = NleOptions();
  bool wizard = false;
  bool allow_all_yn_questions = false, allow_all_modes = false;
  bool spawn_monsters = true;
  int32_t no_progress_timeout = 0;  // steps; 0: none
  int64_t clock = kPlainDay;        // seconds since 1970
  int64_t lgen = -1;                // -1: levels follow from the seed of the game

  // The task.
  KeySet key_set = KeySet::kTask;
  GoalKind goal = GoalKind::kScore;

  // These follow from the options.
  Keys keys;
  std::vector<int> shown;  // places in ObservationNames()
  std::shared_ptr<const Library> library;
  std::shared_ptr<const std::vector<uint8_t>> nhdat;

  static Options<NethackConfig> Describe();
  // NetHack's options of nle, and those of NetHackGold, where only gold is picked up.
  static Lines NleOptions(const char* picked_up = "$?!/");
};

// Sets what follows from the options. Throws std::invalid_argument.
void Complete(NethackConfig& config);

// NetHack's options in its own form.
std::string OptionsText(const NethackConfig& config);

}  // namespace parallel_pool::nethack
