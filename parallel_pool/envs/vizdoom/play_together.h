// Plays the games of a chunk of envs, so that their engines work at the same time.
#pragma once

#include "parallel_pool/core/chunk.h"
#include "parallel_pool/envs/vizdoom/game.h"

namespace parallel_pool::vizdoom {

// Plays each game until it has no tics left of Game::Start. Calls finish(i) as soon as env i's last
// tic is over; the engines of later envs still work at that time. An env has `Game& game()`.
template <class Env, class Finish>
void PlayTogether(Chunk<Env>& chunk, const Finish& finish) {
  bool is_playing = true;
  while (is_playing) {
    is_playing = false;
    chunk.ForEach([&](int i) {
      if (Game& game = chunk.env(i).game(); game.IsPlaying()) game.Send();
    });
    chunk.ForEach([&](int i) {
      Game& game = chunk.env(i).game();
      if (!game.IsPlaying()) return;
      game.Wait();
      is_playing |= game.IsPlaying();
      if (!game.IsPlaying()) finish(i);
    });
  }
}

}  // namespace parallel_pool::vizdoom
