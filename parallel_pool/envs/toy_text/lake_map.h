// The map of a frozen lake: rows of S (start), F (frozen), H (hole) and G (goal).
#pragma once

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "parallel_pool/envs/toy_text/grid.h"

namespace parallel_pool::toy_text {

inline constexpr const char* kLakeNames[] = {"4x4", "8x8"};

struct LakeMap {
  Grid grid{};
  std::string letters;  // one letter per cell, row by row

  // Parses `rows`, which are joined by '\n'; throws std::invalid_argument if they are no map.
  explicit LakeMap(const std::string& rows) {
    std::istringstream lines(rows);
    for (std::string row; std::getline(lines, row); ++grid.rows) {
      if (grid.rows == 0) grid.columns = static_cast<int>(row.size());
      Check(row);
      letters += row;
    }
    if (letters.find('S') == std::string::npos) {
      throw std::invalid_argument("desc has no start: one letter at least must be an S");
    }
  }

  static LakeMap Named(const std::string& name) {
    return LakeMap(name == "4x4" ? "SFFF\nFHFH\nFFFH\nHFFG"
                                 : "SFFFFFFF\nFFFFFFFF\nFFFHFFFF\nFFFFFHFF\n"
                                   "FFFHFFFF\nFHHFFFHF\nFHFFHFHF\nFFFHFFFG");
  }

  // The name of the built-in map with `rows` rows; throws std::invalid_argument if there is none.
  static const char* NameOf(int rows) {
    if (rows == 4) return kLakeNames[0];
    if (rows == 8) return kLakeNames[1];
    throw std::invalid_argument("size is " + std::to_string(rows) +
                                "; allowed are 4 and 8, or give a map as desc");
  }

  // The probability of each cell to be the start of an episode.
  std::vector<double> Starts() const {
    const auto count = static_cast<double>(std::count(letters.begin(), letters.end(), 'S'));
    std::vector<double> starts;
    for (const char letter : letters) starts.push_back(letter == 'S' ? 1.0 / count : 0.0);
    return starts;
  }

 private:
  void Check(const std::string& row) const {
    const std::string what = "desc[" + std::to_string(grid.rows) + "] is '" + row + "'; ";
    if (static_cast<int>(row.size()) != grid.columns) {
      throw std::invalid_argument(what + "all rows must have " + std::to_string(grid.columns) +
                                  " letters, as the first has");
    }
    if (row.find_first_not_of("SFHG") != std::string::npos) {
      throw std::invalid_argument(what + "allowed are the letters S, F, H and G");
    }
    if (letters.size() + row.size() > kMostCells) {
      throw std::invalid_argument("desc has more than " + std::to_string(kMostCells) + " letters");
    }
  }

  static constexpr size_t kMostCells = 1 << 20;
};

}  // namespace parallel_pool::toy_text
