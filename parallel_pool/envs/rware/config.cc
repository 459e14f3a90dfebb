#include "parallel_pool/envs/rware/config.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace parallel_pool::rware {
namespace {

// The words of options, in the order of their enums.
constexpr const char* kRewardTypes[] = {"global", "individual", "two_stage"};
constexpr const char* kObservationTypes[] = {"flattened", "image", "image_dict"};
constexpr const char* kLayers[] = {"SHELVES",    "REQUESTS", "AGENTS",    "AGENT_DIRECTION",
                                   "AGENT_LOAD", "GOALS",    "ACCESSIBLE"};

template <class Enum, size_t n>
Enum ValueOf(const char* const (&words)[n], const std::string& word) {
  return static_cast<Enum>(std::ranges::find(words, word) - std::begin(words));
}

std::vector<Layer> LayersOf(const Lines& names) {
  std::vector<Layer> layers;
  std::istringstream lines(names.text);
  for (std::string name; std::getline(lines, name);) {
    const auto layer = ValueOf<Layer>(kLayers, name);
    if (static_cast<size_t>(layer) == std::size(kLayers)) {
      std::string allowed;
      for (const char* const known : kLayers) allowed += std::string(" ") + known;
      throw std::invalid_argument("image_observation_layers contains '" + name + "'; allowed are" +
                                  allowed);
    }
    layers.push_back(layer);
  }
  if (layers.empty()) throw std::invalid_argument("image_observation_layers has no layer");
  return layers;
}

// Throws unless there is room for agents and for one more request.
void CheckCounts(const Config& config) {
  const Layout& floor = *config.floor;
  const auto num_shelves = static_cast<int>(floor.shelves.size());
  if (config.n_agents > floor.num_cells()) {
    throw std::invalid_argument("n_agents is " + std::to_string(config.n_agents) +
                                "; the warehouse has only " + std::to_string(floor.num_cells()) +
                                " cells");
  }
  if (config.request_queue_size >= num_shelves) {
    throw std::invalid_argument(
        "request_queue_size is " + std::to_string(config.request_queue_size) +
        "; it must be less than the number of shelves, " + std::to_string(num_shelves) +
        ", because each delivery requests another shelf");
  }
  if (config.normalised_coordinates && (floor.rows < 2 || floor.columns < 2)) {
    throw std::invalid_argument(
        "normalised_coordinates needs a warehouse of at least two rows and two columns");
  }
}

}  // namespace

Options<Config> DescribeOptions() {
  return {
      Option<&Config::shelf_columns>("shelf_columns", "blocks of shelves in a row: an odd number",
                                     {.min = 1, .max = 99}),
      Option<&Config::column_height>("column_height", "shelves of a block, from top to bottom",
                                     {.min = 1, .max = 999}),
      Option<&Config::shelf_rows>("shelf_rows", "rows of blocks", {.min = 1, .max = 999}),
      Option<&Config::n_agents>("n_agents", "agents", {.min = 1, .max = 100}),
      Option<&Config::msg_bits>("msg_bits", "bits that an agent shows to those who see it",
                                {.min = 0, .max = 100}),
      Option<&Config::sensor_range>("sensor_range", "cells that an agent sees in each direction",
                                    {.min = 0, .max = 20}),
      Option<&Config::request_queue_size>("request_queue_size", "shelves that are requested",
                                          {.min = 0, .max = kMostCells}),
      Option<&Config::max_inactivity_steps>(
          "max_inactivity_steps", "steps without a delivery that end an episode; 0: no limit",
          {.min = 0}),
      Option<&Config::reward_type>("reward_type", "who is rewarded for a delivery, and when",
                                   OneOf(kRewardTypes)),
      Option<&Config::layout>("layout",
                              "lines of x (shelf), g (goal) and . (corridor), in place of blocks"),
      Option<&Config::observation_type>("observation_type", "what an agent observes",
                                        OneOf(kObservationTypes)),
      Option<&Config::image_observation_layers>(
          "image_observation_layers",
          "of images: SHELVES, REQUESTS, AGENTS, AGENT_DIRECTION, AGENT_LOAD, GOALS, ACCESSIBLE"),
      Option<&Config::image_observation_directional>(
          "image_observation_directional", "the agent looks towards the top of its image"),
      Option<&Config::normalised_coordinates>("normalised_coordinates",
                                              "places are from 0 to 1, not in cells")};
}

void CompleteOptions(Config& config) {
  if (config.shelf_columns % 2 == 0) {
    throw std::invalid_argument("shelf_columns is " + std::to_string(config.shelf_columns) +
                                "; it must be odd");
  }
  config.floor = std::make_shared<const Layout>(
      config.layout.empty()
          ? BlocksOfShelves(config.shelf_columns, config.column_height, config.shelf_rows)
          : FloorOfText(config.layout));
  config.layers = LayersOf(config.image_observation_layers);
  config.rewards = ValueOf<RewardType>(kRewardTypes, config.reward_type);
  config.observations = ValueOf<ObservationType>(kObservationTypes, config.observation_type);
  CheckCounts(config);
}

}  // namespace parallel_pool::rware
