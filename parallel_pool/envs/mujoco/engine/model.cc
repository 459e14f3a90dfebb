#include "parallel_pool/envs/mujoco/engine/model.h"

#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>

#include "parallel_pool/core/load_once.h"
#include "parallel_pool/envs/mujoco/engine/error_exit.h"
#include "parallel_pool/envs/mujoco/engine/slim_model.h"
#include "parallel_pool/envs/mujoco/lanes/mujoco_version.h"

namespace parallel_pool::mujoco {
namespace {

// Its operations are known, bit for bit: those of steps in lanes, and those of the search for
// contacts.
constexpr std::string_view kProved = lanes::kIsMujoco4 ? "4.0.1" : "3.17.0";

// Throws MuJoCo's errors through its C frames: a return would end the process. README.md, Design,
// says why that is safe. The next mj_resetData cleans up the mjData.
void Handle(const mjLogMessage* message) {
  if (message->level != mjLOG_ERROR) return;
  if (ErrorExit& exit = ErrorExitOfThread(); exit.place != nullptr) {
    exit.message = message->subject;
    std::longjmp(*exit.place, 1);
  }
  if (std::strstr(message->subject, "allocate memory") != nullptr) throw std::bad_alloc();
  throw MujocoError(message->subject);
}

// Removes spaces and line breaks at the end.
std::string Trimmed(std::string text) {
  text.erase(text.find_last_not_of("\n ") + 1);
  return text;
}

// LoadModel without the models that are loaded already.
Model Load(const std::string& path, int disable_flags, const ModelEdit& edit) {
  HandleErrors();
  std::error_code none;
  if (!std::filesystem::exists(path, none)) {
    throw std::invalid_argument("there is no file " + path);
  }
  // MuJoCo would keep what it has read for further loads, and the parsed file for mj_saveLastXML:
  // 250 MB for a dog, whose model has 73 MB.
  mj_setCacheCapacity(mj_getCache(), 0);
  char error[1000] = "";
  const auto refuse = [&](const char* why) {
    if (std::strstr(why, "Error: plugin ") != nullptr) {
      throw std::invalid_argument(
          path + " needs a plugin of MuJoCo's engine, which steps here do not have: step it by " +
          "the package mujoco, in an env of make_python() (" + Trimmed(why) + ")");
    }
    throw std::invalid_argument(path + " is no MuJoCo model: " + Trimmed(why));
  };
  const std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)> spec(
      mj_parseXML(path.c_str(), nullptr, error, sizeof(error)), &mj_deleteSpec);
  if (spec == nullptr) refuse(error);
  if (edit.spec) edit.spec(*spec);
  mjModel* const model = mj_compile(spec.get(), nullptr);
  if (model == nullptr) refuse(mjs_getError(spec.get()));
  if (edit.model) edit.model(*model);
  model->opt.disableflags |= disable_flags;
  const Model loaded(model, &mj_deleteModel);
  if (!edit.is_slim) return loaded;
  return SlimModel(*model, [path, disable_flags, whole = edit]() mutable {
    whole.is_slim = false;
    return Load(path, disable_flags, whole);
  });
}

}  // namespace

ErrorExit& ErrorExitOfThread() {
  thread_local ErrorExit exit;
  return exit;
}

bool IsProvedMujoco() {
  return mj_versionString() == kProved;
}

void HandleErrors() {
  static const mjfLogHandler previous = mju_setLogHandler(&Handle);
  static_cast<void>(previous);
}

Model ModelFromText(const std::string& xml) {
  HandleErrors();
  char error[1000] = "";
  const std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)> spec(
      mj_parseXMLString(xml.c_str(), nullptr, error, sizeof(error)), &mj_deleteSpec);
  if (spec == nullptr)
    throw std::invalid_argument("this text is no MuJoCo model: " + Trimmed(error));
  mjModel* const model = mj_compile(spec.get(), nullptr);
  if (model == nullptr) {
    throw std::invalid_argument("this text is no MuJoCo model: " +
                                Trimmed(mjs_getError(spec.get())));
  }
  return Model(model, &mj_deleteModel);
}

Model ModelFromBytes(const void* bytes, int64_t size) {
  HandleErrors();
  mjModel* const model = mj_loadModelBuffer(bytes, size);
  if (model == nullptr) {
    throw std::invalid_argument(std::string("these bytes are no model of MuJoCo ") +
                                mj_versionString());
  }
  return Model(model, &mj_deleteModel);
}

Model LoadModel(const std::string& path, int disable_flags, const ModelEdit& edit) {
  return LoadOnce<const mjModel>(
      "model " + std::to_string(disable_flags) + " " + path + " " + edit.name,
      [&] { return Load(path, disable_flags, edit); });
}

}  // namespace parallel_pool::mujoco
