#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

#include <charconv>
#include <cstdint>

namespace parallel_pool::vizdoom {
namespace {

constexpr const char* kResolutions[] = {
    "RES_160X120",   "RES_200X125",   "RES_200X150",  "RES_256X144",   "RES_256X160",
    "RES_256X192",   "RES_320X180",   "RES_320X200",  "RES_320X240",   "RES_320X256",
    "RES_400X225",   "RES_400X250",   "RES_400X300",  "RES_512X288",   "RES_512X320",
    "RES_512X384",   "RES_640X360",   "RES_640X400",  "RES_640X480",   "RES_800X450",
    "RES_800X500",   "RES_800X600",   "RES_1024X576", "RES_1024X640",  "RES_1024X768",
    "RES_1280X720",  "RES_1280X800",  "RES_1280X960", "RES_1280X1024", "RES_1400X787",
    "RES_1400X875",  "RES_1400X1050", "RES_1600X900", "RES_1600X1000", "RES_1600X1200",
    "RES_1920X1080",
};
constexpr const char* kFormats[] = {"RGB24", "GRAY8"};
constexpr const char* kSamplingRates[] = {"SR_11025", "SR_22050", "SR_44100"};
constexpr const char* kAutomapModes[] = {"NORMAL", "WHOLE", "OBJECTS", "OBJECTS_WITH_SIZE"};

}  // namespace

Options<Scenario> Scenario::Describe() {
  return {
      Option<&Scenario::doom_map>("doom_map", "the map of the scenario's WAD file"),
      Option<&Scenario::doom_skill>("doom_skill", "difficulty, 5 is the hardest",
                                    {.min = 1, .max = 5}),
      Option<&Scenario::episode_start_time>(
          "episode_start_time", "tics that pass before the first observation", {.min = 0}),
      Option<&Scenario::episode_timeout>(
          "episode_timeout", "tics after which an episode ends; 0: no limit", {.min = 0}),
      Option<&Scenario::living_reward>("living_reward", "added at each tic"),
      Option<&Scenario::death_penalty>("death_penalty", "subtracted when the player dies"),
      Option<&Scenario::map_exit_reward>("map_exit_reward", "added when the map ends"),
      Option<&Scenario::kill_reward>("kill_reward", "added for each kill"),
      Option<&Scenario::secret_reward>("secret_reward", "added for each secret that is found"),
      Option<&Scenario::item_reward>("item_reward", "added for each item that is picked up"),
      Option<&Scenario::frag_reward>("frag_reward", "added for each frag"),
      Option<&Scenario::hit_reward>("hit_reward", "added for each hit of an enemy"),
      Option<&Scenario::hit_taken_penalty>("hit_taken_penalty",
                                           "subtracted for each hit by an enemy"),
      Option<&Scenario::damage_made_reward>("damage_made_reward",
                                            "added for each point of damage of an enemy"),
      Option<&Scenario::damage_taken_penalty>("damage_taken_penalty",
                                              "subtracted for each point of damage taken"),
      Option<&Scenario::health_reward>("health_reward", "added for each point of health gained"),
      Option<&Scenario::armor_reward>("armor_reward", "added for each point of armor gained"),
      Option<&Scenario::screen_resolution>("screen_resolution", "size of the pictures, in pixels",
                                           OneOf(kResolutions)),
      Option<&Scenario::screen_format>("screen_format", "three colors, or one gray channel",
                                       OneOf(kFormats)),
      Option<&Scenario::depth_buffer_enabled>("depth_buffer_enabled",
                                              "also observes the distance of each pixel"),
      Option<&Scenario::labels_buffer_enabled>("labels_buffer_enabled",
                                               "also observes the object of each pixel"),
      Option<&Scenario::automap_buffer_enabled>("automap_buffer_enabled", "also observes the map"),
      Option<&Scenario::automap_mode>("automap_mode", "what the map shows", OneOf(kAutomapModes)),
      Option<&Scenario::automap_rotate>("automap_rotate", "turns the map with the player"),
      Option<&Scenario::automap_render_textures>("automap_render_textures",
                                                 "draws floors on the map"),
      Option<&Scenario::automap_render_objects_as_sprites>("automap_render_objects_as_sprites",
                                                           "draws objects on the map as pictures"),
      Option<&Scenario::audio_buffer_enabled>("audio_buffer_enabled", "also observes the sound"),
      Option<&Scenario::audio_sampling_rate>("audio_sampling_rate", "of the sound, in 1/s",
                                             OneOf(kSamplingRates)),
      Option<&Scenario::audio_buffer_size>("audio_buffer_size",
                                           "the last tics whose sound is observed; 0: frame_skip",
                                           {.min = 0, .max = 35}),
      Option<&Scenario::notifications_buffer_enabled>("notifications_buffer_enabled",
                                                      "also observes the game's messages"),
      Option<&Scenario::notifications_buffer_size>(
          "notifications_buffer_size", "the last tics whose messages are observed; 0: frame_skip",
          {.min = 0, .max = 35}),
      Option<&Scenario::render_hud>("render_hud", "draws the bar with health and ammunition"),
      Option<&Scenario::render_minimal_hud>("render_minimal_hud", "draws a smaller bar"),
      Option<&Scenario::render_weapon>("render_weapon", "draws the weapon"),
      Option<&Scenario::render_crosshair>("render_crosshair", "draws a crosshair"),
      Option<&Scenario::render_decals>("render_decals", "draws marks on walls"),
      Option<&Scenario::render_particles>("render_particles", "draws particles"),
      Option<&Scenario::render_effects_sprites>("render_effects_sprites",
                                                "draws effects such as smoke and blood"),
      Option<&Scenario::render_messages>("render_messages", "draws the game's messages"),
      Option<&Scenario::render_corpses>("render_corpses", "draws corpses"),
      Option<&Scenario::render_screen_flashes>(
          "render_screen_flashes", "flashes when the player is hit or picks up an item"),
      Option<&Scenario::doom_scenario_path>("doom_scenario_path",
                                            "WAD file with the map; '': the scenario's"),
      Option<&Scenario::doom_game_path>("doom_game_path",
                                        "WAD file of the game; '': the scenario's"),
      Option<&Scenario::available_buttons>("available_buttons", "names; []: the scenario's"),
      Option<&Scenario::available_game_variables>("available_game_variables",
                                                  "names; []: the scenario's"),
      Option<&Scenario::game_args>("game_args", "more arguments of the engine's command line"),
  };
}

std::array<Gain, 10> Gains(const Scenario& scenario) {
  return {{{kKillCount, scenario.kill_reward},
           {kSecretCount, scenario.secret_reward},
           {kItemCount, scenario.item_reward},
           {kFragCount, scenario.frag_reward},
           {kHitCount, scenario.hit_reward},
           {kHitsTaken, -scenario.hit_taken_penalty},
           {kDamageCount, scenario.damage_made_reward},
           {kDamageTaken, -scenario.damage_taken_penalty},
           {kHealth, scenario.health_reward},
           {kArmor, scenario.armor_reward}}};
}

int SamplingRate(const Scenario& scenario) {
  return std::stoi(scenario.audio_sampling_rate.substr(3));  // SR_<rate>
}

ImageSize SizeOf(const Scenario& scenario) {
  // RES_<width>X<height>
  const std::string text = scenario.screen_resolution.substr(4);
  const size_t x = text.find('X');
  return {.height = std::stoi(text.substr(x + 1)), .width = std::stoi(text.substr(0, x))};
}

int NumChannels(const Scenario& scenario) {
  return scenario.screen_format == "GRAY8" ? 1 : 3;
}

}  // namespace parallel_pool::vizdoom
