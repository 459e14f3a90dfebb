#include "parallel_pool/envs/procgen/patched/images.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/envs/procgen/patched/backgrounds.h"
#include "parallel_pool/envs/procgen/patched/library.h"

static_assert(_GLIBCXX_USE_CXX11_ABI == 0, "the library has the older std::string");

namespace parallel_pool::procgen {

namespace {

using Image = std::shared_ptr<void>;  // of a QImage

// A value of QImage::Format.
enum Format { kOpaque = 4, kBlended = 6 };

// The image of a file of the folder assets. The library would end the process if there were none.
Image Load(std::byte* base, const std::string& name, Format format) {
  const std::string file = At<std::string>(base, layout::kImageFolder) + name;
  if (access(file.c_str(), R_OK) != 0) {
    throw std::runtime_error("an image of Procgen is missing: " + file);
  }
  return FunctionAt<Image(std::string, Format)>(base, layout::kLoadImage)(name, format);
}

// One of the library's vectors of backgrounds, whose images are null until they are loaded.
struct Group {
  std::vector<Image>* images;
  std::vector<const char*> names;
  std::unique_ptr<std::atomic<bool>[]> loaded;  // whether a thread may use the image
};

// All backgrounds of the process.
struct State {
  std::byte* base = nullptr;
  std::vector<Group> groups;
  std::mutex mutex;                    // of `files` and of images that are not loaded
  std::map<std::string, Image> files;  // some are in two groups
};

State& Shared() {
  static State state;
  return state;
}

}  // namespace

void PrepareImages(std::byte* base, const char* folder) {
  pthread_once(&At<pthread_once_t>(base, layout::kImagesOnce), [] {});
  At<std::string>(base, layout::kImageFolder) = std::string(folder) + "/";
  Shared().base = base;
  for (const Backgrounds& backgrounds : AllBackgrounds()) {
    auto& images = At<std::vector<Image>>(base, backgrounds.place);
    const size_t size = backgrounds.names.size();
    images.resize(size);
    Shared().groups.push_back(
        {&images, backgrounds.names, std::make_unique<std::atomic<bool>[]>(size)});
  }
}

void LoadSprites(std::byte* base, void* game) {
  std::vector<std::string> names;
  for (int type = 0; type < layout::kSpriteTypes; ++type) {
    CallVirtual<int, std::vector<std::string>&>(game, layout::kSpritesFunction, type, names);
    FunctionAt<void(void*, int, std::vector<std::string>&)>(base, layout::kCommonSprites)(
        game, type, names);
  }
  auto& sprites = At<std::map<std::string, Image>>(base, layout::kSprites);
  for (const std::string& name : names) {
    Image& sprite = sprites[name];
    if (sprite == nullptr) sprite = Load(base, name, kBlended);
  }
}

void LoadBackground(void* game) {
  if (!At<bool>(game, layout::kUsesBackgrounds) || At<bool>(game, layout::kDrawsBackground)) return;
  const auto index = static_cast<size_t>(At<int32_t>(game, layout::kBackground));
  State& state = Shared();
  for (Group& group : state.groups) {
    if (group.images != At<std::vector<Image>*>(game, layout::kBackgrounds)) continue;
    if (group.loaded[index].load(std::memory_order_acquire)) return;
    const std::lock_guard lock(state.mutex);
    Image& file = state.files[group.names[index]];
    if (file == nullptr) {
      file = Load(state.base, std::string(group.names[index]) + ".png", kOpaque);
    }
    if ((*group.images)[index] == nullptr) (*group.images)[index] = file;
    group.loaded[index].store(true, std::memory_order_release);
    return;
  }
}

}  // namespace parallel_pool::procgen
