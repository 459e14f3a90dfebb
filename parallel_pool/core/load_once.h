// Data that Complete loads once for several setups of a task, such as a model: a pool whose envs
// differ in their options has a setup for each of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace parallel_pool {
namespace internal {

// The data that the setups of one spec have loaded, by key.
using Loads = std::map<std::string, std::shared_ptr<void>>;

// Those of the setup that this thread completes now; nullptr: none.
inline thread_local Loads* current_loads = nullptr;

// Lets LoadOnce use `loads` as long as it lives.
class UseLoads {
 public:
  explicit UseLoads(Loads& loads) : before_(std::exchange(current_loads, &loads)) {}
  ~UseLoads() { current_loads = before_; }
  UseLoads(const UseLoads&) = delete;
  UseLoads& operator=(const UseLoads&) = delete;

 private:
  Loads* const before_;
};

}  // namespace internal

// In Complete: the result of `load` for this `key`, which is called once for all setups of a spec.
// Keys of different types must differ.
template <class T>
std::shared_ptr<T> LoadOnce(const std::string& key,
                            const std::function<std::shared_ptr<T>()>& load) {
  if (internal::current_loads == nullptr) return load();
  std::shared_ptr<void>& kept = (*internal::current_loads)[key];
  if (kept == nullptr) kept = std::const_pointer_cast<std::remove_const_t<T>>(load());
  return std::static_pointer_cast<T>(kept);
}

}  // namespace parallel_pool
