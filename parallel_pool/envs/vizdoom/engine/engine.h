// One engine of the package vizdoom: a process that plays Doom tic by tic as we tell it. A tic is
// 1/35 s of the game.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parallel_pool/envs/vizdoom/engine/message_queue.h"
#include "parallel_pool/envs/vizdoom/engine/process.h"
#include "parallel_pool/envs/vizdoom/engine/shared_state.h"

namespace parallel_pool::vizdoom {

// Not for use by several threads at the same time. All functions but the accessors throw
// std::runtime_error if the engine has ended, reports an error or does not answer; it is then
// killed, and every later call throws, too.
class Engine {
 public:
  // Starts `program`. `arguments` are those of the game; the constructor adds those of the
  // controller. WaitUntilReady must follow; in between, other engines can be started.
  Engine(const std::filesystem::path& program, std::vector<std::string> arguments);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // From its return on, no file is left behind, however this process ends.
  void WaitUntilReady();
  // Waits for at most `seconds`; false: it is not ready yet.
  bool IsReady(double seconds);

  // Plays one tic with the buttons of input().
  void Tic() { Call(kTic); }
  // Renders the picture and writes all of state() without a tic.
  void Update() { Call(kUpdate); }
  // Begins a Tic, with an Update in it if `updates`, or an Update alone. Wait must follow: so the
  // caller can do other work, or begin the same in other engines.
  void StartTic(bool updates) { Send({.code = updates ? kTicAndUpdate : kTic}); }
  void StartUpdate() { Send({.code = kUpdate}); }
  void Wait();
  // Waits for at most `seconds`; false: it has not answered yet.
  bool HasAnswered(double seconds);
  // Runs a line of the game's console at the next tic or update.
  void Command(const std::string& line);

  const GameState& state() const { return *reinterpret_cast<const GameState*>(memory_); }
  InputState& input() const { return *reinterpret_cast<InputState*>(At(kInputRegion)); }
  // The bytes of kScreen, kDepth, kLabels, kAutomap or kAudio; region_size(which) of them.
  const uint8_t* bytes(Region which) const { return reinterpret_cast<uint8_t*>(At(which)); }
  // The game's messages of the last tics.
  std::string_view notifications() const;
  size_t region_size(Region which) const { return state().region_size[which]; }

  bool IsRunning() { return process_.IsRunning(); }
  pid_t process_id() const { return process_.id(); }

 private:
  enum Code : uint8_t {
    kDone = 11,
    kClose,
    kError,  // of the engine
    kTic = 21,
    kUpdate = 22,
    kTicAndUpdate = 23,
    kCommand = 24  // to the engine
  };
  class Files;

  void Call(Code code);
  void Send(const Message& message);
  void MapMemory(const std::string& name);
  void RemoveNames();
  [[noreturn]] void Fail(const std::string& why);
  [[noreturn]] void FailLate(double seconds);
  std::byte* At(Region which) const { return memory_ + state().region_offset[which]; }

  std::unique_ptr<const Files> files_;  // until it is ready or has failed
  MessageQueue from_engine_, to_engine_;
  Process process_;
  std::byte* memory_ = nullptr;
  size_t memory_size_ = 0;  // bytes
};

}  // namespace parallel_pool::vizdoom
