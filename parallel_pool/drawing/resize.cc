#include "parallel_pool/drawing/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace parallel_pool::drawing {
namespace {

constexpr int kUnit = 2048;  // the weight 1 in linear interpolation

// Input pixels per output pixel. Written as the reciprocal of a quotient, because OpenCV computes
// its tables from that number, to the last bit.
double Scale(int from, int to) {
  return 1.0 / (static_cast<double>(to) / from);
}

// Rounds to the nearest integer, halves to even.
int Round(float x) {
  return static_cast<int>(std::lrint(x));
}

uint8_t Saturate(float x) {
  return static_cast<uint8_t>(std::clamp(Round(x), 0, 255));
}

}  // namespace

Resizer::Resizer(ImageSize from, ImageSize to, Interpolation interpolation)
    : from_(from), to_(to), method_(Choose(from, to, interpolation)) {
  if (method_ == Method::kArea) {
    area_x_ = MakeAreaTable(from.width, to.width);
    area_y_ = MakeAreaTable(from.height, to.height);
    row_.resize(to.width);
    sum_.resize(to.width);
    if (AreaAverage::Fits(from, to)) average_.emplace(from, to);
  }
  if (method_ == Method::kLinear) {
    linear_x_ = MakeLinearTable(from.width, to.width, interpolation, Axis::kX);
    linear_y_ = MakeLinearTable(from.height, to.height, interpolation, Axis::kY);
    for (auto& row : linear_rows_) row.resize(to.width);
  }
}

Resizer::Method Resizer::Choose(ImageSize from, ImageSize to, Interpolation interpolation) {
  if (from == to) return Method::kCopy;
  if (from.width == 2 * to.width && from.height == 2 * to.height) return Method::kMeanOfFour;
  const bool shrinks = to.width <= from.width && to.height <= from.height;
  if (interpolation == Interpolation::kLinear || !shrinks) return Method::kLinear;
  const bool whole = from.width % to.width == 0 && from.height % to.height == 0;
  return whole ? Method::kMean : Method::kArea;
}

Resizer::AreaTable Resizer::MakeAreaTable(int from, int to) {
  constexpr double kNothing = 1e-3;  // a smaller part of a pixel does not count
  const double scale = Scale(from, to);
  AreaTable table;
  for (int i = 0; i < to; ++i) {
    table.first.push_back(static_cast<int>(table.taps.size()));
    const double begin = i * scale, end = begin + scale;
    const double width = std::min(scale, from - begin);
    const int last = std::min(static_cast<int>(std::floor(end)), from - 1);
    const int first = std::min(static_cast<int>(std::ceil(begin)), last);
    if (first - begin > kNothing) {
      table.taps.push_back({first - 1, static_cast<float>((first - begin) / width)});
    }
    for (int k = first; k < last; ++k) table.taps.push_back({k, static_cast<float>(1.0 / width)});
    if (end - last > kNothing) {
      const double part = std::min(std::min(end - last, 1.0), width);
      table.taps.push_back({last, static_cast<float>(part / width)});
    }
  }
  table.first.push_back(static_cast<int>(table.taps.size()));
  return table;
}

std::vector<Resizer::Pair> Resizer::MakeLinearTable(int from, int to, Interpolation interpolation,
                                                    Axis axis) {
  const double inverse = static_cast<double>(to) / from;
  const double scale = Scale(from, to);
  std::vector<Pair> table;
  for (int i = 0; i < to; ++i) {
    int index;
    float part;  // part of the way from `index` to the next input
    if (interpolation == Interpolation::kArea) {
      // Only an output that covers two inputs mixes them.
      index = static_cast<int>(std::floor(i * scale));
      part = static_cast<float>((i + 1) - (index + 1) * inverse);
      part = part <= 0 ? 0.0f : part - std::floor(part);
    } else {
      part = static_cast<float>((i + 0.5) * scale - 0.5);
      index = static_cast<int>(std::floor(part));
      part -= static_cast<float>(index);
    }
    // Beyond the edge, the edge's pixel counts. Only along x does OpenCV also move the weights,
    // which decides the rounding there.
    const int edge = from - 1;
    if (axis == Axis::kX && (index < 0 || index >= edge)) part = 0.0f;
    table.push_back({{std::clamp(index, 0, edge), std::clamp(index + 1, 0, edge)},
                     {Round((1.0f - part) * kUnit), Round(part * kUnit)}});
  }
  return table;
}

void Resizer::Resize(const uint8_t* image, uint8_t* out) {
  switch (method_) {
    case Method::kCopy:
      std::memcpy(out, image, static_cast<size_t>(from_.height) * from_.width);
      break;
    case Method::kMeanOfFour:
    case Method::kMean:
      Mean(image, out);
      break;
    case Method::kArea:
      Area(image, out);
      break;
    case Method::kLinear:
      Linear(image, out);
      break;
  }
}

void Resizer::Mean(const uint8_t* image, uint8_t* out) const {
  const int height = from_.height / to_.height, width = from_.width / to_.width;
  const float share = static_cast<float>(1.0 / (height * width));
  for (int y = 0; y < to_.height; ++y) {
    for (int x = 0; x < to_.width; ++x) {
      const uint8_t* corner = image + (y * height) * from_.width + x * width;
      int sum = 0;
      for (int k = 0; k < height; ++k, corner += from_.width) {
        for (int i = 0; i < width; ++i) sum += corner[i];
      }
      *out++ = method_ == Method::kMeanOfFour ? static_cast<uint8_t>((sum + 2) >> 2)
                                              : Saturate(static_cast<float>(sum) * share);
    }
  }
}

// Sums along x first, then along y: the order of the additions decides the last bit.
uint8_t Resizer::AreaPixel(const uint8_t* image, int x, int y) const {
  float sum = 0.0f;
  for (int k = area_y_.first[y]; k < area_y_.first[y + 1]; ++k) {
    const uint8_t* in = image + area_y_.taps[k].index * from_.width;
    float row = 0.0f;
    for (int i = area_x_.first[x]; i < area_x_.first[x + 1]; ++i) {
      row += in[area_x_.taps[i].index] * area_x_.taps[i].weight;
    }
    sum += row * area_y_.taps[k].weight;
  }
  return Saturate(sum);
}

// All outputs as AreaPixel computes them.
void Resizer::Area(const uint8_t* image, uint8_t* out) {
  if (average_) {
    for (const int place : average_->Resize(image, out)) {
      out[place] = AreaPixel(image, place % to_.width, place / to_.width);
    }
    return;
  }
  for (int y = 0; y < to_.height; ++y, out += to_.width) {
    for (int k = area_y_.first[y]; k < area_y_.first[y + 1]; ++k) {
      const Tap& tap_y = area_y_.taps[k];
      const uint8_t* in = image + tap_y.index * from_.width;
      for (int x = 0; x < to_.width; ++x) {
        float sum = 0.0f;
        for (int i = area_x_.first[x]; i < area_x_.first[x + 1]; ++i) {
          sum += in[area_x_.taps[i].index] * area_x_.taps[i].weight;
        }
        row_[x] = sum;
      }
      const bool first = k == area_y_.first[y];
      for (int x = 0; x < to_.width; ++x) {
        const float part = row_[x] * tap_y.weight;
        sum_[x] = first ? part : sum_[x] + part;
      }
    }
    for (int x = 0; x < to_.width; ++x) out[x] = Saturate(sum_[x]);
  }
}

// Input row `row` resized along x, in 1/2048. Successive output rows share input rows.
const int* Resizer::LinearRow(const uint8_t* image, int row) {
  const int slot = row & 1;
  int* out = linear_rows_[slot].data();
  if (held_[slot] == row) return out;
  held_[slot] = row;
  const uint8_t* in = image + row * from_.width;
  for (int x = 0; x < to_.width; ++x) {
    const Pair& pair = linear_x_[x];
    out[x] = in[pair.index[0]] * pair.weight[0] + in[pair.index[1]] * pair.weight[1];
  }
  return out;
}

void Resizer::Linear(const uint8_t* image, uint8_t* out) {
  held_[0] = held_[1] = -1;
  for (const Pair& pair : linear_y_) {
    const int* above = LinearRow(image, pair.index[0]);
    const int* below = LinearRow(image, pair.index[1]);
    for (int x = 0; x < to_.width; ++x) {
      // Each product is truncated to 1/4 before the two are added.
      const int quarters =
          ((pair.weight[0] * (above[x] >> 4)) >> 16) + ((pair.weight[1] * (below[x] >> 4)) >> 16);
      *out++ = static_cast<uint8_t>((quarters + 2) >> 2);
    }
  }
}

}  // namespace parallel_pool::drawing
