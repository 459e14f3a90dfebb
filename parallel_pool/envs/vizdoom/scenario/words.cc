#include "parallel_pool/envs/vizdoom/scenario/words.h"

#include <vector>

namespace parallel_pool::vizdoom {
namespace {

// Appends stem + first, ..., stem + last + `end`.
void AppendNumbered(std::vector<std::string>& words, const std::string& stem, int first, int last,
                    const std::string& end = "") {
  for (int i = first; i <= last; ++i) words.push_back(stem + std::to_string(i) + end);
}

std::vector<std::string> MakeButtonNames() {
  return {"ATTACK", "USE", "JUMP", "CROUCH", "TURN180", "ALTATTACK", "RELOAD", "ZOOM", "SPEED",
          "STRAFE", "MOVE_RIGHT", "MOVE_LEFT", "MOVE_BACKWARD", "MOVE_FORWARD", "TURN_RIGHT",
          "TURN_LEFT", "LOOK_UP", "LOOK_DOWN", "MOVE_UP", "MOVE_DOWN", "LAND", "SELECT_WEAPON1",
          "SELECT_WEAPON2", "SELECT_WEAPON3", "SELECT_WEAPON4", "SELECT_WEAPON5", "SELECT_WEAPON6",
          "SELECT_WEAPON7", "SELECT_WEAPON8", "SELECT_WEAPON9", "SELECT_WEAPON0",
          "SELECT_NEXT_WEAPON", "SELECT_PREV_WEAPON", "DROP_SELECTED_WEAPON",
          "ACTIVATE_SELECTED_ITEM", "SELECT_NEXT_ITEM", "SELECT_PREV_ITEM", "DROP_SELECTED_ITEM",
          // delta buttons
          "LOOK_UP_DOWN_DELTA", "TURN_LEFT_RIGHT_DELTA", "MOVE_FORWARD_BACKWARD_DELTA",
          "MOVE_LEFT_RIGHT_DELTA", "MOVE_UP_DOWN_DELTA"};
}

std::vector<std::string> MakeVariableNames() {
  std::vector<std::string> words = {
      "KILLCOUNT",           "ITEMCOUNT",    "SECRETCOUNT",     "FRAGCOUNT",
      "DEATHCOUNT",          "HITCOUNT",     "HITS_TAKEN",      "DAMAGECOUNT",
      "DAMAGE_TAKEN",        "HEALTH",       "ARMOR",           "DEAD",
      "ON_GROUND",           "ATTACK_READY", "ALTATTACK_READY", "SELECTED_WEAPON",
      "SELECTED_WEAPON_AMMO"};
  AppendNumbered(words, "AMMO", 0, 9);
  AppendNumbered(words, "WEAPON", 0, 9);
  for (const char* word :
       {"POSITION_X", "POSITION_Y", "POSITION_Z", "ANGLE", "PITCH", "ROLL", "VIEW_HEIGHT",
        "VELOCITY_X", "VELOCITY_Y", "VELOCITY_Z", "CAMERA_POSITION_X", "CAMERA_POSITION_Y",
        "CAMERA_POSITION_Z", "CAMERA_ANGLE", "CAMERA_PITCH", "CAMERA_ROLL", "CAMERA_FOV",
        "PLAYER_NUMBER", "PLAYER_COUNT"}) {
    words.push_back(word);
  }
  AppendNumbered(words, "PLAYER", 1, 16, "_FRAGCOUNT");
  AppendNumbered(words, "USER", 1, 60);
  return words;
}

}  // namespace

std::span<const std::string> ButtonNames() {
  static const std::vector<std::string> names = MakeButtonNames();
  return names;
}

std::span<const std::string> VariableNames() {
  static const std::vector<std::string> names = MakeVariableNames();
  return names;
}

}  // namespace parallel_pool::vizdoom
