// PassChips: see emulator_parts.h.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ale/common/SoundRaw.hxx"
#include "ale/emucore/CartDPC.hxx"
#include "ale/emucore/CartE0.hxx"
#include "ale/emucore/Console.hxx"
#include "ale/emucore/M6502.hxx"
#include "ale/emucore/System.hxx"
#include "parallel_pool/core/save.h"
#include "parallel_pool/envs/atari/emulator_parts.h"

namespace parallel_pool::atari {
namespace {

using ale::SoundRaw;
using ale::stella::CartridgeDPC;
using ale::stella::CartridgeE0;
using ale::stella::M6502;
using ale::stella::System;
using ale::stella::TIA;
using ale::stella::TIASound;

}  // namespace

struct Cpu { friend auto MembersOf(Cpu); };
template struct Expose<Cpu, &M6502::myLastAccessWasRead>;
struct Devices { friend auto MembersOf(Devices); };
template struct Expose<Devices, &System::myDevices, &System::myNumberOfDevices>;
struct Music { friend auto MembersOf(Music); };
template struct Expose<Music, &CartridgeDPC::myFractionalClocks>;
struct Slices { friend auto MembersOf(Slices); };
template struct Expose<Slices, &CartridgeE0::myCurrentSlice, &CartridgeE0::segmentZero,
                       &CartridgeE0::segmentOne, &CartridgeE0::segmentTwo>;
struct Video { friend auto MembersOf(Video); };
template struct Expose<Video, &TIA::myPartialFrameFlag, &TIA::myFrameGreyed, &TIA::myAUDV0,
                       &TIA::myAUDV1, &TIA::myAUDC0, &TIA::myAUDC1, &TIA::myAUDF0, &TIA::myAUDF1>;
struct Pixel { friend auto MembersOf(Pixel); };
template struct Expose<Pixel, &TIA::myFramePointer>;
struct Masks { friend auto MembersOf(Masks); };
template struct Expose<Masks, &TIA::myCurrentBLMask, &TIA::myCurrentM0Mask, &TIA::myCurrentM1Mask,
                       &TIA::myCurrentP0Mask, &TIA::myCurrentP1Mask, &TIA::myCurrentPFMask>;
struct Tables { friend auto MembersOf(Tables); };
template struct Expose<Tables, &TIA::ourBallMaskTable, &TIA::ourMissleMaskTable,
                       &TIA::ourPlayerMaskTable, &TIA::ourDisabledMaskTable,
                       &TIA::ourPlayfieldTable>;
struct Voice { friend auto MembersOf(Voice); };
template struct Expose<Voice, &TIASound::myAUDC, &TIASound::myAUDF, &TIASound::myAUDV,
                       &TIASound::myFreqDiv, &TIASound::myP4, &TIASound::myP5,
                       &TIASound::myOutputCounter>;
struct Speaker { friend auto MembersOf(Speaker); };
template struct Expose<Speaker, &SoundRaw::myTIASound, &SoundRaw::myRegWriteQueue>;

namespace {

// An address in one of the video chip's tables: the table's number and an offset in bytes.
struct Place { int32_t table, offset; };

template <class Body>
void ForEachTable(const Body& body) {
  std::apply(
      [&](auto... table) {
        int32_t number = 0;
        (body(number++, reinterpret_cast<const std::byte*>(table), sizeof(*table)), ...);
      },
      MembersOf(Tables{}));
}

Place PlaceOf(const void* mask) {
  Place place{-1, 0};
  ForEachTable([&](int32_t number, const std::byte* first, size_t bytes) {
    const std::ptrdiff_t offset = static_cast<const std::byte*>(mask) - first;
    if (offset < 0 || offset >= static_cast<std::ptrdiff_t>(bytes)) return;
    place = {number, static_cast<int32_t>(offset)};
  });
  return place;
}

const void* At(Place place) {
  const void* mask = nullptr;
  ForEachTable([&](int32_t number, const std::byte* first, size_t bytes) {
    if (number != place.table || place.offset < 0) return;
    if (static_cast<size_t>(place.offset) < bytes) mask = first + place.offset;
  });
  return mask;
}

template <class Pass>
bool PassSound(const Pass& pass, ale::stella::Sound& sound) {
  auto* const speaker = dynamic_cast<SoundRaw*>(&sound);
  if (speaker == nullptr) return true;  // made without sound
  const auto [tia_sound, queue] = MembersOf(Speaker{});
  auto& waiting = speaker->*queue;
  std::vector<typename std::remove_reference_t<decltype(waiting)>::value_type> writes(
      waiting.begin(), waiting.end());
  if (!PassMembers<Voice>(pass, speaker->*tia_sound) || !pass(writes)) return false;
  waiting.assign(writes.begin(), writes.end());
  return true;
}

// ALE loads the numbers of such a cartridge's visible slices, but does not map them.
void ShowSlices(CartridgeE0& cartridge) {
  const auto [slices, zero, one, two] = MembersOf(Slices{});
  (cartridge.*zero)((cartridge.*slices)[0]);
  (cartridge.*one)((cartridge.*slices)[1]);
  (cartridge.*two)((cartridge.*slices)[2]);
}

// Restores the two kinds of cartridge that ALE restores in part: see ShowSlices; of a CartridgeDPC
// it rounds a number.
template <class Pass>
bool PassCartridge(const Pass& pass, System& system) {
  const auto [devices, count] = MembersOf(Devices{});
  for (uint32_t i = 0; i < system.*count; ++i) {
    if (auto* const sliced = dynamic_cast<CartridgeE0*>((system.*devices)[i])) ShowSlices(*sliced);
    auto* const cartridge = dynamic_cast<CartridgeDPC*>((system.*devices)[i]);
    if (cartridge != nullptr && !PassMembers<Music>(pass, *cartridge)) return false;
  }
  return true;
}

template <class Pass>
bool PassVideo(const Pass& pass, TIA& tia, size_t screen_bytes) {
  bool good = PassMembers<Video>(pass, tia) && pass.Bytes(tia.currentFrameBuffer(), screen_bytes) &&
              pass.Bytes(tia.previousFrameBuffer(), screen_bytes);
  ForEach<Pixel>(tia, [&](uint8_t*& pixel) {
    auto offset = static_cast<int64_t>(pixel - tia.currentFrameBuffer());
    good = good && pass(offset) && offset >= 0 && offset <= static_cast<int64_t>(screen_bytes);
    if (good) pixel = tia.currentFrameBuffer() + offset;
  });
  ForEach<Masks>(tia, [&](auto& mask) {
    Place place = PlaceOf(mask);
    good = good && pass(place) && At(place) != nullptr;
    if (good) mask = static_cast<std::remove_reference_t<decltype(mask)>>(At(place));
  });
  return good;
}

template <class Pass>
bool PassAll(const Pass& pass, ale::stella::OSystem& os) {
  System& system = os.console().system();
  auto& tia = static_cast<TIA&>(os.console().mediaSource());
  return PassMembers<Cpu>(pass, system.m6502()) && PassCartridge(pass, system) &&
         PassVideo(pass, tia, size_t{tia.width()} * tia.height()) && PassSound(pass, os.sound());
}

}  // namespace

bool PassChips(const Out& pass, ale::stella::OSystem& os) {
  return PassAll(pass, os);
}

bool PassChips(const In& pass, ale::stella::OSystem& os) {
  return PassAll(pass, os);
}

}  // namespace parallel_pool::atari
