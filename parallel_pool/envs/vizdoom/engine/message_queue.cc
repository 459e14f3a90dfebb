#include "parallel_pool/envs/vizdoom/engine/message_queue.h"

#include <pthread.h>

#include <cmath>
#include <cstddef>
#include <ctime>

#include "parallel_pool/envs/vizdoom/engine/shared_file.h"

namespace parallel_pool::vizdoom {
namespace {

constexpr uint64_t kNumSlots = 64;
constexpr uint32_t kIsInitialized = 2;

struct Slot {
  uint64_t length;
  uint32_t priority, unused;
  Message message;
  char padding[7];
};
static_assert(sizeof(Slot) == 152);

// The time in `seconds` from now.
timespec Deadline(double seconds) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const double end = static_cast<double>(time.tv_nsec) * 1e-9 + seconds;
  time.tv_sec += static_cast<time_t>(std::floor(end));
  time.tv_nsec = static_cast<int64_t>((end - std::floor(end)) * 1e9);
  return time;
}

}  // namespace

// Pointers are relative to their own address. The queue is a ring: messages are received from its
// end and sent to its front.
struct MessageQueue::Memory {
  uint32_t is_initialized, unused[3];
  int64_t to_index;
  uint64_t max_messages, max_size, count;
  pthread_mutex_t mutex;
  pthread_cond_t can_receive, can_send;
  uint64_t front, blocked_senders, blocked_receivers;
  int64_t to_slot[kNumSlots];
  Slot slots[kNumSlots];

  Slot& slot(uint64_t i) {
    auto* const pointer = &to_slot[i % kNumSlots];
    return *reinterpret_cast<Slot*>(reinterpret_cast<std::byte*>(pointer) + *pointer);
  }

  // Locks the mutex and waits until is_ready(); then runs act() and wakes the other side.
  template <class IsReady, class Act>
  bool Exchange(double seconds, pthread_cond_t& mine, uint64_t& my_blocked, pthread_cond_t& other,
                const uint64_t& other_blocked, const IsReady& is_ready, const Act& act) {
    const timespec deadline = Deadline(seconds);
    // The engine may have been killed while it held the mutex.
    if (pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &deadline) != 0) return false;
    bool in_time = true;
    ++my_blocked;
    while (!is_ready() && in_time) {
      in_time = pthread_cond_timedwait(&mine, &mutex, &deadline) == 0;
    }
    --my_blocked;
    const bool ready = is_ready();
    if (ready) {
      act();
      if (other_blocked > 0) pthread_cond_signal(&other);
    }
    pthread_mutex_unlock(&mutex);
    return ready;
  }
};

MessageQueue::MessageQueue(const std::string& name) : name_(name) {
  static_assert(sizeof(Memory) == 10448 && offsetof(Memory, mutex) == 48 &&
                offsetof(Memory, front) == 184 && offsetof(Memory, slots) == 720);
  memory_ = static_cast<Memory*>(CreateSharedFile(name, sizeof(Memory)));
  memory_->to_index = offsetof(Memory, to_slot) - offsetof(Memory, to_index);
  memory_->max_messages = kNumSlots;
  memory_->max_size = sizeof(Message);
  for (uint64_t i = 0; i < kNumSlots; ++i) {
    memory_->to_slot[i] = reinterpret_cast<std::byte*>(&memory_->slots[i]) -
                          reinterpret_cast<std::byte*>(&memory_->to_slot[i]);
  }
  pthread_mutexattr_t for_mutex;
  pthread_mutexattr_init(&for_mutex);
  pthread_mutexattr_setpshared(&for_mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&memory_->mutex, &for_mutex);
  pthread_mutexattr_destroy(&for_mutex);
  pthread_condattr_t for_conditions;
  pthread_condattr_init(&for_conditions);
  pthread_condattr_setpshared(&for_conditions, PTHREAD_PROCESS_SHARED);
  pthread_condattr_setclock(&for_conditions, CLOCK_MONOTONIC);
  pthread_cond_init(&memory_->can_receive, &for_conditions);
  pthread_cond_init(&memory_->can_send, &for_conditions);
  pthread_condattr_destroy(&for_conditions);
  memory_->is_initialized = kIsInitialized;
}

MessageQueue::~MessageQueue() {
  Unlink();
  // The mutex and the conditions are not destroyed: this would wait for a killed engine.
  UnmapSharedFile(memory_, sizeof(Memory));
}

void MessageQueue::Unlink() {
  if (!name_.empty()) UnlinkSharedFile(name_);
  name_.clear();
}

bool MessageQueue::Send(const Message& message, double seconds) {
  Memory& m = *memory_;
  return m.Exchange(
      seconds, m.can_send, m.blocked_senders, m.can_receive, m.blocked_receivers,
      [&] { return m.count < kNumSlots; },
      [&] {
        m.front = (m.front + kNumSlots - 1) % kNumSlots;
        ++m.count;
        Slot& slot = m.slot(m.front);
        slot.length = sizeof(Message);
        slot.priority = 0;
        slot.message = message;
      });
}

bool MessageQueue::Receive(Message& message, double seconds) {
  Memory& m = *memory_;
  return m.Exchange(
      seconds, m.can_receive, m.blocked_receivers, m.can_send, m.blocked_senders,
      [&] { return m.count > 0; }, [&] { message = m.slot(m.front + --m.count).message; });
}

}  // namespace parallel_pool::vizdoom
