#include "parallel_pool/core/engine/profile.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace parallel_pool {
namespace {

constexpr int64_t kCheapNs = 20'000;  // of a chunk

// The chunk that this thread runs; nullptr: none, or no profile is made.
struct Running {
  Profile* profile;
  Profile::Home* home;
};
thread_local Running running{};

int BucketOf(int64_t ns) {
  const auto time = static_cast<uint64_t>(std::max<int64_t>(ns, 4));
  const int power = std::bit_width(time) - 1;
  return std::min<int>(4 * power + static_cast<int>(time >> (power - 2) & 3), kTimeBuckets - 1);
}

void Count(Profile::Times& times, int64_t ns) {
  times.count.Add(1);
  times.ns.Add(ns);
  times.longest.Raise(ns);
}

std::vector<std::vector<Counter>> Buckets(size_t tasks) {
  std::vector<std::vector<Counter>> buckets;
  for (size_t k = 0; k < tasks; ++k) buckets.emplace_back(kTimeBuckets);
  return buckets;
}

}  // namespace

Profile::Profile(int num_envs, int num_threads, std::vector<int32_t> first_envs,
                 std::chrono::nanoseconds limit)
    : begin_(std::chrono::steady_clock::now()),
      limit_ns_(limit.count()),
      first_envs_(std::move(first_envs)),
      homes_(num_threads),
      envs_(std::make_unique<Env[]>(num_envs)) {
  for (Home& home : homes_) {
    home.steps = Buckets(first_envs_.size());
    home.resets = Buckets(first_envs_.size());
    home.events.resize(kMaxEvents);
  }
  caller.events.resize(kMaxEvents);
}

int64_t Profile::NowNs() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                              begin_)
      .count();
}

void Profile::EndProgramTime(int64_t now) {
  program_ns.Add(now - left_at_);
  AddEvent(caller, left_at_, now, 0);
  left_at_ = now;
}

void Profile::Enter() {
  const std::lock_guard lock(mutex_);
  if (open_calls_++ == 0) EndProgramTime(NowNs());
}

void Profile::Leave() {
  const std::lock_guard lock(mutex_);
  if (--open_calls_ == 0) left_at_ = NowNs();
}

void Profile::End() {
  const std::lock_guard lock(mutex_);
  ended_ns_ = NowNs();
  if (open_calls_ == 0) EndProgramTime(ended_ns_);
}

void Profile::AddEvent(Home& home, int64_t begin, int64_t end, int64_t envs) {
  const size_t number = home.num_events.load(std::memory_order_relaxed);
  if (number == kMaxEvents) return;
  home.events[number] = {begin, end, static_cast<int32_t>(envs)};
  home.num_events.store(number + 1, std::memory_order_release);
}

size_t Profile::TaskOf(int32_t env) const {
  return std::ranges::upper_bound(first_envs_, env) - first_envs_.begin() - 1;
}

void Profile::Bin(std::vector<std::vector<Counter>>& buckets, const int32_t* envs, int32_t count,
                  int64_t each) const {
  const int bucket = BucketOf(each);
  if (first_envs_.size() == 1) return buckets[0][bucket].Add(count);
  for (int32_t i = 0; i < count; ++i) buckets[TaskOf(envs[i])][bucket].Add(1);
}

void Profile::AddSteps(Home& home, const int32_t* envs, int32_t count, int64_t ns) {
  home.step_ns.Add(ns);
  Bin(home.steps, envs, count, ns / count);
  Count(envs_[envs[(home.chunks.value() >> 4) % count]].steps, ns / count);
}

void Profile::AddResets(Home& home, const int32_t* envs, int32_t count, int64_t ns) {
  home.reset_ns.Add(ns);
  Bin(home.resets, envs, count, ns / count);
  for (int32_t i = 0; i < count; ++i) Count(envs_[envs[i]].resets, ns / count);
}

void ProfilingRunner::Run(int home, std::span<const Ticket> tickets) noexcept {
  Profile::Home& mine = profile_.homes()[home];
  const int64_t chunks = mine.chunks.value(), timed = mine.timed.value();
  mine.chunks.Add(1);
  const bool is_cheap = timed > 0 && mine.timed_ns.value() < kCheapNs * timed;
  // By chance: chunks repeat with each call.
  const auto drawn = static_cast<uint64_t>(chunks) * 0x9E3779B97F4A7C15 >> 57;
  const bool is_timed = !is_cheap || drawn < 4;
  const bool is_apart = !is_cheap || drawn == 4;
  if (!is_timed && !is_apart) return runner_.Run(home, tickets);
  int64_t envs = 0;
  for (const Ticket& ticket : tickets) envs += ticket.count;
  const int64_t begin = profile_.NowNs();
  if (is_apart) running = {&profile_, &mine};
  runner_.Run(home, tickets);
  running = {};
  const int64_t end = profile_.NowNs();
  if (is_apart) mine.apart_ns.Add(end - begin);
  profile_.AddEvent(mine, begin, end, envs);
  if (!is_timed) return;
  mine.timed.Add(1);
  mine.timed_ns.Add(end - begin);
  mine.delay_ns.Add(begin - profile_.sent_at.load(std::memory_order_relaxed));
}

void ProfilingGroup::Step(const int32_t* envs, const Turn* turns, int32_t count,
                          std::byte* const* actions, Result* results) noexcept {
  const auto [profile, home] = running;
  if (home == nullptr) return group_->Step(envs, turns, count, actions, results);
  const auto is_step = [](Turn turn) { return turn == Turn::kStep || turn == Turn::kObserveOnly; };
  const int64_t begin = profile->NowNs();
  if (std::all_of(turns, turns + count, is_step)) {
    group_->Step(envs, turns, count, actions, results);
    return profile->AddSteps(*home, envs, count, profile->NowNs() - begin);
  }
  struct Part {
    int32_t count = 0;
    int32_t envs[kMaxChunk], places[kMaxChunk];
    Turn turns[kMaxChunk];
    Result results[kMaxChunk];
  };
  Part parts[2];
  for (int32_t i = 0; i < count; ++i) {
    Part& part = parts[is_step(turns[i])];
    part.envs[part.count] = envs[i];
    part.turns[part.count] = turns[i];
    part.places[part.count++] = i;
  }
  for (Part& part : parts) {
    if (part.count == 0) continue;
    const int64_t start = profile->NowNs();
    group_->Step(part.envs, part.turns, part.count, actions, part.results);
    const int64_t took = profile->NowNs() - start;
    if (&part == &parts[1]) {
      profile->AddSteps(*home, part.envs, part.count, took);
    } else {
      profile->AddResets(*home, part.envs, part.count, took);
    }
    for (int32_t i = 0; i < part.count; ++i) results[part.places[i]] = part.results[i];
  }
}

void ProfilingDispatcher::Send(std::span<const int32_t> envs, uint32_t batch, bool reset) {
  const Profile::Call call(&profile_);
  profile_.sent_at.store(profile_.NowNs(), std::memory_order_relaxed);
  dispatcher_->Send(envs, batch, reset);
  profile_.calls.Add(1);
}

bool ProfilingDispatcher::Await(Batch& batch, std::chrono::nanoseconds limit) {
  const Profile::Call call(&profile_);
  const int64_t begin = profile_.NowNs();
  const bool is_ready = dispatcher_->Await(batch, limit);
  profile_.wait_ns.Add(profile_.NowNs() - begin);
  return is_ready;
}

}  // namespace parallel_pool
