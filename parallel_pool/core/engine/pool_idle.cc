// Calls on idle envs: Save, Load and Render.
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool {
std::string Pool::Save(int32_t env) {
  ByteWriter writer;
  EnvState& state = envs_[env];
  WriteAll(writer, std::tie(state.elapsed_step, state.next, state.begun));
  if (most_players_ > 0) WriteAll(writer, std::tie(players_[env]));
  if (!setup_->task().can_save || !group_->Save(env, writer)) {
    throw std::invalid_argument(task_ + ": this task cannot save its state");
  }
  return std::move(writer.written);
}

void Pool::Load(int32_t env, const std::string& bytes) {
  ByteReader reader(bytes);
  EnvState state;
  int32_t players = 0;
  if (ReadAll(reader, std::tie(state.elapsed_step, state.next, state.begun)) &&
      (most_players_ == 0 || ReadAll(reader, std::tie(players))) && players >= 0 &&
      players <= most_players_ && group_->Load(env, reader)) {
    envs_[env] = state;
    if (most_players_ > 0) players_[env] = players;
    return;
  }
  envs_[env] = {};
  throw std::invalid_argument(task_ + ": these bytes are no state of env " + std::to_string(env));
}

void Pool::Render(int32_t env, uint8_t* rgb) {
  CheckBegun(env);
  if (!group_->Render(env, rgb)) ThrowFailure(env);
}

std::string Pool::RenderText(int32_t env) {
  CheckBegun(env);
  ByteWriter writer;
  if (!group_->RenderText(env, writer)) ThrowFailure(env);
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

void Pool::ThrowFailure(int32_t env) const {
  throw std::runtime_error(task_ + " env " + std::to_string(env) + ": " + group_->Failure(env));
}

}  // namespace parallel_pool
