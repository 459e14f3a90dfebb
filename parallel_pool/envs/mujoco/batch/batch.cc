#include "parallel_pool/envs/mujoco/batch/batch.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include "parallel_pool/envs/mujoco/engine/advance.h"
#include "parallel_pool/envs/mujoco/engine/data_reads.h"
#include "parallel_pool/envs/mujoco/engine/error_exit.h"

namespace parallel_pool::mujoco {
namespace {

int SizeOf(char type) {
  switch (type) {
    case 'B':
    case '?':
      return 1;
    case 'f':
    case 'i':
      return 4;
    default:
      return 8;
  }
}

mjBatch* MakeOwn(const mjModel& model, int num_envs, int num_threads) {
  HandleErrors();
  mjBatchConfig config;
  mjb_defaultConfig(&config);
  config.nthread = num_threads;
  char error[1000] = "";
  mjBatch* const own = mjb_makeBatch(&model, num_envs, &config, error, sizeof(error));
  if (own != nullptr) return own;
  if (std::strstr(error, "alloc") != nullptr) throw std::bad_alloc();
  throw std::invalid_argument(error);
}

// The first number of a component in a state.
int PlaceOf(const mjModel& m, int component) {
  return mj_stateSize(&m, mjSTATE_INTEGRATION & (component - 1));
}

}  // namespace

Batch::Batch(Model model, int num_envs, int num_threads)
    : model_(std::move(model)),
      num_envs_(num_envs),
      own_(MakeOwn(*model_, num_envs, num_threads)),
      num_state_(mjb_nstate(own_)),
      state_(mjb_state(own_)),
      status_(num_envs),
      fails_(num_envs),
      worlds_(num_envs),
      in_lanes_(true),
      pushes_begin_(PlaceOf(*model_, mjSTATE_QFRC_APPLIED)),
      pushes_end_(PlaceOf(*model_, mjSTATE_EQ_ACTIVE)),
      threads_(mjb_nthread(own_)) {
  if (!AddReads(kNothing)) LeaveLanes(FlatModelOf(model_, kNothing)->why_not);
}

Batch::~Batch() {
  mjb_deleteBatch(own_);
}

int64_t Batch::BytesOf(const FieldOf<mjData>& field) const {
  const int64_t rows = field.rows(*model_);
  return (rows < 0 ? 1 : rows) * field.columns(*model_) * SizeOf(field.type);
}

std::string Batch::Remark() const {
  if (steps_in_lanes()) return parallel_pool::mujoco::Remark(model_, reads_);
  return "by libmujoco; not in lanes: " +
         (own_models_.empty() ? why_not_ : "each env has a model of its own");
}

// From now on, steps compute these arrays, too. False: steps in lanes cannot.
bool Batch::AddReads(unsigned reads) {
  // mj_step computes the forces of contacts for some sensors only.
  if (reads & kContactForces || FlatModelOf(model_, reads_ | reads)->steps == nullptr) return false;
  reads_ |= reads;
  for (const auto& world : worlds_) {
    if (world != nullptr) world->AlsoRead(reads);
  }
  return true;
}

void Batch::LeaveLanes(const std::string& why) {
  in_lanes_ = false;
  why_not_ = why;
  worlds_.clear();
  worlds_.resize(num_envs_);
}

void* Batch::Bind(const char* name) {
  const std::lock_guard lock(mutex_);
  int size = 0, number_size = 0;
  void* const storage = CallBatch([&] { return mjb_output(own_, name, &size, &number_size); });
  const auto* const field = FindDataField(name);
  if (storage == nullptr || field == nullptr) {
    throw std::invalid_argument(std::string(name) + " cannot be bound");
  }
  if (in_lanes_ && !AddReads(ReadsOf(name))) {
    LeaveLanes(std::string(name) + ", which only mj_step computes, is bound");
  }
  const auto found = std::ranges::find(outputs_, field, &Output::field);
  if (found == outputs_.end()) {
    outputs_.push_back({field, static_cast<char*>(storage), BytesOf(*field)});
  }
  return storage;
}

void* Batch::Expand(const char* name) {
  const std::lock_guard lock(mutex_);
  void* const storage = CallBatch([&] { return mjb_expand(own_, name, nullptr, nullptr); });
  if (storage == nullptr) {
    throw std::invalid_argument(std::string(name) + " cannot differ between envs");
  }
  if (in_lanes_) LeaveLanes(std::string(name) + " differs between envs");
  return storage;
}

void Batch::SetModels(std::vector<Model> models) {
  const std::lock_guard lock(mutex_);
  std::vector<const mjModel*> list;
  for (const Model& model : models) list.push_back(model.get());
  CallBatch([&] {
    mjb_setModels(own_, list.empty() ? nullptr : list.data());
    return 0;
  });
  own_models_ = std::move(models);
}

Simulation& Batch::WorldOf(int id) {
  auto& world = worlds_[id];
  if (world == nullptr) {
    world = std::make_unique<Simulation>(model_, reads_);
    world->Forward();  // for the arrays of what is fixed, which steps in lanes leave alone
  }
  return *world;
}

// Whether a program applies forces, which no step in lanes has.
bool Batch::IsPushed(int id) const {
  const mjtNum* const state = StateOf(id);
  return std::any_of(state + pushes_begin_, state + pushes_end_, [](mjtNum x) { return x != 0; });
}

void Batch::Load(int id) {
  Simulation& world = WorldOf(id);
  mj_setState(model_.get(), &world.data(), StateOf(id), mjSTATE_INTEGRATION);
  for (mjWarningStat& warning : world.data().warning) warning = {};
}

void Batch::Store(int id) {
  const Simulation& world = *worlds_[id];
  if (reads_ & kByPlace) world.Place();
  const mjData& d = world.data();
  mj_getState(model_.get(), &d, StateOf(id), mjSTATE_INTEGRATION);
  for (const Output& output : outputs_) {
    std::memcpy(output.storage + output.bytes * id, output.field->address(d), output.bytes);
  }
  mjWarningStat* const warnings = mjb_warning(own_) + int64_t{mjNWARNING} * id;
  for (int w = 0; w < mjNWARNING; ++w) {
    if (d.warning[w].number == 0) continue;
    warnings[w].number += d.warning[w].number;
    warnings[w].lastinfo = d.warning[w].lastinfo;
  }
}

void Batch::FindIds(Ids ids, std::vector<int>& list) const {
  list.resize(ids.list != nullptr ? ids.size : num_envs_);
  if (ids.list != nullptr) {
    std::copy_n(ids.list, ids.size, list.begin());
  } else {
    std::iota(list.begin(), list.end(), 0);
  }
}

// Makes a call of the library, and takes over its status of each simulation.
int Batch::CallLibrary(Ids ids, const std::function<int()>& call) {
  const int failed = CallBatch([&] { return call(); });
  const int* const status = mjb_status(own_);
  const int n = ids.list != nullptr ? ids.size : num_envs_;
  for (int i = 0; i < n; ++i) {
    const int id = ids.list != nullptr ? ids.list[i] : i;
    status_[id] = status[id];
  }
  return failed;
}

bool Batch::TakeWarnings() {
  const std::lock_guard lock(mutex_);
  const std::span all(mjb_warning(own_), size_t{mjNWARNING} * num_envs_);
  int64_t sum = 0;
  for (const mjWarningStat& warning : all) sum += warning.number;
  return std::exchange(warnings_, sum) < sum;
}

int Batch::Forward(Ids ids, int stage) {
  const std::lock_guard lock(mutex_);
  return CallLibrary(ids, [&] { return mjb_forward(own_, ids.list, ids.size, stage); });
}

int Batch::Reset(Ids ids, const int* keyframes, int stage) {
  const std::lock_guard lock(mutex_);
  return CallLibrary(ids, [&] { return mjb_reset(own_, ids.list, ids.size, keyframes, stage); });
}

int Batch::SetConst(Ids ids) {
  const std::lock_guard lock(mutex_);
  if (in_lanes_) LeaveLanes("constants of the model differ between envs");
  return CallLibrary(ids, [&] { return mjb_setConst(own_, ids.list, ids.size); });
}

int Batch::Step(Ids ids, int steps, int stage) {
  const std::lock_guard lock(mutex_);
  if (!steps_in_lanes() || stage != mjSTAGE_NONE) {
    return CallLibrary(ids, [&] { return mjb_step(own_, ids.list, ids.size, steps, stage); });
  }
  std::vector<int> all, others;
  FindIds(ids, all);
  std::erase_if(all, [&](int id) {
    const bool is_pushed = IsPushed(id);
    if (is_pushed) others.push_back(id);
    return is_pushed;
  });
  const int n = static_cast<int>(all.size()), share = (n + threads_.size() - 1) / threads_.size();
  const int size = std::max(1, std::min(BestChunk(model_, reads_), share));
  threads_.Run((n + size - 1) / size, [&](int part) {
    StepPart(&all[size * part], std::min(size, n - size * part), steps);
  });
  for (const int id : all) {
    status_[id] = 0;
    if (std::exchange(fails_[id], 0)) others.push_back(id);
  }
  if (others.empty()) return 0;
  std::ranges::sort(others);
  const Ids rest{others.data(), static_cast<int>(others.size())};
  return CallLibrary(rest, [&] { return mjb_step(own_, rest.list, rest.size, steps, stage); });
}

// Advances simulations. Those that cannot be advanced fail: MuJoCo cannot go on with them.
void Batch::AdvanceOrFail(const std::vector<Simulation*>& worlds, const int* ids, int n) {
  try {
    Advance(worlds);
  } catch (...) {
    for (int i = 0; i < n; ++i) Fail(ids[i]);
  }
}

// Leaves a simulation to the library, which reports its error.
void Batch::Fail(int id) {
  fails_[id] = 1;
  worlds_[id] = nullptr;
}

void Batch::StepPart(const int* ids, int n, int steps) {
  std::vector<Simulation*> worlds;
  for (int i = 0; i < n; ++i) {
    try {
      Load(ids[i]);
      worlds_[ids[i]]->Hold(steps);
      worlds.push_back(worlds_[ids[i]].get());
    } catch (...) {
      Fail(ids[i]);
    }
  }
  AdvanceOrFail(worlds, ids, n);
  for (int i = 0; i < n; ++i) {
    if (fails_[ids[i]]) continue;
    try {
      worlds_[ids[i]]->Finish();
      Store(ids[i]);
    } catch (...) {
      Fail(ids[i]);
    }
  }
}

}  // namespace parallel_pool::mujoco
