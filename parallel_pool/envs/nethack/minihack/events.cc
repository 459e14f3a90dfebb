#include "parallel_pool/envs/nethack/minihack/events.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "parallel_pool/core/words.h"
#include "parallel_pool/envs/nethack/keys.h"
#include "parallel_pool/envs/nethack/numbers.h"

namespace parallel_pool::nethack {
namespace {

using Kind = Event::Kind;

const std::array<std::string, 5> kKinds = {"message", "place", "key", "point", "stairs"};

std::vector<std::string> Split(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; std::getline(stream, word, '\t');) words.push_back(word);
  return words;
}

// How many words follow the kind, the reward and the flags.
bool HasWords(Kind kind, size_t count) {
  switch (kind) {
    case Kind::kMessage:
      return count >= 1;
    case Kind::kPlace:
      return count == 1;
    case Kind::kKey:
    case Kind::kPoint:
      return count == 2;
    case Kind::kStairs:
      return count == 0;
  }
  return false;
}

Event ReadEvent(const std::string& line) {
  const std::vector<std::string> words = Split(line);
  if (words.empty()) throw std::invalid_argument("events has an empty line");
  Event event = {.kind = static_cast<Kind>(Find(kKinds, words[0], "events: there is no kind")),
                 .reward = 0.0};
  if (words.size() < 3 || !HasWords(event.kind, words.size() - 3)) {
    throw std::invalid_argument("events has a line with " + std::to_string(words.size()) +
                                " words, which '" + words[0] + "' does not fit: '" + line + "'");
  }
  const auto has = [&](char flag) { return words[2].find(flag) != std::string::npos; };
  event.is_repeatable = has('r');
  event.is_required = has('n');
  event.is_sufficient = has('s');
  event.words.assign(words.begin() + 3, words.end());
  try {
    event.reward = std::stod(words[1]);
    if (event.kind == Kind::kPoint) {
      event.x = std::stoi(words[3]);
      event.y = std::stoi(words[4]);
    }
  } catch (const std::logic_error&) {
    throw std::invalid_argument("events has a line without a number: '" + line + "'");
  }
  if (event.kind == Kind::kKey) {
    event.key = ReadKeys({words[4]})[0];
    event.words.pop_back();
  }
  return event;
}

bool ShowsMessage(const Game& game, const std::string& text) {
  const std::string_view message(reinterpret_cast<const char*>(game.arrays().message),
                                 kMessageBytes);
  return message.find(text) != std::string_view::npos;
}

}  // namespace

std::vector<Event> ReadEvents(const Lines& lines) {
  std::vector<Event> events;
  std::istringstream stream(lines.text);
  for (std::string line; std::getline(stream, line);) events.push_back(ReadEvent(line));
  return events;
}

bool IsShown(const Game& game, const std::string& word) {
  const auto all = game.descriptions();
  for (size_t place = 0; place < all.size(); place += kLineBytes) {
    const auto* const text = reinterpret_cast<const char*>(all.data() + place);
    if (std::string_view(text, strnlen(text, kLineBytes)).find(word) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

void EventCounter::Begin() {
  reward_ = 0.0;
  for (Event& event : events_) event.has_happened = event.key_was_given = false;
}

bool EventCounter::Happens(Event& event, const Game& game, int key) const {
  const int64_t* const stats = game.arrays().blstats;
  switch (event.kind) {
    case Kind::kMessage:
      return std::ranges::any_of(event.words,
                                 [&](const std::string& text) { return ShowsMessage(game, text); });
    case Kind::kPlace:
      return !IsShown(game, event.words[0]);
    case Kind::kKey: {
      const bool was_given = event.key_was_given;
      event.key_was_given = key == event.key && !IsShown(game, event.words[0]);
      if (event.key_was_given || key != 'y' || !was_given) return false;
      event.key_was_given = true;
      return true;
    }
    case Kind::kPoint:
      return stats[kX] == event.x && stats[kY] == event.y;
    case Kind::kStairs:
      return game.arrays().internal[kOnStairs] != 0;
  }
  return false;
}

bool EventCounter::Look(const Game& game, int key) {
  double reward = 0.0;
  for (Event& event : events_) {
    if (event.has_happened || !Happens(event, game, key)) continue;
    reward += event.reward;
    event.has_happened = !event.is_repeatable;
  }
  reward_ += reward;
  return IsDone();
}

bool EventCounter::IsDone() const {
  const auto is_enough = [](const Event& e) { return e.has_happened && e.is_sufficient; };
  const auto is_missing = [](const Event& e) { return !e.has_happened && e.is_required; };
  return std::ranges::any_of(events_, is_enough) || std::ranges::none_of(events_, is_missing);
}

double EventCounter::Take() {
  return std::exchange(reward_, 0.0);
}

}  // namespace parallel_pool::nethack
