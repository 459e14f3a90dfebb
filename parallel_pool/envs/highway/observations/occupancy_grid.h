// Observations of the surroundings as a grid of cells: highway-env's OccupancyGrid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "parallel_pool/envs/highway/observations/features.h"

namespace parallel_pool::highway {

class OccupancyGrid {
 public:
  explicit OccupancyGrid(const ObservationOptions& options);

  // The shape: layers, rows (along x), columns (along y).
  static std::vector<int32_t> ShapeOf(const ObservationOptions& options);

  // Writes the layers, cell by cell. Cells without anything are 0.
  void Write(const Traffic& traffic, int ego, float* out);
  // The same as integers: -1 .. 1 is 0 .. 255.
  void WriteImage(const Traffic& traffic, int ego, uint8_t* out);

 private:
  void Fill(const Traffic& traffic, const Car& ego);
  void FillCars(const Traffic& traffic, const Car& ego, const FeatureColumn& column, double* layer);
  void FillRoad(const Traffic& traffic, const Car& ego, double* layer) const;
  // The number of the cell at a place relative to the ego, or -1 outside of the grid.
  int CellAt(const Car& ego, Point place) const;

  ObservationOptions options_;
  std::vector<FeatureColumn> columns_;
  int rows_, cell_columns_;
  double reach_;              // no cell is farther away from the ego (m)
  std::vector<double> grid_;  // nan: nothing is there
};

}  // namespace parallel_pool::highway
