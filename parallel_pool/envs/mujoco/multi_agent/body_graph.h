// The parts of robots that agents share: their joints and bodies, and which are next to which.
// The tables are those of Gymnasium-Robotics 1.4.2, with its names.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace parallel_pool::mujoco::multi_agent {

// A number that an agent observes: an element of an array of mjData, or a function of it.
struct Number {
  enum Form : uint8_t { kPlain, kWithinOne, kWithinTen, kSine, kCosine, kDifference };

  mjtNum* mjData::* array;
  int index;  // a negative one counts from the end of qpos, qvel or qfrc_actuator, as in NumPy
  Form form = kPlain;
  int minus = 0;  // of kDifference: the index of the number to subtract
};

// The numbers of each category, such as "qpos".
using Categories = std::map<std::string, std::vector<Number>>;

struct Part {
  std::string name;
  int control = -1;              // the number of its motor; -1: it has none
  std::vector<int> bodies = {};  // those whose "cinert", "cvel" and "cfrc_ext" it observes
  Categories own = {};           // its numbers of other categories
  std::string label = name;      // an agent's parts are in the order of their labels
};

struct BodyGraph {
  std::vector<Part> parts;
  std::vector<std::vector<int>> edges;   // parts that are next to each other
  std::vector<std::vector<int>> agents;  // the parts of each agent
  Categories common = {};                // what all agents observe
  bool is_within_one = false;            // numbers of bodies are clipped to -1 ... 1
};

// The robot of these names, such as "Ant" and "2x4". Throws std::invalid_argument if it is not
// divided so.
BodyGraph GraphOf(const std::string& robot, const std::string& agent_conf, const mjModel& model);

// Segments of a robot that has any number of them, by its agent_conf: "2x3" is two agents with
// three segments each. Throws std::invalid_argument if it is no such text, or if there is no such
// model.
struct Segments {
  int agents, of_each;
  int all() const { return agents * of_each; }
};
Segments SegmentsOf(const std::string& robot, const std::string& agent_conf);

}  // namespace parallel_pool::mujoco::multi_agent
