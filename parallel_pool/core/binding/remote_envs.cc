#include "parallel_pool/core/binding/remote_envs.h"

#include <cstring>
#include <numeric>

#include "parallel_pool/core/binding/numpy_api.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

// A new array of `rows` rows.
py::object NewArray(DType dtype, int64_t rows, const std::vector<int32_t>& shape) {
  std::vector<npy_intp> sizes{static_cast<npy_intp>(rows)};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  return Own(PyArray_SimpleNew(static_cast<int>(sizes.size()), sizes.data(), NumpyType(dtype)));
}

py::object ToArray(std::span<const int32_t> envs) {
  py::object array = NewArray(DType::kInt32, static_cast<int64_t>(envs.size()), {});
  std::memcpy(PyArray_DATA(Array(array)), envs.data(), envs.size_bytes());
  return array;
}

}  // namespace

RemoteEnvs::RemoteEnvs(const Setup& setup, const PoolOptions& options)
    : task_(setup.task().id),
      num_envs_(options.num_envs),
      batch_size_(options.batch_size),
      autoreset_(options.autoreset != Autoreset::kDisabled),
      ids_(task_, num_envs_, /*unbatched=*/false),
      claims_(task_, num_envs_),
      actions_(task_, setup.action_spec(), num_envs_,
               setup.has_constant_players() ? setup.players() : Span<PlayerSpec>{}, setup.parts(),
               options.check_actions),
      begun_(num_envs_),
      running_(num_envs_),
      players_(setup.most_players() > 0 ? num_envs_ : 0, setup.most_players()) {}

void RemoteEnvs::Claim(std::span<const int32_t> envs, bool reset) {
  claims_.Claim(envs, [&](int32_t env) -> const char* {
    return autoreset_ || reset || running_[env] ? nullptr : NeedsReset(begun_[env]);
  });
}

std::vector<int32_t> RemoteEnvs::PlayersOf(std::span<const int32_t> envs) const {
  std::vector<int32_t> players;
  for (size_t i = 0; i < envs.size() && !players_.empty(); ++i) {
    players.push_back(players_[envs[i]]);
  }
  return players;
}

py::object RemoteEnvs::Send(py::handle action, py::handle env_id) {
  NamedArrays named(action);
  const auto envs = ids_.Read(EnvIdOf(task_, &named, env_id));
  const std::vector<int32_t> players = PlayersOf(envs);
  std::vector<HeldArray> arrays;
  ReadActions(task_, action, &named, actions_.arrays(), {envs, players, ids_.is_one()}, &arrays);
  Claim(envs, /*reset=*/false);
  try {
    for (size_t k = 0; k < arrays.size(); ++k) actions_.Store(k, arrays[k].input(), envs, players);
  } catch (...) {
    claims_.Release(envs);
    throw;
  }
  pending_rows_ += static_cast<int64_t>(envs.size());
  return ToArray(envs);
}

py::object RemoteEnvs::SendReset(py::handle env_id) {
  const auto envs = ids_.Read(env_id);
  Claim(envs, /*reset=*/true);
  pending_rows_ += static_cast<int64_t>(envs.size());
  return ToArray(envs);
}

std::vector<bool> RemoteEnvs::ended() const {
  std::vector<bool> ended(begun_);
  for (size_t env = 0; env < ended.size(); ++env) ended[env] = begun_[env] && !running_[env];
  return ended;
}

py::object RemoteEnvs::Idle(py::handle env_id) {
  const auto envs = ids_.Read(env_id);
  Claim(envs, /*reset=*/true);
  claims_.Release(envs);
  return ToArray(envs);
}

py::object RemoteEnvs::ActionOf(const std::vector<int32_t>& envs) const {
  py::dict all;
  py::object array;
  const std::vector<int32_t> players = PlayersOf(envs);
  for (size_t k = 0; k < actions_.arrays().size(); ++k) {
    const Column& column = actions_.arrays()[k];
    const bool per_player = column.players > 0;
    // The envs of one call have rows of one type.
    const bool has_doubles =
        !envs.empty() && column.has_doubles(actions_.rows()[k] + envs[0] * column.row_bytes());
    const DType dtype = has_doubles ? DType::kFloat64 : column.dtype;
    const int64_t item_bytes = column.shape_size() * ItemBytes(dtype);
    array = NewArray(dtype,
                     per_player ? std::reduce(players.begin(), players.end(), int64_t{0})
                                : static_cast<int64_t>(envs.size()),
                     column.shape);
    auto* to = static_cast<std::byte*>(PyArray_DATA(Array(array)));
    for (size_t i = 0; i < envs.size(); ++i) {
      const int64_t bytes = item_bytes * (per_player ? players[i] : 1);
      std::memcpy(to, actions_.rows()[k] + envs[i] * column.row_bytes(), bytes);
      to += bytes;
    }
    all[column.name.c_str()] = array;
  }
  return all.size() == 1 ? array : all;
}

std::optional<double> RemoteEnvs::CheckRecv(py::handle timeout, bool partial) const {
  const std::optional<double> seconds = ReadTimeout(task_, timeout);
  if (!partial || pending_rows_ == 0) CheckFills(task_, pending_rows_, batch_size_, is_sync());
  return seconds;
}

void RemoteEnvs::Receive(const std::vector<int32_t>& envs, const std::vector<bool>& running,
                         const std::vector<int32_t>& players) {
  claims_.Release(envs);
  pending_rows_ -= static_cast<int64_t>(envs.size());
  for (size_t i = 0; i < envs.size(); ++i) {
    begun_[envs[i]] = true;
    running_[envs[i]] = running[i];
    if (!players_.empty()) players_[envs[i]] = players[i];
  }
}

void RemoteEnvs::Begin(const std::vector<int32_t>& envs) {
  for (const int32_t env : envs) begun_[env] = running_[env] = true;
}

}  // namespace parallel_pool
