#include "parallel_pool/envs/vizdoom/envpool/button_sets.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "parallel_pool/envs/vizdoom/engine/shared_state.h"
#include "parallel_pool/envs/vizdoom/scenario/words.h"

namespace parallel_pool::vizdoom {
namespace {

// Places in ButtonNames().
constexpr int kSpeed = 8, kFirstWeapon = 21, kLastWeapon = 30;
// Right and left, backward and forward, right and left, up and down, up and down, next and previous
// weapon, next and previous item: the first button of each pair; the second one follows.
constexpr std::array kPairs = {10, 12, 14, 16, 18, 31, 35};

constexpr size_t kMostSets = 1'000'000;

// One button and its number; no button if it is negative.
struct Press {
  int button = -1;
  double number = 0.0;
};
constexpr Press kNone;

// The parts of some buttons, which exclude each other, that a set can have.
using Choice = std::vector<Press>;

Choice ChoiceOfNumbers(int button, const DeltaNumbers& numbers) {
  Choice choice;
  const double step = (numbers.last - numbers.first) / (numbers.count - 1);
  for (int i = 0; i < numbers.count; ++i) choice.push_back({button, numbers.first + i * step});
  return choice;
}

// The choices in the order of the buttons.
std::vector<Choice> MakeChoices(const std::vector<int>& buttons, bool force_speed,
                                const std::map<int, DeltaNumbers>& deltas) {
  const auto has = [&](int button) { return std::ranges::find(buttons, button) != buttons.end(); };
  std::vector<Choice> choices;
  for (int button = 0; button < kNumButtons; ++button) {
    const bool is_weapon = button >= kFirstWeapon && button <= kLastWeapon;
    if (!has(button)) continue;
    if (button >= kNumBinaryButtons) {
      const auto numbers = deltas.find(button);
      if (numbers == deltas.end() || numbers->second.count < 2) continue;
      choices.push_back(ChoiceOfNumbers(button, numbers->second));
    } else if (is_weapon) {
      Choice& choice = choices.emplace_back(Choice{kNone});
      for (; button <= kLastWeapon; ++button) {
        if (has(button)) choice.push_back({button, 1.0});
      }
      --button;
    } else if (button == kSpeed && force_speed) {
      choices.push_back({{button, 1.0}});
    } else {
      choices.push_back({kNone, {button, 1.0}});
      if (std::ranges::find(kPairs, button) != kPairs.end() && has(button + 1)) {
        choices.back().push_back({++button, 1.0});
      }
    }
  }
  return choices;
}

}  // namespace

std::vector<ButtonSet> MakeButtonSets(const std::vector<int>& buttons, bool force_speed,
                                      const std::map<int, DeltaNumbers>& deltas) {
  std::vector<ButtonSet> sets = {ButtonSet(buttons.size(), 0.0)};
  for (const Choice& choice : MakeChoices(buttons, force_speed, deltas)) {
    if (sets.size() * choice.size() > kMostSets) {
      throw std::invalid_argument("use_combined_action would have more than " +
                                  std::to_string(kMostSets) + " actions");
    }
    std::vector<ButtonSet> longer;
    for (const ButtonSet& set : sets) {
      for (const Press& press : choice) {
        ButtonSet& with = longer.emplace_back(set);
        const auto place = std::ranges::find(buttons, press.button);
        if (place != buttons.end()) with[place - buttons.begin()] = press.number;
      }
    }
    sets = std::move(longer);
  }
  return sets;
}

}  // namespace parallel_pool::vizdoom
