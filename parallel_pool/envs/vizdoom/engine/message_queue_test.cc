#include "parallel_pool/envs/vizdoom/engine/message_queue.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <thread>

namespace parallel_pool::vizdoom {
namespace {

constexpr double kShort = 0.01, kLong = 60;  // s

std::string Name() {
  return "parallel_pool_test" + std::to_string(getpid());
}

TEST(MessageQueueTest, MessagesKeepTheirOrder) {
  MessageQueue queue(Name());
  Message message;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(queue.Send({.code = static_cast<uint8_t>(3 * round + i)}, kShort));
    }
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(queue.Receive(message, kShort));
      ASSERT_EQ(message.code, static_cast<uint8_t>(3 * round + i));
    }
  }
}

TEST(MessageQueueTest, WaitingEnds) {
  MessageQueue queue(Name());
  Message message;
  EXPECT_FALSE(queue.Receive(message, kShort));
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(queue.Send({}, kShort));
  EXPECT_FALSE(queue.Send({}, kShort)) << "64 messages fit";
}

TEST(MessageQueueTest, AMessageWakesTheReceiver) {
  MessageQueue there(Name()), back(Name() + "b");
  std::thread other([&] {
    Message message;
    for (int i = 0; i < 1000; ++i) {
      there.Receive(message, kLong);
      back.Send(message, kLong);
    }
  });
  Message message;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(there.Send({.code = static_cast<uint8_t>(i)}, kLong));
    EXPECT_TRUE(back.Receive(message, kLong));
    EXPECT_EQ(message.code, static_cast<uint8_t>(i));
  }
  other.join();
}

TEST(MessageQueueTest, NoNameIsLeft) {
  const std::filesystem::path file = "/dev/shm/" + Name();
  {
    MessageQueue queue(Name());
    EXPECT_TRUE(std::filesystem::exists(file));
    EXPECT_THROW(MessageQueue{Name()}, std::runtime_error) << "the name is taken";
    queue.Unlink();
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_TRUE(queue.Send({}, kShort));
  }
  { const MessageQueue queue(Name()); }
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace parallel_pool::vizdoom
