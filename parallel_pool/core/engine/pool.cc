#include "parallel_pool/core/engine/pool.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "parallel_pool/core/engine/errors.h"
#include "parallel_pool/core/machine/limits.h"
#include "parallel_pool/core/machine/topology.h"
#include "parallel_pool/core/platform/processors.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool {
namespace {

std::unique_ptr<EnvGroup> MakeGroup(const Setup& setup, int num_envs) {
  Error error;
  std::unique_ptr<EnvGroup> group(setup.MakeGroup(num_envs, &error));
  if (!group) Throw(setup.task().id, error);
  return group;
}

// One thread writes the count; others may read it.
void Add(std::atomic<int64_t>* count, int64_t more) {
  count->store(count->load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace

void CheckMemory(const Setup& setup, int num_envs) {
  constexpr int64_t kLeastEnvBytes = 128;
  int64_t row_bytes = 0;
  for (const auto& specs : {setup.action_spec(), setup.state_spec()}) {
    for (const ArraySpec& spec : specs) row_bytes += Column(spec).row_bytes();
  }
  const double wanted = static_cast<double>(num_envs) * (kLeastEnvBytes + 2.0 * row_bytes);
  const auto usable = static_cast<double>(UsableMemory());
  if (wanted < usable) return;
  std::ostringstream text;
  text << setup.task().id << ": " << num_envs << " envs need at least " << std::ceil(wanted / 1e9)
       << " GB of memory; there are " << std::floor(usable / 1e9) << " GB";
  throw OutOfMemory(text.str());
}

Pool::Pool(std::shared_ptr<const Setup> setup, PoolOptions options, std::shared_ptr<PoolHost> host)
    : setup_(std::move(setup)),
      task_(setup_->task().id),
      options_(std::move(options)),
      host_(std::move(host)),
      memory_(host_ ? host_->memory() : nullptr),
      group_(host_ ? host_->MakeGroup() : MakeGroup(*setup_, options_.num_envs)),
      actions_(task_, setup_->action_spec(), options_.num_envs,
               setup_->has_constant_players() ? setup_->players() : Span<PlayerSpec>{},
               setup_->parts(), options_.check_actions, memory_.get()),
      layout_(*setup_, options_),
      cache_(std::make_shared<BatchCache>(layout_.columns(), memory_, options_.page_locks)),
      envs_(memory_.get(), options_.num_envs),
      episodes_(memory_.get(), options_.record_episodes
                                   ? int64_t{options_.num_envs} * layout_.episodes_per_env()
                                   : 0),
      claims_(task_, options_.num_envs),
      players_(layout_.most_players() > 0 ? options_.num_envs : 0, layout_.most_players()),
      batches_(sync() ? options_.num_envs
                      : (options_.num_envs + options_.batch_size - 1) / options_.batch_size),
      runner_(options_, layout_, batches_, options_.num_threads,
              {.group = group_.get(),
               .actions = actions_.rows(),
               .states = envs_.data(),
               .episodes = episodes_.empty() ? nullptr : episodes_.data()}),
      transforms_(options_, layout_) {
  if (options_.page_locks) {
    // To lock pages takes longer than a step, so all is done now: for the batches that are being
    // filled, the one that replaces a received one, and the one that the user still has.
    const auto being_filled = static_cast<int>(sync() ? 0 : batches_.size());
    cache_->Prepare(options_.batch_size, being_filled + 2);
  }
  const auto cpus = CpusOfThreads(
      PlanShards(MachineTopology(), options_.num_threads, options_.thread_affinity_offset));
  SetEnvOptions();
  CreateEnvs(cpus);
  if (host_) {
    dispatcher_ = host_->Start({options_, layout_, batches_, actions_, envs_.data(),
                                episodes_.empty() ? nullptr : episodes_.data(), *group_});
  } else {
    dispatcher_ = std::make_unique<Scheduler>(runner_, options_.num_envs, sync(), cpus,
                                              setup_->preferred_chunk());
  }
  for (uint64_t i = 0; !sync() && i < batches_.size(); ++i) {
    AddBatch(i, cache_->Take(options_.batch_size, i * options_.batch_size));
  }
}

void Pool::AddBatch(uint64_t number, Batch* batch) {
  batches_[number].store(batch, std::memory_order_release);
  dispatcher_->Add(number, *batch);
}

void Pool::SetEnvOptions() {
  for (EnvState& state : envs_) state.max_steps = options_.max_episode_steps;
  for (size_t env = 0; env < options_.envs.size(); ++env) {
    env_setups_.push_back(options_.envs[env].setup);
    envs_[env].max_steps = options_.envs[env].max_episode_steps;
  }
}

std::string Pool::NameOf(int32_t env) const {
  std::string task = task_;
  for (const TaskPart& part : setup_->parts()) {
    if (part.first_env <= env) task = part.id;
  }
  return task + " env " + std::to_string(env);
}

// Builds each env on the processors that will run it, so that its memory is on their NUMA node.
void Pool::CreateEnvs(const std::vector<std::vector<int>>& cpus) {
  const int threads = static_cast<int>(cpus.size());
  std::atomic<bool> failed{false};
  int failed_env = 0;
  Error failure;
  const auto create = [&](int home) {
    const int end = FirstEnv(home + 1, options_.num_envs, threads);
    for (int env = FirstEnv(home, options_.num_envs, threads); env < end && !failed; ++env) {
      Error error;
      const Setup* const setup = env_setups_.empty() ? nullptr : env_setups_[env].get();
      if (group_->Create(env, options_.seeds[env], setup, &error)) continue;
      if (!failed.exchange(true)) {
        failed_env = env;
        failure = error;
      }
    }
  };
  std::vector<std::jthread> builders;
  for (int home = 1; home < threads; ++home) {
    builders.emplace_back([&, home] {
      platform::Pin(platform::ThisThread(), cpus[home]);
      create(home);
    });
  }
  create(0);
  builders.clear();  // joins
  if (failed) Throw(NameOf(failed_env), failure);
}

void Pool::Claim(std::span<const int32_t> envs, bool reset) {
  const bool may_have_ended = options_.autoreset == Autoreset::kDisabled && !reset;
  claims_.Claim(envs, [&](int32_t env) -> const char* {
    if (!may_have_ended || envs_[env].next == Turn::kStep) return nullptr;
    return NeedsReset(envs_[env].begun);
  });
}

void Pool::Send(std::span<const int32_t> envs, bool reset, std::span<const ColumnPlace> places) {
  AddBatchOf(envs, reset, places);
  observer_->Send(envs, reset);
  Dispatch(envs, reset);
}

void Pool::SendReset(std::span<const int32_t> envs, std::span<const uint8_t> mask) {
  AddBatchOf(envs, /*resets=*/true);  // before any env changes: there may be no memory for it
  observing_ = pending_rows_ == 0;
  for (size_t i = 0; i < envs.size(); ++i) {
    EnvState& state = envs_[envs[i]];
    state.observe_only = !mask[i] && state.begun;
    observing_ &= state.observe_only;
    if (!state.observe_only) continue;
    Add(&steps_, -1);  // Count takes its row for one of a step
    Add(&episodes_ended_, state.next == Turn::kStep ? 0 : -1);
  }
  observer_->SendReset(envs, mask);
  Dispatch(envs, /*reset=*/true);
}

void Pool::SendTurns(std::span<const int32_t> envs, std::span<const uint8_t> resets) {
  AddBatchOf(envs, /*resets=*/false);
  for (size_t i = 0; i < envs.size(); ++i) {
    if (resets[i]) envs_[envs[i]].next = Turn::kReset;
  }
  Dispatch(envs, /*reset=*/false);
}

void Pool::AddBatchOf(std::span<const int32_t> envs, bool resets,
                      std::span<const ColumnPlace> places) {
  if (!sync()) return;
  Batch* const batch = cache_->Take(static_cast<int>(envs.size()), 0);
  batch->set_resets(resets);
  for (const ColumnPlace& place : places) batch->WriteTo(place);
  AddBatch(batches_sent_, batch);
}

void Pool::Dispatch(std::span<const int32_t> envs, bool reset) {
  const auto batch = static_cast<uint32_t>(batches_sent_++ % batches_.size());
  pending_rows_ += static_cast<int64_t>(envs.size());
  dispatcher_->Send(envs, batch, reset);
}

void Pool::CheckPending(int more) const {
  CheckFills(task_, pending_rows_ + more, sync() ? options_.num_envs : options_.batch_size, sync());
}

bool Pool::CutBatch(std::chrono::nanoseconds limit) {
  // The receiver of an async pool does not count rows down: it looks from time to time.
  constexpr std::chrono::nanoseconds kSlice = std::chrono::milliseconds(1);
  Batch& batch = *batches_[batches_received_].load(std::memory_order_acquire);
  const auto missing = batch.rows() - static_cast<int>(pending_rows_);
  for (const auto deadline = Clock::now() + limit; batch.unfinished() > missing;) {
    const std::chrono::nanoseconds left = deadline - Clock::now();
    if (left.count() <= 0) return false;
    dispatcher_->Await(batch, std::min(left, kSlice));
  }
  batches_.Take(missing);
  dispatcher_->Skip(batch.first_row() + pending_rows_, missing);
  batch.CutTo(static_cast<int>(pending_rows_));
  return true;
}

int Pool::NextRows() {
  const Batch* const batch = batches_[batches_received_].load(std::memory_order_relaxed);
  return batch == nullptr ? 0 : batch->rows();
}

Batch* Pool::Recv(std::chrono::nanoseconds limit) {
  std::atomic<Batch*>& slot = batches_[batches_received_];
  Batch* const batch = slot.load(std::memory_order_acquire);
  if (!dispatcher_->Await(*batch, limit)) return nullptr;
  const uint64_t later = batches_received_ + batches_.size();
  // Taken before anything changes: without memory for it, the batch is still there to be received.
  Batch* const next =
      sync() ? nullptr : cache_->Take(options_.batch_size, later * options_.batch_size);
  ++batches_received_;
  slot.store(nullptr, std::memory_order_release);
  if (next != nullptr) AddBatch(later, next);
  return batch;
}

std::vector<Failure> Pool::Failures(const Batch& batch) const {
  std::vector<Failure> failures;
  if (!batch.any_failed()) return failures;
  const auto* env_id = batch.column<int32_t>(layout_.engine_column(BatchLayout::kEnvId));
  const auto* elapsed_step =
      batch.column<int32_t>(layout_.engine_column(BatchLayout::kElapsedStep));
  for (int row = 0; row < batch.rows(); ++row) {
    if (!batch.failed(row)) continue;
    failures.push_back({env_id[row], elapsed_step[row], group_->Failure(env_id[row])});
  }
  return failures;
}

std::string Pool::TextOf(const std::vector<Failure>& failures) const {
  const Failure& first = failures.front();
  std::string text =
      NameOf(first.env) + " step " + std::to_string(first.elapsed_step) + ": " + first.what;
  if (failures.size() > 1) {
    text += " (and " + std::to_string(failures.size() - 1) + " more envs of this batch)";
  }
  return text;
}

void Pool::Accept(Batch& batch) {
  // While its envs cannot be saved or loaded.
  if (transforms_.any()) transforms_.Apply(batch, /*counts=*/!observing_);
  const auto* ids = batch.column<int32_t>(layout_.engine_column(BatchLayout::kEnvId));
  claims_.Release({ids, static_cast<size_t>(batch.rows())});
  pending_rows_ -= batch.rows();
  if (pending_rows_ == 0) observing_ = false;
  moves_.store(moves() + 1, std::memory_order_relaxed);
  Count(batch);
  if (num_prepared_ > 0 || batch.any_failed()) Settle(batch);
  if (layout_.most_players() > 0) {
    const auto* players = batch.column<int32_t>(layout_.players_column());
    for (int row = 0; row < batch.rows(); ++row) players_[ids[row]] = players[row];
  }
  observer_->Accept(batch);
}

void Pool::Count(const Batch& batch) {
  const auto* step_type = batch.column<int32_t>(layout_.engine_column(BatchLayout::kStepType));
  int64_t begun = 0, ended = 0;
  for (int row = 0; row < batch.rows(); ++row) {
    begun += step_type[row] == BatchLayout::kFirst;
    ended += step_type[row] == BatchLayout::kLast;
  }
  Add(&steps_, batch.rows() - begun);
  Add(&resets_, options_.autoreset == Autoreset::kSameStep ? begun + ended : begun);
  Add(&episodes_ended_, ended);
  Add(&batches_accepted_, 1);
}

PoolStats Pool::stats() const {
  return {.steps = steps_.load(std::memory_order_relaxed),
          .resets = resets_.load(std::memory_order_relaxed),
          .episodes = episodes_ended_.load(std::memory_order_relaxed),
          .batches = batches_accepted_.load(std::memory_order_relaxed)};
}

bool Pool::BusyFor(std::chrono::nanoseconds time) const {
  return !sync() || dispatcher_->EstimateNs(pending_rows_) > time.count();
}

void Pool::StartProfile(std::chrono::nanoseconds limit) {
  if (running_profile() != nullptr) {
    throw std::runtime_error(task_ + ": a profile is being made already: stop it first");
  }
  std::vector<int32_t> first_envs;
  for (const TaskPart& part : setup_->parts()) first_envs.push_back(part.first_env);
  if (first_envs.empty()) first_envs.push_back(0);
  profiler_.Start(std::make_unique<Profile>(options_.num_envs, options_.num_threads,
                                            std::move(first_envs), limit));
}

void Pool::SetObserver(std::unique_ptr<PoolObserver> observer) {
  observer_ = observer != nullptr ? std::move(observer) : std::make_unique<NoObserver>();
}

bool Pool::Close(std::chrono::nanoseconds limit) {
  if (dispatcher_ && !dispatcher_->Stop(limit)) return false;
  group_.reset();
  return true;
}

}  // namespace parallel_pool
