// Calls on idle envs: Save, Load and Render.
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/engine/errors.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool {

std::string Pool::Save(int32_t env) {
  if (!setup_->task().can_save) {
    throw std::invalid_argument(task_ + ": this task cannot save its state");
  }
  ByteWriter writer;
  EnvState& state = envs_[env];
  WriteAll(writer, std::tie(state.elapsed_step, state.next, state.begun));
  Episode episode = episodes_.empty() ? Episode() : episodes_[env];
  WriteAll(writer, std::tie(episode.sum, episode.begun_at));
  if (layout_.most_players() > 0) WriteAll(writer, std::tie(players_[env]));
  Error error;
  if (!group_->Save(env, writer, &error)) ThrowFailure(env, error);
  return std::move(writer.written);
}

void Pool::Load(int32_t env, const std::string& bytes) {
  ByteReader reader(bytes);
  EnvState state{.max_steps = envs_[env].max_steps};
  Episode episode;
  int32_t players = 0;
  Error error;
  if (ReadAll(reader, std::tie(state.elapsed_step, state.next, state.begun)) &&
      ReadAll(reader, std::tie(episode.sum, episode.begun_at)) &&
      (layout_.most_players() == 0 || ReadAll(reader, std::tie(players))) && players >= 0 &&
      players <= layout_.most_players() && group_->Load(env, reader, &error)) {
    envs_[env] = state;
    if (!episodes_.empty()) episodes_[env] = episode;
    if (layout_.most_players() > 0) players_[env] = players;
    return;
  }
  envs_[env] = {.max_steps = envs_[env].max_steps};
  if (error.out_of_memory) ThrowFailure(env, error);
  throw std::invalid_argument(task_ + ": these bytes are no state of env " + std::to_string(env));
}

void Pool::Render(int32_t env, uint8_t* rgb) {
  CheckBegun(env);
  Error error;
  if (!group_->Render(env, rgb, &error)) ThrowFailure(env, error);
}

std::string Pool::RenderText(int32_t env) {
  CheckBegun(env);
  ByteWriter writer;
  Error error;
  if (!group_->RenderText(env, writer, &error)) ThrowFailure(env, error);
  return std::move(writer.written);
}

ImageSize Pool::RenderSize() const {
  ImageSize size{};
  Error error;
  if (!setup_->GetRenderSize(&size, &error)) throw std::runtime_error(task_ + ": " + error.text);
  return size;
}

void Pool::CheckBegun(int32_t env) const {
  if (envs_[env].begun) return;
  throw std::invalid_argument(task_ + ": env " + std::to_string(env) +
                              " was never reset: there is nothing to render yet");
}

void Pool::ThrowFailure(int32_t env, const Error& error) const {
  const std::string text = NameOf(env) + ": " + error.text;
  if (error.out_of_memory) throw OutOfMemory(text);
  throw std::runtime_error(text);
}

}  // namespace parallel_pool
