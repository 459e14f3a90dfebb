#include "parallel_pool/envs/rware/observations.h"

#include <algorithm>

namespace parallel_pool::rware {
namespace {

constexpr int kOfSelf = 4 + kDirections;  // numbers

// Writes 1 for the direction, and 0 for the others. Returns the place behind them.
float* WriteDirection(int32_t direction, float* numbers) {
  std::fill_n(numbers, kDirections, 0.0f);
  numbers[direction] = 1.0f;
  return numbers + kDirections;
}

// Writes what is in a cell, which may be outside of the floor. Returns the place behind it.
float* WriteCell(const Config& config, const Warehouse& warehouse, Cell cell, float* numbers) {
  const bool is_inside = warehouse.is_inside(cell);
  const int32_t agent = is_inside ? warehouse.agent_at(cell) : kNobody;
  const int32_t shelf = is_inside ? warehouse.shelf_at(cell) : kNobody;
  *numbers++ = agent != kNobody ? 1.0f : 0.0f;
  numbers = WriteDirection(agent != kNobody ? warehouse.agents()[agent].direction : kUp, numbers);
  if (agent != kNobody) {
    for (const int32_t bit : warehouse.message(agent)) *numbers++ = static_cast<float>(bit);
  } else {
    numbers = std::fill_n(numbers, config.msg_bits, 0.0f);
  }
  *numbers++ = shelf != kNobody ? 1.0f : 0.0f;
  *numbers++ = shelf != kNobody && warehouse.is_requested(shelf) ? 1.0f : 0.0f;
  return numbers;
}

// Whether an agent is at (y, x) instead of (x, y): rware writes two layers so. Where such a place
// is outside of the floor, rware fails.
const Agent* AgentAcross(const Warehouse& warehouse, Cell cell) {
  const Cell across = {cell.y, cell.x};
  if (!warehouse.is_inside(across) || warehouse.agent_at(across) == kNobody) return nullptr;
  return &warehouse.agents()[warehouse.agent_at(across)];
}

// The value of a cell of the floor in a layer.
float ValueOf(Layer layer, const Warehouse& warehouse, Cell cell) {
  const int32_t shelf = warehouse.shelf_at(cell);
  switch (layer) {
    case Layer::kShelves:
      return shelf != kNobody ? 1.0f : 0.0f;
    case Layer::kRequests:
      return shelf != kNobody && warehouse.is_requested(shelf) ? 1.0f : 0.0f;
    case Layer::kAgents:
      return warehouse.agent_at(cell) != kNobody ? 1.0f : 0.0f;
    case Layer::kAgentDirection: {
      const Agent* const agent = AgentAcross(warehouse, cell);
      return agent != nullptr ? static_cast<float>(agent->direction + 1) : 0.0f;
    }
    case Layer::kAgentLoad: {
      const Agent* const agent = AgentAcross(warehouse, cell);
      return agent != nullptr && agent->shelf != kNobody ? 1.0f : 0.0f;
    }
    case Layer::kGoals: {
      const std::vector<Cell>& goals = warehouse.floor().goals;
      return std::ranges::find(goals, cell) != goals.end() ? 1.0f : 0.0f;
    }
    case Layer::kAccessible:
      return warehouse.agent_at(cell) == kNobody ? 1.0f : 0.0f;
  }
  return 0.0f;
}

// The step from a cell of an image to the next one, on the floor.
struct Axes { Cell down, right; };

Axes AxesOf(int32_t direction) {
  switch (direction) {
    case kDown:
      return {{0, -1}, {-1, 0}};
    case kToLeft:
      return {{1, 0}, {0, -1}};
    case kToRight:
      return {{-1, 0}, {0, 1}};
    default:
      return {{0, 1}, {1, 0}};
  }
}

}  // namespace

int NumbersOfVector(const Config& config) {
  const int of_cell = 1 + kDirections + config.msg_bits + 2;
  return kOfSelf + config.sight() * config.sight() * of_cell;
}

Space ImageSpace(const Config& config) {
  const int side = config.sight();
  std::vector<double> high;
  for (const Layer layer : config.layers) {
    high.insert(high.end(), side * side, layer == Layer::kAgentDirection ? kDirections : 1);
  }
  return Box({static_cast<int32_t>(config.layers.size()), side, side}, {0}, std::move(high));
}

void WriteVector(const Config& config, const Warehouse& warehouse, int agent, float* numbers) {
  const Agent& own = warehouse.agents()[agent];
  const Layout& floor = warehouse.floor();
  if (config.normalised_coordinates) {
    *numbers++ = static_cast<float>(own.place.x / (floor.columns - 1.0));
    *numbers++ = static_cast<float>(own.place.y / (floor.rows - 1.0));
  } else {
    *numbers++ = static_cast<float>(own.place.x);
    *numbers++ = static_cast<float>(own.place.y);
  }
  *numbers++ = own.shelf != kNobody ? 1.0f : 0.0f;
  numbers = WriteDirection(own.direction, numbers);
  *numbers++ = warehouse.is_corridor(own.place) ? 1.0f : 0.0f;
  for (int y = -config.sensor_range; y <= config.sensor_range; ++y) {
    for (int x = -config.sensor_range; x <= config.sensor_range; ++x) {
      numbers = WriteCell(config, warehouse, {own.place.x + x, own.place.y + y}, numbers);
    }
  }
}

void WriteImage(const Config& config, const Warehouse& warehouse, int agent, float* numbers) {
  const Agent& own = warehouse.agents()[agent];
  const auto [down, right] = AxesOf(config.image_observation_directional ? own.direction : kUp);
  const int range = config.sensor_range;
  for (const Layer layer : config.layers) {
    for (int i = -range; i <= range; ++i) {
      for (int j = -range; j <= range; ++j) {
        const Cell cell = {own.place.x + i * down.x + j * right.x,
                           own.place.y + i * down.y + j * right.y};
        *numbers++ = warehouse.is_inside(cell) ? ValueOf(layer, warehouse, cell) : 0.0f;
      }
    }
  }
}

void WriteFeatures(const Warehouse& warehouse, int agent, float* numbers) {
  const Agent& own = warehouse.agents()[agent];
  numbers = WriteDirection(own.direction, numbers);
  *numbers++ = warehouse.is_corridor(own.place) ? 1.0f : 0.0f;
  *numbers = own.shelf != kNobody ? 1.0f : 0.0f;
}

}  // namespace parallel_pool::rware
