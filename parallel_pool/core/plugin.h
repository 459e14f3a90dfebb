// The boundary between the engine and a family of envs. Only plain data, spans and abstract
// classes cross it: no std:: type, no exception, no Python. A family is a shared library that
// exports one function, parallel_pool_family.
//
//   Family -> Task ("Pong-v5")  Configure(options) -> Setup  MakeGroup(num_envs) -> EnvGroup
//
// A Task lives as long as the process, a Setup longer than its groups, a group as long as its pool.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallel_pool/core/array_spec.h"
#include "parallel_pool/core/bodies.h"

namespace parallel_pool {

// The version of this boundary. Every change of the meaning or layout of anything in this file, or
// in array_spec.h or bodies.h, raises it.
inline constexpr int32_t kAbiVersion = 23;

// The most envs that the engine steps in one call of EnvGroup::Step.
inline constexpr int32_t kMaxChunk = 256;

enum class OptionType : int32_t {
  kBool,
  kInt,
  kFloat,
  kString,
  kIntRange,
  kLines,
  kNumbers,
  kArrays,
  kIntOrString,
  kNumbersByName,
  kNumbersByInt,
};

// One array of an option that is a dict of arrays.
struct OptionArray {
  const char* name;
  Span<int32_t> shape;   // empty for one number
  Span<double> numbers;  // in C order
};

// The numbers of one key.
struct KeyedNumbers {
  const char* name;  // kNumbersByName
  int64_t number;    // kNumbersByInt
  Span<double> numbers;
};

// The value of an option. A value uses the members that name its type, and no other.
struct OptionValue {
  OptionType type;
  int64_t integer = 0;         // kBool (0 or 1), kInt, kIntOrString, kIntRange: the smallest;
                               // kNumbers: how many there are, 0: any;
                               // kNumbersByName, kNumbersByInt: numbers for each key
  double real = 0.0;           // kFloat
  const char* text = nullptr;  // kString, kLines: joined by '\n', kIntOrString or nullptr
  int64_t end = 0;             // kIntRange: one more than the largest
  bool is_default = false;     // not given by the user: may be computed from other options
  Span<double> numbers{};      // kNumbers
  Span<OptionArray> arrays{};  // kArrays
  Span<KeyedNumbers> keyed{};  // kNumbersByName, kNumbersByInt
};

struct OptionSpec {
  const char* name;
  const char* doc;            // one line: meaning, unit, allowed values
  OptionValue initial;        // the value if the user gives none
  double min, max;            // of each number of the option, except in kArrays
  Span<const char*> choices;  // kString: the allowed values; empty: any
};

struct TaskSpec {
  const char* id;             // "Pong-v5"
  const char* suite;          // "dm_control"; empty: the family has no suites
  const char* twin_of;        // the id of the task that pages name in its place: one that differs
                              // in rewards, actions, version or name only; empty: none
  int32_t max_episode_steps;  // the time limit in steps
  double reward_threshold;    // the return that counts as solved; NaN if none
  bool can_save;              // envs have Save and Load
  bool can_render;            // envs have Render
  bool can_render_text;       // envs have RenderText
  bool turn_based;            // nothing moves until the player acts: play waits for a key
};

struct OptionSpecs {
  Span<OptionSpec> options;        // of make()
  Span<OptionSpec> reset_options;  // of one reset; empty: none
};

// The size of a picture, in pixels.
struct ImageSize {
  int32_t height, width;

  bool operator==(const ImageSize&) const = default;
};

// The result of a step.
struct Outcome {
  double reward = 0.0;
  bool terminated = false;  // the task itself ended the episode
  bool truncated = false;   // a limit of the env's own cut the episode off; the engine adds the
                            // limit of max_episode_steps
  float discount = 1.0f;    // of the rewards that follow; the engine writes 0 where terminated
  bool episode_continues = false;  // the learner receives `terminated`, but the episode goes on
};

// The action of one env in a chunk.
enum class Turn : uint8_t {
  kStep,
  kReset,        // begins an episode in a new world
  kContinue,     // begins the next episode after a termination; the env may keep its world
  kObserveOnly,  // does not change the env: only Observe follows
};

struct Result {
  Outcome outcome;
  bool new_world = false;  // an episode began with a Reset: its time starts at 0
  bool failed = false;     // the env threw: see EnvGroup::Failure
  bool is_lost = false;    // the same as Error::env_is_lost
  int32_t players = -1;    // players that Observe has written; -1: as many as the arrays hold
};

// The message of a call that failed; a call writes it and ends it with a 0.
struct Error {
  char text[1024] = "";
  bool out_of_memory = false;
  bool env_is_lost = false;  // of EnvGroup::Rebuild
  bool is_refusal = false;   // the call was wrong, not the env
};

// Receives the bytes of an env's saved state.
class Writer {
 public:
  virtual void Write(const void* data, size_t bytes) = 0;

 protected:
  ~Writer() = default;
};

// Returns the bytes of an env's saved state.
class Reader {
 public:
  // False, with nothing read, if fewer than `bytes` bytes are left.
  virtual bool Read(void* data, size_t bytes) = 0;
  virtual size_t left() const = 0;

 protected:
  ~Reader() = default;
};

class Setup;

// How the next reset of an env begins.
struct NextReset {
  const uint64_t* seed = nullptr;     // of its random numbers; nullptr: they go on
  const Setup* setup = nullptr;       // its options from then on; nullptr: it keeps them
  Span<OptionValue> reset_options{};  // one for each of Setup::reset_options(); empty: defaults
};

// The envs of one pool, numbered from 0. Calls for different envs may come from different threads
// at the same time; calls for one env never overlap.
class EnvGroup {
 public:
  virtual ~EnvGroup() = default;

  // Builds env `env`; false with a message in `error` if it cannot. Its options are those of
  // `setup`, a setup of the same task whose arrays have the same rows and which lives as long as
  // the group; nullptr: those of the group's own setup.
  virtual bool Create(int32_t env, uint64_t seed, const Setup* setup, Error* error) noexcept = 0;
  // Builds a built env again, with the options of `setup`. Its random numbers go on, and a kReset
  // turn follows. False with a message in `error` if it cannot; the env is then a new one with its
  // old options or, if error->env_is_lost, must not be used any more.
  virtual bool Rebuild(int32_t env, const Setup* setup, Error* error) noexcept = 0;
  // The env's next reset, in a kReset turn or a kContinue turn that keeps no world, begins as in
  // `next`, as if Rebuild were called just before. Takes the place of an earlier call; NextReset{}
  // drops it. False with a message in `error`, and nothing changed, if the options are refused.
  virtual bool Prepare(int32_t env, const NextReset& next, Error* error) noexcept = 0;

  // Runs turns[i] of envs[i], for 1 to kMaxChunk envs. actions[k] is column k of the actions, one
  // row for each env of the pool, in the order of Setup::action_spec(). Rows of players that are
  // not in the env hold zeros.
  virtual void Step(const int32_t* envs, const Turn* turns, int32_t count,
                    std::byte* const* actions, Result* results) noexcept = 0;
  // Writes the observation of envs[i] into row first_row + i of each of the `columns` (in the
  // order of Setup::state_spec()), unless results[i] has failed.
  virtual void Observe(const int32_t* envs, int32_t count, std::byte* const* columns,
                       int64_t first_row, Result* results) noexcept = 0;
  // The message of the env's last exception, for a result that has failed.
  virtual const char* Failure(int32_t env) const = 0;

  // Writes the env's state, random numbers included. False with a message in `error` if the env
  // threw.
  virtual bool Save(int32_t env, Writer& writer, Error* error) noexcept = 0;
  // Puts the env into a state that Save wrote, of an env with the same options. False with a
  // message in `error` if the bytes are no such state; the env then needs a Reset.
  virtual bool Load(int32_t env, Reader& reader, Error* error) noexcept = 0;

  // Draws the env as it is now for people: height x width x 3 bytes (rows, columns, RGB), or as
  // text. False with a message in `error` if the env threw.
  virtual bool Render(int32_t env, uint8_t* rgb, Error* error) noexcept = 0;
  virtual bool RenderText(int32_t env, Writer& text, Error* error) noexcept = 0;
  // Tells where the bodies of the env's world are now, always the same ones in the same order, and
  // their shapes if `with_shapes`; none if it has no such world. False with a message in `error` if
  // the env threw.
  virtual bool GetBodies(int32_t /*env*/, bool /*with_shapes*/, BodyReceiver& /*bodies*/,
                         Error* /*error*/) noexcept {
    return true;
  }
};

// A task of a pool that has several. Its envs are neighbors.
struct TaskPart {
  const char* id;
  int32_t first_env;
  // Parallel to Setup::action_spec(): the task's own arrays, whose axes may be shorter. The data
  // are at the beginning of each axis. An array that it does not read allows every number.
  Span<ArraySpec> action;
  Span<ArraySpec> state;  // the task's own
};

// A task with all of its options set, and the data that its envs share, such as a model. All
// functions may be called from any thread.
class Setup {
 public:
  virtual ~Setup() = default;

  virtual const TaskSpec& task() const = 0;
  // Live as long as the setup.
  virtual Span<ArraySpec> action_spec() const = 0;
  virtual Span<ArraySpec> state_spec() const = 0;
  // Each option's final value, in the order of OptionSpecs::options.
  virtual Span<OptionValue> options() const = 0;
  virtual Span<OptionSpec> reset_options() const = 0;
  // The most players of an env; 0 if no array is per player.
  virtual int32_t most_players() const = 0;
  // The players that the env describes, one for each of most_players(); empty: all are alike.
  virtual Span<PlayerSpec> players() const = 0;
  // The tasks of the pool, if there are several; else empty.
  virtual Span<TaskPart> parts() const { return {}; }
  // Whether row k of an array that is per player always belongs to player k: no player comes or
  // goes.
  virtual bool has_constant_players() const = 0;
  // Whether the seed changes nothing: with these options the task has no randomness.
  virtual bool is_deterministic() const { return false; }
  // How these envs run, for people; empty: there is nothing special.
  virtual const char* remark() const { return ""; }
  // The numbers of a goal; 0: rewards do not follow from goals.
  virtual int32_t goal_size() const { return 0; }
  // Writes the outcome of a step that has achieved goal k of `achieved` where goal k of `desired`
  // was wanted, for `count` goals, each of goal_size() numbers.
  virtual void JudgeGoals(const double* /*achieved*/, const double* /*desired*/, int64_t /*count*/,
                          Outcome* /*outcomes*/) const noexcept {}
  // Steps per second at which people watch these envs; 0: as fast as possible.
  virtual int32_t render_fps() const = 0;
  // The size of the pictures of Render; false with a message in `error` if there is none.
  virtual bool GetRenderSize(ImageSize* size, Error* error) const noexcept = 0;
  // The number of envs that a call of EnvGroup::Step should have, 1 to kMaxChunk: 1 for envs that
  // are stepped one by one, more for envs that are faster together (SIMD lanes, or waiting together
  // for other processes).
  virtual int32_t preferred_chunk() const = 0;

  // Makes a group of `num_envs` envs, none of them built yet. nullptr with a message in `error` if
  // there is no memory for it.
  virtual EnvGroup* MakeGroup(int32_t num_envs, Error* error) const noexcept = 0;
};

// All functions may be called from any thread.
class Task {
 public:
  virtual ~Task() = default;
  virtual const TaskSpec& spec() const = 0;
  // The options, which live as long as the task. They are made by the first call: most processes
  // use few of the tasks. False with a message in `error` if there is no memory.
  virtual bool GetOptions(OptionSpecs* specs, Error* error) const noexcept = 0;
  // `values` holds one value for each of OptionSpecs::options. nullptr with a message in `error` if
  // one is refused. Data that `like`, a setup of this task, has loaded, such as a model, is not
  // loaded again; nullptr: there is none.
  virtual Setup* Configure(Span<OptionValue> values, const Setup* like,
                           Error* error) const noexcept = 0;
};

// NumPy's functions of float64 numbers. Where NumPy has its own code for a processor, its last bits
// differ from libm's. All functions may be called from any thread.
struct Arithmetic {
  double (*exp)(double x);
  double (*log)(double x);
  double (*log1p)(double x);
  double (*arcsinh)(double x);
  double (*tanh)(double x);
  double (*sin)(double x);
  double (*cos)(double x);
  double (*tan)(double x);
  double (*arcsin)(double x);
  double (*arccos)(double x);
  double (*arctan)(double x);
  double (*arctan2)(double y, double x);
  double (*power)(double x, double exponent);
  // numpy.matmul(a, x) of a matrix of m rows and n columns and n numbers. Writes m numbers.
  void (*matmul)(const double* a, const double* x, int32_t m, int32_t n, double* out);
  // numpy.matmul(a.T, x) of such a matrix and m numbers. Writes n numbers.
  void (*matmul_transposed)(const double* a, const double* x, int32_t m, int32_t n, double* out);
  // numpy.matmul(a, a.T) of such a matrix. Writes m rows and columns.
  void (*gram)(const double* a, int32_t m, int32_t n, double* out);
  // numpy.linalg.solve(a, b) of n rows and columns and n numbers. Writes n numbers, nan if there is
  // no solution.
  void (*solve)(const double* a, const double* b, int32_t n, double* out);
  bool fuses_dot;     // numpy.dot of vectors rounds a product and its sum only once
  bool fuses_matmul;  // the same of matrices
};

// The functions that families get from the program that loads them.
struct Host {
  Arithmetic arithmetic;
  // Writes the folder of the installed Python package `name`; false if there is none. The package
  // is not imported. May be called from any thread.
  bool (*find_package)(const char* name, Writer& folder);
};

struct Family {
  int32_t abi_version;
  Span<const Task*> tasks;
  // The host calls it once, before it uses the tasks. The family copies the functions.
  void (*set_host)(const Host& host);
};

}  // namespace parallel_pool

// The function that every family exports. The result lives as long as the library.
extern "C" const parallel_pool::Family* parallel_pool_family();
