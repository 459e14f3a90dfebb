// The grammar of .cfg files: lines `key = value`, comments with '#', lists in braces over several
// lines, and `+=`, which appends to a list.
#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

namespace parallel_pool::vizdoom {
namespace {

std::string Trim(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// One `key = value` of a file.
struct Entry {
  std::string key, value;
  bool appends = false;  // "+="
};

class Reader {
 public:
  Reader(const std::filesystem::path& file, Scenario& scenario)
      : file_(file), stream_(file), scenario_(scenario), options_(Scenario::Describe()) {
    if (!stream_) throw std::invalid_argument(file.string() + ": the file cannot be read");
    AddLists();
    AddFixed();
    for (const auto& option : options_) keys_.push_back(option.name);
    for (const auto& [key, set] : setters_) {
      if (std::ranges::find(keys_, key) == keys_.end()) keys_.push_back(key);
    }
  }

  void Read() {
    std::string line;
    while (NextLine(line)) {
      const size_t equals = line.find('=');
      if (equals == std::string::npos) Fail("'" + line + "' has no '='");
      const bool appends = equals > 0 && line[equals - 1] == '+';
      Set({.key = Trim(line.substr(0, equals - appends)),
           .value = Trim(line.substr(equals + 1)),
           .appends = appends});
    }
  }

 private:
  // Reads the next line that is neither empty nor a comment; false at the end of the file.
  bool NextLine(std::string& line) {
    while (std::getline(stream_, line)) {
      ++number_;
      line = Trim(line);
      if (!line.empty() && line[0] != '#') return true;
    }
    return false;
  }

  void Set(const Entry& entry) {
    const std::string key = Key(entry.key);
    if (const auto setter = setters_.find(key); setter != setters_.end()) {
      return setter->second(entry);
    }
    if (entry.appends) Fail(key + " is not a list, so it cannot have '+='");
    if (entry.value.empty()) Fail(key + " has no value");
    SetOption(*std::ranges::find(options_, key, &OptionOf<Scenario>::name), entry.value);
  }

  // The key of this name, such as "doomSkill" or "doom_skill".
  std::string Key(const std::string& name) {
    const auto same = [](std::string key) {
      std::erase(key, '_');
      return Upper(std::move(key));
    };
    const auto key = std::ranges::find(keys_, same(name), same);
    return key != keys_.end() ? *key : keys_[Find(keys_, name, Where() + "there is no key")];
  }

  void SetOption(const OptionOf<Scenario>& option, const std::string& text) {
    OptionValue value = option.get(scenario_);
    std::string word = text;
    if (value.type == OptionType::kString) {
      if (option.choices.size > 0) word = Choice(option, text);
      value.text = word.c_str();
    } else if (value.type == OptionType::kBool) {
      value.integer = Bool(option.name, text);
    } else {
      value.real = Number(option, text);
      value.integer = static_cast<int64_t>(value.real);
    }
    option.set(scenario_, value);
  }

  std::string Choice(const OptionOf<Scenario>& option, const std::string& text) {
    // The order of the colors in memory does not matter to users: it is always RGB24.
    if (option.name == "screen_format" && Upper(text) == "CRCGCB") return "RGB24";
    const std::vector<std::string> words(option.choices.begin(), option.choices.end());
    return words[Find(words, text, Where() + option.name + " cannot be")];
  }

  bool Bool(const std::string& key, const std::string& text) {
    static const std::vector<std::string> words = {"false", "true", "0", "1"};
    return Find(words, text, Where() + key + " cannot be") % 2 == 1;
  }

  double Number(const OptionOf<Scenario>& option, const std::string& text) {
    std::istringstream stream(text);
    double number = 0;
    stream >> number;
    const bool is_whole =
        option.get(scenario_).type != OptionType::kInt || number == static_cast<int64_t>(number);
    if (stream && stream.eof() && is_whole && number >= option.range.min &&
        number <= option.range.max) {
      return number;
    }
    std::ostringstream allowed;
    allowed << option.name << " cannot be '" << text << "'; allowed is a number from "
            << option.range.min << " to " << option.range.max;
    Fail(allowed.str());
  }

  // The words of `{ a b c }`, which may begin and end in later lines.
  std::vector<std::string> List(const Entry& entry) {
    std::string text = entry.value, line;
    while (text.empty() || text.back() != '}') {
      if (!NextLine(line)) Fail(entry.key + " has no closing '}'");
      text += " " + line;
    }
    text = Trim(text);
    if (text.front() != '{') Fail(entry.key + " needs a list such as { A B }");
    return Words(text.substr(1, text.size() - 2));
  }

  void AddList(const std::string& key, Lines Scenario::* list, std::span<const std::string> words) {
    setters_[key] = [=, this](const Entry& entry) {
      Lines& names = scenario_.*list;
      if (!entry.appends) names.text.clear();
      for (const std::string& word : List(entry)) {
        if (!names.text.empty()) names.text += '\n';
        names.text += words[Find(words, word, Where() + key + " cannot have")];
      }
    };
  }

  void AddLists() {
    AddList("available_buttons", &Scenario::available_buttons, ButtonNames());
    AddList("available_game_variables", &Scenario::available_game_variables, VariableNames());
    setters_["game_args"] = [this](const Entry& entry) {
      if (!entry.appends) scenario_.game_args.clear();
      scenario_.game_args += " " + entry.value;
    };
  }

  void AddFixed() {
    setters_["mode"] = [this](const Entry& entry) {
      // The same here: an engine always waits for the actions.
      static const std::vector<std::string> words = {"PLAYER", "SPECTATOR", "ASYNC_PLAYER",
                                                     "ASYNC_SPECTATOR"};
      Find(words, entry.value, Where() + "mode cannot be");
    };
    // A pool has no window, and returns no lists of objects and sectors.
    for (const char* key : {"window_visible", "console_enabled", "sound_enabled",
                            "objects_info_enabled", "sectors_info_enabled", "render_all_frames"}) {
      setters_[key] = [this](const Entry& entry) { Bool(entry.key, entry.value); };
    }
  }

  std::string Where() const { return file_.string() + ", line " + std::to_string(number_) + ": "; }
  [[noreturn]] void Fail(const std::string& why) const {
    throw std::invalid_argument(Where() + why);
  }

  const std::filesystem::path file_;
  std::ifstream stream_;
  Scenario& scenario_;
  const Options<Scenario> options_;
  std::map<std::string, std::function<void(const Entry&)>> setters_;  // of lists and fixed keys
  std::vector<std::string> keys_;
  int number_ = 0;  // of the line
};

}  // namespace

void ReadScenario(const std::filesystem::path& file, Scenario& scenario) {
  Reader(file, scenario).Read();
}

}  // namespace parallel_pool::vizdoom
