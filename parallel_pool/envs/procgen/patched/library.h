// The library of Procgen 0.10.7, which contains the games. Its C interface steps whole vectors and
// loses the last observation of an episode, so this calls the games themselves: `Layout` has their
// places, which belong to this one file (third_party/procgen pins it).
#pragma once

#include <cstddef>
#include <cstdint>

namespace parallel_pool::procgen {

// The options of one game, by the library's names and with the defaults of ProcgenGym3Env.
struct GameOptions {
  const char* env_name = nullptr;  // "coinrun"
  int32_t rand_seed = 0;
  int32_t distribution_mode = 1;  // 0 easy, 1 hard, 2 extreme, 10 memory
  int32_t num_levels = 0, start_level = 0;
  int32_t debug_mode = 0;
  bool center_agent = true, use_backgrounds = true;
  bool use_monochrome_assets = false, restrict_themes = false, use_generated_assets = false;
  bool paint_vel_info = false, use_sequential_levels = false, use_easy_jump = false;
};

// Bytes from the beginning of the library, or of an object.
namespace layout {

// Functions, of C++ but for their names.
inline constexpr ptrdiff_t kReset = 0x733b0;      // void Game::reset()
inline constexpr ptrdiff_t kDraw = 0x73640;       // void Game::render_to_buf(void*, w, h, bool)
inline constexpr ptrdiff_t kLoadImage = 0xa38e0;  // shared_ptr<QImage>(std::string, format)
// void reserved_asset_for_type(int, vector<std::string>&)
inline constexpr ptrdiff_t kCommonSprites = 0x6c0b0;
inline constexpr ptrdiff_t kImagesOnce = 0x96b6f4;   // the std::once_flag of loading all images
inline constexpr ptrdiff_t kSprites = 0x96b600;      // map<std::string, shared_ptr<QImage>>
inline constexpr ptrdiff_t kImageFolder = 0x96b6e8;  // std::string
// vector<shared_ptr<QImage>>
inline constexpr ptrdiff_t kWaterSurfaceBackgrounds = 0x96b630;
inline constexpr ptrdiff_t kWaterBackgrounds = 0x96b650;
inline constexpr ptrdiff_t kSpaceBackgrounds = 0x96b670;
inline constexpr ptrdiff_t kPlatformBackgrounds = 0x96b690;
inline constexpr ptrdiff_t kTopdownSimpleBackgrounds = 0x96b6b0;
inline constexpr ptrdiff_t kTopdownBackgrounds = 0x96b6d0;

// Drawing.
inline constexpr ptrdiff_t kDrawImageRest = 0x6e6b8;   // in draw_image, after the build's jump
inline constexpr ptrdiff_t kDrawImageHook = 0x974fb0;  // where that jumps to; unused by the library
inline constexpr ptrdiff_t kMakeAsset = 0x6dbe0;       // void initialize_asset_if_necessary(int)
inline constexpr ptrdiff_t kDrawCell = 0x676e0;        // most games' draw_grid_obj
inline constexpr ptrdiff_t kCopyFunction = 0x96fb00;   // a pointer: how Qt scales opaque images
inline constexpr ptrdiff_t kDrawScaled = 0x1d6f90;     // how it scales others
inline constexpr ptrdiff_t kDrawTransformed = 0x302790;  // how it turns them
inline constexpr ptrdiff_t kMakeTransform = 0x1c9bd0;    // QTransform::QTransform()
inline constexpr ptrdiff_t kTranslate = 0x1c9e90;        // QTransform::translate(x, y)
inline constexpr ptrdiff_t kRotate = 0x1cdb50;           // QTransform::rotate(degrees, axis)
inline constexpr ptrdiff_t kTransformKind = 0x1cc610;    // QTransform::type()

// A QImage, and the data that it points to.
inline constexpr ptrdiff_t kImageData = 0x18;
inline constexpr ptrdiff_t kImageWidth = 0x4;
inline constexpr ptrdiff_t kImageHeight = 0x8;
inline constexpr ptrdiff_t kImagePixels = 0x28;
inline constexpr ptrdiff_t kImageRow = 0x38;  // int32, bytes

// A vector of games: vector<shared_ptr<Game>>
inline constexpr ptrdiff_t kGames = 88;

// A game.
inline constexpr ptrdiff_t kGeneratedAssets = 65;   // bool: images whose colors are not multiplied
inline constexpr ptrdiff_t kMonochrome = 66;        // bool
inline constexpr ptrdiff_t kUsesBackgrounds = 68;   // bool
inline constexpr ptrdiff_t kSequentialLevels = 80;  // bool
inline constexpr ptrdiff_t kReward = 10128;         // float, of the last step
inline constexpr ptrdiff_t kDone = 10132;           // bool, of the last step
inline constexpr ptrdiff_t kLevelComplete = 10133;  // bool, of the last step
inline constexpr ptrdiff_t kAction = 10136;         // int32
inline constexpr ptrdiff_t kTimeout = 10140;        // int32, steps in a level
inline constexpr ptrdiff_t kLevelSeed = 10144;      // int32
inline constexpr ptrdiff_t kPrevLevelSeed = 10148;  // int32, as of the last step
inline constexpr ptrdiff_t kEpisodeDone = 10156;    // bool
inline constexpr ptrdiff_t kLastRewardTimer = 10160;  // int32
inline constexpr ptrdiff_t kLastReward = 10164;       // float
inline constexpr ptrdiff_t kDefaultAction = 10168;    // int32
inline constexpr ptrdiff_t kPixels = 10176;           // 64 x 64 uint32
inline constexpr ptrdiff_t kTime = 26560;             // int32, steps in this level
// vector<shared_ptr<QImage>>: place theme * kSpriteTypes + type
inline constexpr ptrdiff_t kAssets = 26696;
inline constexpr ptrdiff_t kReflections = 26720;      // mirrored
inline constexpr ptrdiff_t kBackgrounds = 26744;      // vector<shared_ptr<QImage>>*
inline constexpr ptrdiff_t kDrawsBackground = 26800;  // bool: by code, not from an image
inline constexpr ptrdiff_t kBackground = 26804;       // int32, index into kBackgrounds

// Places in a game's table of virtual functions.
inline constexpr int kStepFunction = 5;       // void game_step()
inline constexpr int kSerializeFunction = 7;  // void serialize(Buffer*)
inline constexpr int kDeserializeFunction = 8;
inline constexpr int kSpritesFunction = 18;     // void asset_for_type(int, vector<std::string>&)
inline constexpr int kImageTypeFunction = 20;   // int image_for_type(int)
inline constexpr int kDrawCellFunction = 24;    // void draw_grid_obj(QPainter&, ...)
inline constexpr int kAdjustRectFunction = 30;  // QRectF get_adjusted_image_rect(int, QRectF)

inline constexpr int kSpriteTypes = 100;  // types of objects that have images: 0 .. 99
inline constexpr int kMaxThemes = 10;
inline constexpr int kSpace = 100;  // the type of an empty cell

}  // namespace layout

template <class T>
T& At(void* object, ptrdiff_t place) {
  return *reinterpret_cast<T*>(static_cast<std::byte*>(object) + place);
}

// Function `index` of an object's table of virtual functions.
template <class... Arguments>
void CallVirtual(void* object, int index, Arguments... arguments) {
  void* const function = At<void**>(object, 0)[index];
  reinterpret_cast<void (*)(void*, Arguments...)>(function)(object, arguments...);
}

// The function at a place of the library, which begins at `base`.
template <class Function>
Function* FunctionAt(std::byte* base, ptrdiff_t place) {
  return reinterpret_cast<Function*>(base + place);
}

class Library {
 public:
  // Loads the library and the small images, once in a process. Throws std::runtime_error if the
  // library cannot be loaded.
  static const Library& Get();

  // Makes a vector of one game. The options must be valid: the library ends the process if not.
  void* Make(const GameOptions& options) const;
  void Close(void* games) const { close_(games); }

  template <class Function>
  Function* FunctionAt(ptrdiff_t place) const {
    return procgen::FunctionAt<Function>(base_, place);
  }

 private:
  struct Option;
  struct OptionList {
    Option* options;
    int count;
  };

  Library();

  std::byte* base_ = nullptr;
  void* (*make_)(int, OptionList) = nullptr;
  void (*close_)(void*) = nullptr;
};

}  // namespace parallel_pool::procgen
