#include "parallel_pool/envs/mujoco/engine/models.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "parallel_pool/core/platform/library.h"

namespace parallel_pool::mujoco {
namespace {

namespace fs = std::filesystem;

fs::path ModelFolder(const std::string& suite) {
  const std::string here = platform::FileOf(reinterpret_cast<const void*>(&LoadTaskModel));
  if (here.empty()) throw std::invalid_argument("the folder of the MuJoCo models cannot be found");
  return fs::absolute(here).parent_path() / "models" / suite;
}

std::string Allowed(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.is_regular_file()) names.push_back(file.path().filename().string());
  }
  std::ranges::sort(names);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string Home() {
  for (const char* const variable : {"HOME", "USERPROFILE"}) {  // Windows has the second
    if (const char* const home = std::getenv(variable)) return home;
  }
  return "";
}

fs::path PathOf(const std::string& suite, const std::string& option, const std::string& xml_file) {
  const bool is_at_home = xml_file.starts_with("~/");
  const std::string file = platform::PlainName(is_at_home ? Home() + xml_file.substr(1) : xml_file);
  if (is_at_home || file.starts_with(".") || fs::path(file).is_absolute()) return file;
  const fs::path folder = ModelFolder(suite), path = folder / xml_file;
  if (xml_file.empty() || !fs::exists(path)) {
    throw std::invalid_argument(option + " is '" + xml_file + "': there is no such file; allowed " +
                                "are " + Allowed(folder) +
                                ", and paths that begin with '/', './', '../' or '~/'");
  }
  return path;
}

// Throws std::invalid_argument unless `number` is `wanted` or, if not `exactly`, more. `which` is
// an option and its value, `what` the name of the counted elements.
void Check(const std::string& which, const char* what, int number, int wanted, bool exactly) {
  if (number == wanted || (number > wanted && !exactly)) return;
  throw std::invalid_argument(which + ", a model with " + std::to_string(number) + " " + what +
                              "; this task needs " + (exactly ? "" : "at least ") +
                              std::to_string(wanted));
}

// The names of all bodies except the world, which is body 0.
std::string Names(const mjModel& model) {
  std::string names;
  for (int i = 1; i < model.nbody; ++i) {
    names += std::string(i == 1 ? "" : ", ") + (model.names + model.name_bodyadr[i]);
  }
  return names;
}

void CheckBody(const std::string& which, const mjModel& model, const char* name) {
  if (mj_name2id(&model, mjOBJ_BODY, name) >= 0) return;
  throw std::invalid_argument(which + ", a model with the bodies " + Names(model) +
                              "; this task needs one called " + name);
}

}  // namespace

Model LoadTaskModel(const std::string& suite, const std::string& xml_file, const std::string& own,
                    int flags, const ModelRequirements& requirements, const ModelEdit& edit) {
  const std::string path = PathOf(suite, "xml_file", xml_file).string();
  Model model = LoadModel(path, xml_file == own ? flags : 0, edit);
  const std::string which = "xml_file is '" + xml_file + "'";
  Check(which, "positions", model->nq, requirements.positions, requirements.exactly);
  Check(which, "speeds", model->nv, requirements.speeds, requirements.exactly);
  Check(which, "controls", model->nu, 1, false);
  for (const char* body : requirements.bodies) CheckBody(which, *model, body);
  return model;
}

Model LoadOwnModel(const std::string& suite, const std::string& file, int flags,
                   const ModelEdit& edit) {
  return LoadModel((ModelFolder(suite) / file).string(), flags, edit);
}

Model LoadControlled(const std::string& suite, const std::string& option, const std::string& path) {
  const std::string file = platform::PlainName(path);
  Model model = LoadModel(fs::is_regular_file(file) ? file : PathOf(suite, option, path).string());
  Check(option + " is '" + path + "'", "controls", model->nu, 1, false);
  return model;
}

int FindBody(const std::string& option, const mjModel& model, const IntOrString& body) {
  if (const auto* const name = std::get_if<std::string>(&body)) {
    const int found = mj_name2id(&model, mjOBJ_BODY, name->c_str());
    if (found >= 0) return found;
    throw std::invalid_argument(option + " is '" + *name + "'; the model's bodies are " +
                                Names(model));
  }
  const int number = std::get<int>(body);
  if (0 <= number && number < model.nbody) return number;
  throw std::invalid_argument(option + " is " + std::to_string(number) +
                              "; the model's bodies are 0 to " + std::to_string(model.nbody - 1));
}

Space ControlSpace(const mjModel& model) {
  std::vector<double> low, high;
  for (int i = 0; i < model.nu; ++i) {
    low.push_back(static_cast<float>(model.actuator_ctrlrange[2 * i]));
    high.push_back(static_cast<float>(model.actuator_ctrlrange[2 * i + 1]));
  }
  return Box({static_cast<int32_t>(model.nu)}, low, high);
}

}  // namespace parallel_pool::mujoco
