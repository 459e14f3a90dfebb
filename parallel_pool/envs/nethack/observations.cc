#include "parallel_pool/envs/nethack/observations.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

namespace parallel_pool::nethack {
namespace {

constexpr double kMaxGlyph = 5976, kMaxColor = 15, kMaxTerminalColor = 31, kMaxClass = 18;
constexpr double kMinInt = std::numeric_limits<int32_t>::min();
constexpr double kMaxInt = std::numeric_limits<int32_t>::max();

using Spec = ArrayOf<Observation>;

template <auto Member>
Spec Make(const char* name, std::vector<int32_t> shape, double low, double high) {
  return Array<Member>(std::string("obs:") + name, Box(std::move(shape), {low}, {high}));
}

std::vector<Spec> AllSpecs(const Crop& crop) {
  using O = Observation;
  const std::vector<int32_t> dungeon = {kRows, kColumns};
  const std::vector<int32_t> terminal = {kTerminalRows, kTerminalColumns};
  const std::vector<int32_t> part = {crop.obs_crop_h, crop.obs_crop_w};
  return {
      Make<&O::glyphs>("glyphs", dungeon, 0, kMaxGlyph),
      Make<&O::chars>("chars", dungeon, 0, 255),
      Make<&O::colors>("colors", dungeon, 0, kMaxColor),
      Make<&O::specials>("specials", dungeon, 0, 255),
      Make<&O::blstats>("blstats", {kNumStats}, kMinInt, kMaxInt),
      Make<&O::message>("message", {kMessageBytes}, 0, 255),
      Make<&O::inv_glyphs>("inv_glyphs", {kInventory}, 0, kMaxGlyph),
      Make<&O::inv_strs>("inv_strs", {kInventory, kLineBytes}, 0, 255),
      Make<&O::inv_letters>("inv_letters", {kInventory}, 0, 127),
      Make<&O::inv_oclasses>("inv_oclasses", {kInventory}, 0, kMaxClass),
      Make<&O::screen_descriptions>("screen_descriptions", {kRows, kColumns, kLineBytes}, 0, 127),
      Make<&O::tty_chars>("tty_chars", terminal, 0, 255),
      Make<&O::tty_colors>("tty_colors", terminal, 0, kMaxTerminalColor),
      Make<&O::tty_cursor>("tty_cursor", {2}, 0, 255),
      Make<&O::program_state>("program_state", {6}, kMinInt, kMaxInt),
      Make<&O::internal>("internal", {9}, kMinInt, kMaxInt),
      Make<&O::misc>("misc", {3}, kMinInt, kMaxInt),
      Make<&O::glyphs_crop>("glyphs_crop", part, 0, kMaxGlyph),
      Make<&O::chars_crop>("chars_crop", part, 0, 255),
      Make<&O::colors_crop>("colors_crop", part, 0, kMaxColor),
      Make<&O::specials_crop>("specials_crop", part, 0, 255),
      Make<&O::tty_chars_crop>("tty_chars_crop", part, 0, 255),
      Make<&O::tty_colors_crop>("tty_colors_crop", part, 0, kMaxTerminalColor),
      Make<&O::screen_descriptions_crop>("screen_descriptions_crop",
                                         {crop.obs_crop_h, crop.obs_crop_w, kLineBytes}, 0, 127),
  };
}

template <class T>
void Copy(std::span<const T> from, const View<T>& to) {
  if (to.size > 0) std::memcpy(to.begin(), from.data(), from.size_bytes());
}

// A rectangle of values, each of `depth` elements.
template <class T>
struct Grid {
  const T* values;
  int rows, columns, depth = 1;
};

// Copies the part of `from` around (row, column) to `to`.
//
// As in MiniHack, the part begins half of its width before the place in both directions. The place
// is therefore in the middle of a square only.
template <class T>
void CopyPart(const Grid<T>& from, int row, int column, const Crop& crop, const View<T>& to) {
  if (to.size == 0) return;
  std::fill(to.begin(), to.end(), static_cast<T>(crop.obs_crop_pad));
  const int first_row = row - crop.obs_crop_w / 2, first_column = column - crop.obs_crop_w / 2;
  for (int r = 0; r < crop.obs_crop_h; ++r) {
    for (int c = 0; c < crop.obs_crop_w; ++c) {
      const int y = first_row + r, x = first_column + c;
      if (y < 0 || y >= from.rows || x < 0 || x >= from.columns) continue;
      const auto place = static_cast<size_t>(y * from.columns + x);
      const auto depth = static_cast<size_t>(from.depth);
      std::copy_n(from.values + place * depth, depth,
                  to.begin() + static_cast<size_t>(r * crop.obs_crop_w + c) * depth);
    }
  }
}

}  // namespace

std::span<const std::string> ObservationNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Spec& spec : AllSpecs({})) names.push_back(spec.name.substr(std::strlen("obs:")));
    return names;
  }();
  return kNames;
}

Lines NleKeys() {
  std::string text = ObservationNames()[0];
  for (const std::string& name : ObservationNames().subspan(1, 13)) text += "\n" + name;
  return {text};
}

Lines ChallengeKeys() {
  const std::string left_out = "screen_descriptions\n";
  std::string text = NleKeys().text + "\nmisc";
  return {text.erase(text.find(left_out), left_out.size())};
}

Lines MinihackKeys() {
  return {
      "glyphs\nchars\ncolors\nspecials\nglyphs_crop\nchars_crop\ncolors_crop\n"
      "specials_crop\nblstats\nmessage"};
}

std::vector<Spec> SpecsOf(const std::vector<int>& shown, const Crop& crop) {
  const std::vector<Spec> all = AllSpecs(crop);
  std::vector<Spec> specs;
  for (const int place : shown) specs.push_back(all[static_cast<size_t>(place)]);
  return specs;
}

Asked AskedBy(const std::vector<int>& shown) {
  const auto shows = [&](std::string_view start) {
    return std::ranges::any_of(shown, [&](int place) {
      return ObservationNames()[static_cast<size_t>(place)].starts_with(start);
    });
  };
  return {.inv_glyphs = shows("inv_glyphs"),
          .inv_strs = shows("inv_strs"),
          .inv_letters = shows("inv_letters"),
          .inv_oclasses = shows("inv_oclasses"),
          .descriptions = shows("screen_descriptions")};
}

void Write(const Game& game, const Crop& crop, const Observation& out) {
  const Arrays& a = game.arrays();
  Copy<int16_t>(a.glyphs, out.glyphs);
  Copy<uint8_t>(a.chars, out.chars);
  Copy<uint8_t>(a.colors, out.colors);
  Copy<uint8_t>(a.specials, out.specials);
  Copy<int64_t>(a.blstats, out.blstats);
  Copy<uint8_t>(a.message, out.message);
  Copy<int16_t>(a.inv_glyphs, out.inv_glyphs);
  Copy<uint8_t>(a.inv_strs, out.inv_strs);
  Copy<uint8_t>(a.inv_letters, out.inv_letters);
  Copy<uint8_t>(a.inv_oclasses, out.inv_oclasses);
  Copy<uint8_t>(game.descriptions(), out.screen_descriptions);
  Copy<uint8_t>(a.tty_chars, out.tty_chars);
  Copy<int8_t>(a.tty_colors, out.tty_colors);
  Copy<uint8_t>(a.tty_cursor, out.tty_cursor);
  Copy<int32_t>(a.program_state, out.program_state);
  Copy<int32_t>(a.internal, out.internal);
  Copy<int32_t>(a.misc, out.misc);
  const auto x = static_cast<int>(a.blstats[0]), y = static_cast<int>(a.blstats[1]);
  CopyPart<int16_t>({a.glyphs, kRows, kColumns}, y, x, crop, out.glyphs_crop);
  CopyPart<uint8_t>({a.chars, kRows, kColumns}, y, x, crop, out.chars_crop);
  CopyPart<uint8_t>({a.colors, kRows, kColumns}, y, x, crop, out.colors_crop);
  CopyPart<uint8_t>({a.specials, kRows, kColumns}, y, x, crop, out.specials_crop);
  CopyPart<uint8_t>({game.descriptions().data(), kRows, kColumns, kLineBytes}, y, x, crop,
                    out.screen_descriptions_crop);
  const int row = a.tty_cursor[0], column = a.tty_cursor[1];
  CopyPart<uint8_t>({a.tty_chars, kTerminalRows, kTerminalColumns}, row, column, crop,
                    out.tty_chars_crop);
  CopyPart<int8_t>({a.tty_colors, kTerminalRows, kTerminalColumns}, row, column, crop,
                   out.tty_colors_crop);
}

}  // namespace parallel_pool::nethack
