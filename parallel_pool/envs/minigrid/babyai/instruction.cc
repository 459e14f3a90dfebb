#include "parallel_pool/envs/minigrid/babyai/instruction.h"

#include <string_view>
#include <utility>

namespace parallel_pool::minigrid::babyai {
namespace {

bool IsOnSide(const World& world, const Area& room, Where where, Point p) {
  if (where == Where::kAnywhere) return true;
  if (!room.Contains(p)) return false;
  const Point d = p - world.agent();
  const Point ahead = kDirections[world.direction()];
  const Point right = kDirections[(world.direction() + 1) % 4];
  const int forwards = d.x * ahead.x + d.y * ahead.y, rightwards = d.x * right.x + d.y * right.y;
  switch (where) {
    case Where::kLeft:
      return rightwards < 0;
    case Where::kRight:
      return rightwards > 0;
    case Where::kFront:
      return forwards > 0;
    default:
      return forwards < 0;
  }
}

bool IsMeant(const ObjectDescription& description, Look look) {
  const Kind kind = KindOf(look);
  if (description.color && *description.color != ColorOf(look)) return false;
  return description.kind == ObjectDescription::kAny || description.kind == kind ||
         (description.kind == Kind::kClosedDoor && IsDoor(kind));
}

int CountWalls(const World& world, Color color) {
  int count = 0;
  for (int y = 0; y < world.height(); ++y) {
    for (int x = 0; x < world.width(); ++x) {
      count += world.At({x, y}).look == LookOf(Kind::kWall, color);
    }
  }
  return count;
}

// The cell of the object with this id, if it is on the grid.
std::optional<Cell> OnGrid(const World& world, int id) {
  const Cell object = {0, static_cast<uint8_t>(id)};
  if (world.PlaceOf(object) == kNowhere) return {};
  const Cell cell = world.Now(object);
  if (cell.id != id) return {};
  return cell;
}

void AppendName(std::string& text, const ObjectDescription& description, const Matches& matches) {
  text += matches.count > 1 ? "a " : "the ";
  if (description.color) {
    text += NameOf(*description.color);
    text += ' ';
  }
  text += description.kind == ObjectDescription::kAny ? "object" : NameOf(description.kind);
  static constexpr std::string_view kPlaces[] = {"", " on your left", " on your right",
                                                 " in front of you", " behind you"};
  text += kPlaces[static_cast<int>(description.where)];
}

bool IsLockedDoor(const World& world, int id, Color color) {
  const std::optional<Cell> cell = OnGrid(world, id);
  return cell && cell->look == LookOf(Kind::kLockedDoor, color);
}

bool IsKeyOfLockedDoor(const World& world, const ObjectDescription& description) {
  if (description.kind != Kind::kKey || !description.color) return false;
  for (int id = 1; id <= world.num_objects(); ++id) {
    if (IsLockedDoor(world, id, *description.color)) return true;
  }
  return false;
}

}  // namespace

Matches Find(const World& world, const Area& room, const ObjectDescription& description) {
  Matches matches;
  for (int id = 1; id <= world.num_objects(); ++id) {
    const std::optional<Cell> cell = OnGrid(world, id);
    if (!cell || !IsMeant(description, cell->look)) continue;
    if (!IsOnSide(world, room, description.where, world.PlaceOf(*cell))) continue;
    matches.ids.Add(id);
    ++matches.count;
  }
  if (description.kind == ObjectDescription::kAny && description.color) {
    matches.count += CountWalls(world, *description.color);
  }
  return matches;
}

template <class Call>
void Verifier::ForEachCommand(const Call& call) const {
  for (int i = 0; i < (instruction_.order == Instruction::Order::kOnly ? 1 : 2); ++i) {
    call(clause(i).command, 2 * i);
    if (clause(i).other) call(*clause(i).other, 2 * i + 1);
  }
}

void Verifier::Begin(const Instruction& instruction, const World& world, const Area& room,
                     bool spares_keys) {
  instruction_ = instruction;
  is_first_done_ = false;
  RememberPlaces(world);
  ForEachCommand([&](const Command& command, int number) {
    Progress& progress = progress_[number];
    progress = {.what = Find(world, room, command.what)};
    if (command.verb == Verb::kPutNext) {
      progress.next_to = Find(world, room, command.next_to);
      if (progress.what.ids.Intersects(progress.next_to.ids)) {
        throw Rejected("an object would be put next to itself");
      }
      const auto is_there = [&](int id) { return IsNextTo(world, id, progress.next_to); };
      if (progress.what.ids.Any(is_there)) throw Rejected("the objects are next to each other");
    }
    if (spares_keys &&
        (IsKeyOfLockedDoor(world, command.what) ||
         (command.verb == Verb::kPutNext && IsKeyOfLockedDoor(world, command.next_to)))) {
      throw Rejected("the key of a locked door is needed for the door");
    }
  });
}

void Verifier::RememberPlaces(const World& world) {
  places_.assign(1, kNowhere);
  for (int id = 1; id <= world.num_objects(); ++id) {
    const std::optional<Cell> cell = OnGrid(world, id);
    places_.push_back(cell ? world.PlaceOf(*cell) : kNowhere);
  }
}

Status Verifier::Verify(int move, const World& world) {
  if (move == kDrop) RememberPlaces(world);
  if (instruction_.order == Instruction::Order::kOnly) return VerifyClause(0, move, world);
  const int first = instruction_.first();
  if (!is_first_done_) {
    const Status status = VerifyClause(first, move, world);
    if (status != Status::kSuccess) return status;
    is_first_done_ = true;
  }
  return VerifyClause(1 - first, move, world);
}

Status Verifier::VerifyClause(int i, int move, const World& world) {
  const Clause& c = clause(i);
  if (!c.other) return VerifyCommand(c.command, progress_[2 * i], move, world);
  bool is_done = true;
  for (int k = 0; k < 2; ++k) {
    Progress& progress = progress_[2 * i + k];
    if (!progress.is_done) {
      const Command& command = k == 0 ? c.command : *c.other;
      progress.is_done = VerifyCommand(command, progress, move, world) == Status::kSuccess;
    }
    is_done = is_done && progress.is_done;
  }
  return is_done ? Status::kSuccess : Status::kContinue;
}

Status Verifier::VerifyCommand(const Command& command, Progress& progress, int move,
                               const World& world) const {
  const IdSet& ids = progress.what.ids;
  switch (command.verb) {
    case Verb::kGoTo: {
      const Point front = world.front();
      const bool is_there = ids.Any([&](int id) { return places_[id] == front; });
      return is_there ? Status::kSuccess : Status::kContinue;
    }
    case Verb::kOpen: {
      if (move != kToggle) return Status::kContinue;
      const Cell ahead = world.At(world.front());
      if (ahead.kind() == Kind::kOpenDoor && ids.Contains(ahead.id)) return Status::kSuccess;
      return command.is_strict && IsDoor(ahead.kind()) ? Status::kFailure : Status::kContinue;
    }
    case Verb::kPickUp: {
      const Cell before = std::exchange(progress.carried_before, world.carried());
      if (move != kPickUp) return Status::kContinue;
      if (before.is_empty() && ids.Contains(world.carried().id)) return Status::kSuccess;
      return command.is_strict && world.is_carrying() ? Status::kFailure : Status::kContinue;
    }
    case Verb::kPutNext: {
      const Cell before = std::exchange(progress.carried_before, world.carried());
      if (command.is_strict && move == kPickUp && world.is_carrying()) return Status::kFailure;
      if (move != kDrop || !ids.Contains(before.id)) return Status::kContinue;
      return IsNextTo(world, before.id, progress.next_to) ? Status::kSuccess : Status::kContinue;
    }
  }
  return Status::kContinue;
}

bool Verifier::IsNextTo(const World& world, int id, const Matches& others) const {
  const Point place = world.PlaceOf({0, static_cast<uint8_t>(id)});
  return others.ids.Any([&](int other) {
    return places_[other] != kNowhere && Distance(place, places_[other]) == 1;
  });
}

int Verifier::num_visits() const {
  int visits = 0;
  ForEachCommand(
      [&](const Command& command, int) { visits += command.verb == Verb::kPutNext ? 2 : 1; });
  return visits;
}

void Verifier::AppendText(std::string& text) const {
  ForEachCommand([&](const Command& command, int number) {
    static constexpr std::string_view kVerbs[] = {"go to ", "open ", "pick up ", "put "};
    if (number == 1 || number == 3) text += " and ";
    if (number == 2) text += instruction_.first() == 0 ? ", then " : " after you ";
    text += kVerbs[static_cast<int>(command.verb)];
    AppendName(text, command.what, progress_[number].what);
    if (command.verb != Verb::kPutNext) return;
    text += " next to ";
    AppendName(text, command.next_to, progress_[number].next_to);
  });
}

}  // namespace parallel_pool::minigrid::babyai
