#include "parallel_pool/envs/nethack/known_keys.h"

#include <algorithm>
#include <string_view>

#include "parallel_pool/envs/nethack/numbers.h"

namespace parallel_pool::nethack {
namespace {

// The words of questions that are left to the agent.
constexpr std::string_view kQuestions[] = {"eat", "attack", "direction?", "pray"};

}  // namespace

bool KnownKeys::IsForAgent(const Game& game) const {
  const std::string_view message(reinterpret_cast<const char*>(game.arrays().message),
                                 kMessageBytes);
  return answers_all_ || std::ranges::any_of(kQuestions, [&](std::string_view words) {
           return message.find(words) != std::string_view::npos;
         });
}

void KnownKeys::Press(Game& game, bool keeps_questions) const {
  while (!game.is_over()) {
    const int32_t* const internal = game.arrays().internal;
    if (internal[kWaitsForSpace] != 0) {
      game.Press(kSpace);
    } else if (internal[kInText] != 0) {
      game.Press(kEscape);
    } else {
      const bool is_asked = internal[kInQuestion] != 0;
      if (is_asked && !(keeps_questions && IsForAgent(game))) game.Press(kEscape);
      return;
    }
  }
}

void KnownKeys::Quit(Game& game) const {
  Press(game, false);
  for (const int key : {kQuit, int{'y'}}) game.Press(key);
  Press(game, false);
}

}  // namespace parallel_pool::nethack
