#include "parallel_pool/envs/minigrid/observer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "parallel_pool/envs/minigrid/view.h"

namespace parallel_pool::minigrid {
namespace {

constexpr int kTypes = 11, kStates = 3;  // of the reference's encoding
constexpr int kOneHotSize = kTypes + kColors + kStates;

template <size_t size>
using Table = std::array<std::array<uint8_t, size>, kLooks>;

// The three numbers of each look; the fourth is 0.
constexpr Table<4> kEncoded = [] {
  Table<4> table = {};
  for (int look = 0; look < kLooks; ++look) {
    const auto numbers = Encode(static_cast<Look>(look));
    std::copy(numbers.begin(), numbers.end(), table[look].begin());
  }
  return table;
}();

constexpr Table<kOneHotSize> kOneHot = [] {
  Table<kOneHotSize> table = {};
  for (int look = 0; look < kLooks; ++look) {
    const auto [type, color, state] = Encode(static_cast<Look>(look));
    if (color >= kColors) continue;  // no look
    table[look][type] = 1;
    table[look][kTypes + color] = 1;
    table[look][kTypes + kColors + state] = 1;
  }
  return table;
}();

// Writes the three numbers of `count` looks. Each write has a fourth byte, which the next one
// overwrites, because four bytes take one instruction.
void EncodeAll(const Look* looks, int count, uint8_t* out) {
  for (int i = 0; i < count - 1; ++i) std::memcpy(out + 3 * i, kEncoded[looks[i]].data(), 4);
  std::memcpy(out + 3 * (count - 1), kEncoded[looks[count - 1]].data(), 3);
}

void WritePartial(const World& world, uint8_t* image) {
  Look looks[kLargestView * kLargestView];
  world.See(looks);
  EncodeAll(looks, world.view_size() * world.view_size(), image);
}

void WriteOneHot(const World& world, uint8_t* image) {
  Look looks[kLargestView * kLargestView];
  world.See(looks);
  for (int i = 0; i < world.view_size() * world.view_size(); ++i) {
    std::memcpy(image + i * kOneHotSize, kOneHot[looks[i]].data(), kOneHotSize);
  }
}

// The agent is of type kAgent, red, and its state is its direction.
void WriteFull(const World& world, uint8_t* image) {
  Look looks[kLargestGrid];
  for (int x = 0; x < world.width(); ++x) {
    for (int y = 0; y < world.height(); ++y) looks[y] = world.At({x, y}).look;
    EncodeAll(looks, world.height(), image + 3 * x * world.height());
  }
  uint8_t* const agent = image + 3 * (world.agent().x * world.height() + world.agent().y);
  agent[0] = static_cast<uint8_t>(Kind::kAgent);
  agent[1] = static_cast<uint8_t>(Color::kRed);
  agent[2] = static_cast<uint8_t>(world.direction());
}

void DrawAll(const Tiles& tiles, const World& world, bool is_highlighted, View<uint8_t> rgb) {
  Look looks[kLargestGrid * kLargestGrid];
  bool lit[kLargestGrid * kLargestGrid] = {};
  for (int y = 0; y < world.height(); ++y) {
    for (int x = 0; x < world.width(); ++x) looks[y * world.width() + x] = world.At({x, y}).look;
  }
  if (is_highlighted) world.MarkSeen(lit);
  Draw(tiles,
       {.width = world.width(),
        .height = world.height(),
        .looks = looks,
        .lit = lit,
        .agent_x = world.agent().x,
        .agent_y = world.agent().y,
        .agent_direction = world.direction()},
       rgb);
}

// The cells that the agent sees, with itself below, looking up.
void DrawView(const Tiles& tiles, const World& world, View<uint8_t> rgb) {
  const int n = world.view_size();
  Look seen[kLargestView * kLargestView], looks[kLargestView * kLargestView];
  bool lit[kLargestView * kLargestView];
  world.See(seen);
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) {
      const Look look = seen[x * n + y];
      lit[y * n + x] = look != 0;
      looks[y * n + x] = look != 0 ? look : kEmpty.look;
    }
  }
  Draw(tiles,
       {.width = n,
        .height = n,
        .looks = looks,
        .lit = lit,
        .agent_x = n / 2,
        .agent_y = n - 1,
        .agent_direction = 3},
       rgb);
}

bool IsPicture(const LevelConfig& config) {
  return config.obs_type.starts_with("rgb");
}

}  // namespace

Observer::Observer(const LevelConfig& config)
    : type_(static_cast<Type>(std::ranges::find(kObsTypes, config.obs_type) - kObsTypes)),
      is_highlighted_(config.highlight),
      tiles_(IsPicture(config) ? &Tiles::OfSize(config.obs_tile_size) : nullptr) {}

Space Observer::ImageSpace(const LevelConfig& config, const Rules& rules) {
  const int view = rules.view_size, tile = config.obs_tile_size;
  const auto space = [](int a, int b, int c) { return parallel_pool::Box({a, b, c}, {0}, {255}); };
  if (config.obs_type == "full") return space(rules.width, rules.height, 3);
  if (config.obs_type == "one_hot") return space(view, view, kOneHotSize);
  if (config.obs_type == "rgb") return space(rules.height * tile, rules.width * tile, 3);
  if (config.obs_type == "rgb_partial") return space(view * tile, view * tile, 3);
  return space(view, view, 3);
}

void Observer::Write(const World& world, View<uint8_t> image) const {
  switch (type_) {
    case kPartial:
      return WritePartial(world, image.data);
    case kFull:
      return WriteFull(world, image.data);
    case kOneHot:
      return WriteOneHot(world, image.data);
    case kRgb:
      return DrawAll(*tiles_, world, is_highlighted_, image);
    case kRgbPartial:
      return DrawView(*tiles_, world, image);
  }
}

ImageSize PictureSize(const LevelConfig& config, const Rules& rules) {
  const int width = config.agent_pov ? rules.view_size : rules.width;
  const int height = config.agent_pov ? rules.view_size : rules.height;
  return {.height = height * config.tile_size, .width = width * config.tile_size};
}

void DrawPicture(const LevelConfig& config, const World& world, View<uint8_t> rgb) {
  const Tiles& tiles = Tiles::OfSize(config.tile_size);
  if (config.agent_pov) {
    DrawView(tiles, world, rgb);
  } else {
    DrawAll(tiles, world, config.highlight, rgb);
  }
}

std::string TextOf(const World& world) {
  static constexpr char kLetters[kKinds + 1] = "? WF_KABGV?DL";
  static constexpr char kColorLetters[kColors + 1] = "RGBPYG";
  static constexpr char kAgents[] = ">V<^";
  std::string text;
  for (int y = 0; y < world.height(); ++y) {
    if (y > 0) text += '\n';
    for (int x = 0; x < world.width(); ++x) {
      const Cell cell = world.At({x, y});
      const Kind kind = cell.kind();
      if (world.agent() == Point{x, y}) {
        text.append(2, kAgents[world.direction()]);
      } else if (kind == Kind::kEmpty || kind == Kind::kOpenDoor) {
        text.append(2, kind == Kind::kEmpty ? ' ' : '_');
      } else {
        text += kLetters[static_cast<int>(kind)];
        text += kColorLetters[static_cast<int>(cell.color())];
      }
    }
  }
  return text;
}

}  // namespace parallel_pool::minigrid
