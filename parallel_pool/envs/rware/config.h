// The options of rware, as the constructor of rware 2.0.0 has them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/rware/layout.h"

namespace parallel_pool::rware {

// A layer of an image.
enum class Layer { kShelves, kRequests, kAgents, kAgentDirection, kAgentLoad, kGoals, kAccessible };

enum class RewardType { kGlobal, kIndividual, kTwoStage };
enum class ObservationType { kFlattened, kImage, kImageDict };

struct Config {
  int shelf_columns = 3;
  int column_height = 8;  // cells
  int shelf_rows = 1;
  int n_agents = 2;
  int msg_bits = 0;
  int sensor_range = 1;  // cells
  int request_queue_size = 4;
  int max_inactivity_steps = 0;  // 0: no limit
  std::string reward_type = "individual";
  std::string layout;  // empty: blocks of shelves, by the first three options
  std::string observation_type = "flattened";
  Lines image_observation_layers = {"SHELVES\nREQUESTS\nAGENTS\nGOALS\nACCESSIBLE"};
  bool image_observation_directional = true;
  bool normalised_coordinates = false;

  // Set by Complete().
  std::shared_ptr<const Layout> floor;
  std::vector<Layer> layers;
  RewardType rewards = RewardType::kIndividual;
  ObservationType observations = ObservationType::kFlattened;

  // Cells on one side of what an agent sees.
  int sight() const { return 1 + 2 * sensor_range; }
};

Options<Config> DescribeOptions();

// Sets what follows from the options. Throws std::invalid_argument if they do not go together.
void CompleteOptions(Config& config);

}  // namespace parallel_pool::rware
