// Plays games with random keys of the whole keyboard, to see whether NetHack's code ever crashes.
//
// Usage: soak FOLDER_OF_NLE KEYS THREADS [FIRST_SEED] [wizard]
//
// Each game has a seed of its own and ends by itself or after 20,000 keys. In games with odd seeds
// the keys that end a game (quit, save, and # for extended commands) are escapes. In half of the
// games, most keys are those of nle's tasks, so that the player gets about. A signal prints
// the seed and the number of the key, and ends the program with status 1.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "parallel_pool/envs/nethack/engine/game.h"
#include "parallel_pool/envs/nethack/keys.h"
#include "parallel_pool/envs/nethack/numbers.h"

namespace parallel_pool::nethack {
namespace {

constexpr int kMostKeys = 20000;
constexpr const char* kOptions =
    "autopickup,color,mention_walls,nobones,nocmdassist,nolegacy,nosparkle,runmode:teleport,"
    "showexp,showscore,time,name:Agent-@,race:random,gender:random,align:random";

thread_local uint64_t seed = 0;
thread_local int count = 0;

void Report(int signal) {
  char text[100];
  const int size = std::snprintf(text, sizeof(text), "signal %d, seed %llu, key %d\n", signal,
                                 static_cast<unsigned long long>(seed), count);
  if (write(STDOUT_FILENO, text, static_cast<size_t>(size)) < 0) _exit(2);
  _exit(1);
}

// Reports signals on a stack of its own: that of the game may be full.
void CatchSignals() {
  thread_local std::vector<uint8_t> memory(1 << 16);
  const stack_t stack = {.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = Report;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    sigaction(signal, &action, nullptr);
  }
}

class Soak {
 public:
  Soak(const std::string& package, uint64_t keys, uint64_t first_seed, bool wizard)
      : library_(std::make_shared<const Library>(package + "/libnethack.so")),
        keys_(keys),
        options_(std::string(kOptions) + (wizard ? ",playmode:debug" : "")),
        next_seed_(first_seed) {
    std::ifstream file(package + "/nethackdir/nhdat", std::ios::binary);
    nhdat_ = std::make_shared<const std::vector<uint8_t>>(std::istreambuf_iterator<char>(file),
                                                          std::istreambuf_iterator<char>());
  }

  void Play() {
    CatchSignals();
    Game game(library_, nhdat_, Asked{.descriptions = false}, 946728000);
    while (played_ < keys_) {
      seed = next_seed_++;
      try {
        PlayOne(game);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        if (lost_[error.what()]++ == 0) {
          std::printf("%s: seed %llu, key %d\n", error.what(),
                      static_cast<unsigned long long>(seed), count);
        }
      }
      played_ += static_cast<uint64_t>(count);
      ++games_;
    }
  }

  void Print() const {
    std::printf("%llu games, %llu keys\n", static_cast<unsigned long long>(games_.load()),
                static_cast<unsigned long long>(played_.load()));
    for (const auto& [what, times] : lost_) std::printf("%d times: %s\n", times, what.c_str());
  }

 private:
  void PlayOne(Game& game) {
    const Keys all = KeysOf(KeySet::kAll), walking = KeysOf(KeySet::kTask);
    const bool walks = seed / 2 % 2 == 1;
    std::mt19937_64 random(seed);
    count = 0;
    Start start;
    start.core = seed;
    start.disp = seed + 1;
    start.options = options_;
    for (game.Begin(start); count < kMostKeys && !game.is_over(); ++count) {
      const Keys& keys = walks && random() % 8 != 0 ? walking : all;
      int key = keys[random() % keys.size()];
      if (seed % 2 == 1 && (key == kQuit || key == 'S' || key == '#')) key = kEscape;
      game.Press(key);
    }
  }

  const std::shared_ptr<const Library> library_;
  std::shared_ptr<const std::vector<uint8_t>> nhdat_;
  const uint64_t keys_;
  const std::string options_;
  std::atomic<uint64_t> next_seed_, played_ = 0, games_ = 0;
  std::mutex mutex_;
  std::map<std::string, int> lost_;
};

}  // namespace
}  // namespace parallel_pool::nethack

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: soak FOLDER_OF_NLE KEYS THREADS [FIRST_SEED] [wizard]\n");
    return 2;
  }
  const std::string wizard = argc > 5 ? argv[5] : "";
  parallel_pool::nethack::Soak soak(argv[1], std::strtoull(argv[2], nullptr, 10),
                                    argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0,
                                    wizard == "wizard");
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(argv[3]); ++i) threads.emplace_back([&] { soak.Play(); });
  for (std::thread& thread : threads) thread.join();
  soak.Print();
}
