#include "parallel_pool/envs/mujoco/multi_agent/agents.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco::multi_agent {
namespace {

using Words = std::vector<std::string>;

// The categories that have numbers for each body.
struct OfBodies {
  const char* name;
  mjtNum* mjData::* array;
  int size;  // numbers of a body
};
constexpr OfBodies kOfBodies[] = {{"cinert", &mjData::cinert, 10},
                                  {"cvel", &mjData::cvel, 6},
                                  {"cfrc_ext", &mjData::cfrc_ext, 6}};

Words WordsOf(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// How many numbers an array has.
int SizeOf(mjtNum* mjData::* array, const mjModel& model) {
  if (array == &mjData::qpos) return static_cast<int>(model.nq);
  if (array == &mjData::qvel || array == &mjData::qfrc_actuator) return static_cast<int>(model.nv);
  if (array == &mjData::xpos) return static_cast<int>(3 * model.nbody);
  if (array == &mjData::ten_J) return static_cast<int>(model.nJten);
  for (const OfBodies& of : kOfBodies) {
    if (array == of.array) return static_cast<int>(of.size * model.nbody);
  }
  return static_cast<int>(model.ntendon);
}

// Throws std::invalid_argument unless `fits`: the user's model is not built as the robot is.
void Check(bool fits, const std::string& robot, const mjModel& model) {
  if (fits) return;
  throw std::invalid_argument("xml_file is a model with " + std::to_string(model.nq) +
                              " positions, " + std::to_string(model.nu) + " motors and " +
                              std::to_string(model.nbody) +
                              " bodies; with agent_conf it must have "
                              "those of " +
                              robot);
}

// The categories in `text`, the value of an option. Throws std::invalid_argument if one is not
// allowed.
Words Checked(const char* option, const std::string& text, const std::set<std::string>& allowed) {
  Words words = WordsOf(text);
  for (const std::string& word : words) {
    if (allowed.contains(word)) continue;
    std::string all;
    for (const std::string& name : allowed) all += (all.empty() ? "" : ", ") + name;
    throw std::invalid_argument(std::string(option) + " has '" + word + "'; allowed are " + all);
  }
  return words;
}

// The parts of an agent, and those at a distance of 1 to `most` from it; each in the order of the
// labels.
std::vector<std::vector<int>> ByDistance(const BodyGraph& graph, const std::vector<int>& agent,
                                         int most) {
  std::set<int> seen(agent.begin(), agent.end()), last = seen;
  std::vector<std::vector<int>> all;
  for (int distance = 0; distance <= most; ++distance) {
    std::vector<int>& parts = all.emplace_back(last.begin(), last.end());
    std::ranges::stable_sort(parts, {}, [&](int i) { return graph.parts[i].label; });
    std::set<int> next;
    for (const std::vector<int>& edge : graph.edges) {
      const auto in = [&](const std::set<int>& set) {
        return std::ranges::any_of(edge, [&](int i) { return set.contains(i); });
      };
      if (!in(last)) continue;
      for (const int i : edge) {
        if (!seen.contains(i)) next.insert(i);
      }
    }
    seen.insert(next.begin(), next.end());
    last = std::move(next);
  }
  return all;
}

}  // namespace

Options<AgentsConfig> AgentsConfig::Describe() {
  return {
      Option<&AgentsConfig::agent_conf>(
          "agent_conf", "how the robot is divided among agents, such as '2x4'; '': one agent"),
      Option<&AgentsConfig::agent_obsk>(
          "agent_obsk", "an agent observes parts that are so many joints away", {.min = 0}),
      Option<&AgentsConfig::local_categories>(
          "local_categories",
          "what an agent observes of its own parts, of those one joint away, ...: each a list of "
          "arrays of mjData, such as 'qpos qvel'"),
      Option<&AgentsConfig::global_categories>(
          "global_categories", "what all agents observe of the whole robot: 'qpos', 'qvel'")};
}

Agents::Agents(const std::string& robot, const AgentsConfig& config, const mjModel& model)
    : is_one_(config.agent_conf.empty()) {
  if (is_one_) {
    agents_.emplace_back().motors.resize(model.nu);
    std::iota(agents_[0].motors.begin(), agents_[0].motors.end(), 0);
    return;
  }
  const BodyGraph graph = GraphOf(robot, config.agent_conf, model);
  std::set<std::string> allowed;
  for (const OfBodies& category : kOfBodies) allowed.insert(category.name);
  for (const Part& part : graph.parts) {
    for (const auto& [name, numbers] : part.own) allowed.insert(name);
  }
  std::vector<Words> local;  // by distance
  std::istringstream lines(config.local_categories.text);
  for (std::string line; std::getline(lines, line);) {
    local.push_back(Checked("local_categories", line, allowed));
  }
  if (local.empty()) local.emplace_back();
  const Words global =
      Checked("global_categories", config.global_categories.text, {"qpos", "qvel"});

  int motors = 0;
  for (const std::vector<int>& own : graph.agents) {
    Agent& agent = agents_.emplace_back();
    const auto add = [&](Number number) {
      if (number.index < 0) number.index += SizeOf(number.array, model);
      Check(number.index >= 0 && number.index < SizeOf(number.array, model), robot, model);
      agent.numbers.push_back(number);
    };
    for (const int i : own) agent.motors.push_back(graph.parts[i].control);
    motors += static_cast<int>(own.size());
    std::set<std::pair<std::string, int>> seen;  // categories and bodies
    const auto parts = ByDistance(graph, own, config.agent_obsk);
    for (size_t distance = 0; distance < parts.size(); ++distance) {
      for (const int i : parts[distance]) {
        const Part& part = graph.parts[i];
        for (const std::string& name : local[std::min(distance, local.size() - 1)]) {
          if (const auto found = part.own.find(name); found != part.own.end()) {
            std::ranges::for_each(found->second, add);
          }
          for (const OfBodies& of : kOfBodies) {
            if (name != of.name) continue;
            for (const int body : part.bodies) {
              if (!seen.insert({name, body}).second) continue;
              for (int k = 0; k < of.size; ++k) {
                add({of.array, of.size * body + k,
                     graph.is_within_one ? Number::kWithinOne : Number::kPlain});
              }
            }
          }
        }
      }
    }
    for (const std::string& name : global) {
      const auto found = graph.common.find(name);
      if (found != graph.common.end()) std::ranges::for_each(found->second, add);
    }
  }
  Check(motors == model.nu, robot, model);
}

int Agents::most_motors() const {
  return static_cast<int>(std::ranges::max(agents_, {}, [](const Agent& agent) {
                            return agent.motors.size();
                          }).motors.size());
}

int Agents::most_numbers() const {
  return static_cast<int>(std::ranges::max(agents_, {}, [](const Agent& agent) {
                            return agent.numbers.size();
                          }).numbers.size());
}

unsigned Agents::reads() const {
  static const std::pair<mjtNum * mjData::*, unsigned> kReads[] = {
      {&mjData::xpos, kPlaces},
      {&mjData::cinert, kInertias},
      {&mjData::cvel, kInertias},
      {&mjData::qfrc_actuator, kActuation},
      {&mjData::cfrc_ext, kContactForces}};
  unsigned reads = kNothing;
  for (const Agent& agent : agents_) {
    for (const Number& number : agent.numbers) {
      for (const auto& [array, read] : kReads) {
        if (number.array == array) reads |= read;
      }
    }
  }
  return reads;
}

double ValueOf(const Number& number, const mjData& data) {
  const mjtNum* const array = data.*number.array;
  const double x = array[number.index];
  switch (number.form) {
    case Number::kPlain:
      return x;
    case Number::kWithinOne:
      return Clip(x, -1, 1);
    case Number::kWithinTen:
      return Clip(x, -10, 10);
    case Number::kSine:
      return std::sin(x);
    case Number::kCosine:
      return std::cos(x);
    case Number::kDifference:
      return x - array[number.minus];
  }
  return x;
}

}  // namespace parallel_pool::mujoco::multi_agent
