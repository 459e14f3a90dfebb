#include "parallel_pool/envs/rware/layout.h"

#include <cctype>
#include <stdexcept>

namespace parallel_pool::rware {
namespace {

constexpr int kBlock = 2;  // columns of shelves in a block

// Makes a floor of corridors.
Layout Floor(int64_t rows, int64_t columns) {
  if (rows * columns > kMostCells) {
    throw std::invalid_argument(
        "a warehouse of " + std::to_string(rows) + " rows and " + std::to_string(columns) +
        " columns is too large: " + std::to_string(kMostCells) + " cells are allowed");
  }
  Layout floor;
  floor.rows = static_cast<int32_t>(rows);
  floor.columns = static_cast<int32_t>(columns);
  floor.is_corridor.assign(rows * columns, 1);
  return floor;
}

void AddShelf(Layout& floor, Cell cell) {
  floor.is_corridor[floor.IndexOf(cell)] = 0;
  floor.shelves.push_back(cell);
}

// The lines of a text without its spaces and without empty lines around them.
std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines = {""};
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      lines.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
  return lines;
}

}  // namespace

Layout BlocksOfShelves(int shelf_columns, int column_height, int shelf_rows) {
  Layout floor =
      Floor(int64_t{column_height + 1} * shelf_rows + 2, int64_t{kBlock + 1} * shelf_columns + 1);
  const int32_t middle = floor.columns / 2;
  floor.goals = {{middle - 1, floor.rows - 1}, {middle, floor.rows - 1}};
  // No shelf stands in the middle of the last blocks: agents wait there for a goal.
  const int32_t first_row_of_queue = floor.rows - (column_height + 2);
  for (int32_t y = 0; y < floor.rows - 1; ++y) {
    for (int32_t x = 0; x < floor.columns; ++x) {
      const bool is_queue = y >= first_row_of_queue && (x == middle - 1 || x == middle);
      const bool is_between = x % (kBlock + 1) == 0 || y % (column_height + 1) == 0;
      if (!is_queue && !is_between) AddShelf(floor, {x, y});
    }
  }
  return floor;
}

Layout FloorOfText(const std::string& text) {
  const std::vector<std::string> lines = LinesOf(text);
  if (lines.empty()) throw std::invalid_argument("layout has no line");
  Layout floor = Floor(static_cast<int64_t>(lines.size()), static_cast<int64_t>(lines[0].size()));
  for (int32_t y = 0; y < floor.rows; ++y) {
    const std::string& line = lines[y];
    const std::string place = "layout: line " + std::to_string(y + 1);
    if (line.size() != lines[0].size()) {
      throw std::invalid_argument(place + " has " + std::to_string(line.size()) +
                                  " cells; all lines must have as many as the first, " +
                                  std::to_string(lines[0].size()));
    }
    for (int32_t x = 0; x < floor.columns; ++x) {
      switch (line[x]) {
        case 'x':
          AddShelf(floor, {x, y});
          break;
        case 'g':
          floor.goals.push_back({x, y});
          break;
        case '.':
          break;
        default:
          throw std::invalid_argument(place + " contains '" + line.substr(x, 1) +
                                      "'; allowed are x, g, . and spaces");
      }
    }
  }
  if (floor.goals.empty()) throw std::invalid_argument("layout has no goal: g");
  return floor;
}

}  // namespace parallel_pool::rware
