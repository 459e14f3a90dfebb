#include "parallel_pool/envs/nethack/keys.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "parallel_pool/core/words.h"

namespace parallel_pool::nethack {
namespace {

// "^D" is Control and d, "M-p" is Meta (Alt) and p.
struct Key { const char *name, *notation; };

// nle's CompassDirection, CompassDirectionLonger (FAR_), MiscDirection, MiscAction, Command and
// TextCharacters. Directions are written out: "N" is a key with another meaning.
constexpr Key kAll[] = {{"NORTH", "k"},
                        {"EAST", "l"},
                        {"SOUTH", "j"},
                        {"WEST", "h"},
                        {"NORTHEAST", "u"},
                        {"SOUTHEAST", "n"},
                        {"SOUTHWEST", "b"},
                        {"NORTHWEST", "y"},
                        {"FAR_NORTH", "K"},
                        {"FAR_EAST", "L"},
                        {"FAR_SOUTH", "J"},
                        {"FAR_WEST", "H"},
                        {"FAR_NORTHEAST", "U"},
                        {"FAR_SOUTHEAST", "N"},
                        {"FAR_SOUTHWEST", "B"},
                        {"FAR_NORTHWEST", "Y"},
                        {"UP", "<"},
                        {"DOWN", ">"},
                        {"WAIT", "."},
                        {"MORE", "^M"},
                        {"EXTCMD", "#"},
                        {"EXTLIST", "M-?"},
                        {"ADJUST", "M-a"},
                        {"ANNOTATE", "M-A"},
                        {"APPLY", "a"},
                        {"ATTRIBUTES", "^X"},
                        {"AUTOPICKUP", "@"},
                        {"CALL", "C"},
                        {"CAST", "Z"},
                        {"CHAT", "M-c"},
                        {"CLOSE", "c"},
                        {"CONDUCT", "M-C"},
                        {"DIP", "M-d"},
                        {"DROP", "d"},
                        {"DROPTYPE", "D"},
                        {"EAT", "e"},
                        {"ENGRAVE", "E"},
                        {"ENHANCE", "M-e"},
                        {"ESC", "^["},
                        {"FIGHT", "F"},
                        {"FIRE", "f"},
                        {"FORCE", "M-f"},
                        {"GLANCE", ";"},
                        {"HISTORY", "V"},
                        {"INVENTORY", "i"},
                        {"INVENTTYPE", "I"},
                        {"INVOKE", "M-i"},
                        {"JUMP", "M-j"},
                        {"KICK", "^D"},
                        {"KNOWN", "\\"},
                        {"KNOWNCLASS", "`"},
                        {"LOOK", ":"},
                        {"LOOT", "M-l"},
                        {"MONSTER", "M-m"},
                        {"MOVE", "m"},
                        {"MOVEFAR", "M"},
                        {"OFFER", "M-o"},
                        {"OPEN", "o"},
                        {"OPTIONS", "O"},
                        {"OVERVIEW", "^O"},
                        {"PAY", "p"},
                        {"PICKUP", ","},
                        {"PRAY", "M-p"},
                        {"PUTON", "P"},
                        {"QUAFF", "q"},
                        {"QUIT", "M-q"},
                        {"QUIVER", "Q"},
                        {"READ", "r"},
                        {"REDRAW", "^R"},
                        {"REMOVE", "R"},
                        {"RIDE", "M-R"},
                        {"RUB", "M-r"},
                        {"RUSH", "g"},
                        {"RUSH2", "G"},
                        {"SAVE", "S"},
                        {"SEARCH", "s"},
                        {"SEEALL", "*"},
                        {"SEEAMULET", "\""},
                        {"SEEARMOR", "["},
                        {"SEEGOLD", "$"},
                        {"SEERINGS", "="},
                        {"SEESPELLS", "+"},
                        {"SEETOOLS", "("},
                        {"SEETRAP", "^"},
                        {"SEEWEAPON", ")"},
                        {"SHELL", "!"},
                        {"SIT", "M-s"},
                        {"SWAP", "x"},
                        {"TAKEOFF", "T"},
                        {"TAKEOFFALL", "A"},
                        {"TELEPORT", "^T"},
                        {"THROW", "t"},
                        {"TIP", "M-T"},
                        {"TRAVEL", "_"},
                        {"TURN", "M-t"},
                        {"TWOWEAPON", "X"},
                        {"UNTRAP", "M-u"},
                        {"VERSION", "M-v"},
                        {"VERSIONSHORT", "v"},
                        {"WEAR", "W"},
                        {"WHATDOES", "&"},
                        {"WHATIS", "/"},
                        {"WIELD", "w"},
                        {"WIPE", "M-w"},
                        {"ZAP", "z"},
                        {"PLUS", "+"},
                        {"MINUS", "-"},
                        {"SPACE", " "},
                        {"APOS", "'"},
                        {"QUOTE", "\""},
                        {"NUM_0", "0"},
                        {"NUM_1", "1"},
                        {"NUM_2", "2"},
                        {"NUM_3", "3"},
                        {"NUM_4", "4"},
                        {"NUM_5", "5"},
                        {"NUM_6", "6"},
                        {"NUM_7", "7"},
                        {"NUM_8", "8"},
                        {"NUM_9", "9"},
                        {"DOLLAR", "$"}};
constexpr int kDirections = 8, kCommands = 105;  // the first keys, and all before the texts
constexpr const char* kNotUseful[] = {"EXTCMD",    "EXTLIST",   "ANNOTATE", "AUTOPICKUP", "CONDUCT",
                                      "GLANCE",    "HISTORY",   "KNOWN",    "KNOWNCLASS", "OPTIONS",
                                      "OVERVIEW",  "QUIT",      "REDRAW",   "SAVE",       "SEEALL",
                                      "TELEPORT",  "TRAVEL",    "VERSION",  "WHATDOES",   "WHATIS",
                                      "SEESPELLS", "SEEAMULET", "SEEGOLD"};
constexpr const char* kUsefulTexts = "+\"$ ";  // the last of the useful keys
constexpr const char* kOfTasks = "\rkljhunbyKLJHUNBY<>.\4es";

bool IsNotation(std::string_view text) {
  const bool is_meta = text.starts_with("M-"), is_control = text.size() == 2 && text[0] == '^';
  return text.size() == 1 || is_control || (is_meta && text.size() == 3);
}

std::string NotationOf(uint8_t code) {
  const char letter = static_cast<char>(code & 0x7F);
  if (code >= 0x80) return {'M', '-', letter};
  if (code < ' ') return {'^', static_cast<char>(code + '@')};
  return {letter};
}

uint8_t CodeOf(std::string_view notation) {
  if (notation.size() == 2 && notation[0] == '^') return notation[1] & 0x1F;
  if (notation.size() == 3 && notation.starts_with("M-")) return 0x80 | notation[2];
  return static_cast<uint8_t>(notation[0]);
}

Keys Codes(int count) {
  Keys keys;
  for (int i = 0; i < count; ++i) keys.push_back(CodeOf(kAll[i].notation));
  return keys;
}

Keys UsefulKeys() {
  Keys keys;
  for (const Key& key : std::span(kAll).first(kCommands)) {
    if (std::ranges::find(kNotUseful, std::string_view(key.name)) == std::end(kNotUseful)) {
      keys.push_back(CodeOf(key.notation));
    }
  }
  for (const char code : std::string_view(kUsefulTexts)) keys.push_back(code);
  return keys;
}

}  // namespace

Keys KeysOf(KeySet set) {
  switch (set) {
    case KeySet::kDirections:
      return Codes(kDirections);
    case KeySet::kTask:
      return {kOfTasks, kOfTasks + std::string_view(kOfTasks).size()};
    case KeySet::kAll:
      return Codes(std::size(kAll));
    case KeySet::kUseful:
      return UsefulKeys();
    case KeySet::kMinihack: {
      Keys keys = UsefulKeys();
      std::erase(keys, '<');
      return keys;
    }
  }
  return {};
}

Keys ReadKeys(const Lines& actions) {
  std::vector<std::string> names;
  for (const Key& key : kAll) names.push_back(key.name);
  std::istringstream lines(actions.text);
  Keys keys;
  for (std::string line; std::getline(lines, line);) {
    if (!IsNotation(line)) line = kAll[Find(names, line, "actions has")].notation;
    keys.push_back(CodeOf(line));
  }
  return keys;
}

std::vector<std::string> NamesOf(const Keys& keys) {
  std::vector<std::string> names;
  for (size_t i = 0; i < keys.size(); ++i) {
    // A key with two names takes the second one the second time.
    auto before = std::count(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(i), keys[i]);
    const std::string notation = NotationOf(keys[i]);
    std::string name = notation;
    for (const Key& key : kAll) {
      if (key.notation != notation) continue;
      name = key.name;
      if (before-- == 0) break;
    }
    names.push_back(name + " (" + notation + ")");
  }
  return names;
}

}  // namespace parallel_pool::nethack
