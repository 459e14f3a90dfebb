// Pictures of render() in the size that the user asks for.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>

namespace parallel_pool {

using Pictures = pybind11::array_t<uint8_t, pybind11::array::c_style | pybind11::array::forcecast>;

// `pictures`, shape (rows, height, width, 3), as cv2.resize makes them: INTER_AREA if no side
// grows, else INTER_LINEAR.
Pictures Resized(const Pictures& pictures, int height, int width);

}  // namespace parallel_pool
