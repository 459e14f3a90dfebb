#include "parallel_pool/envs/minigrid/options.h"

#include <stdexcept>

#include "parallel_pool/envs/minigrid/view.h"

namespace parallel_pool::minigrid {

Options<LevelConfig> LevelConfig::Describe() {
  return {Option<&LevelConfig::obs_type>(
              "obs_type",
              "the image: numbers of the cells in view, of all cells, in view as one-hot vectors; "
              "or a picture of all cells, or of those in view",
              OneOf(kObsTypes)),
          Option<&LevelConfig::agent_view_size>("agent_view_size",
                                                "cells that the agent sees ahead and across; odd",
                                                {.min = 3, .max = kLargestView}),
          Option<&LevelConfig::see_through_walls>(
              "see_through_walls", "walls and closed doors do not hide what is behind"),
          Option<&LevelConfig::max_steps>(
              "max_steps", "steps that truncate an episode; 0: the task's own number", {.min = 0}),
          Option<&LevelConfig::mission>("mission", "the observation contains the mission's text"),
          Option<&LevelConfig::obs_tile_size>("obs_tile_size",
                                              "pixels of a cell with obs_type rgb or rgb_partial",
                                              {.min = 1, .max = 64}),
          Option<&LevelConfig::tile_size>("tile_size", "pixels of a cell in render()",
                                          {.min = 1, .max = 64}),
          Option<&LevelConfig::highlight>("highlight", "pictures show which cells the agent sees"),
          Option<&LevelConfig::agent_pov>("agent_pov", "render() shows only what the agent sees")};
}

Rules RulesOf(const LevelConfig& config, int width, int height, int max_steps) {
  const int view = config.agent_view_size;
  if (view % 2 == 0) {
    throw std::invalid_argument("agent_view_size is " + std::to_string(view) +
                                "; it must be odd, such as " + std::to_string(view - 1) + " or " +
                                std::to_string(view + 1));
  }
  if (width > kLargestGrid || height > kLargestGrid) {
    throw std::invalid_argument("the grid would have " + std::to_string(width) + " x " +
                                std::to_string(height) + " cells; at most " +
                                std::to_string(kLargestGrid) + " x " +
                                std::to_string(kLargestGrid) + " are allowed");
  }
  return {.width = width,
          .height = height,
          .max_steps = config.max_steps > 0 ? config.max_steps : max_steps,
          .view_size = view,
          .sees_through_walls = config.see_through_walls};
}

}  // namespace parallel_pool::minigrid
