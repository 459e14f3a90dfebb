// The memory that the engine of vizdoom 1.3.2 shares with its controller. The layout is a fact of
// that engine (its viz_game.h and viz_input.h); Engine checks the version and the sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parallel_pool::vizdoom {

inline constexpr uint32_t kEngineVersion = 132;
inline constexpr int kTicsPerSecond = 35;
inline constexpr int kNumButtons = 43;
inline constexpr int kNumDeltaButtons = 5;  // the last ones
inline constexpr int kNumUserVariables = 60;
inline constexpr int kMaxPlayers = 16;
inline constexpr int kMaxNameLength = 128;
inline constexpr int kMaxNotifications = 32768;  // characters
inline constexpr int kNumSlots = 10;             // of weapons and of ammunition

// The parts of the shared memory, in this order.
enum Region { kGameRegion, kInputRegion, kScreen, kDepth, kLabels, kAutomap, kAudio, kNumRegions };

struct SharedLabel {
  uint8_t value;
  uint32_t position[2], size[2];  // pixels
  uint32_t object_id;
  double object_position[9];
  char object_name[kMaxNameLength], object_category[kMaxNameLength];
};

struct SharedObject {
  uint32_t id;
  int32_t sector_id;
  double position[9];
  char category[kMaxNameLength], name[kMaxNameLength];
};

struct SharedSector {
  uint32_t id;
  double floor_height, ceiling_height;
  uint32_t num_lines, lines[1024];
};

struct SharedLine {
  double position[4];
  bool is_blocking;
};

// The data that the engine writes. map_tic, map_end and player_dead are new after every tic, the
// rest after an update.
struct GameState {
  uint32_t version;
  char version_text[16];

  size_t memory_size;                 // bytes
  size_t region_offset[kNumRegions];  // bytes
  size_t region_size[kNumRegions];    // bytes
  bool region_writable[kNumRegions];

  uint32_t game_tic;
  int32_t game_state, game_action;
  uint32_t game_static_seed;
  bool game_settings_controller, game_netgame, game_multiplayer, game_deathmatch;
  bool demo_recording, demo_playback, openal_sound;

  uint32_t screen_width, screen_height;  // pixels
  size_t screen_pitch, screen_size;      // bytes
  int32_t screen_format;

  bool has_depth, has_labels, has_automap, has_objects, has_sectors, has_audio, has_notifications;

  uint32_t map_start_tic, map_tic, map_tic_limit;
  int32_t map_reward;  // of the scenario's script since the map began, in 1/65536
  int32_t map_user_variables[kNumUserVariables];
  int32_t map_kill_count, map_item_count, map_secret_count;
  bool map_end;

  bool player_has_actor, player_dead;
  char player_name[kMaxNameLength];
  int32_t player_kill_count, player_item_count, player_secret_count;
  int32_t player_frag_count, player_death_count;
  bool player_on_ground;
  int32_t player_health, player_armor;
  bool player_attack_ready, player_altattack_ready;
  int32_t player_selected_weapon, player_selected_weapon_ammo;
  int32_t player_ammo[kNumSlots], player_weapon[kNumSlots];
  double player_movement[10];  // position, angles, height of the view, velocity
  double camera[7];            // position, angles, field of view
  bool player_ready_to_respawn;
  uint32_t player_number;

  uint32_t player_count;
  bool players_in_game[kMaxPlayers];
  char players_name[kMaxPlayers][kMaxNameLength];
  int32_t players_frag_count[kMaxPlayers];
  bool players_afk[kMaxPlayers];
  uint32_t players_last_action_tic[kMaxPlayers], players_last_kill_tic[kMaxPlayers];

  uint32_t num_labels;
  SharedLabel labels[256];
  uint32_t num_objects;
  SharedObject objects[4096];
  uint32_t num_sectors;
  SharedSector sectors[2048];
  uint32_t num_lines;
  SharedLine lines[16384];

  int32_t player_hit_count, player_hits_taken, player_damage_count, player_damage_taken;

  uint32_t notifications_size;  // characters
  char notifications[kMaxNotifications];
};
static_assert(sizeof(GameState) == 10611848);

// The data that the engine reads at each tic.
struct InputState {
  double buttons[kNumButtons];
  bool available[kNumButtons];
  double max_value[kNumDeltaButtons];
  double command_buttons[kNumButtons];
};

}  // namespace parallel_pool::vizdoom
