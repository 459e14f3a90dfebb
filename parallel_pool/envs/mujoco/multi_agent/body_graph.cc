#include "parallel_pool/envs/mujoco/multi_agent/body_graph.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace parallel_pool::mujoco::multi_agent {
namespace {

constexpr int kMostSegments = 32;  // make_models.py writes models with at most as many

// "a b, c": {{"a", "b"}, {"c"}}
std::vector<std::vector<std::string>> Groups(const std::string& text) {
  std::vector<std::vector<std::string>> groups;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line, ',');) {
    std::istringstream words(line);
    groups.emplace_back();
    for (std::string word; words >> word;) groups.back().push_back(word);
  }
  return groups;
}

// Elements `first` to `last` of an array.
std::vector<Number> Range(mjtNum* mjData::* array, int first, int last,
                          Number::Form form = Number::kPlain) {
  std::vector<Number> numbers;
  for (int i = first; i <= last; ++i) numbers.push_back({array, i, form});
  return numbers;
}

// These elements of qpos and qvel, which all agents observe.
Categories Common(const std::vector<int>& qpos, const std::vector<int>& qvel) {
  Categories common;
  for (const int i : qpos) common["qpos"].push_back({&mjData::qpos, i});
  for (const int i : qvel) common["qvel"].push_back({&mjData::qvel, i});
  return common;
}
const Categories kOfFreeBody = Common({2, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 5});
const Categories kOfPlane = Common({1, 2}, {0, 1, 2});  // without x

// A joint at place `at` of qpos and qvel.
Part Joint(std::string name, int at, int control, std::vector<int> bodies = {}) {
  return {.name = std::move(name),
          .control = control,
          .bodies = std::move(bodies),
          .own = {{"qpos", {{&mjData::qpos, at}}},
                  {"qvel", {{&mjData::qvel, at}}},
                  {"qfrc_actuator", {{&mjData::qfrc_actuator, at}}}}};
}

// The last joints of a model, whose motors have the same order.
std::vector<Part> LastJoints(const std::string& names) {
  std::vector<Part> parts;
  const std::vector<std::string> all = Groups(names).front();
  const int n = static_cast<int>(all.size());
  for (int i = 0; i < n; ++i) parts.push_back(Joint(all[i], i - n, i));
  return parts;
}

// A robot with a fixed number of parts, and the ways to divide it among agents.
struct Robot {
  std::vector<Part> parts;
  std::string edges;
  std::vector<std::pair<std::string, std::string>> divisions;  // agent_conf, parts of each agent
  Categories common = {};
  bool is_within_one = false;
};

Robot Ant() {
  return {.parts = {Joint("hip1", -8, 2, {1, 2}), Joint("ankle1", -7, 3, {2, 3, 4}),
                    Joint("hip2", -6, 4, {1, 5}), Joint("ankle2", -5, 5, {5, 6, 7}),
                    Joint("hip3", -4, 6, {1, 8}), Joint("ankle3", -3, 7, {8, 9, 10}),
                    Joint("hip4", -2, 0, {1, 11}), Joint("ankle4", -1, 1, {11, 12, 13})},
          .edges = "ankle1 hip1, ankle2 hip2, ankle3 hip3, ankle4 hip4, hip1 hip2 hip3 hip4",
          .divisions = {{"2x4", "hip1 ankle1 hip2 ankle2, hip3 ankle3 hip4 ankle4"},
                        {"2x4d", "hip1 ankle1 hip4 ankle4, hip2 ankle2 hip3 ankle3"},
                        {"4x2", "hip1 ankle1, hip2 ankle2, hip3 ankle3, hip4 ankle4"}},
          .common = kOfFreeBody,
          .is_within_one = true};
}

Robot HalfCheetah() {
  return {.parts = LastJoints("bthigh bshin bfoot fthigh fshin ffoot"),
          .edges = "bfoot bshin, bshin bthigh, bthigh fthigh, fthigh fshin, fshin ffoot",
          .divisions = {{"2x3", "bthigh bshin bfoot, fthigh fshin ffoot"},
                        {"6x1", "bthigh, bshin, bfoot, fthigh, fshin, ffoot"}},
          .common = kOfPlane};
}

Robot Hopper() {
  Robot robot = {.parts = LastJoints("thigh_joint leg_joint foot_joint"),
                 .edges = "foot_joint leg_joint, leg_joint thigh_joint",
                 .divisions = {{"3x1", "thigh_joint, leg_joint, foot_joint"}},
                 .common = kOfPlane};
  const auto clip = [](Categories& all) {
    for (Number& speed : all["qvel"]) speed.form = Number::kWithinTen;
  };
  clip(robot.common);
  for (Part& part : robot.parts) clip(part.own);
  return robot;
}

Robot Humanoid() {
  Robot robot = {
      .parts = LastJoints("abdomen_y abdomen_z abdomen_x right_hip_x right_hip_z right_hip_y "
                          "right_knee left_hip_x left_hip_z left_hip_y left_knee right_shoulder1 "
                          "right_shoulder2 right_elbow left_shoulder1 left_shoulder2 left_elbow"),
      .edges =
          "abdomen_x abdomen_y abdomen_z, right_hip_x right_hip_y right_hip_z, "
          "left_hip_x left_hip_y left_hip_z, left_elbow left_shoulder1 left_shoulder2, "
          "right_elbow right_shoulder1 right_shoulder2, "
          "left_knee left_hip_x left_hip_y left_hip_z, "
          "right_knee right_hip_x right_hip_y right_hip_z, "
          "left_shoulder1 left_shoulder2 abdomen_x abdomen_y abdomen_z, "
          "right_shoulder1 right_shoulder2 abdomen_x abdomen_y abdomen_z, "
          "abdomen_x abdomen_y abdomen_z left_hip_x left_hip_y left_hip_z, "
          "abdomen_x abdomen_y abdomen_z right_hip_x right_hip_y right_hip_z",
      .divisions = {{"9|8",
                     "abdomen_x abdomen_y abdomen_z right_shoulder1 right_shoulder2 right_elbow "
                     "left_shoulder1 left_shoulder2 left_elbow, "
                     "right_hip_x right_hip_y right_hip_z right_knee "
                     "left_hip_x left_hip_y left_hip_z left_knee"}},
      .common = kOfFreeBody};
  const std::vector<std::vector<int>> bodies = {
      {1, 2, 3},   {1, 2, 3}, {3, 4, 7},   {4, 5},      {4, 5}, {4, 5},
      {5, 6},      {7, 8},    {7, 8},      {7, 8},      {8, 9}, {1, 10, 11},
      {1, 10, 11}, {11},      {1, 12, 13}, {1, 12, 13}, {13}};
  for (size_t i = 0; i < bodies.size(); ++i) robot.parts[i].bodies = bodies[i];
  return robot;
}

Robot Pusher(const mjModel& model) {
  Robot robot = {.parts = {},
                 .edges =
                     "shoulder_pan shoulder_lift, shoulder_lift upper_arm_roll, "
                     "upper_arm_roll elbow_flex, elbow_flex forearm_roll, "
                     "forearm_roll wrist_flex, wrist_flex wrist_roll",
                 .divisions = {{"3p",
                                "shoulder_pan shoulder_lift upper_arm_roll, elbow_flex, "
                                "forearm_roll wrist_flex wrist_roll"}}};
  for (const char* const name : {"shoulder_pan", "shoulder_lift", "upper_arm_roll", "elbow_flex",
                                 "forearm_roll", "wrist_flex", "wrist_roll"}) {
    const int i = static_cast<int>(robot.parts.size());
    robot.parts.push_back(Joint(name, i, i));
  }
  // In Gymnasium-Robotics, three joints have this label.
  for (const int i : {0, 1}) robot.parts[i].label = "wrist_roll";
  for (const char* const body : {"tips_arm", "object", "goal"}) {
    const int first = 3 * mj_name2id(&model, mjOBJ_BODY, body);
    for (const Number& n : Range(&mjData::xpos, first, first + 2)) {
      robot.common["qpos"].push_back(n);
    }
  }
  return robot;
}

Robot Reacher(const mjModel& model) {
  Robot robot = {.parts = {Joint("joint0", -4, 0, {1, 2}), Joint("joint1", -3, 1, {2, 3})},
                 .edges = "joint0 joint1",
                 .divisions = {{"2x1", "joint0, joint1"}},
                 .common = Common({-2, -1}, {})};
  for (Part& part : robot.parts) {
    const int at = part.own["qpos"][0].index;
    part.own["qpos"] = {{&mjData::qpos, at, Number::kSine}, {&mjData::qpos, at, Number::kCosine}};
  }
  const int tip = 3 * mj_name2id(&model, mjOBJ_BODY, "fingertip");
  const int target = 3 * mj_name2id(&model, mjOBJ_BODY, "target");
  for (int i = 0; i < 3; ++i) {
    robot.parts[1].own["fingertip_dist"].push_back(
        {&mjData::xpos, tip + i, Number::kDifference, target + i});
  }
  return robot;
}

Robot Swimmer() {
  Robot robot = {.parts = LastJoints("rot2 rot3"),
                 .edges = "rot2 rot3",
                 .divisions = {{"2x1", "rot2, rot3"}},
                 .common = Common({2}, {2})};
  for (int i = 0; i < 2; ++i) {
    robot.parts[i].own["qvel"] = {{&mjData::qvel, i}, {&mjData::qvel, i + 3}};
  }
  return robot;
}

Robot Walker2d() {
  return {.parts = LastJoints("thigh_joint leg_joint foot_joint "
                              "thigh_left_joint leg_left_joint foot_left_joint"),
          .edges =
              "foot_joint leg_joint, leg_joint thigh_joint, foot_left_joint leg_left_joint, "
              "leg_left_joint thigh_left_joint, thigh_joint thigh_left_joint",
          .divisions = {{"2x3",
                         "foot_joint leg_joint thigh_joint, "
                         "foot_left_joint leg_left_joint thigh_left_joint"}},
          .common = kOfPlane};
}

// Two cheetahs. In Gymnasium-Robotics, the parts of the first one observe the joints of the second.
Robot CoupledHalfCheetah(const mjModel& model) {
  const auto cheetah = [](const std::string& i) {
    return "bthigh" + i + " bshin" + i + " bfoot" + i + " fthigh" + i + " fshin" + i + " ffoot" + i;
  };
  const auto edges = [](const std::string& i) {
    return "bfoot" + i + " bshin" + i + ", bshin" + i + " bthigh" + i + ", bthigh" + i + " fthigh" +
           i + ", fthigh" + i + " fshin" + i + ", fshin" + i + " ffoot" + i;
  };
  Robot robot = {.parts = LastJoints(cheetah("0")),
                 .edges = edges("0") + ", " + edges("1"),
                 .divisions = {{"1p1", cheetah("0") + ", " + cheetah("1")}},
                 .common = Common({2, 1, 11, 10}, {0, 2, 1, 9, 11, 10})};
  for (Part part : LastJoints(cheetah("1"))) {
    part.control += 6;
    robot.parts.push_back(std::move(part));
  }
  for (const int i : {0, 6}) {
    Categories& own = robot.parts[i].own;
    for (const int dof : {0, 1, 9, 10}) {  // of a row of the sparse matrix ten_J
      const int* const columns = model.ten_J_colind + model.ten_J_rowadr[0];
      const int* const end = columns + model.ten_J_rownnz[0];
      own["ten_J"].push_back(
          {&mjData::ten_J, static_cast<int>(std::find(columns, end, dof) - columns)});
    }
    own["ten_length"] = {{&mjData::ten_length, 0}};
    own["ten_velocity"] = {{&mjData::ten_velocity, 0}};
  }
  return robot;
}

// The graph of a robot that is divided so.
BodyGraph Divided(Robot robot, const std::string& agent_conf) {
  BodyGraph graph = {.parts = std::move(robot.parts),
                     .edges = {},
                     .agents = {},
                     .common = std::move(robot.common),
                     .is_within_one = robot.is_within_one};
  const auto numbers = [&](const std::string& text) {
    std::vector<std::vector<int>> groups;
    for (const std::vector<std::string>& names : Groups(text)) {
      groups.emplace_back();
      for (const std::string& name : names) {
        const auto part = std::ranges::find(graph.parts, name, &Part::name);
        groups.back().push_back(static_cast<int>(part - graph.parts.begin()));
      }
    }
    return groups;
  };
  graph.edges = numbers(robot.edges);
  std::string allowed;
  for (const auto& [name, parts] : robot.divisions) {
    if (name == agent_conf) graph.agents = numbers(parts);
    allowed += "'" + name + "', ";
  }
  if (!graph.agents.empty()) return graph;
  throw std::invalid_argument("agent_conf is '" + agent_conf + "'; allowed are " + allowed +
                              "and '' for one agent");
}

// Agents with the same number of parts, one after another.
void Divide(const Segments& segments, int parts_of_each, BodyGraph* graph) {
  for (int i = 0; i < segments.agents; ++i) {
    graph->agents.emplace_back();
    for (int k = 0; k < parts_of_each; ++k) {
      graph->agents.back().push_back(i * parts_of_each + k);
    }
  }
}

BodyGraph ManySegmentSwimmer(const Segments& segments) {
  BodyGraph graph = {.parts = {}, .edges = {}, .agents = {}};
  const int n = segments.all();
  for (int i = 0; i < n; ++i) {
    graph.parts.push_back(Joint("rot" + std::to_string(i), i - n, i));
    if (i > 0) graph.edges.push_back({i - 1, i});
  }
  Divide(segments, segments.of_each, &graph);
  return graph;
}

// In Gymnasium-Robotics, only the last segment observes its own joints. The hips of segment i - 1
// are near those of segment i, but not the other way round: an agent with both observes the former
// twice.
BodyGraph ManySegmentAnt(const Segments& segments) {
  BodyGraph graph = {
      .parts = {}, .edges = {}, .agents = {}, .common = kOfFreeBody, .is_within_one = true};
  const int n = segments.all();
  for (int i = 0; i < n; ++i) {
    const std::string name = std::to_string(i);
    const int at = 4 * (n - 2 - i), body = 1 + 7 * i, control = 4 * i, part = 4 * i;
    graph.parts.push_back(Joint("hip1_" + name, at, control + 2, {body, body + 1}));
    graph.parts.push_back(
        Joint("ankle1_" + name, at + 1, control + 3, {body + 1, body + 2, body + 3}));
    graph.parts.push_back(Joint("hip2_" + name, at + 2, control, {body, body + 4}));
    graph.parts.push_back(
        Joint("ankle2_" + name, at + 3, control + 1, {body + 4, body + 5, body + 6}));
    for (const auto& [a, b] : {std::pair(0, 1), std::pair(2, 3), std::pair(0, 2)}) {
      graph.edges.push_back({part + a, part + b});
    }
  }
  for (int i = 1; i < n; ++i) {
    std::vector<int> edge = {4 * i, 4 * i + 2};
    for (const int hip : {4 * (i - 1), 4 * (i - 1) + 2}) {
      edge.push_back(static_cast<int>(graph.parts.size()));
      graph.parts.push_back(Part(graph.parts[hip]));
    }
    graph.edges.push_back(edge);
  }
  Divide(segments, 4 * segments.of_each, &graph);
  return graph;
}

}  // namespace

BodyGraph GraphOf(const std::string& robot, const std::string& agent_conf, const mjModel& model) {
  if (robot == "ManySegmentAnt") return ManySegmentAnt(SegmentsOf(robot, agent_conf));
  if (robot == "ManySegmentSwimmer") return ManySegmentSwimmer(SegmentsOf(robot, agent_conf));
  const auto divided = [&](Robot r) { return Divided(std::move(r), agent_conf); };
  if (robot == "Ant") return divided(Ant());
  if (robot == "CoupledHalfCheetah") return divided(CoupledHalfCheetah(model));
  if (robot == "HalfCheetah") return divided(HalfCheetah());
  if (robot == "Hopper") return divided(Hopper());
  if (robot == "Humanoid" || robot == "HumanoidStandup") return divided(Humanoid());
  if (robot == "Pusher") return divided(Pusher(model));
  if (robot == "Reacher") return divided(Reacher(model));
  if (robot == "Swimmer") return divided(Swimmer());
  if (robot == "Walker2d") return divided(Walker2d());
  throw std::invalid_argument("agent_conf is '" + agent_conf +
                              "'; allowed is '' for one agent: this robot has one motor");
}

Segments SegmentsOf(const std::string& robot, const std::string& agent_conf) {
  Segments segments = {0, 0};
  const char* const end = agent_conf.data() + agent_conf.size();
  const auto first = std::from_chars(agent_conf.data(), end, segments.agents);
  if (first.ptr != end && *first.ptr == 'x') {
    const auto second = std::from_chars(first.ptr + 1, end, segments.of_each);
    if (second.ptr != end) segments.of_each = 0;
  }
  const int least = robot == "ManySegmentSwimmer" ? 2 : 1;
  const bool is_sane = segments.agents > 0 && segments.of_each > 0 &&
                       segments.agents <= kMostSegments && segments.of_each <= kMostSegments;
  if (is_sane && segments.all() >= least && segments.all() <= kMostSegments) return segments;
  throw std::invalid_argument(
      "agent_conf is '" + agent_conf + "'; it must be 'AxB': A agents with B segments each, " +
      std::to_string(least) + " to " + std::to_string(kMostSegments) + " segments in all");
}

}  // namespace parallel_pool::mujoco::multi_agent
