#include "parallel_pool/envs/procgen/game.h"

#include "parallel_pool/core/save.h"
#include "parallel_pool/envs/procgen/patched/fast_drawing.h"
#include "parallel_pool/envs/procgen/patched/images.h"

namespace parallel_pool::procgen {

namespace {

// Where the library writes the state of a game, and reads it.
struct Buffer {
  char* data;
  size_t used, size;
};

// More than the state of any game.
constexpr size_t kMaxState = 1 << 20;

}  // namespace

void Game::Start() {
  Stop();
  games_ = library_.Make(options_);
  game_ = *At<void**>(games_, layout::kGames);
}

void Game::Stop() {
  if (games_ != nullptr) library_.Close(games_);
  games_ = game_ = nullptr;
  in_episode_ = false;
}

void Game::Seed(int32_t seed) {
  options_.rand_seed = seed;
  Stop();
}

void Game::BeginLevel() {
  canvas_.background = nullptr;  // a level may draw another one into the same image
  library_.FunctionAt<void(void*)>(layout::kReset)(game_);
  LoadBackground(game_);
}

// One step of the game, without what follows the end of a level.
void Game::Play(int action) {
  ++At<int32_t>(game_, layout::kTime);
  At<int32_t>(game_, layout::kAction) = action;
  At<float>(game_, layout::kReward) = 0;
  At<bool>(game_, layout::kDone) = false;
  At<bool>(game_, layout::kLevelComplete) = false;
  CallVirtual(game_, layout::kStepFunction);
  if (const float reward = At<float>(game_, layout::kReward); reward != 0) {
    At<int32_t>(game_, layout::kLastRewardTimer) = 10;
    At<float>(game_, layout::kLastReward) = reward;
  }
  At<int32_t>(game_, layout::kPrevLevelSeed) = level_seed();
}

void Game::Reset() {
  if (games_ == nullptr) Start();
  if (in_episode_) {
    Play(At<int32_t>(game_, layout::kDefaultAction));
    At<bool>(game_, layout::kDone) = true;
    At<bool>(game_, layout::kEpisodeDone) = true;
  }
  BeginLevel();
  in_episode_ = true;
}

Outcome Game::Step(int action) {
  Play(action);
  Outcome outcome = {.reward = At<float>(game_, layout::kReward),
                     .terminated = At<bool>(game_, layout::kDone)};
  bool& done = At<bool>(game_, layout::kDone);
  outcome.truncated =
      !done && At<int32_t>(game_, layout::kTime) >= At<int32_t>(game_, layout::kTimeout);
  done = done || outcome.truncated;
  if (done && prev_level_complete() && At<bool>(game_, layout::kSequentialLevels)) {
    BeginLevel();
    outcome.terminated = outcome.truncated = done = false;
  }
  At<bool>(game_, layout::kEpisodeDone) = done;
  in_episode_ = !done;
  return outcome;
}

const uint32_t* Game::Draw() {
  auto* const pixels = &At<uint32_t>(game_, layout::kPixels);
  canvas_.screen = pixels;
  const FastDrawing fast(canvas_);
  library_.FunctionAt<void(void*, void*, int, int, bool)>(layout::kDraw)(game_, pixels, kScreenSize,
                                                                         kScreenSize, false);
  return pixels;
}

void Game::DrawPicture(uint32_t* pixels) {
  library_.FunctionAt<void(void*, void*, int, int, bool)>(layout::kDraw)(
      game_, pixels, kPictureSize, kPictureSize, true);
}

void Game::Save(Writer& writer) const {
  std::string state;
  if (games_ != nullptr) {
    state.resize(kMaxState);
    Buffer buffer{state.data(), 0, kMaxState};
    CallVirtual(game_, layout::kSerializeFunction, &buffer);
    state.resize(buffer.used);
  }
  internal::WriteValue(writer, options_.rand_seed);
  internal::WriteValue(writer, in_episode_);
  internal::WriteValue(writer, state);
}

bool Game::Load(Reader& reader) {
  bool in_episode = false;
  std::string state;
  if (!internal::ReadValue(reader, options_.rand_seed) ||
      !internal::ReadValue(reader, in_episode) || !internal::ReadValue(reader, state)) {
    return false;
  }
  Stop();
  if (state.empty()) return true;
  Start();
  Buffer buffer{state.data(), 0, state.size()};
  CallVirtual(game_, layout::kDeserializeFunction, &buffer);
  in_episode_ = in_episode;
  canvas_.background = nullptr;
  LoadBackground(game_);
  return true;
}

}  // namespace parallel_pool::procgen
