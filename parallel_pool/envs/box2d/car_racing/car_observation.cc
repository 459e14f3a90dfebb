#include "parallel_pool/envs/box2d/car_racing/car_cells.h"
#include "parallel_pool/envs/box2d/car_racing/car_painter.h"
#include "parallel_pool/envs/box2d/car_racing/car_picture.h"

namespace parallel_pool::box2d {

void DrawCarObservation(const CarScene& scene, uint8_t* rgb) {
  static thread_local CarCells cells;
  cells.Clear();
  CarPainter painter(scene, cells);
  painter.DrawRoad();
  painter.DrawCar();
  painter.DrawPanel();
  cells.Shrink(rgb);
}

}  // namespace parallel_pool::box2d
