#include "parallel_pool/drawing/canvas.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace parallel_pool::drawing {
namespace {

// A white canvas whose pixels read as text: '.' is white, '#' black, 1 to 9 tenths of black. It
// lies between bytes that must not change.
class Sheet {
 public:
  Sheet(int width, int height, YAxis axis = YAxis::kDown)
      : size_{.height = height, .width = width},
        bytes_(kGuard + 3 * width * height + kGuard, kUntouched),
        canvas({bytes_.data() + kGuard, static_cast<size_t>(3 * width * height)}, size_, axis) {
    canvas.Fill(kWhite);
  }
  ~Sheet() {
    for (size_t i = 0; i < kGuard; ++i) {
      EXPECT_EQ(bytes_[i], kUntouched);
      EXPECT_EQ(bytes_[bytes_.size() - 1 - i], kUntouched);
    }
  }

  Rgb at(int x, int y) const {
    const uint8_t* p = bytes_.data() + kGuard + 3 * (y * size_.width + x);
    return {p[0], p[1], p[2]};
  }
  std::string Text() const {
    std::string text = "\n";
    for (int y = 0; y < size_.height; ++y) {
      for (int x = 0; x < size_.width; ++x) text += ".123456789#"[(255 - at(x, y).red) * 10 / 255];
      text += '\n';
    }
    return text;
  }

 private:
  static constexpr size_t kGuard = 4096;
  static constexpr uint8_t kUntouched = 77;
  const ImageSize size_;
  std::vector<uint8_t> bytes_;

 public:
  Canvas canvas;
};

TEST(CanvasTest, FillsRectangles) {
  Sheet sheet(8, 4);
  sheet.canvas.FillRect({1, 1, 2, 2}, kBlack);
  sheet.canvas.FillRect({6, -5, 9, 7}, kBlack);
  EXPECT_EQ(sheet.Text(), R"(
......##
.##...##
.##.....
........
)");
}

TEST(CanvasTest, CountsFromTheBottomIfToldSo) {
  Sheet sheet(5, 3, YAxis::kUp);
  sheet.canvas.FillRect({0, 0, 2, 1}, kBlack);
  sheet.canvas.FillRect({4, 2, 1, 1}, kBlack);
  EXPECT_EQ(sheet.Text(), R"(
....#
.....
##...
)");
}

TEST(CanvasTest, DrawsFrames) {
  Sheet sheet(6, 4);
  sheet.canvas.DrawFrame({1, 0, 4, 4}, kBlack);
  EXPECT_EQ(sheet.Text(), R"(
.####.
.#..#.
.#..#.
.####.
)");
}

TEST(CanvasTest, CutsCornersToWholePixels) {
  Sheet sheet(8, 5);
  const std::array corners{Point{1.9, 1.2}, Point{1.9, 3.9}, Point{6.5, 3.9}, Point{6.5, 1.2}};
  sheet.canvas.FillPolygon(corners, kBlack);
  EXPECT_EQ(sheet.Text(), R"(
........
.######.
.######.
.######.
........
)");
}

TEST(CanvasTest, SmoothsEdgesOfPolygons) {
  Sheet sheet(13, 7);
  const std::array corners{Point{0, 0}, Point{12, 3}, Point{4, 6}};
  sheet.canvas.FillPolygon(corners, kBlack);
  EXPECT_EQ(sheet.Text(), R"(
#742.........
3####742.....
.########742.
..###########
..3#######73.
...#####41...
....#62......
)");
}

TEST(CanvasTest, DrawsWhatIsInsideOfPolygonsThatReachBeyond) {
  Sheet sheet(6, 3);
  const std::array corners{Point{-100, -90}, Point{3, -90}, Point{3, 1}, Point{-100, 1}};
  sheet.canvas.FillPolygon(corners, kBlack);
  EXPECT_EQ(sheet.Text(), R"(
####..
####..
......
)");
}

TEST(CanvasTest, FillsCircles) {
  Sheet sheet(13, 12);
  sheet.canvas.FillCircle({5.7, 5.2}, 5, kBlack);
  sheet.canvas.FillCircle({12, 11}, 1, kBlack);
  EXPECT_EQ(sheet.Text(), R"(
...58#85.....
..#######....
.#########...
###########..
###########..
###########..
###########..
###########..
.#########...
..#######....
...58#85....#
...........##
)");
}

TEST(CanvasTest, DrawsLines) {
  Sheet flat(9, 3), steep(3, 9);
  flat.canvas.DrawLine({8, 1.5}, {-30, 1.5}, kBlack);
  steep.canvas.DrawLine({0, 0}, {2, 8}, kBlack);
  EXPECT_EQ(flat.Text(), R"(
.........
555555555
555555555
)");
  EXPECT_EQ(steep.Text(), R"(
#..
72.
55.
27.
.#.
.72
.55
.27
..#
)");
}

TEST(CanvasTest, MixesColors) {
  Sheet sheet(1, 2);
  sheet.canvas.Fill({100, 200, 0});
  sheet.canvas.DrawLine({0, 0.25}, {0.1, 0.25}, {200, 0, 255});
  EXPECT_EQ(sheet.at(0, 0).red, 175);
  EXPECT_EQ(sheet.at(0, 0).green, 50);
  EXPECT_EQ(sheet.at(0, 0).blue, 191);
  EXPECT_EQ(sheet.at(0, 1).red, 125);
}

// 4 x 2 pixels: black, transparent, half transparent black.
constexpr Rgba kPalette[] = {{0, 0, 0, 255}, {0, 0, 0, 0}, {0, 0, 0, 128}};
constexpr uint8_t kSquares[] = {0, 2}, kPixels[] = {0, 1, 1, 2, 1, 1, 1, 1};
constexpr Image kImages[] = {{"large", 4, 2, 2, kPalette, kSquares},
                             {"small", 4, 2, 1, kPalette, kPixels}};

TEST(CanvasTest, FindsImagesByName) {
  static_assert(Find(kImages, "small").zoom == 1);
  EXPECT_EQ(Find(kImages, "large").zoom, 2);
  EXPECT_THROW(Find(kImages, "lrage"), std::out_of_range);
}

TEST(CanvasTest, ShowsImages) {
  Sheet sheet(10, 6);
  sheet.canvas.Blit(kImages[0], 1, 0);
  sheet.canvas.Blit(kImages[1], 6, 0, {.x = true});
  sheet.canvas.Blit(kImages[1], 0, 3, {.y = true});
  sheet.canvas.Blit(kImages[0], 8, 4);
  EXPECT_EQ(sheet.Text(), R"(
.##55.5..#
.##55.....
..........
..........
#..5....##
........##
)");
}

TEST(CanvasTest, StretchesImagesToTheNearestPixel) {
  Sheet sheet(10, 3);
  sheet.canvas.BlitStretched(kImages[1], {0, 0, 8, 2});
  sheet.canvas.BlitStretched(kImages[0], {8, 0, 2, 1}, {.x = true});
  sheet.canvas.BlitStretched(kImages[0], {3, 2, 3, 1});
  EXPECT_EQ(sheet.Text(), R"(
##....555#
..........
...##5....
)");
}

TEST(CanvasTest, ShrinksImagesToMeans) {
  Sheet sheet(7, 2);
  sheet.canvas.BlitShrunk(kImages[1], {0, 0, 1, 1});
  sheet.canvas.BlitShrunk(kImages[1], {2, 0, 2, 1}, {.x = true});
  sheet.canvas.BlitShrunk(kImages[0], {5, 0, 2, 2});
  sheet.canvas.BlitShrunk(kImages[0], {5, 0, 0, 0});
  EXPECT_EQ(sheet.Text(), R"(
1.12.#5
.....#5
)");
}

}  // namespace
}  // namespace parallel_pool::drawing
