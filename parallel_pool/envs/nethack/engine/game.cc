#include "parallel_pool/envs/nethack/engine/game.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace parallel_pool::nethack {
namespace {

// nle asks for 64 KB. The rest is room for recursion, before the page that stops it.
constexpr size_t kStackBytes = 256 << 10;
constexpr size_t kArenaBytes = 24 << 20;  // reserved; a game uses about 0.4 MB
constexpr const char* kEmptyFiles[] = {"perm", "record", "logfile", "xlogfile"};

constexpr uint8_t kNoDescriptions[kDescriptionBytes] = {};

thread_local Game* current = nullptr;

// Makes a game the one that runs on this thread.
class Running {
 public:
  explicit Running(Game* game) : before_(std::exchange(current, game)) {}
  ~Running() { current = before_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Game* const before_;
};

template <size_t n>
void CopyText(const std::string& text, char (&out)[n], const char* name) {
  if (text.size() >= n) {
    throw std::invalid_argument(std::string(name) + " is longer than " + std::to_string(n - 1) +
                                " characters");
  }
  std::copy_n(text.c_str(), text.size() + 1, out);
}

}  // namespace

// The struct that nle 1.3.0's nle_start reads.
struct Game::Settings {
  char folder[4096], score_prefix[4096], options[32768], wizkit[4096];
  int32_t spawn_monsters;
  char recording[4096];
  uint64_t core, disp;
  char reseed;
  bool has_seeds;
  uint64_t lgen;
  bool has_lgen;
  bool fix_moon_phase;
  uint64_t time_seed;
  bool has_time_seed;
};

// | the library | a page that no code may touch | stack, downwards | arena |
struct Game::Memory {
  explicit Memory(const Library& library)
      : bytes(library.size() + kPage + kStackBytes + kArenaBytes) {
    void* const memory =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      throw std::system_error(errno, std::generic_category(), "no memory for a game of NetHack");
    }
    base = static_cast<uint8_t*>(memory);
    try {
      library.Map(base);
      if (mprotect(arena() - kStackBytes, kStackBytes + kArenaBytes, PROT_READ | PROT_WRITE) != 0) {
        throw std::system_error(errno, std::generic_category(), "mprotect");
      }
    } catch (...) {
      munmap(base, bytes);
      throw;
    }
  }
  ~Memory() { munmap(base, bytes); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  uint8_t* arena() const { return base + bytes - kArenaBytes; }
  template <class Function>
  Function* At(size_t place) const {
    return reinterpret_cast<Function*>(base + place);
  }

  const size_t bytes;
  uint8_t* base = nullptr;
};

Game& Game::Current() {
  return *current;
}

Game::Game(std::shared_ptr<const Library> library,
           std::shared_ptr<const std::vector<uint8_t>> nhdat, const Asked& asked, int64_t clock)
    : library_(std::move(library)),
      nhdat_(std::move(nhdat)),
      asked_(asked),
      clock_(clock),
      start_(library_->Find("nle_start")),
      step_(library_->Find("nle_step")),
      exit_(library_->Find("nethack_exit")),
      memory_(std::make_unique<Memory>(*library_)),
      arena_memory_(memory_->arena()),
      arena_(arena_memory_, kArenaBytes) {}

Game::~Game() {
  for (regex_t* expression : expressions_) regfree(expression);
}

void Game::Begin(const Start& start) {
  for (regex_t* expression : expressions_) regfree(expression);
  expressions_.clear();
  arena_.Clear();
  files_.Reset(kEmptyFiles, *nhdat_);
  exit_call_ = nullptr;
  arrays_ = {};
  if (asked_.descriptions) descriptions_ = kNoDescriptions;
  outputs_ = {.glyphs = arrays_.glyphs,
              .chars = arrays_.chars,
              .colors = arrays_.colors,
              .specials = arrays_.specials,
              .blstats = arrays_.blstats,
              .message = arrays_.message,
              .program_state = arrays_.program_state,
              .internal = arrays_.internal,
              .inv_glyphs = asked_.inv_glyphs ? arrays_.inv_glyphs : nullptr,
              .inv_strs = asked_.inv_strs ? arrays_.inv_strs : nullptr,
              .inv_letters = asked_.inv_letters ? arrays_.inv_letters : nullptr,
              .inv_oclasses = asked_.inv_oclasses ? arrays_.inv_oclasses : nullptr,
              .descriptions = asked_.descriptions ? &descriptions_place_ : nullptr,
              .tty_chars = arrays_.tty_chars,
              .tty_colors = arrays_.tty_colors,
              .tty_cursor = arrays_.tty_cursor,
              .misc = arrays_.misc};
  auto settings = std::make_unique<Settings>();
  CopyText("/nethack", settings->folder, "folder");
  CopyText(start.options, settings->options, "options");
  CopyText(start.wizkit, settings->wizkit, "wizkit_items");
  settings->spawn_monsters = start.spawn_monsters;
  settings->core = start.core;
  settings->disp = start.disp;
  settings->has_seeds = true;
  settings->lgen = start.lgen;
  settings->has_lgen = start.has_lgen;

  library_->ResetData(memory_->base);
  const Running running(this);
  library_->Construct(memory_->base);
  context_ =
      memory_->At<void*(Outputs*, FILE*, Settings*)>(start_)(&outputs_, nullptr, settings.get());
  CheckEnd();
}

void Game::Press(int key) {
  if (is_over()) return;
  outputs_.key = key;
  const Running running(this);
  memory_->At<void*(void*, Outputs*)>(step_)(context_, &outputs_);
  CheckEnd();
}

void Game::CheckEnd() {
  if (exit_call_ == nullptr) return;
  outputs_.is_over = 1;
  throw std::runtime_error(std::string("NetHack has called ") + exit_call_ +
                           ", which ends its process: the game is lost");
}

bool Game::TakeDescriptions(const void* to, const void* from) {
  if (to != &descriptions_place_) return false;
  descriptions_ = from == nullptr ? std::span(kNoDescriptions)
                                  : std::span(static_cast<const uint8_t*>(from), kDescriptionBytes);
  return true;
}

void Game::Exit(const char* call) {
  exit_call_ = call;
  // NetHack's own end of a game: the coroutine of the game gives way to nle_step, for good.
  memory_->At<void(int)>(exit_)(1);
  __builtin_unreachable();
}

}  // namespace parallel_pool::nethack
