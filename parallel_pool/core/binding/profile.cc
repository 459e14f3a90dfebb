// Profiles for Python.
#include "parallel_pool/core/engine/profile.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <string>
#include <vector>

#include "parallel_pool/core/binding/call_arguments.h"
#include "parallel_pool/core/binding/python_pool.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

// (tasks, kTimeBuckets)
py::array_t<int64_t> ToArray(const std::vector<std::vector<Counter>>& buckets) {
  py::array_t<int64_t> array({buckets.size(), size_t{kTimeBuckets}});
  for (size_t task = 0; task < buckets.size(); ++task) {
    for (size_t k = 0; k < kTimeBuckets; ++k) array.mutable_at(task, k) = buckets[task][k].value();
  }
  return array;
}

// (events, 3): begin and end in ns, envs
py::array_t<int64_t> EventsOf(const Profile::Home& home) {
  const size_t count = home.num_events.load(std::memory_order_acquire);
  py::array_t<int64_t> array({count, size_t{3}});
  for (size_t k = 0; k < count; ++k) {
    array.mutable_at(k, 0) = home.events[k].begin_ns;
    array.mutable_at(k, 1) = home.events[k].end_ns;
    array.mutable_at(k, 2) = home.events[k].envs;
  }
  return array;
}

// (envs, 3): count, ns and the longest ns
py::array_t<int64_t> TimesOf(Profile& profile, int num_envs, Profile::Times Profile::Env::* times) {
  py::array_t<int64_t> array({num_envs, 3});
  for (int env = 0; env < num_envs; ++env) {
    const Profile::Times& of_env = profile.envs()[env].*times;
    array.mutable_at(env, 0) = of_env.count.value();
    array.mutable_at(env, 1) = of_env.ns.value();
    array.mutable_at(env, 2) = of_env.longest.value();
  }
  return array;
}

py::dict ThreadOf(const Profile::Home& home) {
  py::dict thread;
  thread["chunks"] = home.chunks.value();
  thread["delay_ns"] = home.delay_ns.value();
  thread["timed"] = home.timed.value();
  thread["timed_ns"] = home.timed_ns.value();
  thread["apart_ns"] = home.apart_ns.value();
  thread["step_ns"] = home.step_ns.value();
  thread["reset_ns"] = home.reset_ns.value();
  thread["steps"] = ToArray(home.steps);
  thread["resets"] = ToArray(home.resets);
  thread["events"] = EventsOf(home);
  return thread;
}

}  // namespace

size_t PythonPool::StartProfile(std::chrono::nanoseconds limit) {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  const CallGuard receiver(&callers_.receiving, task_, kReceiving);
  CheckUsable();
  pool_->StartProfile(limit);
  return pool_->profiles().size() - 1;
}

void PythonPool::StopProfile(size_t number) {
  const py::scoped_critical_section one_thread(lock_);
  const Profile* const running = pool_->running_profile();
  if (running == nullptr || running != pool_->profiles()[number].get()) return;
  const CallGuard sender(&callers_.sending, task_, kSending);
  const CallGuard receiver(&callers_.receiving, task_, kReceiving);
  pool_->StopProfile();
}

// Reads a profile that has ended.
// At the end of a call. Another thread may be in one: then the next call ends the profile.
void PythonPool::EndDueProfile() noexcept {
  const Profile* const running = pool_->running_profile();
  if (running == nullptr || !running->is_due()) return;
  const auto is_free = [](const Caller& caller) { return caller.load() == std::thread::id(); };
  if (is_free(callers_.sending) && is_free(callers_.receiving)) pool_->StopProfile();
}

py::dict PythonPool::ReadProfile(size_t number) {
  const py::scoped_critical_section one_thread(lock_);
  Profile& profile = *pool_->profiles()[number];
  py::dict found;
  found["ns"] = profile.ended_ns();
  found["program_ns"] = profile.program_ns.value();
  found["wait_ns"] = profile.wait_ns.value();
  found["calls"] = profile.calls.value();
  py::list threads;
  for (const Profile::Home& home : profile.homes()) threads.append(ThreadOf(home));
  found["threads"] = threads;
  found["caller_events"] = EventsOf(profile.caller);
  const int num_envs = pool_->options().num_envs;
  found["steps"] = TimesOf(profile, num_envs, &Profile::Env::steps);
  found["resets"] = TimesOf(profile, num_envs, &Profile::Env::resets);
  return found;
}

}  // namespace parallel_pool
