#include "parallel_pool/envs/procgen/modes.h"

#include <algorithm>
#include <stdexcept>
#include <variant>

namespace parallel_pool::procgen {

namespace {

constexpr Mode kModes[] = {
    {"easy", 0}, {"hard", 1}, {"extreme", 2}, {"memory", 10}, {"exploration", kExploration}};

bool Has(const GameInfo& game, const Mode& mode) {
  return mode.number <= 1 ||
         std::find(game.modes.begin(), game.modes.end(), mode.name) != game.modes.end();
}

}  // namespace

std::span<const GameInfo> AllGames() {
  static const GameInfo games[] = {
      {"bigfish"},
      {"bossfight"},
      {"caveflyer", {"memory", "exploration"}, 1259048185},
      {"chaser", {"extreme"}},
      {"climber", {"exploration"}, 1561126160},
      {"coinrun", {"exploration"}, 1949448038},
      {"dodgeball", {"extreme", "memory"}},
      {"fruitbot"},
      {"heist", {"memory", "exploration"}, 876640971},
      {"jumper", {"memory", "exploration"}, 1434825276},
      {"leaper", {"extreme", "exploration"}, 1318677581},
      {"maze", {"memory", "exploration"}, 158988835},
      {"miner", {"memory"}},
      {"ninja", {"exploration"}, 1123500215},
      {"plunder"},
      {"starpilot", {"extreme"}},
  };
  return games;
}

const Mode& FindMode(const GameInfo& game, const IntOrString& distribution_mode) {
  const int* const number = std::get_if<int>(&distribution_mode);
  std::string allowed;
  for (const Mode& mode : kModes) {
    if (!Has(game, mode)) continue;
    if (number != nullptr ? *number == mode.number
                          : std::get<std::string>(distribution_mode) == mode.name) {
      return mode;
    }
    allowed += (allowed.empty() ? "'" : ", '") + std::string(mode.name) + "' (" +
               std::to_string(mode.number) + ")";
  }
  const std::string given = number != nullptr
                                ? std::to_string(*number)
                                : "'" + std::get<std::string>(distribution_mode) + "'";
  throw std::invalid_argument("distribution_mode is " + given + "; allowed for " + game.name +
                              " are " + allowed);
}

}  // namespace parallel_pool::procgen
