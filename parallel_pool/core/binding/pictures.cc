#include "parallel_pool/core/binding/pictures.h"

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "parallel_pool/drawing/resize.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

constexpr int kColors = 3;

size_t Pixels(ImageSize size) {
  return static_cast<size_t>(size.height) * size.width;
}

// Resizes one picture, a color at a time.
class PictureResizer {
 public:
  PictureResizer(ImageSize from, ImageSize to)
      : plane_(Pixels(from)),
        resized_(Pixels(to)),
        resizer_(from, to,
                 to.height <= from.height && to.width <= from.width
                     ? drawing::Interpolation::kArea
                     : drawing::Interpolation::kLinear) {}

  void Resize(const uint8_t* picture, uint8_t* out) {
    for (int color = 0; color < kColors; ++color) {
      for (size_t i = 0; i < plane_.size(); ++i) plane_[i] = picture[i * kColors + color];
      resizer_.Resize(plane_.data(), resized_.data());
      for (size_t i = 0; i < resized_.size(); ++i) out[i * kColors + color] = resized_[i];
    }
  }

 private:
  std::vector<uint8_t> plane_, resized_;  // one color before and after
  drawing::Resizer resizer_;
};

}  // namespace

Pictures Resized(const Pictures& pictures, int height, int width) {
  if (pictures.ndim() != 4 || pictures.shape(3) != kColors || pictures.size() == 0) {
    throw std::invalid_argument("pictures must have the shape (rows, height, width, 3)");
  }
  const ImageSize from{static_cast<int>(pictures.shape(1)), static_cast<int>(pictures.shape(2))};
  const ImageSize to{height, width};
  const py::ssize_t rows = pictures.shape(0);
  Pictures resized({rows, py::ssize_t{height}, py::ssize_t{width}, py::ssize_t{kColors}});
  const uint8_t* const first = pictures.data();
  uint8_t* const out = resized.mutable_data();
  const py::gil_scoped_release unlocked;
  PictureResizer resizer(from, to);
  for (py::ssize_t row = 0; row < rows; ++row) {
    resizer.Resize(first + row * pictures.strides(0), out + row * resized.strides(0));
  }
  return resized;
}

}  // namespace parallel_pool
