// One direction of the engine's messages: a queue in a shared memory file, with the layout of
// boost::interprocess::message_queue for 64 messages of 129 bytes on 64-bit Linux. The mutex and
// the condition variables in it are glibc's, so both processes have the same C library.
#pragma once

#include <cstdint>
#include <string>

namespace parallel_pool::vizdoom {

// The longest command, in characters.
inline constexpr int kMaxCommand = 127;

struct Message {
  uint8_t code = 0;
  char text[kMaxCommand + 1] = "";  // ends with a 0
};
static_assert(sizeof(Message) == 129);

class MessageQueue {
 public:
  // Creates /dev/shm/`name`. Throws std::runtime_error if the system refuses it.
  explicit MessageQueue(const std::string& name);
  ~MessageQueue();
  MessageQueue(const MessageQueue&) = delete;
  MessageQueue& operator=(const MessageQueue&) = delete;

  // Removes the file's name; the memory stays while a process uses it.
  void Unlink();

  // These wait for at most `seconds`, and return false if that was too short.
  bool Send(const Message& message, double seconds);
  bool Receive(Message& message, double seconds);

 private:
  struct Memory;

  std::string name_;  // empty: unlinked
  Memory* memory_;
};

}  // namespace parallel_pool::vizdoom
