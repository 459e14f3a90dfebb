// Batch::Rollout: steps with a control for each, and records of each.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "parallel_pool/envs/mujoco/batch/batch.h"
#include "parallel_pool/envs/mujoco/engine/advance.h"
#include "parallel_pool/envs/mujoco/engine/data_reads.h"

namespace parallel_pool::mujoco {
namespace {

int Warnings(const mjData& d) {
  int sum = 0;
  for (const mjWarningStat& warning : d.warning) sum += warning.number;
  return sum;
}

}  // namespace

// A call of Rollout.
struct Batch::Roll {
  struct Record {
    const FieldOf<mjData>* field;  // nullptr: the components `spec` of the state
    int spec;
    char* to;       // (simulations, steps, bytes)
    int64_t bytes;  // of one step of one simulation
  };

  const int* ids;
  int steps;
  const mjtNum* control;
  int control_spec, control_size;
  std::vector<Record> records;

  // Writes what step `step` of simulation ids[i] has led to.
  void Write(const mjModel& m, const mjData& d, int i, int step) const {
    for (const Record& record : records) {
      char* const to = record.to + (int64_t{steps} * i + step) * record.bytes;
      if (record.field != nullptr) {
        std::memcpy(to, record.field->address(d), record.bytes);
      } else {
        mj_getState(&m, &d, reinterpret_cast<mjtNum*>(to), record.spec);
      }
    }
  }
  // Repeats the step before.
  void Repeat(int i, int step) const {
    for (const Record& record : records) {
      char* const to = record.to + (int64_t{steps} * i + step) * record.bytes;
      std::memcpy(to, to - record.bytes, record.bytes);
    }
  }
};

int Batch::Rollout(Ids ids, int steps, const mjtNum* control, int control_spec,
                   const mjBatchRecord* records, int num_records) {
  const std::lock_guard lock(mutex_);
  const std::span<const mjBatchRecord> list(records, num_records);
  std::vector<int> all;
  FindIds(ids, all);
  unsigned reads = kNothing;
  for (const mjBatchRecord& record : list) {
    if (record.field != nullptr) reads |= ReadsOf(record.field);
  }
  constexpr int kPushes = mjSTATE_QFRC_APPLIED | mjSTATE_XFRC_APPLIED;
  const bool pushes = control != nullptr && (control_spec & kPushes);
  if (!steps_in_lanes() || pushes || !AddReads(reads) ||
      std::ranges::any_of(all, [&](int id) { return IsPushed(id); })) {
    return CallLibrary(ids, [&] {
      return mjb_rollout(own_, ids.list, ids.size, steps, control, control_spec, records,
                         num_records);
    });
  }
  Roll roll{all.data(),
            steps,
            control,
            control_spec,
            control != nullptr ? mj_stateSize(model_.get(), control_spec) : 0,
            {}};
  for (const mjBatchRecord& record : list) {
    const auto* const field = record.field != nullptr ? FindDataField(record.field) : nullptr;
    const int64_t bytes = field != nullptr ? BytesOf(*field)
                                           : int64_t{mj_stateSize(model_.get(), record.spec)} *
                                                 int64_t{sizeof(mjtNum)};
    roll.records.push_back({field, record.spec, static_cast<char*>(record.buf), bytes});
  }
  const int n = static_cast<int>(all.size()), share = (n + threads_.size() - 1) / threads_.size();
  const int size = std::max(1, std::min(BestChunk(model_, reads_), share));
  threads_.Run((n + size - 1) / size,
               [&](int part) { RollPart(roll, size * part, std::min(size, n - size * part)); });
  int failed = 0;
  for (int i = 0; i < n; ++i) {
    const int id = all[i];
    status_[id] = 0;
    if (!std::exchange(fails_[id], 0)) continue;
    std::vector<mjBatchRecord> own(list.begin(), list.end());
    for (int r = 0; r < num_records; ++r) {
      own[r].buf = roll.records[r].to + int64_t{steps} * i * roll.records[r].bytes;
    }
    const mjtNum* const own_control =
        control != nullptr ? control + int64_t{steps} * i * roll.control_size : nullptr;
    failed += CallLibrary({&id, 1}, [&] {
      return mjb_rollout(own_, &id, 1, steps, own_control, control_spec, own.data(), num_records);
    });
  }
  return failed;
}

void Batch::RollPart(const Roll& roll, int first, int n) {
  const mjModel& m = *model_;
  std::vector<char> plays(n, 1);
  std::vector<Simulation*> worlds;
  const auto id = [&](int i) { return roll.ids[first + i]; };
  const auto fail = [&](int i) {
    Fail(id(i));
    plays[i] = 0;
  };
  for (int i = 0; i < n; ++i) {
    try {
      Load(id(i));
    } catch (...) {
      fail(i);
    }
  }
  for (int step = 0; step < roll.steps; ++step) {
    worlds.clear();
    for (int i = 0; i < n; ++i) {
      if (!plays[i] || fails_[id(i)]) continue;
      Simulation& world = *worlds_[id(i)];
      const int64_t row = int64_t{roll.steps} * (first + i) + step;
      if (roll.control != nullptr) {
        mj_setState(&m, &world.data(), roll.control + row * roll.control_size, roll.control_spec);
      }
      world.Hold(1);
      worlds.push_back(&world);
    }
    AdvanceOrFail(worlds, roll.ids + first, n);
    for (int i = 0; i < n; ++i) {
      if (fails_[id(i)]) continue;
      if (!plays[i]) {
        roll.Repeat(first + i, step);
        continue;
      }
      Simulation& world = *worlds_[id(i)];
      try {
        world.Finish();
        if (reads_ & kByPlace) world.Place();
      } catch (...) {
        fail(i);
        continue;
      }
      roll.Write(m, world.data(), first + i, step);
      plays[i] = Warnings(world.data()) == 0;
    }
  }
  for (int i = 0; i < n; ++i) {
    if (fails_[id(i)]) continue;
    try {
      Store(id(i));
    } catch (...) {
      fail(i);
    }
  }
}

}  // namespace parallel_pool::mujoco
