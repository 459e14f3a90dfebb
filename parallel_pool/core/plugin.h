// The boundary between the engine and a family of envs. Only plain data, spans and abstract
// classes cross it: no std:: type, no exception, no Python. A family is a shared library that
// exports one function, parallel_pool_family.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parallel_pool {

// Raised by every change of this file that changes the meaning or layout of anything in it.
inline constexpr int32_t kAbiVersion = 9;

template <class T>
struct Span {
  const T* data = nullptr;
  int32_t size = 0;

  const T* begin() const { return data; }
  const T* end() const { return data + size; }
  const T& operator[](int32_t i) const { return data[i]; }
};

enum class DType : int32_t { kBool, kInt8, kUint8, kInt32, kInt64, kFloat32, kFloat64 };
enum class SpaceKind : int32_t { kBox, kDiscrete };

// One array of an env's action or state, without the batch axis.
struct ArraySpec {
  const char* name;
  DType dtype;
  SpaceKind kind;
  Span<int32_t> shape;     // of one env's row; empty for one number
  Span<double> low, high;  // one number for all elements, or one for each
  // 0: the array is the env's as a whole. Otherwise a row has room for so many players, `shape`
  // each, one player after another.
  int32_t players;
};

enum class OptionType : int32_t {
  kBool,
  kInt,
  kFloat,
  kString,
  kIntRange,
  kLines,
  kNumbers,
  kEnvArrays,
  kIntOrString,
};

// An array with a row for each env of a pool.
struct EnvArray {
  const char* name;
  Span<int32_t> shape;   // of a row; empty for one number
  Span<double> numbers;  // all rows, one after another
};

struct OptionValue {
  OptionType type;
  int64_t integer;          // kBool (0 or 1), kInt, kIntOrString, kIntRange: the smallest
  double real;              // kFloat
  const char* text;         // kString, kLines: joined by '\n', kIntOrString or nullptr
  int64_t end = 0;          // kIntRange: one more than the largest
  bool is_default = false;  // the user said nothing: it may follow from other options
  Span<double> numbers{};   // kNumbers
  Span<EnvArray> arrays{};  // kEnvArrays
};

struct OptionSpec {
  const char* name;
  const char* doc;      // one line: meaning, unit, what is allowed
  OptionValue initial;  // what it is when the user says nothing
  double min, max;  // of kInt, kFloat, the int of a kIntOrString and each number of a kIntRange or
                    // of kNumbers
  // Of kString: what it may be; empty: anything.
  Span<const char*> choices;
};

struct TaskSpec {
  const char* id;             // "Pong-v5"
  int32_t max_episode_steps;  // the time limit in steps
  double reward_threshold;    // the return that counts as solved; NaN if none
  Span<OptionSpec> options;
  Span<OptionSpec> reset_options;  // what a reset takes; empty: nothing
  bool draws;                      // envs can Render
  bool writes;                     // envs can RenderText
};

// Of a picture, in pixels.
struct ImageSize {
  int32_t height, width;

  bool operator==(const ImageSize&) const = default;
};

// What a step gave.
struct Outcome {
  double reward = 0.0;
  bool terminated = false;  // the episode ended in itself, not by a time limit
  float discount = 1.0f;    // of what follows; 0 is implied by `terminated`
  bool goes_on = false;     // `terminated` is for the learner: the episode is not over
};

// What one env is to do in a chunk.
enum class Turn : int32_t {
  kStep,
  kReset,     // begin an episode in a new world
  kContinue,  // begin the next episode after a termination; the env may keep its world
  kLook,      // stay as it is: only Observe follows
};

struct Result {
  Outcome outcome;
  bool new_world = false;  // an episode began with a Reset: its time starts at 0
  bool failed = false;     // the env threw: see EnvGroup::Failure
  int32_t players = -1;    // that Observe has written; -1: as many as the arrays have room for
};

// Where a call that can fail leaves its message.
struct Error { char text[1024] = ""; };

// Where an env's state goes to.
class Writer {
 public:
  virtual void Write(const void* data, size_t bytes) = 0;

 protected:
  ~Writer() = default;
};

// Where it comes from.
class Reader {
 public:
  // False, with nothing read, if fewer than `bytes` bytes are left.
  virtual bool Read(void* data, size_t bytes) = 0;
  virtual size_t left() const = 0;

 protected:
  ~Reader() = default;
};

// The envs of one pool, numbered from 0. Calls for different envs may come from different threads
// at the same time; calls for one env never overlap.
class EnvGroup {
 public:
  virtual ~EnvGroup() = default;

  // Live as long as the group.
  virtual Span<ArraySpec> action_spec() const = 0;
  virtual Span<ArraySpec> state_spec() const = 0;

  // Each option as it is in the end, in the order of TaskSpec::options.
  virtual Span<OptionValue> options() const = 0;

  // Steps a second at which people watch these envs; 0: as fast as may be.
  virtual int32_t render_fps() const = 0;

  // Builds env `env`; false with a message in `error` if it cannot.
  virtual bool Create(int32_t env, uint64_t seed, Error* error) noexcept = 0;
  // Restarts the random numbers of `env`; a kReset turn follows.
  virtual void Seed(int32_t env, uint64_t seed) noexcept = 0;
  // For the kReset turn of `env` that follows, and no other: one value for each of
  // TaskSpec::reset_options. False with a message in `error`, and nothing changed, if refused.
  virtual bool SetResetOptions(int32_t env, Span<OptionValue> values, Error* error) noexcept = 0;

  // Gives each of `count` envs its turn. actions[k] is column k of the actions, one row for each
  // env of the pool, in the order of action_spec(); of players who are not there it holds zeros.
  virtual void Step(const int32_t* envs, const Turn* turns, int32_t count,
                    std::byte* const* actions, Result* results) noexcept = 0;
  // Writes what envs[i] shows into row first_row + i of each of the `columns` (in the order of
  // state_spec()), unless results[i] has failed.
  virtual void Observe(const int32_t* envs, int32_t count, std::byte* const* columns,
                       int64_t first_row, Result* results) noexcept = 0;
  // What the env threw last, for a result that has failed.
  virtual const char* Failure(int32_t env) const = 0;

  // Whether these envs can Save and Load.
  virtual bool can_save() const = 0;
  // The env's state, random numbers included. False if it threw: see Failure.
  virtual bool Save(int32_t env, Writer& writer) noexcept = 0;
  // Puts the env into a state that Save wrote, of an env with the same options. False if the bytes
  // are not that; the env then needs a Reset.
  virtual bool Load(int32_t env, Reader& reader) noexcept = 0;

  // What an env looks like now, to people; only where the task says that it draws or writes.
  // The size of its pictures; false with a message in `error` if there is none.
  virtual bool GetRenderSize(ImageSize* size, Error* error) const noexcept = 0;
  // Writes height x width x 3 bytes: rows, columns, RGB. False if it threw: see Failure.
  virtual bool Render(int32_t env, uint8_t* rgb) noexcept = 0;
  virtual bool RenderText(int32_t env, Writer& text) noexcept = 0;
};

class Task {
 public:
  virtual ~Task() = default;
  virtual const TaskSpec& spec() const = 0;
  // A group of `num_envs` envs, none of them built yet (0 is enough for the specs). `values` holds
  // one value for each of spec().options. nullptr with a message in `error` if that is refused.
  virtual EnvGroup* MakeGroup(Span<OptionValue> values, int32_t num_envs,
                              Error* error) const noexcept = 0;
};

struct Family {
  int32_t abi_version;
  Span<const Task*> tasks;
};

}  // namespace parallel_pool

// What every family exports; the result lives as long as the library.
extern "C" const parallel_pool::Family* parallel_pool_family();
