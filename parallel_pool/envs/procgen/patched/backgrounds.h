// The backgrounds of each kind of level, in the library's order: a level chooses one by number.
#pragma once

#include <cstddef>
#include <vector>

#include "parallel_pool/envs/procgen/patched/library.h"

namespace parallel_pool::procgen {

struct Backgrounds {
  ptrdiff_t place;                 // of the library's vector of images
  std::vector<const char*> names;  // files of the folder assets, without ".png"
};

inline std::vector<Backgrounds> AllBackgrounds() {
  const std::vector<const char*> space = {"space_backgrounds/deep_space_01",
                                          "space_backgrounds/spacegen_01",
                                          "space_backgrounds/milky_way_01",
                                          "space_backgrounds/ez_space_lite_01",
                                          "space_backgrounds/meyespace_v1_01",
                                          "space_backgrounds/eye_nebula_01",
                                          "space_backgrounds/deep_sky_01",
                                          "space_backgrounds/space_nebula_01",
                                          "space_backgrounds/Background-1",
                                          "space_backgrounds/Background-2",
                                          "space_backgrounds/Background-3",
                                          "space_backgrounds/Background-4",
                                          "space_backgrounds/parallax-space-backgound"};
  std::vector<const char*> platform = {"platform_backgrounds/alien_bg",
                                       "platform_backgrounds/another_world_bg",
                                       "platform_backgrounds/back_cave",
                                       "platform_backgrounds/caverns",
                                       "platform_backgrounds/cyberpunk_bg",
                                       "platform_backgrounds/parallax_forest",
                                       "platform_backgrounds/scifi_bg",
                                       "platform_backgrounds/scifi2_bg",
                                       "platform_backgrounds/living_tissue_bg",
                                       "platform_backgrounds/airadventurelevel1",
                                       "platform_backgrounds/airadventurelevel2",
                                       "platform_backgrounds/airadventurelevel3",
                                       "platform_backgrounds/airadventurelevel4",
                                       "platform_backgrounds/cave_background",
                                       "platform_backgrounds/blue_desert",
                                       "platform_backgrounds/blue_grass",
                                       "platform_backgrounds/blue_land",
                                       "platform_backgrounds/blue_shroom",
                                       "platform_backgrounds/colored_desert",
                                       "platform_backgrounds/colored_grass",
                                       "platform_backgrounds/colored_land",
                                       "platform_backgrounds/colored_shroom",
                                       "platform_backgrounds/landscape1",
                                       "platform_backgrounds/landscape2",
                                       "platform_backgrounds/landscape3",
                                       "platform_backgrounds/landscape4",
                                       "platform_backgrounds/battleback1",
                                       "platform_backgrounds/battleback2",
                                       "platform_backgrounds/battleback3",
                                       "platform_backgrounds/battleback4",
                                       "platform_backgrounds/battleback5",
                                       "platform_backgrounds/battleback6",
                                       "platform_backgrounds/battleback7",
                                       "platform_backgrounds/battleback8",
                                       "platform_backgrounds/battleback9",
                                       "platform_backgrounds/battleback10",
                                       "platform_backgrounds/sunrise",
                                       "platform_backgrounds_2/beach1",
                                       "platform_backgrounds_2/beach2",
                                       "platform_backgrounds_2/beach3",
                                       "platform_backgrounds_2/beach4",
                                       "platform_backgrounds_2/fantasy1",
                                       "platform_backgrounds_2/fantasy2",
                                       "platform_backgrounds_2/fantasy3",
                                       "platform_backgrounds_2/fantasy4",
                                       "platform_backgrounds_2/candy1",
                                       "platform_backgrounds_2/candy2",
                                       "platform_backgrounds_2/candy3",
                                       "platform_backgrounds_2/candy4"};
  platform.insert(platform.end(), space.begin(), space.end());
  const std::vector<const char*> topdown = {
      "topdown_backgrounds/floortiles",          "topdown_backgrounds/backgrounddetailed1",
      "topdown_backgrounds/backgrounddetailed2", "topdown_backgrounds/backgrounddetailed3",
      "topdown_backgrounds/backgrounddetailed4", "topdown_backgrounds/backgrounddetailed5",
      "topdown_backgrounds/backgrounddetailed6", "topdown_backgrounds/backgrounddetailed7",
      "topdown_backgrounds/backgrounddetailed8"};
  const std::vector<const char*> surface = {"water_backgrounds/water1", "water_backgrounds/water2",
                                            "water_backgrounds/water3", "water_backgrounds/water4"};
  std::vector<const char*> water = surface;
  water.insert(water.end(), {"water_backgrounds/underwater1", "water_backgrounds/underwater2",
                             "water_backgrounds/underwater3"});
  return {
      {layout::kPlatformBackgrounds, platform}, {layout::kSpaceBackgrounds, space},
      {layout::kTopdownBackgrounds, topdown},   {layout::kTopdownSimpleBackgrounds, {topdown[0]}},
      {layout::kWaterBackgrounds, water},       {layout::kWaterSurfaceBackgrounds, surface}};
}

}  // namespace parallel_pool::procgen
