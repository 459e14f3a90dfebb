// The players that an env describes, as they cross the plugin boundary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/space.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool::internal {

// The players of one setup. Their specs borrow from the `players` that made them.
class PlayerSpecs {
 public:
  PlayerSpecs() = default;
  // Throws std::invalid_argument if the players do not fit the arrays, of which those that are per
  // player have room for `most` players.
  PlayerSpecs(const std::vector<Player>& players, Span<ArraySpec> action, Span<ArraySpec> state,
              int32_t most) {
    if (players.empty()) return;
    if (static_cast<int32_t>(players.size()) != most) {
      throw std::invalid_argument("Describe names " + std::to_string(players.size()) +
                                  " players; its arrays are PerPlayer(" + std::to_string(most) +
                                  ", ...)");
    }
    for (const Player& player : players) {
      CheckName(player, players);
      for (const Player::Own& own : player.own) CheckArray(player, own, action, state);
      specs_.push_back({.name = player.name.c_str(),
                        .role = player.role.c_str(),
                        .action = SpecsOf(player, action, &action_),
                        .state = SpecsOf(player, state, &state_)});
    }
  }

  Span<PlayerSpec> all() const { return Span<PlayerSpec>::Of(specs_); }

 private:
  using Lists = std::vector<std::vector<ArraySpec>>;

  static void CheckName(const Player& player, const std::vector<Player>& all) {
    const auto same = [&](const Player& other) { return other.name == player.name; };
    if (player.name.empty() || player.role.empty()) {
      throw std::invalid_argument("a player has an empty name or role");
    }
    if (std::count_if(all.begin(), all.end(), same) > 1) {
      throw std::invalid_argument("two players are called '" + player.name + "'");
    }
  }

  static void CheckArray(const Player& player, const Player::Own& own, Span<ArraySpec> action,
                         Span<ArraySpec> state) {
    std::string names;
    for (const Span<ArraySpec>& arrays : {action, state}) {
      for (const ArraySpec& array : arrays) {
        if (array.players == 0) continue;
        if (array.name == own.array) return;
        names += names.empty() ? "" : ", ";
        names += array.name;
      }
    }
    throw std::invalid_argument("player '" + player.name + "' has a space of array '" + own.array +
                                "'; arrays that are PerPlayer are " + names);
  }

  // Appends a list to `lists`: `arrays` with the spaces of the player. Returns a view of it.
  static Span<ArraySpec> SpecsOf(const Player& player, Span<ArraySpec> arrays, Lists* lists) {
    std::vector<ArraySpec>& list = lists->emplace_back(arrays.begin(), arrays.end());
    for (ArraySpec& array : list) {
      for (const Player::Own& own : player.own) {
        if (own.array == array.name) Replace(player, own.space, &array);
      }
    }
    return Span<ArraySpec>::Of(list);
  }

  static void Replace(const Player& player, const Space& space, ArraySpec* array) {
    const std::string what = std::string(array->name) + " of player " + player.name;
    const auto require = [&](bool fits, const char* rule) {
      if (!fits) throw std::invalid_argument("array '" + what + "': " + rule);
    };
    require(space.players == 0, "its own space must be without PerPlayer(...)");
    require(space.kind == array->kind, "its own space must be of the same kind as the common one");
    require(static_cast<int32_t>(space.shape.size()) == array->shape.size,
            "its own shape must have as many axes as the common one");
    size_t size = 1;
    for (int32_t k = 0; k < array->shape.size; ++k) {
      require(space.shape[k] >= 0 && space.shape[k] <= array->shape[k],
              "its own shape must not be larger than the common one");
      size *= space.shape[k];
    }
    CheckSpace(what, space, array->dtype, size);
    require(space.kind != SpaceKind::kDiscrete ||
                (space.low[0] >= array->low[0] && space.high[0] <= array->high[0]),
            "its own values must be among the common ones");
    array->shape = Span<int32_t>::Of(space.shape);
    array->low = Span<double>::Of(space.low);
    array->high = Span<double>::Of(space.high);
    array->meanings = space.meanings.c_str();
  }

  Lists action_, state_;  // of each player
  std::vector<PlayerSpec> specs_;
};

}  // namespace parallel_pool::internal
