#include "parallel_pool/core/binding/python_pool.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "parallel_pool/core/binding/body_list.h"
#include "parallel_pool/core/binding/call_arguments.h"
#include "parallel_pool/core/binding/process_state.h"
#include "parallel_pool/core/binding/statistics.h"
#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/engine/call_guard.h"
#include "parallel_pool/core/engine/option_bytes.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

std::unique_ptr<Pool> MakePool(std::shared_ptr<const Setup> setup, PoolOptions options,
                               std::shared_ptr<PoolHost> host) {
  const py::gil_scoped_release unlocked;
  return std::make_unique<Pool>(std::move(setup), std::move(options), std::move(host));
}

// How the next reset of each env of a call begins; see PythonPool::Reset.
class PreparedResets {
 public:
  PreparedResets(const PythonPool::Seeds& seeds, Span<OptionValue> options,
                 const std::vector<EnvSetup>& env_options)
      : seeds_(seeds), env_options_(env_options) {
    for (const OptionValue& option : options) WriteOption(options_, option);
  }

  // Whether it is other than without a call.
  bool any() const { return seeds_ || !options_.written.empty() || !env_options_.empty(); }
  PreparedReset operator[](size_t i) const {
    PreparedReset next{.reset_options = options_.written};
    if (seeds_) next.seed = seeds_->at(i);
    if (!env_options_.empty()) next.options = env_options_.at(i);
    return next;
  }

 private:
  const PythonPool::Seeds& seeds_;
  const std::vector<EnvSetup>& env_options_;
  ByteWriter options_;
};

}  // namespace

PythonPool::PythonPool(const std::shared_ptr<const Setup>& setup, PoolOptions options,
                       BatchForm form, std::shared_ptr<PoolHost> host)
    : task_(setup->task().id),
      reset_options_(setup->reset_options()),
      generation_(ForkGeneration()),
      ids_(task_, options.num_envs, form.unbatched),
      pool_(MakePool(setup, std::move(options), std::move(host))),
      reader_(pool_->columns(), form),
      with_timing_(form.with_timing) {}

void PythonPool::Send(py::handle action, py::handle env_id) {
  const py::scoped_critical_section one_thread(lock_);
  const Call call(*this);
  SendStep(action, env_id, false);
}

py::tuple PythonPool::Step(py::handle action, py::handle env_id) {
  const py::scoped_critical_section one_thread(lock_);
  const Call call(*this);
  SendStep(action, env_id, true);
  const CallGuard receiver(&callers_.receiving, task_, kReceiving);
  return Receive(std::nullopt);
}

// The env ids of a call; throws if the pool is closed.
std::span<const int32_t> PythonPool::ReadIds(py::handle env_id) {
  CheckUsable();
  const auto ids = ids_.Read(env_id);
  CheckUsable();  // reading env_id runs Python code, which may close the pool
  return ids;
}

// Claims the envs and calls `then`; if it throws, the claim is undone.
template <class Then>
void PythonPool::ClaimThen(std::span<const int32_t> ids, bool reset, bool then_recv,
                           const Then& then) {
  pool_->Claim(ids, reset);
  try {
    if (then_recv) pool_->CheckPending(static_cast<int>(ids.size()));
    then();
  } catch (...) {
    pool_->Unclaim(ids);
    throw;
  }
}

py::tuple PythonPool::StepInto(py::handle action, const py::object& arrays, int64_t step) {
  const py::scoped_critical_section one_thread(lock_);
  const Call call(*this);
  {
    struct Next {
      PythonPool* pool;
      ~Next() {
        pool->next_arrays_ = py::object();
        pool->next_places_ = {};
      }
    } const next{this};
    next_places_ = arrays.cast<StepArrays&>().At(step);
    next_arrays_ = arrays;
    SendStep(action, py::none(), true);
  }
  const CallGuard receiver(&callers_.receiving, task_, kReceiving);
  py::tuple result = Receive(std::nullopt);
  written_arrays_ = py::object();
  return result;
}

std::unique_ptr<StepArrays> PythonPool::MakeStepArrays(const py::dict& arrays) const {
  return std::make_unique<StepArrays>(pool_->columns(), pool_->options().num_envs, arrays);
}

void PythonPool::SendReset(py::handle env_id, const Seeds& seeds, const Mask& mask) {
  const py::scoped_critical_section one_thread(lock_);
  const Call call(*this);
  if (env_id.is_none() && !mask) DropInFlight();
  SendResetWith(env_id, seeds, mask, {}, {}, /*then_recv=*/false);
}

py::tuple PythonPool::Reset(py::handle env_id, const Seeds& seeds, const Mask& mask,
                            Span<OptionValue> options, const std::vector<EnvSetup>& env_options) {
  const py::scoped_critical_section one_thread(lock_);
  const Call call(*this);
  if (env_id.is_none() && !mask) DropInFlight();
  SendResetWith(env_id, seeds, mask, options, env_options, /*then_recv=*/true);
  const CallGuard receiver(&callers_.receiving, task_, kReceiving);
  return Receive(std::nullopt);
}

void PythonPool::SendResetWith(py::handle env_id, const Seeds& seeds, const Mask& mask,
                               Span<OptionValue> options, const std::vector<EnvSetup>& env_options,
                               bool then_recv) {
  const CallGuard sender(&callers_.sending, task_, kSending);
  const auto ids = ReadIds(env_id);
  const PreparedResets prepared(seeds, options, env_options);
  ClaimThen(ids, /*reset=*/true, then_recv, [&] {
    size_t i = 0;
    try {
      for (; prepared.any() && i < ids.size(); ++i) {
        if (!mask || mask->at(i)) pool_->PrepareNow(ids[i], prepared[i]);
      }
      mask ? pool_->SendReset(ids, *mask) : pool_->Send(ids, true);
    } catch (...) {
      while (i-- > 0) {
        if (!mask || mask->at(i)) pool_->Unprepare(ids[i]);
      }
      throw;
    }
  });
}

// Calls body(i) for each of the envs; none of them may be in flight.
template <class Body>
void PythonPool::WhileIdle(std::span<const int32_t> ids, const Body& body) {
  ClaimThen(ids, /*reset=*/true, /*then_recv=*/false, [&] {
    for (size_t i = 0; i < ids.size(); ++i) body(i);
  });
  pool_->Unclaim(ids);
}

void PythonPool::Prepare(py::handle env_id, const Seeds& seeds, Span<OptionValue> options,
                         const std::vector<EnvSetup>& env_options) {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  const auto ids = ReadIds(env_id);
  const PreparedResets prepared(seeds, options, env_options);
  WhileIdle(ids, [&](size_t i) { pool_->Prepare(ids[i], prepared[i]); });
}

py::list PythonPool::Statistics() {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard receiver(&callers_.receiving, task_, kReceiving);
  return ReadStatistics(pool_->transforms(), pool_->options().transforms.normalize_reward);
}

void PythonPool::LoadStatistics(const py::list& statistics) {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard receiver(&callers_.receiving, task_, kReceiving);
  WriteStatistics(pool_->transforms(), statistics);
  pool_->observer().LoadStatistics();
}

py::list PythonPool::Save(py::handle env_id) {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  py::list states;
  const auto ids = ReadIds(env_id);
  WhileIdle(ids, [&](size_t i) { states.append(py::bytes(pool_->Save(ids[i]))); });
  return states;
}

void PythonPool::Load(const py::list& states, py::handle env_id,
                      const std::vector<EnvSetup>& env_options) {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  const auto ids = ReadIds(env_id);
  WhileIdle(ids, [&](size_t i) {
    pool_->Load(ids[i], py::cast<std::string>(states[i]),
                env_options.empty() ? EnvSetup{} : env_options.at(i));
  });
}

py::list PythonPool::SavePrepared(py::handle env_id) {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  py::list prepared;
  for (const int32_t env : ReadIds(env_id)) prepared.append(py::bytes(pool_->SavePrepared(env)));
  return prepared;
}

void PythonPool::LoadPrepared(const py::list& prepared, py::handle env_id,
                              const std::vector<EnvSetup>& env_options) {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  const auto ids = ReadIds(env_id);
  WhileIdle(ids, [&](size_t i) {
    const auto bytes = py::cast<std::string>(prepared[i]);
    if (bytes.empty()) return;
    pool_->LoadPrepared(ids[i], bytes, env_options.empty() ? EnvSetup{} : env_options.at(i));
  });
}

std::vector<bool> PythonPool::ended() const {
  const py::scoped_critical_section one_thread(lock_);
  std::vector<bool> all;
  for (int32_t env = 0; env < pool_->options().num_envs; ++env) {
    all.push_back(pool_->has_ended(env));
  }
  return all;
}

std::vector<EnvSetup> PythonPool::env_options() const {
  const py::scoped_critical_section one_thread(lock_);
  std::vector<EnvSetup> all;
  for (int32_t env = 0; env < pool_->options().num_envs; ++env) {
    all.push_back(pool_->env_options(env));
  }
  return all;
}

// Envs draw with the GIL released; Close() must wait for that.
py::object PythonPool::Render(py::handle env_id) {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  const auto ids = ReadIds(env_id);
  const CallGuard drawer(&drawing_, task_, kSending);
  const ImageSize size = pool_->RenderSize();
  py::array_t<uint8_t> frames({static_cast<py::ssize_t>(ids.size()), py::ssize_t{size.height},
                               py::ssize_t{size.width}, py::ssize_t{3}});
  uint8_t* const first = frames.mutable_data();
  WhileIdle(ids, [&](size_t i) {
    const py::gil_scoped_release unlocked;
    pool_->Render(ids[i], first + static_cast<int64_t>(i) * frames.strides(0));
  });
  return frames;
}

py::tuple PythonPool::RenderText(py::handle env_id) {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  const auto ids = ReadIds(env_id);
  py::tuple texts(ids.size());
  WhileIdle(ids, [&](size_t i) { texts[i] = py::str(pool_->RenderText(ids[i])); });
  return texts;
}

py::list PythonPool::Bodies(py::handle env_id, bool with_shapes) {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  const auto ids = ReadIds(env_id);
  BodyList found;
  WhileIdle(ids, [&](size_t i) { pool_->GetBodies(ids[i], with_shapes, found); });
  return std::move(found.bodies);
}

const std::shared_ptr<XlaPool>& PythonPool::Xla() {
  const py::scoped_critical_section one_thread(lock_);
  CheckUsable();
  if (!xla_)
    xla_ = XlaPool::Open(task_, pool_.get(), &callers_, with_timing_,
                         {&ForkGeneration, &IsInterrupted});
  return xla_;
}

void PythonPool::SendStep(py::handle action, py::handle env_id, bool then_recv) {
  const CallGuard sender(&callers_.sending, task_, kSending);
  NamedArrays named(action);
  const py::object given = EnvIdOf(task_, &named, env_id);
  if (next_arrays_ && !given.is_none()) {
    throw py::value_error(task_ + ": an action of a rollout is for all envs; it has no env_id");
  }
  if (pool_->sync() || !given.is_none())
    return SendStepTo(ReadIds(given), action, &named, then_recv);
  try {
    SendStepTo(ReadIds(given), action, &named, then_recv);
  } catch (const std::invalid_argument& error) {
    throw py::value_error(error.what() + NameIdleEnvs(pool_->IdleEnvs()));
  } catch (const py::value_error& error) {
    throw py::value_error(error.what() + NameIdleEnvs(pool_->IdleEnvs()));
  }
}

void PythonPool::SendStepTo(std::span<const int32_t> ids, py::handle action, NamedArrays* named,
                            bool then_recv) {
  players_.clear();
  if (pool_->layout().most_players() > 0) {
    for (const int32_t env : ids) players_.push_back(pool_->players(env));
  }
  ActionStore& actions = pool_->actions();
  ReadActions(task_, action, named, actions.arrays(), {ids, players_, ids_.is_one()}, &arrays_);
  CheckUsable();  // converting an action runs Python code, which may close the pool
  ClaimThen(ids, /*reset=*/false, then_recv, [&] {
    for (size_t k = 0; k < arrays_.size(); ++k) actions.Store(k, arrays_[k].input(), ids, players_);
    if (next_arrays_) written_arrays_ = next_arrays_;
    pool_->Send(ids, false, next_places_);
  });
  arrays_.clear();
}

}  // namespace parallel_pool
