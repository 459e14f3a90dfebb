#include "parallel_pool/envs/vizdoom/engine/engine.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "parallel_pool/envs/vizdoom/engine/shared_file.h"
#include "parallel_pool/envs/vizdoom/engine/temporary_folder.h"

namespace parallel_pool::vizdoom {
namespace {

// Limits of waiting, in s. An engine starts in 0.5 s on an idle processor and plays a tic in less
// than 1 ms.
constexpr double kStartLimit = 120, kCallLimit = 60;
// The wait between two looks whether the engine still runs, in s.
constexpr double kSlice = 0.05;

// 16 characters that no other engine of this machine has.
std::string RandomName() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
    throw std::runtime_error("the system has no random numbers");
  }
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(number));
  return text;
}

}  // namespace

// The names of what an engine needs to start.
class Engine::Files {
 public:
  ~Files() { UnlinkSharedFile(memory()); }

  std::string memory() const { return "ViZDoomSM" + id_; }  // the engine creates it
  std::string from_engine() const { return "ViZDoomMQCtr" + id_; }
  std::string to_engine() const { return "ViZDoomMQDoom" + id_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

  std::vector<std::string> AddTo(std::vector<std::string> arguments) const {
    for (const std::string& argument :
         {std::string("-config"), (folder() / "engine.ini").string(),
          std::string("+viz_controlled"), std::string("1"), std::string("+viz_instance_id"), id_}) {
      arguments.push_back(argument);
    }
    return arguments;
  }

 private:
  const std::string id_ = RandomName();
  const TemporaryFolder folder_;  // the working directory
};

Engine::Engine(const std::filesystem::path& program, std::vector<std::string> arguments)
    : files_(std::make_unique<const Files>()),
      from_engine_(files_->from_engine()),
      to_engine_(files_->to_engine()),
      process_(program, files_->AddTo(std::move(arguments)), files_->folder()) {}

Engine::~Engine() {
  process_.Kill();
  if (memory_ != nullptr) UnmapSharedFile(memory_, memory_size_);
}

void Engine::WaitUntilReady() {
  double waited = 0;
  for (; waited < kStartLimit; waited += kSlice) {
    if (IsReady(kSlice)) return;
  }
  FailLate(waited);
}

bool Engine::IsReady(double seconds) {
  if (memory_ != nullptr) return true;
  if (!HasAnswered(seconds)) return false;
  MapMemory(files_->memory());
  RemoveNames();  // both processes have everything open
  return true;
}

void Engine::RemoveNames() {
  from_engine_.Unlink();
  to_engine_.Unlink();
  files_.reset();
}

void Engine::MapMemory(const std::string& name) {
  memory_ = static_cast<std::byte*>(OpenSharedFile(name, memory_size_));
  const bool is_known = memory_size_ >= sizeof(GameState) && state().version == kEngineVersion &&
                        region_size(kGameRegion) == sizeof(GameState) &&
                        region_size(kInputRegion) == sizeof(InputState);
  bool fits = is_known;
  for (int i = 0; is_known && i < kNumRegions; ++i) {
    fits = fits && state().region_offset[i] + state().region_size[i] <= memory_size_;
  }
  if (!fits) {
    UnmapSharedFile(std::exchange(memory_, nullptr), memory_size_);
    Fail("it is not that of vizdoom 1.3.2");
  }
  try {
    // The engine has written all that is read here; this process writes the input.
    AllocateSharedFile(name, state().region_offset[kInputRegion], sizeof(InputState));
  } catch (const std::runtime_error& error) {
    Fail(error.what());
  }
}

std::string_view Engine::notifications() const {
  const GameState& s = state();
  return {s.notifications, strnlen(s.notifications, std::min<size_t>(s.notifications_size,
                                                                     sizeof(s.notifications)))};
}

void Engine::Command(const std::string& line) {
  Message message = {.code = kCommand};
  if (line.size() > kMaxCommand) throw std::runtime_error("a command is too long: " + line);
  line.copy(message.text, kMaxCommand);
  Send(message);
}

void Engine::Call(Code code) {
  Send({.code = code});
  Wait();
}

void Engine::Wait() {
  double waited = 0;
  for (; waited < kCallLimit; waited += kSlice) {
    if (HasAnswered(kSlice)) return;
  }
  FailLate(waited);
}

bool Engine::HasAnswered(double seconds) {
  Message answer;
  if (!from_engine_.Receive(answer, seconds)) {
    if (!IsRunning()) Fail("it " + process_.HowItEnded());
    return false;
  }
  if (answer.code == kDone) return true;
  answer.text[kMaxCommand] = 0;
  Fail(answer.code == kError ? std::string("it reports: ") + answer.text : "it closes itself");
}

void Engine::Send(const Message& message) {
  if (!IsRunning()) Fail("it " + process_.HowItEnded());
  if (!to_engine_.Send(message, kCallLimit)) Fail("it reads no messages");
}

void Engine::FailLate(double seconds) {
  Fail("it did not answer for " + std::to_string(seconds) + " s");
}

void Engine::Fail(const std::string& why) {
  const bool is_full = SharedMemoryIsFull();  // before this engine's memory is free again
  process_.Kill();
  RemoveNames();
  throw std::runtime_error("the ViZDoom engine has stopped: " + why +
                           (is_full ? "; /dev/shm is full" : ""));
}

}  // namespace parallel_pool::vizdoom
