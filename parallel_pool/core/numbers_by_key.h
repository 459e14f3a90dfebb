// An option that is n numbers for each of some keys.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// Such as the reward for each of a game's variables: NumbersByKey<std::string, 2>. Users give a
// dict from a str or an int to n numbers; if n is 1, to a number. A key that the user leaves out is
// not in the map, so a class that needs other keys checks them in Complete. Copies share the map.
template <class Key, size_t n>
class NumbersByKey {
 public:
  static_assert(std::same_as<Key, std::string> || std::same_as<Key, int>,
                "a key is a std::string or an int");
  using Map = std::map<Key, std::array<double, n>>;

  NumbersByKey(Map map = {}) : own_(std::make_shared<const Own>(std::move(map))) {}
  explicit NumbersByKey(Span<KeyedNumbers> all) : NumbersByKey(MapOf(all)) {}

  const Map& map() const { return own_->map; }
  Span<KeyedNumbers> all() const { return Span<KeyedNumbers>::Of(own_->list); }

 private:
  struct Own {
    explicit Own(Map of) : map(std::move(of)) {
      for (const auto& [key, numbers] : map) {
        KeyedNumbers& entry = list.emplace_back();
        if constexpr (std::same_as<Key, std::string>) {
          entry.name = key.c_str();
        } else {
          entry.number = key;
        }
        entry.numbers = {numbers.data(), static_cast<int32_t>(n)};
      }
    }

    const Map map;
    std::vector<KeyedNumbers> list;  // points into `map`
  };

  static Map MapOf(Span<KeyedNumbers> all) {
    Map map;
    for (const KeyedNumbers& entry : all) {
      std::array<double, n> numbers{};
      std::copy_n(entry.numbers.begin(), n, numbers.begin());
      if constexpr (std::same_as<Key, std::string>) {
        map[entry.name] = numbers;
      } else {
        map[static_cast<int>(entry.number)] = numbers;
      }
    }
    return map;
  }

  std::shared_ptr<const Own> own_;
};

}  // namespace parallel_pool
