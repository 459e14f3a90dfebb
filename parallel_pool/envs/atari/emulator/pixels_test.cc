// Compares both implementations, the one for AVX2 and the one for all other processors, with a
// plain one that makes one pixel at a time.
#include "parallel_pool/envs/atari/emulator/pixels.cc"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace parallel_pool::atari {
namespace {

using Pixels160 = std::array<uint8_t, kPixels>;

// A row with padding: ALE's tables, too, are read beyond a row's end.
using Line = std::array<uint8_t, kPixels + 64>;

struct Picture {
  Line player0{}, player1{}, missile0{}, missile1{}, ball{}, playfield{};
  Objects objects{};
};

Picture RandomPicture(std::mt19937& rng) {
  Picture p;
  const auto fill = [&rng](Line& line, uint32_t one_in, auto value) {
    for (uint8_t& pixel : line) pixel = rng() % one_in == 0 ? value() : 0;
  };
  const uint32_t one_in = std::array{1, 2, 8, 60}[rng() % 4];
  fill(p.player0, one_in, [&] { return static_cast<uint8_t>(1 << rng() % 8); });
  fill(p.player1, one_in, [&] { return static_cast<uint8_t>(1 << rng() % 8); });
  for (Line* line : {&p.missile0, &p.missile1, &p.ball}) {
    fill(*line, 2 * one_in, [] { return uint8_t{1}; });
  }
  for (uint8_t& pixel : p.playfield) pixel = rng() % 3 == 0 ? 0 : 255;
  p.objects = {p.player0.data(),
               p.player1.data(),
               p.missile0.data(),
               p.missile1.data(),
               p.ball.data(),
               p.playfield.data(),
               static_cast<uint8_t>(rng()),
               static_cast<uint8_t>(rng()),
               /*background=*/10,
               /*front=*/20,
               /*color0=*/30,
               /*color1=*/40,
               /*priority=*/rng() % 2 == 0,
               /*score=*/rng() % 2 == 0};
  return p;
}

// The pixel at x, and the collisions of the chip's six objects there, one bit per pair.
uint8_t PlainPixel(const Picture& p, uint32_t x, uint16_t* collisions) {
  const Objects& o = p.objects;
  const bool p0 = p.player0[x] & o.graphics0, p1 = p.player1[x] & o.graphics1;
  const bool m0 = p.missile0[x], m1 = p.missile1[x], bl = p.ball[x], pf = p.playfield[x] == 0;
  const std::array<std::pair<bool, bool>, 15> pairs = {{{m0, p1},
                                                        {m0, p0},
                                                        {m1, p0},
                                                        {m1, p1},
                                                        {p0, pf},
                                                        {p0, bl},
                                                        {p1, pf},
                                                        {p1, bl},
                                                        {m0, pf},
                                                        {m0, bl},
                                                        {m1, pf},
                                                        {m1, bl},
                                                        {bl, pf},
                                                        {p0, p1},
                                                        {m0, m1}}};
  for (size_t i = 0; i < pairs.size(); ++i) {
    *collisions |= static_cast<uint16_t>((pairs[i].first && pairs[i].second) << i);
  }
  if (o.priority && (pf || bl)) return o.front;
  if (p0 || m0) return o.color0;
  const bool scored = o.score && !o.priority;
  if (scored && pf && x < kPixels / 2) return o.color0;
  if (p1 || m1) return o.color1;
  if (scored && pf) return o.color1;
  return pf || bl ? o.front : o.background;
}

template <class Draw>
void ExpectPlain(const Draw& draw) {
  std::mt19937 rng(1);
  for (int round = 0; round < 3000; ++round) {
    const Picture picture = RandomPicture(rng);
    const uint32_t x = round % 4 == 0 ? 0 : rng() % kPixels;
    const uint32_t n = round % 4 == 0 ? kPixels : 1 + rng() % (kPixels - x);
    std::vector<uint8_t> expected(n, 0), drawn(n + 32, 99);
    uint16_t collisions = 0;
    for (uint32_t i = 0; i < n; ++i) expected[i] = PlainPixel(picture, x + i, &collisions);
    ASSERT_EQ(draw(picture.objects, x, n, drawn.data()), collisions) << x << " " << n;
    for (uint32_t i = n; i < drawn.size(); ++i) ASSERT_EQ(drawn[i], 99) << "behind the end";
    drawn.resize(n);
    ASSERT_EQ(drawn, expected) << x << " " << n;
  }
}

TEST(Pixels, PortableDrawsAsOneByOne) {
  ExpectPlain(portable::DrawSome);
}

TEST(Pixels, Avx2DrawsAsOneByOne) {
  if (!kHasAvx2) GTEST_SKIP() << "this processor has no AVX2";
  ExpectPlain(avx2::DrawSome);
}

template <class Copy>
void ExpectCopied(const Copy& copy) {
  Pixels160 from, to{};
  for (int x = 0; x < kPixels; ++x) from[x] = static_cast<uint8_t>(x * 7);
  copy(from.data(), to.data());
  EXPECT_EQ(from, to);
}

TEST(Pixels, BothCopyAScanline) {
  ExpectCopied(portable::CopyPixels);
  if (kHasAvx2) ExpectCopied(avx2::CopyPixels);
}

TEST(Pixels, PlayfieldPixelsAreFourForEachBit) {
  for (int bits = 0; bits < 256; ++bits) {
    for (int x = 0; x < 32; ++x) {
      EXPECT_EQ(kPlayfieldPixels.low_first[bits][x] == 0, (bits >> (x / 4) & 1) != 0);
      EXPECT_EQ(kPlayfieldPixels.high_first[bits][x] == 0, (bits >> (7 - x / 4) & 1) != 0);
    }
  }
}

}  // namespace
}  // namespace parallel_pool::atari
