// One game of Procgen's library, stepped and drawn by itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/envs/procgen/patched/fast_drawing.h"
#include "parallel_pool/envs/procgen/patched/library.h"
#include "parallel_pool/envs/procgen/patched/scaled_image.h"

namespace parallel_pool::procgen {

inline constexpr int kPictureSize = 512;  // pixels, of a picture for people

class Game {
 public:
  // The library ends the process if the options are not valid.
  explicit Game(const GameOptions& options) : options_(options) {}
  ~Game() { Stop(); }
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  // From here on the game equals a new one with this seed: its levels are those of
  // ProcgenGym3Env(num=1, rand_seed=seed).
  void Seed(int32_t seed);
  // Begins an episode. An episode that has not ended first takes a step without an action, as
  // Procgen's action -1 does.
  void Reset();
  // With sequential levels, a completed level is followed by the next in the same episode.
  Outcome Step(int action);

  // The rest is for a game that was reset or loaded since its last Seed, except Save and Load.

  // The pixels of the screen: kScreenSize rows of as many columns of 0xffRRGGBB. They are valid
  // until the next call.
  const uint32_t* Draw();
  // The same at kPictureSize, with smooth edges.
  void DrawPicture(uint32_t* pixels);

  int32_t level_seed() const { return At<int32_t>(game_, layout::kLevelSeed); }
  int32_t prev_level_seed() const { return At<int32_t>(game_, layout::kPrevLevelSeed); }
  bool prev_level_complete() const { return At<bool>(game_, layout::kLevelComplete); }

  void Save(Writer& writer) const;
  // False if the bytes end too early. The library ends the process if they are another game's.
  bool Load(Reader& reader);

 private:
  void Start();
  void Stop();
  void BeginLevel();
  void Play(int action);

  const Library& library_ = Library::Get();
  GameOptions options_;
  void* games_ = nullptr;  // the library's vector of this one game; null until the first Reset
  void* game_ = nullptr;
  bool in_episode_ = false;
  Canvas canvas_;
};

}  // namespace parallel_pool::procgen
