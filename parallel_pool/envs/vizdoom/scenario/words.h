// The words of scenario files: buttons, game variables, resolutions, formats. The order of buttons
// and variables is that of the engine's enums.
#pragma once

#include <span>
#include <string>

#include "parallel_pool/core/words.h"

namespace parallel_pool::vizdoom {

inline constexpr int kNumBinaryButtons = 38;  // the rest are delta buttons, which take numbers

// Game variables of the same kind follow one another.
enum Variable {
  kKillCount,
  kItemCount,
  kSecretCount,
  kFragCount,
  kDeathCount,
  kHitCount,
  kHitsTaken,
  kDamageCount,
  kDamageTaken,
  kHealth,
  kArmor,
  kDead,
  kOnGround,
  kAttackReady,
  kAltattackReady,
  kSelectedWeapon,
  kSelectedWeaponAmmo,
  kAmmo0,
  kWeapon0 = kAmmo0 + 10,
  kPositionX = kWeapon0 + 10,
  kCameraPositionX = kPositionX + 10,
  kPlayerNumber = kCameraPositionX + 7,
  kPlayerCount,
  kPlayer1FragCount,
  kUser1 = kPlayer1FragCount + 16,
  kNumVariables = kUser1 + 60
};

std::span<const std::string> ButtonNames();
std::span<const std::string> VariableNames();

}  // namespace parallel_pool::vizdoom
