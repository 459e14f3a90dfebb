#include "parallel_pool/envs/nethack/options.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "parallel_pool/core/words.h"
#include "parallel_pool/envs/nethack/package.h"

namespace parallel_pool::nethack {
namespace {

constexpr double kMostSeconds = 4102444800;  // the year 2100
constexpr double kLargestCrop = 159;         // twice the screen

// Roles, races, alignments and genders, of which `character` has some.
const std::vector<std::string> kTraits = {"arc", "bar", "cav", "hea", "kni", "mon", "pri", "ran",
                                          "rog", "sam", "tou", "val", "wiz", "dwa", "elf", "gno",
                                          "hum", "orc", "law", "neu", "cha", "fem", "mal"};

// NetHack would take an unknown word for a part of the player's name, and choose by chance.
void CheckCharacter(const std::string& character) {
  if (character == "@") return;
  std::istringstream words(character);
  for (std::string word; std::getline(words, word, '-');) Find(kTraits, word, "character has");
}

}  // namespace

Options<NethackConfig> NethackConfig::Describe() {
  using C = NethackConfig;
  return {
      Option<&C::engine_path>("engine_path", "folder of the package nle; '': Python's"),
      Option<&C::observation_keys>("observation_keys", "the arrays of an observation, nle's names"),
      Option<&C::character>("character", "role-race-alignment-gender, or @ for a random one"),
      Option<&C::actions>("actions",
                          "keys: names such as 'KICK', or 'k', '^D', 'M-p'; []: the task's"),
      Option<&C::options>("options", "NetHack's own options"),
      Option<&C::wizard>("wizard", "NetHack's debug mode"),
      Option<&C::allow_all_yn_questions>("allow_all_yn_questions",
                                         "the agent answers all questions, not only some"),
      Option<&C::allow_all_modes>("allow_all_modes",
                                  "the agent leaves menus and goes on after --More-- by itself"),
      Option<&C::spawn_monsters>("spawn_monsters", "monsters come to be during the game"),
      Option<&C::penalty_mode>("penalty_mode", "how steps without a turn of the game count",
                               OneOf(kPenaltyModes)),
      Option<&C::penalty_step>("penalty_step", "reward of such a step"),
      Option<&C::penalty_time>("penalty_time", "reward of each turn of the game"),
      Option<&C::obs_crop_h>("obs_crop_h", "rows of the arrays with _crop; odd",
                             {.min = 1, .max = kLargestCrop}),
      Option<&C::obs_crop_w>("obs_crop_w", "columns of the arrays with _crop; odd",
                             {.min = 1, .max = kLargestCrop}),
      Option<&C::obs_crop_pad>("obs_crop_pad", "the value outside of the screen in these arrays",
                               {.min = 0, .max = 127}),
      Option<&C::no_progress_timeout>("no_progress_timeout",
                                      "truncates after so many looks at a game without a turn; 0: "
                                      "never",
                                      {.min = 0}),
      Option<&C::clock>("clock", "the present of the game, in seconds since 1970, UTC",
                        {.min = 0, .max = kMostSeconds}),
      Option<&C::lgen>("lgen", "seed of all levels; -1: they follow from the episode's seed",
                       {.min = -1, .max = kMostSeed}),
  };
}

Lines NethackConfig::NleOptions(const char* picked_up) {
  return {std::string("autopickup\ncolor\ndisclose:+i +a +v +g +c +o\nmention_walls\nnobones\n"
                      "nocmdassist\nnolegacy\nnosparkle\npickup_burden:unencumbered\n"
                      "pickup_types:") +
          picked_up + "\nrunmode:teleport\nshowexp\nshowscore\ntime"};
}

void Complete(NethackConfig& config) {
  CheckCharacter(config.character);
  const auto package = FindPackage(config.engine_path);
  config.library = LoadLibrary(package);
  config.nhdat = LoadData(package);
  config.keys = config.actions.text.empty() ? KeysOf(config.key_set) : ReadKeys(config.actions);
  config.shown = FindAll(ObservationNames(), config.observation_keys, "observation_keys has");
  if (config.shown.empty()) throw std::invalid_argument("observation_keys is []: give one of them");
  for (const int32_t side : {config.obs_crop_h, config.obs_crop_w}) {
    if (side % 2 == 0) {
      throw std::invalid_argument("obs_crop_h and obs_crop_w must be odd; one is " +
                                  std::to_string(side));
    }
  }
}

std::string OptionsText(const NethackConfig& config) {
  std::string text = config.options.text;
  std::ranges::replace(text, '\n', ',');
  text += ",name:Agent-" + config.character;
  if (config.character == "@") {
    for (const char* key : {"race:", "gender:", "align:"}) {
      if (("\n" + config.options.text).find("\n" + std::string(key)) == std::string::npos) {
        text += "," + std::string(key) + "random";
      }
    }
  }
  if (config.wizard) text += ",playmode:debug";
  return text;
}

}  // namespace parallel_pool::nethack
