#include "parallel_pool/core/engine/batch_layout.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace parallel_pool {
namespace {

// The place of an array of one number per env, or state.size.
size_t FindNumber(Span<ArraySpec> state, std::string_view name, DType dtype) {
  const auto fits = [&](const ArraySpec& a) {
    return a.name == name && a.dtype == dtype && a.shape.size == 0 && a.players == 0;
  };
  return std::find_if(state.begin(), state.end(), fits) - state.begin();
}

// The place of an array of one number per player, or state.size.
size_t FindPlayers(Span<ArraySpec> state, std::string_view name) {
  const auto fits = [&](const ArraySpec& a) { return a.name == name && a.players > 0; };
  return std::find_if(state.begin(), state.end(), fits) - state.begin();
}

int32_t NumAgents(const Setup& setup) {
  if (FindPlayers(setup.state_spec(), "reward") == size_t(setup.state_spec().size)) return 0;
  return setup.players().size > 0 ? setup.players().size : setup.most_players();
}

// Adds the columns of Autoreset::kSameStep.
void AddFinalColumns(Span<ArraySpec> state, std::vector<Column>* columns) {
  columns->emplace_back("info:_final_obs", DType::kBool);
  columns->emplace_back("info:_final_info", DType::kBool);
  columns->emplace_back("info:final_info.elapsed_step", DType::kInt32);
  for (const ArraySpec& spec : state) {
    Column& column = columns->emplace_back(spec);
    // obs -> info:final_obs, obs:left -> info:final_obs.left, info:lives -> info:final_info.lives
    const size_t colon = column.name.find(':');
    column.name = "info:final_" + column.name.substr(0, colon) +
                  (colon == std::string::npos ? "" : "." + column.name.substr(colon + 1));
  }
}

// Whether the task of each env has an info; empty if all or none have it.
std::vector<uint8_t> EnvsWith(const Setup& setup, int num_envs, const char* info, DType dtype) {
  std::vector<uint8_t> has;
  bool all = true, any = false;
  for (const TaskPart& part : setup.parts()) {
    const bool own = FindNumber(part.state, info, dtype) < static_cast<size_t>(part.state.size);
    has.resize(part.first_env, has.empty() ? 0 : has.back());
    has.push_back(own);
    all &= own;
    any |= own;
  }
  if (all || !any) return {};
  has.resize(num_envs, has.back());
  return has;
}

}  // namespace

BatchLayout::BatchLayout(const Setup& setup, const PoolOptions& options)
    : same_step_(options.autoreset == Autoreset::kSameStep),
      num_state_columns_(setup.state_spec().size),
      most_players_(setup.most_players()),
      reward_column_(FindPlayers(setup.state_spec(), "reward")),
      agent_column_(FindPlayers(setup.state_spec(), "info:players.agent")),
      true_reward_column_(FindNumber(setup.state_spec(), "info:reward", DType::kFloat32)),
      game_over_column_(FindNumber(setup.state_spec(), "info:terminated", DType::kInt32)),
      num_agents_(NumAgents(setup)),
      has_true_reward_(EnvsWith(setup, options.num_envs, "info:reward", DType::kFloat32)),
      has_game_over_(EnvsWith(setup, options.num_envs, "info:terminated", DType::kInt32)) {
  for (const ArraySpec& spec : setup.state_spec()) columns_.emplace_back(spec);
  // The user receives the engine's column, in the dtype of the option.
  if (has_player_rewards()) columns_[reward_column_].name.clear();
  columns_.emplace_back("reward", options.reward_dtype, has_player_rewards() ? most_players_ : 0);
  columns_.emplace_back("terminated", DType::kBool);
  columns_.emplace_back("truncated", DType::kBool);
  columns_.emplace_back("discount", DType::kFloat32);
  columns_.emplace_back("step_type", DType::kInt32);
  columns_.emplace_back("info:env_id", DType::kInt32);
  columns_.emplace_back("info:elapsed_step", DType::kInt32);
  columns_.emplace_back("info:players.env_id", DType::kInt32, most_players_);
  if (options.autoreset == Autoreset::kSameStep) AddFinalColumns(setup.state_spec(), &columns_);
  if (options.record_episodes) {
    columns_.emplace_back("info:episode.r", DType::kFloat64,
                          has_player_rewards() ? most_players_ : 0);
    columns_.emplace_back("info:episode.l", DType::kInt32);
    columns_.emplace_back("info:_episode", DType::kBool);
  }
  if (most_players_ > 0) columns_.emplace_back("", DType::kInt32);  // players_column()
}

}  // namespace parallel_pool
