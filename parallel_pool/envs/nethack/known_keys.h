// The keys that nle gives by itself, so that the agent chooses only keys that play.
#pragma once

#include "parallel_pool/envs/nethack/engine/game.h"

namespace parallel_pool::nethack {

class KnownKeys {
 public:
  // `answers_all`: the agent answers all questions, not only some.
  explicit KnownKeys(bool answers_all) : answers_all_(answers_all) {}

  // Gives keys until the agent may choose the next one, or the game is over: leaves texts, goes on
  // after --More--, and declines questions that the agent does not answer.
  void Press(Game& game) const { Press(game, true); }
  // Ends the game by NetHack's command for that.
  void Quit(Game& game) const;

 private:
  void Press(Game& game, bool keeps_questions) const;
  bool IsForAgent(const Game& game) const;

  const bool answers_all_;
};

}  // namespace parallel_pool::nethack
