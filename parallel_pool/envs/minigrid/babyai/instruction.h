// BabyAI's instructions: "pick up the red box and go to a door, then open the door behind you".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/envs/minigrid/world.h"

namespace parallel_pool::minigrid::babyai {

// Where an object is when the episode begins: in the agent's room, on this side of the agent.
enum class Where : uint8_t { kAnywhere, kLeft, kRight, kFront, kBehind };

// The description of an object in an instruction.
struct ObjectDescription {
  Kind kind = kAny;  // kClosedDoor stands for doors in any state
  std::optional<Color> color = {};
  Where where = Where::kAnywhere;

  static constexpr Kind kAny = Kind::kUnseen;
};

enum class Verb : uint8_t { kGoTo, kOpen, kPickUp, kPutNext };

struct Command {
  Verb verb = Verb::kGoTo;
  ObjectDescription what = {};
  ObjectDescription next_to = {};  // only of kPutNext
  bool is_strict = false;          // opening or picking up anything else is a failure
};

// One command, or two in any order ("and").
struct Clause {
  Command command = {};
  std::optional<Command> other = {};
};

// One clause, or two in an order.
struct Instruction {
  enum class Order : uint8_t { kOnly, kThen, kAfter };  // "A, then B"; "A after you B"

  Clause clause = {};
  Order order = Order::kOnly;
  Clause second = {};

  // The clause that is to be done first: 0 or 1.
  int first() const { return order == Order::kAfter ? 1 : 0; }
};

// A set of ids of objects.
class IdSet {
 public:
  void Add(int id) { words_[id / 64] |= uint64_t{1} << id % 64; }
  bool Contains(int id) const { return (words_[id / 64] >> id % 64 & 1) != 0; }
  bool Intersects(const IdSet& other) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  // Whether is_true(id) for any id of the set.
  template <class IsTrue>
  bool Any(const IsTrue& is_true) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t left = words_[i]; left != 0; left &= left - 1) {
        if (is_true(static_cast<int>(i) * 64 + std::countr_zero(left))) return true;
      }
    }
    return false;
  }

 private:
  std::array<uint64_t, (kMostObjects + 1) / 64> words_ = {};
};

// The objects that a description matches.
struct Matches {
  IdSet ids;
  int count = 0;  // walls included: "a grey object" may be any of them
};

// `room`: the agent's.
Matches Find(const World& world, const Area& room, const ObjectDescription& description);

enum class Status : uint8_t { kContinue, kSuccess, kFailure };

// Whether the agent has done what an instruction says.
class Verifier {
 public:
  // Begins an episode: finds the objects that the instruction means, in the world as it is. `room`
  // is the agent's. Throws Rejected if the instruction makes no sense here: an object is put next
  // to itself, or is there already; or, with `spares_keys`, it is about the key of a locked door.
  void Begin(const Instruction& instruction, const World& world, const Area& room,
             bool spares_keys);

  // Call it after each step.
  Status Verify(int move, const World& world);

  // Rooms to go to: one for each command, two to put an object next to another.
  int num_visits() const;
  void AppendText(std::string& text) const;

  auto Saved() { return std::tie(instruction_, progress_, places_, is_first_done_); }

 private:
  // The state of a command.
  struct Progress {
    Matches what = {}, next_to = {};
    Cell carried_before = kEmpty;  // when this command was verified last
    bool is_done = false;          // of two commands in any order
  };

  const Clause& clause(int i) const { return i == 0 ? instruction_.clause : instruction_.second; }
  template <class Call>
  void ForEachCommand(const Call& call) const;  // call(command, number)
  void RememberPlaces(const World& world);
  Status VerifyClause(int i, int move, const World& world);
  Status VerifyCommand(const Command& command, Progress& progress, int move,
                       const World& world) const;
  bool IsNextTo(const World& world, int id, const Matches& others) const;

  Instruction instruction_;
  std::array<Progress, 4> progress_;  // clause 0's, then clause 1's
  // Where each object was when the episode began or something was dropped last; kNowhere if it was
  // not on the grid. An object that is taken away stays where it was until then: the reference has
  // it so, and going to its old place succeeds.
  std::vector<Point> places_;
  bool is_first_done_ = false;
};

}  // namespace parallel_pool::minigrid::babyai
