#include "parallel_pool/core/testing/interleave.h"

#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

namespace parallel_pool::testing {
namespace {

struct Failed { std::string what; };
struct Canceled {};  // unwinds the threads of a schedule that has failed

constexpr size_t kStackBytes = 64 * 1024;
constexpr size_t kStepsShown = 60;

// A thread of a schedule: a stack of its own inside the one real thread.
struct SimThread {
  std::function<void()> body;
  std::unique_ptr<char[]> stack;
  ucontext_t context;
  int64_t priority = 0;             // for schedules by priorities
  const void* sleeps_on = nullptr;  // a futex word
  bool forever = false;             // its sleep has no limit
  bool ended = false;
};

class Schedule final : public Plan {
 public:
  Schedule(const Budget& budget, uint64_t seed);

  void Thread(std::function<void()> body) override {
    threads_.emplace_back().body = std::move(body);
  }
  void AtEnd(std::function<void()> check) override { at_end_ = std::move(check); }
  std::mt19937_64& random() override { return random_; }

  std::string Play(const std::function<void(Plan&)>& set_up);

  void Step(const void* word, const char* what);
  void Sleep(const void* word, bool forever);
  void Wake(const void* word, int count);
  void Yield();
  Clock::time_point Now() { return Clock::time_point(std::chrono::microseconds(10 * ++looks_)); }
  void Fail(const std::string& what) { failure_ = failure_.empty() ? what : failure_; }

 private:
  static void Enter();
  void RunBody();
  void Start(SimThread& thread);
  SimThread* Choose();
  void SwitchToScheduler();
  void Cancel();
  std::string Steps() const;
  int64_t Random(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  const Budget& budget_;
  const bool by_priority_;
  std::mt19937_64 random_;
  std::deque<SimThread> threads_;
  std::function<void()> at_end_;
  ucontext_t scheduler_;
  SimThread* current_ = nullptr;  // nullptr: set_up or AtEnd runs
  int change_one_in_;             // chance of a change of threads at a step
  std::vector<int64_t> changes_;  // steps at which the running thread's priority is lowered
  int64_t lowest_ = 0;
  int64_t steps_ = 0, looks_ = 0;
  bool canceling_ = false;
  std::string failure_;
  struct Event {
    size_t thread;
    const void* word;
    const char* what;
  };
  std::deque<Event> events_;
};

Schedule* schedule = nullptr;  // the running one

Schedule::Schedule(const Budget& budget, uint64_t seed)
    : budget_(budget), by_priority_(seed % 2 == 0), random_(seed) {
  change_one_in_ = 1 << Random(5);
  const int64_t horizon = 4 << Random(8);  // assumed number of steps of the schedule
  for (int64_t i = Random(5); i >= 0; --i) changes_.push_back(Random(horizon));
}

void Schedule::Enter() {
  schedule->RunBody();
  schedule->current_->ended = true;
  schedule->SwitchToScheduler();
}

void Schedule::RunBody() {
  try {
    if (!canceling_) current_->body();
  } catch (const Failed& failed) {
    Fail(failed.what);
  } catch (const Canceled&) {}
}

void Schedule::Start(SimThread& thread) {
  thread.stack = std::make_unique<char[]>(kStackBytes);
  thread.priority = Random(1 << 30) + 1;
  getcontext(&thread.context);
  thread.context.uc_stack.ss_sp = thread.stack.get();
  thread.context.uc_stack.ss_size = kStackBytes;
  thread.context.uc_link = nullptr;
  makecontext(&thread.context, &Schedule::Enter, 0);
}

std::string Schedule::Play(const std::function<void(Plan&)>& set_up) {
  schedule = this;
  set_up(*this);
  for (SimThread& thread : threads_) Start(thread);
  while (failure_.empty()) {
    SimThread* const next = Choose();
    if (next == nullptr) break;
    current_ = next;
    swapcontext(&scheduler_, &next->context);
  }
  Cancel();
  current_ = nullptr;
  try {
    if (failure_.empty() && at_end_) at_end_();
  } catch (const Failed& failed) {
    Fail(failed.what);
  }
  schedule = nullptr;
  return failure_.empty() ? "" : failure_ + Steps();
}

// The next thread to run; nullptr if none is left or none can run.
SimThread* Schedule::Choose() {
  std::vector<SimThread*> ready;
  bool left = false;
  for (SimThread& thread : threads_) {
    left |= !thread.ended;
    if (!thread.ended && (thread.sleeps_on == nullptr || !thread.forever)) ready.push_back(&thread);
  }
  if (ready.empty()) {
    if (left) Fail("deadlock: every thread sleeps and none will be woken");
    return nullptr;
  }
  if (steps_ > budget_.max_steps) {
    Fail("livelock: no end after " + std::to_string(steps_) + " steps");
    return nullptr;
  }
  SimThread* next = ready[Random(static_cast<int64_t>(ready.size()))];
  if (by_priority_) {
    next = *std::max_element(ready.begin(), ready.end(),
                             [](SimThread* a, SimThread* b) { return a->priority < b->priority; });
  }
  next->sleeps_on = nullptr;  // its sleep reached its limit
  return next;
}

void Schedule::SwitchToScheduler() {
  SimThread* const self = current_;
  swapcontext(&self->context, &scheduler_);
  if (canceling_) throw Canceled();
}

void Schedule::Step(const void* word, const char* what) {
  if (current_ == nullptr || std::uncaught_exceptions() > 0) return;
  size_t self = 0;
  while (&threads_[self] != current_) ++self;
  events_.push_back({self, word, what});
  if (events_.size() > kStepsShown) events_.pop_front();
  ++steps_;
  if (by_priority_) {
    if (std::find(changes_.begin(), changes_.end(), steps_) == changes_.end() &&
        steps_ <= budget_.max_steps) {
      return;  // no thread has a higher priority now
    }
    current_->priority = --lowest_;
  } else if (Random(change_one_in_) != 0 && steps_ <= budget_.max_steps) {
    return;
  }
  SwitchToScheduler();
}

void Schedule::Sleep(const void* word, bool forever) {
  current_->sleeps_on = word;
  current_->forever = forever;
  if (by_priority_) current_->priority = --lowest_;
  SwitchToScheduler();
}

void Schedule::Wake(const void* word, int count) {
  std::vector<SimThread*> sleepers;
  for (SimThread& thread : threads_) {
    if (thread.sleeps_on == word) sleepers.push_back(&thread);
  }
  std::shuffle(sleepers.begin(), sleepers.end(), random_);
  for (int i = 0; i < std::min<int>(count, static_cast<int>(sleepers.size())); ++i) {
    sleepers[i]->sleeps_on = nullptr;
    sleepers[i]->priority = Random(1 << 30) + 1;
  }
  if (!sleepers.empty() && current_ != nullptr && std::uncaught_exceptions() == 0) {
    SwitchToScheduler();
  }
}

void Schedule::Yield() {
  if (current_ == nullptr || std::uncaught_exceptions() > 0) return;
  ++steps_;
  current_->priority = --lowest_;
  SwitchToScheduler();
}

// Lets the threads of a failed schedule unwind their stacks.
void Schedule::Cancel() {
  canceling_ = true;
  for (SimThread& thread : threads_) {
    if (thread.ended) continue;
    current_ = &thread;
    swapcontext(&scheduler_, &thread.context);
  }
}

std::string Schedule::Steps() const {
  std::ostringstream text;
  text << "\nlast steps, of " << steps_ << " (T: thread, a: word):";
  std::vector<const void*> words;
  for (const Event& event : events_) {
    auto at = std::find(words.begin(), words.end(), event.word);
    if (at == words.end()) at = words.insert(at, event.word);
    text << "\n  T" << event.thread << ' ' << event.what << " a" << at - words.begin();
  }
  return text.str();
}

}  // namespace

std::string Explore(const Budget& budget, const std::function<void(Plan&)>& set_up) {
  const char* const only = std::getenv("INTERLEAVE_SEED");
  const uint64_t first = only != nullptr ? std::strtoull(only, nullptr, 10) : budget.first_seed;
  const uint64_t count = only != nullptr ? 1 : static_cast<uint64_t>(budget.schedules);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const std::string failure = Schedule(budget, seed).Play(set_up);
    if (!failure.empty()) {
      return failure + "\nreplay with INTERLEAVE_SEED=" + std::to_string(seed);
    }
  }
  return "";
}

void Check(bool ok, const char* what) {
  if (!ok) throw Failed{what};
}

namespace sim {

void Step(const void* word, const char* what) {
  if (schedule != nullptr) schedule->Step(word, what);
}
void Sleep(const void* word, bool forever) {
  schedule->Sleep(word, forever);
}
void Wake(const void* word, int threads) {
  if (schedule != nullptr) schedule->Wake(word, threads);
}
void Yield() {
  schedule->Yield();
}
bool Chance(int one_in) {
  return schedule != nullptr && schedule->random()() % static_cast<uint64_t>(one_in) == 0;
}
Clock::time_point Now() {
  return schedule->Now();
}

}  // namespace sim
}  // namespace parallel_pool::testing
