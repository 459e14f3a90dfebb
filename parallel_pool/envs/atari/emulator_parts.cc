#include "parallel_pool/envs/atari/emulator_parts.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <stdexcept>

#include "ale/common/Log.hpp"

namespace parallel_pool::atari {

void SilenceAle() {
  static std::once_flag once;
  std::call_once(once, [] { ale::Logger::setMode(ale::Logger::Error); });
}

void CheckReadable(const std::string& path) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) == 0 || error) {
    throw std::runtime_error("the ROM " + path + " is gone");
  }
}

Palette PaletteOf(ale::ColourPalette& colors) {
  Palette palette{};
  for (int i = 0; i < 256; ++i) {
    const uint32_t rgb = colors.getRGB(i);
    for (int k = 0; k < 3; ++k) palette.rgb[k][i] = static_cast<uint8_t>(rgb >> (16 - 8 * k));
    // ALE stores the gray value of a color in the next entry. The last color has none.
    uint8_t index = static_cast<uint8_t>(i);
    if (i < 255) colors.applyPaletteGrayscale(&palette.gray[i], &index, 1);
  }
  return palette;
}

// The video chip draws frames into two buffers in turn, so that a frame stays valid during the next
// one. Only a frame that the program did not end (it was busy for too long) is continued in place,
// and so must be copied.
const uint8_t* HoldScreen(ale::stella::TIA& tia, std::vector<uint8_t>& held) {
  if (!tia.frameUnfinished()) return tia.currentFrameBuffer();
  std::copy_n(tia.currentFrameBuffer(), held.size(), held.begin());
  return held.data();
}

}  // namespace parallel_pool::atari
