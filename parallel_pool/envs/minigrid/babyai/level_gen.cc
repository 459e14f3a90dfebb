#include "parallel_pool/envs/minigrid/babyai/level_gen.h"

#include <stdexcept>
#include <string>
#include <string_view>

namespace parallel_pool::minigrid::babyai {
namespace {

constexpr std::array<Kind, 4> kKinds = {Kind::kBox, Kind::kBall, Kind::kKey, Kind::kClosedDoor};
constexpr std::array<Kind, 3> kMovable = {Kind::kBox, Kind::kBall, Kind::kKey};
constexpr std::array<Kind, 1> kDoors = {Kind::kClosedDoor};
constexpr int kObjectTries = 100;  // the reference's

constexpr std::array<std::string_view, 4> kVerbs = {"goto", "open", "pickup", "putnext"};
constexpr std::array<std::string_view, 3> kForms = {"action", "and", "seq"};

// The numbers of the lines of `words` among `all`; each becomes a T.
template <class T, size_t n>
List<T, n> NumbersOf(const char* option, const Lines& words,
                     const std::array<std::string_view, n>& all) {
  List<T, n> found;
  const std::string_view text = words.text;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    const auto* const place = std::ranges::find(all, word);
    if (place == all.end() || found.Contains(static_cast<T>(place - all.begin()))) {
      std::string allowed;
      for (const std::string_view a : all) allowed += " '" + std::string(a) + "'";
      throw std::invalid_argument(std::string(option) + " contains '" + std::string(word) +
                                  "'; it must be a list of different words of" + allowed);
    }
    found.Add(static_cast<T>(place - all.begin()));
    start = end + 1;
  }
  if (found.size() == 0) throw std::invalid_argument(std::string(option) + " is empty");
  return found;
}

}  // namespace

Options<LevelGenConfig> LevelGen::Describe() {
  return DescribeOwn<Config>(
      RoomSizeAndNumber<Config>(1),
      {Option<&Config::num_dists>("num_dists", "objects", kObjectCounts),
       Option<&Config::locked_room_prob>("locked_room_prob", "probability of a locked room",
                                         {.min = 0, .max = 1}),
       Option<&Config::locations>("locations", "missions may name the place of an object"),
       Option<&Config::unblocking>("unblocking", "objects may block the way to others"),
       Option<&Config::implicit_unlock>("implicit_unlock",
                                        "missions may be about objects in the locked room"),
       Option<&Config::action_kinds>("action_kinds",
                                     "commands: 'goto', 'pickup', 'open', 'putnext'"),
       Option<&Config::instr_kinds>("instr_kinds", "forms of a mission: 'action', 'and', 'seq'")});
}

Rules LevelGen::RulesFor(const Config& config) {
  VerbsOf(config);
  FormsOf(config);
  if (config.num_rows * config.num_cols == 1 && config.locked_room_prob > 0) {
    throw std::invalid_argument(
        "locked_room_prob is " + std::to_string(config.locked_room_prob) +
        "; with one room it must be 0, because the key would have no place outside");
  }
  return LevelWith::RulesFor(config);
}

List<Verb, 4> LevelGen::VerbsOf(const Config& config) {
  return NumbersOf<Verb>("action_kinds", config.action_kinds, kVerbs);
}

List<LevelGen::Form, 3> LevelGen::FormsOf(const Config& config) {
  return NumbersOf<Form>("instr_kinds", config.instr_kinds, kForms);
}

LevelGen::LevelGen(const Config& config, Rng& rng)
    : LevelWith(config, rng), verbs_(VerbsOf(config)), forms_(FormsOf(config)) {}

void LevelGen::Generate() {
  const auto make = [&] {
    locked_room_ = {};
    if (RandFloat() < config_.locked_room_prob) AddLockedRoom();
    ConnectAll();
    AddDistractors(config_.num_dists, false);
    if (locked_room_) {
      PlaceAgentOutside(*locked_room_);
    } else {
      PlaceAgentAnywhere();
    }
    if (!config_.unblocking) RejectUnlessReachable();
    return RandInstruction();
  };
  GenerateWith(make, config_.unblocking);
}

void LevelGen::AddLockedRoom() {
  RoomAt at;
  int direction;
  do {
    at = RandRoom();
    direction = RandInt(0, 4);
  } while (!HasNeighbor(at, direction));
  const Cell door = AddDoor(at, direction, {}, true);
  locked_room_ = at;
  RoomAt with_key = RandRoom();
  while (with_key == at) with_key = RandRoom();
  AddObject(with_key, Kind::kKey, door.color());
}

Instruction LevelGen::RandInstruction() {
  const Form form = RandElement(forms_);
  if (form != Form::kSequence) return {RandClause(form)};
  const List<Form, 2> forms = {Form::kAction, Form::kAnd};
  const Clause a = RandClause(RandElement(forms));
  const Clause b = RandClause(RandElement(forms));
  using Order = Instruction::Order;
  return {a, RandInt(0, 2) == 0 ? Order::kThen : Order::kAfter, b};
}

Clause LevelGen::RandClause(Form form) {
  Clause clause = {RandCommand()};
  if (form == Form::kAnd) clause.other = RandCommand();
  return clause;
}

Command LevelGen::RandCommand() {
  Command command = {RandElement(verbs_)};
  switch (command.verb) {
    case Verb::kGoTo:
      command.what = RandObject();
      break;
    case Verb::kOpen:
      command.what = RandDoor();
      break;
    case Verb::kPickUp:
      command.what = RandMovableObject();
      break;
    case Verb::kPutNext:
      command.what = RandMovableObject();
      command.next_to = RandObject();
      break;
  }
  return command;
}

ObjectDescription LevelGen::RandObject() {
  return RandObjectOf(kKinds);
}
ObjectDescription LevelGen::RandMovableObject() {
  return RandObjectOf(kMovable);
}
ObjectDescription LevelGen::RandDoor() {
  return RandObjectOf(kDoors);
}

template <size_t n>
ObjectDescription LevelGen::RandObjectOf(const std::array<Kind, n>& kinds) {
  for (int tries = 0; tries <= kObjectTries; ++tries) {
    ObjectDescription description;
    const int color = RandInt(0, kColors + 1);  // 0: not named
    if (color > 0) description.color = kDrawnColors[color - 1];
    description.kind = RandElement(kinds);
    if (config_.locations && RandBool()) {
      description.where =
          RandElement(List<Where, 4>{Where::kLeft, Where::kRight, Where::kFront, Where::kBehind});
    }
    if (Exists(description)) return description;
  }
  throw Rejected("no object fits");
}

bool LevelGen::Exists(const ObjectDescription& description) const {
  const Matches matches = Find(*this, AreaOf(RoomWith(agent())), description);
  if (config_.implicit_unlock || !locked_room_) return matches.count > 0;
  const Area locked = AreaOf(*locked_room_);
  return matches.ids.Any(
      [&](int id) { return !locked.Contains(PlaceOf({0, static_cast<uint8_t>(id)})); });
}

}  // namespace parallel_pool::minigrid::babyai
