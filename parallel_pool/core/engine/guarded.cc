#include "parallel_pool/core/engine/guarded.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/engine/forwarding.h"
#include "parallel_pool/core/env_slots.h"

namespace parallel_pool {
namespace {

constexpr int64_t kLeastGuard = 1024;  // bytes before and behind a row

// Bytes that an env hardly writes itself.
std::byte GuardByte(int64_t i) {
  return static_cast<std::byte>(i * 167 + 91);
}

// One row of an array with its guards.
class GuardedRow {
 public:
  explicit GuardedRow(const Column& column)
      : column_(column),
        bytes_(column.row_bytes()),
        guard_((std::max(kLeastGuard, bytes_) + 63) / 64 * 64),
        memory_(2 * guard_ + bytes_) {
    for (size_t i = 0; i < memory_.size(); ++i) memory_[i] = GuardByte(static_cast<int64_t>(i));
  }

  std::byte* row() { return memory_.data() + guard_; }
  void CopyFrom(const std::byte* row) { std::copy_n(row, bytes_, this->row()); }
  void CopyTo(std::byte* row) { std::copy_n(this->row(), bytes_, row); }
  // The first element outside of the row that is overwritten; behind the row, if there is one.
  std::optional<int64_t> Overwritten() const {
    for (int64_t i = guard_ + bytes_; i < 2 * guard_ + bytes_; ++i) {
      if (memory_[i] != GuardByte(i)) return (i - guard_) / ItemBytes(column_.dtype);
    }
    for (int64_t i = guard_ - 1; i >= 0; --i) {
      if (memory_[i] != GuardByte(i)) return -((guard_ - 1 - i) / ItemBytes(column_.dtype)) - 1;
    }
    return std::nullopt;
  }
  std::string TextOf(int64_t element) const {
    return "Observe writes outside of its row: element " + std::to_string(element) + " of '" +
           column_.name + "', whose row has " + std::to_string(column_.row_size()) + " elements";
  }

 private:
  const Column& column_;
  const int64_t bytes_, guard_;
  std::vector<std::byte> memory_;
};

class GuardedSetup final : public ForwardingSetup {
 public:
  GuardedSetup(std::shared_ptr<const Setup> setup, EnvMark* marks, bool one_by_one)
      : ForwardingSetup(std::move(setup)), marks(marks), one_by_one(one_by_one) {}

  EnvGroup* MakeGroup(int32_t num_envs, Error* error) const noexcept override;

  EnvMark* const marks;
  const bool one_by_one;
};

class GuardedGroup final : public ForwardingGroup {
 public:
  GuardedGroup(const GuardedSetup& setup, std::unique_ptr<EnvGroup> group, int32_t num_envs)
      : ForwardingGroup(std::move(group)),
        marks_(setup.marks),
        one_by_one_(setup.one_by_one),
        failures_(num_envs) {
    for (const ArraySpec& spec : setup.state_spec()) columns_.emplace_back(spec);
    for (int32_t env = 0; marks_ != nullptr && env < num_envs; ++env) marks_[env].turn = -1;
  }

  bool Create(int32_t env, uint64_t seed, const Setup* setup, Error* error) noexcept override {
    Mark(env, EnvMark::kCreate);
    const bool made = ForwardingGroup::Create(env, seed, setup, error);
    Mark(env, EnvMark::kNothing);
    return made;
  }

  void Observe(const int32_t* envs, int32_t count, std::byte* const* columns, int64_t first_row,
               Result* results) noexcept override {
    for (int32_t i = 0; i < count; ++i) {
      if (results[i].failed) continue;
      std::string& failure = failures_[envs[i]];
      failure.clear();
      Error error;
      Mark(envs[i], EnvMark::kObserve);
      const auto observe = [&] {
        failure = ObserveOne(envs[i], columns, first_row + i, results[i]);
      };
      if (!internal::Guard(&error, observe)) failure = internal::kOutOfMemory;
      Mark(envs[i], EnvMark::kNothing);
      results[i].failed |= !failure.empty();
    }
  }
  const char* Failure(int32_t env) const override {
    return failures_[env].empty() ? group_->Failure(env) : failures_[env].c_str();
  }

  void Step(const int32_t* envs, const Turn* turns, int32_t count, std::byte* const* actions,
            Result* results) noexcept override {
    for (int32_t i = 0; i < count; ++i) failures_[envs[i]].clear();
    const int32_t together = one_by_one_ ? 1 : count;
    for (int32_t i = 0; i < count; i += together) {
      for (int32_t k = i; k < i + together; ++k) Mark(envs[k], EnvMark::kTurn);
      group_->Step(envs + i, turns + i, together, actions, results + i);
      for (int32_t k = i; k < i + together; ++k) Mark(envs[k], EnvMark::kNothing);
    }
  }

 private:
  void Mark(int32_t env, EnvMark::Doing doing) {
    if (marks_ == nullptr) return;
    if (doing == EnvMark::kTurn) ++marks_[env].turn;
    marks_[env].doing = doing;
    ++marks_[env].changes;
  }
  // Observes one env into guarded rows, and copies them to `row` of the columns. Returns the
  // message of a failure, or "".
  std::string ObserveOne(int32_t env, std::byte* const* columns, int64_t row, Result& result) {
    std::vector<GuardedRow> rows;
    std::vector<std::byte*> places;
    const auto in_batch = [&](size_t k) { return columns[k] + row * columns_[k].row_bytes(); };
    for (size_t k = 0; k < columns_.size(); ++k) {
      rows.emplace_back(columns_[k]).CopyFrom(in_batch(k));  // so that gaps stay visible
      places.push_back(rows.back().row());
    }
    group_->Observe(&env, 1, places.data(), 0, &result);
    for (size_t k = 0; k < rows.size(); ++k) {
      if (const auto element = rows[k].Overwritten()) return rows[k].TextOf(*element);
      rows[k].CopyTo(in_batch(k));
    }
    return "";
  }

  EnvMark* const marks_;
  const bool one_by_one_;
  std::vector<Column> columns_;
  std::vector<std::string> failures_;  // of each env; empty: the group's
};

EnvGroup* GuardedSetup::MakeGroup(int32_t num_envs, Error* error) const noexcept {
  std::unique_ptr<EnvGroup> group(setup_->MakeGroup(num_envs, error));
  if (!group) return nullptr;
  EnvGroup* guarded = nullptr;
  internal::Guard(error, [&] { guarded = new GuardedGroup(*this, std::move(group), num_envs); });
  return guarded;
}

}  // namespace

std::shared_ptr<Setup> Guarded(std::shared_ptr<const Setup> setup, EnvMark* marks,
                               bool one_by_one) {
  return std::make_shared<GuardedSetup>(std::move(setup), marks, one_by_one);
}

}  // namespace parallel_pool
