// The shapes of pygame.gfxdraw, which are those of SDL_gfx.
//
// gfxdraw keeps the corners of polygons in 16 bits. Corners beyond +-32767 are not supported.
#pragma once

#include <span>
#include <utility>

#include "parallel_pool/drawing/pygame/shapes.h"

namespace parallel_pool::drawing::pygame::gfxdraw {

// Cuts the line from `a` to `b` to the part that lies on a surface of this size; false if there is
// none. Each cut rounds, so the remaining part can have another slope. The ends may be swapped.
bool ClipLine(ImageSize size, Pixel* a, Pixel* b);

// An edge of a polygon, followed from row to row.
struct FillEdge {
  int first_row, last_row;
  int height, width;        // in pixels; negative widths lead to the left
  uint32_t crossing, step;  // in 1/65536 of a pixel, where this row and the next one cross it
  int rest, rest_step;      // of the divisions by height

  void Step() {
    crossing += step;
    rest += rest_step;
    if (rest < height) return;
    rest -= height;
    crossing += width;
  }
};

// Writes the edges that cross row `row` or rows below it; returns their number. `bottom` is the
// largest y of `corners`.
int FindEdges(std::span<const Pixel> corners, int row, int bottom, FillEdge* edges);

// Calls visit(y, crossings) for rows `first` to `last` of a polygon of up to kMaxCorners. Crossings
// are sorted, and their number is even.
template <class Visit>
void ForEachFilledRow(std::span<const Pixel> corners, int first, int last, int bottom,
                      Visit visit) {
  FillEdge edges[kMaxCorners], *active[kMaxCorners];
  const int num_edges = FindEdges(corners, first, bottom, edges);
  for (int y = first; y <= last;) {
    int count = 0, end = last + 1;  // the same edges cross the rows up to `end`
    for (FillEdge* edge = edges; edge < edges + num_edges; ++edge) {
      if (y < edge->first_row) {
        end = std::min(end, edge->first_row);
      } else if (y <= edge->last_row) {
        active[count++] = edge;
        end = std::min(end, edge->last_row + 1);
      }
    }
    for (; y < end; ++y) {
      int32_t crossings[kMaxCorners];
      for (int i = 0; i < count; ++i) {
        crossings[i] = static_cast<int32_t>(active[i]->crossing);
        active[i]->Step();
      }
      if (count > 2) std::sort(crossings, crossings + count);
      if (count == 2 && crossings[0] > crossings[1]) std::swap(crossings[0], crossings[1]);
      visit(y, std::span<const int32_t>(crossings, count));
    }
  }
}

// The fraction of a smooth line's shorter coordinate, in 1/2^32 of a pixel.
class AaFraction {
 public:
  AaFraction(uint32_t shorter, uint32_t longer) : slope_((shorter << 16) / longer << 16) {}

  // Goes one pixel along the longer axis; true if the shorter coordinate reaches its next pixel.
  bool Step() {
    const uint32_t before = fraction_;
    fraction_ += slope_;
    return fraction_ <= before;  // a diagonal has slope 0 and carries at each step
  }
  // The alphas of the line's pixel and of its neighbor.
  int alpha() const { return 255 * (255 - weight()) >> 8; }
  int next_alpha() const { return 255 * weight() >> 8; }

 private:
  int weight() const { return static_cast<int>(fraction_ >> 24); }

  const uint32_t slope_;
  uint32_t fraction_ = 0;
};

// The inner pixels of a smooth line from `a` down to `b`, which is higher than wide. The brush is a
// copy, so that the compiler keeps its members in registers.
template <Brush T>
void AaSteepLine(T brush, Pixel a, Pixel b) {
  const int width = static_cast<int>(brush.size().width), side = b.x > a.x ? 1 : -1;
  AaFraction fraction(std::abs(b.x - a.x), b.y - a.y);
  int x = a.x;
  for (int y = a.y + 1; y < b.y; ++y) {
    if (fraction.Step()) x += side;
    brush.Blend(x, y, fraction.alpha());
    const int next = x + side;
    if (next >= 0 && next < width) brush.Blend(next, y, fraction.next_alpha());
  }
}

// The inner pixels of a smooth line from `a` down to `b`, which is at least as wide as high.
template <Brush T>
void AaFlatLine(T brush, Pixel a, Pixel b) {
  const int last_row = static_cast<int>(brush.size().height) - 1, side = b.x > a.x ? 1 : -1;
  AaFraction fraction(b.y - a.y, std::abs(b.x - a.x));
  int y = a.y;
  for (int x = a.x + side; x != b.x; x += side) {
    if (fraction.Step()) ++y;
    brush.Blend(x, y, fraction.alpha());
    if (y < last_row) brush.Blend(x, y + 1, fraction.next_alpha());
  }
}

// A smooth line without its last pixel, after Wu 1991. At each step along its longer axis, two
// neighboring pixels share the line, in 256 parts.
template <Brush T>
void AaLine(T& brush, Pixel a, Pixel b) {
  const ImageSize size = brush.size();
  if (!ClipLine(size, &a, &b)) return;
  const Pixel start = a;
  if (a.y > b.y) std::swap(a, b);
  if (a.y == b.y) return FillRowClipped(brush, a.y, a.x, b.x);
  if (a.x == b.x) {
    for (int y = a.y; y <= b.y; ++y) brush.FillRow(y, a.x, a.x);
    return;
  }
  brush.FillRow(start.y, start.x, start.x);
  if (b.y - a.y > std::abs(b.x - a.x)) {
    AaSteepLine(brush, a, b);
  } else {
    AaFlatLine(brush, a, b);
  }
}

// gfxdraw.aapolygon: the smooth edges only.
template <Brush T>
void AaPolygon(T& brush, std::span<const Pixel> corners) {
  for (size_t i = 0; i < corners.size(); ++i) {
    AaLine(brush, corners[i], corners[(i + 1) % corners.size()]);
  }
}

// Pixels of a row; none if first > last.
struct RowSpan { int first, last; };

// The pixels between two neighboring crossings, cut to the surface.
inline RowSpan SpanOf(ImageSize size, const int32_t* crossings) {
  // Half a pixel is rounded up, after each end has moved inwards by 1/65536.
  const auto round = [](int32_t x) { return (x >> 16) + (x >> 15 & 1); };
  const int a = round(crossings[0] + 1), b = round(crossings[1] - 1);
  return {std::max(std::min(a, b), 0), std::min<int>(std::max(a, b), size.width - 1)};
}

// The rows of a polygon on a surface.
inline RowSpan RowsOf(ImageSize size, std::span<const Pixel> corners, int* bottom) {
  const auto [low, high] = std::ranges::minmax(corners, {}, &Pixel::y);
  *bottom = high.y;
  return {std::max(low.y, 0), std::min<int>(high.y, size.height - 1)};
}

// gfxdraw.filled_polygon
template <Brush T>
void FilledPolygon(T& brush, std::span<const Pixel> corners) {
  int bottom;
  const RowSpan rows = RowsOf(brush.size(), corners, &bottom);
  ForEachFilledRow(corners, rows.first, rows.last, bottom,
                   [&](int y, std::span<const int32_t> crossings) {
                     for (size_t i = 0; i < crossings.size(); i += 2) {
                       const RowSpan span = SpanOf(brush.size(), &crossings[i]);
                       if (span.first <= span.last) brush.FillRow(y, span.first, span.last);
                     }
                   });
}

// A brush that leaves out the pixels of one span in each row.
template <Brush T>
struct OutsideBrush {
  ImageSize size() const { return brush.size(); }
  void FillRow(int y, int first, int last) { brush.FillRow(y, first, last); }
  void Blend(int x, int y, int alpha) {
    if (x < spans[y].first || x > spans[y].last) brush.Blend(x, y, alpha);
  }

  T brush;
  const RowSpan* spans;  // of each row of the surface
};

// AaPolygon, then FilledPolygon. Pixels that the second one covers are painted only once. `spans`
// is scratch memory: one for each row of the surface.
template <Brush T>
void SmoothPolygon(T& brush, std::span<const Pixel> corners, std::span<RowSpan> spans) {
  int bottom;
  const ImageSize size = brush.size();
  const RowSpan rows = RowsOf(size, corners, &bottom);
  if (rows.first > rows.last) return;
  bool has_two_spans = false;  // in a row, which is rare
  ForEachFilledRow(corners, rows.first, rows.last, bottom,
                   [&](int y, std::span<const int32_t> crossings) {
                     has_two_spans |= crossings.size() > 2;
                     spans[y] = crossings.empty() ? RowSpan{1, 0} : SpanOf(size, crossings.data());
                   });
  if (has_two_spans) {
    AaPolygon(brush, corners);
    return FilledPolygon(brush, corners);
  }
  // Smooth lines reach one row beyond the corners.
  if (rows.first > 0) spans[rows.first - 1] = {1, 0};
  if (rows.last + 1 < size.height) spans[rows.last + 1] = {1, 0};
  OutsideBrush<T> outside{brush, spans.data()};
  AaPolygon(outside, corners);
  T copy = brush;  // whose members the compiler keeps in registers
  for (int y = rows.first; y <= rows.last; ++y) {
    if (spans[y].first <= spans[y].last) copy.FillRow(y, spans[y].first, spans[y].last);
  }
}

}  // namespace parallel_pool::drawing::pygame::gfxdraw
