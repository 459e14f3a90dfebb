#include "parallel_pool/core/engine/joined_group.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "parallel_pool/core/env_slots.h"

namespace parallel_pool {
namespace {

using internal::Guard;

// Whether an array of a part has the bytes of the pool's.
bool IsSame(const Column& own, const Column& whole, const Padding& padding) {
  return own.dtype == whole.dtype && own.takes_doubles == whole.takes_doubles && padding.is_none();
}

// Copies integers of the pool (int64) as those of a part, whose type holds them.
void Convert(const std::byte* from, int64_t size, DType dtype, std::byte* to) {
  for (int64_t i = 0; i < size; ++i) {
    int64_t value;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    // The low bytes come first.
    std::memcpy(to + i * ItemBytes(dtype), &value, ItemBytes(dtype));
  }
}

// JoinedArray::kMask: rows of int8.
void WriteMask(const JoinedArray& array, int32_t num_actions, int32_t rows, std::byte* to) {
  const int64_t bytes = array.column.row_bytes();
  std::memset(to, 0, rows * bytes);
  for (int32_t i = 0; i < rows; ++i) std::memset(to + i * bytes, 1, num_actions);
}

}  // namespace

JoinedGroup::JoinedGroup(const JoinedSetup& setup, std::vector<std::unique_ptr<EnvGroup>> groups)
    : setup_(setup) {
  for (size_t i = 0; i < groups.size(); ++i) {
    const JoinedPart& joined = setup.parts_[i];
    const Plan& plan = setup.plans_[i];
    Part& part = parts_.emplace_back(
        Part{joined, plan, std::move(groups[i]), plan.first_env + joined.num_envs, {}});
    for (size_t k = 0; k < plan.action.size(); ++k) {
      const Column& whole = setup.action_[joined.action[k]].column;
      const bool same = IsSame(plan.action[k], whole, plan.action_padding[k]);
      part.actions.emplace_back(same ? 0 : plan.action[k].row_bytes() * joined.num_envs);
    }
    part_of_.resize(part.end_env, static_cast<int32_t>(i));
  }
  Error error;
  if (!setup.GetRenderSize(&picture_, &error)) picture_ = {};
}

JoinedGroup::Place JoinedGroup::Find(int32_t env) {
  Part& part = parts_[part_of_[env]];
  return {part, env - part.plan.first_env};
}

template <class Body>
void JoinedGroup::ForEachRun(const int32_t* envs, int32_t count, const Body& body) {
  std::array<int32_t, kMaxChunk> local;
  for (int32_t first = 0, n; first < count; first += n) {
    const int32_t number = part_of_[envs[first]];
    Part& part = parts_[number];
    for (n = 0; first + n < count && part_of_[envs[first + n]] == number; ++n) {
      local[n] = envs[first + n] - part.plan.first_env;
    }
    body(part, number, local.data(), first, n);
  }
}

bool JoinedGroup::Create(int32_t env, uint64_t seed, const Setup* setup, Error* error) noexcept {
  const Place place = Find(env);
  return place.part.group->Create(place.env, seed, setup, error);
}

bool JoinedGroup::Rebuild(int32_t env, const Setup* setup, Error* error) noexcept {
  const Place place = Find(env);
  return place.part.group->Rebuild(place.env, setup, error);
}

bool JoinedGroup::Prepare(int32_t env, const NextReset& next, Error* error) noexcept {
  std::vector<OptionValue> own;
  const Place place = Find(env);
  const bool is_made = Guard(error, [&] {
    const Span<OptionSpec> options = place.part.joined.setup->reset_options();
    for (int32_t k = 0; next.reset_options.size > 0 && k < options.size; ++k) {
      const int32_t shared = place.part.plan.reset_options[k];
      own.push_back(shared < 0 ? options[k].initial : next.reset_options[shared]);
      if (shared < 0) own.back().is_default = true;
    }
  });
  return is_made && place.part.group->Prepare(
                        place.env, {next.seed, next.setup, Span<OptionValue>::Of(own)}, error);
}

// Gives a part the actions that are in another form in the pool.
void JoinedGroup::CopyActions(Part& part, const int32_t* local_envs, int32_t count,
                              std::byte* const* actions) const {
  for (size_t k = 0; k < part.actions.size(); ++k) {
    if (part.actions[k].empty()) continue;
    const Column& own = part.plan.action[k];
    const int32_t place = part.joined.action[k];
    const Column& whole = setup_.action_[place].column;
    for (int32_t i = 0; i < count; ++i) {
      const std::byte* const from =
          actions[place] + (part.plan.first_env + local_envs[i]) * whole.row_bytes();
      std::byte* const to = part.actions[k].data() + local_envs[i] * own.row_bytes();
      if (own.dtype == whole.dtype) {
        const bool has_doubles = whole.has_doubles(from);
        part.plan.action_padding[k].Extract(from, to, has_doubles ? 2 : 1);
        if (own.takes_doubles) to[own.row_bytes() - 8] = std::byte{has_doubles};
      } else {
        Convert(from, own.row_size(), own.dtype, to);
      }
    }
  }
}

void JoinedGroup::Step(const int32_t* envs, const Turn* turns, int32_t count,
                       std::byte* const* actions, Result* results) noexcept {
  ForEachRun(envs, count, [&](Part& part, int32_t, const int32_t* local, int32_t first, int32_t n) {
    CopyActions(part, local, n, actions);
    std::array<std::byte*, kMaxArrays> own;
    for (size_t k = 0; k < part.actions.size(); ++k) {
      const int32_t place = part.joined.action[k];
      own[k] = part.actions[k].empty()
                   ? actions[place] + part.plan.first_env * part.plan.action[k].row_bytes()
                   : part.actions[k].data();
    }
    part.group->Step(local, turns + first, n, own.data(), results + first);
  });
}

void JoinedGroup::Observe(const int32_t* envs, int32_t count, std::byte* const* columns,
                          int64_t first_row, Result* results) noexcept {
  const auto at = [&](size_t array, int64_t row) {
    return columns[array] + row * setup_.state_[array].column.row_bytes();
  };
  ForEachRun(envs, count,
             [&](Part& part, int32_t number, const int32_t* local, int32_t first, int32_t n) {
               const int64_t row = first_row + first;
               const auto& places = part.joined.state;
               std::array<std::byte*, kMaxArrays> own;
               for (size_t k = 0; k < places.size(); ++k) own[k] = at(places[k], row);
               part.group->Observe(local, n, own.data(), 0, results + first);
               for (size_t k = 0; k < places.size(); ++k)
                 part.plan.state_padding[k].Expand(own[k], n);
               for (const int32_t k : part.plan.absent) {
                 std::memset(at(k, row), 0, n * setup_.state_[k].column.row_bytes());
               }
               for (size_t k = 0; k < setup_.state_.size(); ++k) {
                 const JoinedArray& array = setup_.state_[k];
                 if (array.content == JoinedArray::kOfParts) continue;
                 if (array.content == JoinedArray::kMask) {
                   if (part.plan.num_actions > 0)
                     WriteMask(array, part.plan.num_actions, n, at(k, row));
                   continue;
                 }
                 auto* to = reinterpret_cast<int32_t*>(at(k, row));
                 if (array.content == JoinedArray::kTask) {
                   std::fill_n(to, n, number);
                   continue;
                 }
                 const std::vector<int32_t>& shape = part.plan.shapes[k];
                 for (int32_t i = 0; i < n; ++i) to = std::ranges::copy(shape, to).out;
               }
             });
}

const char* JoinedGroup::Failure(int32_t env) const {
  const Part& part = parts_[part_of_[env]];
  return part.group->Failure(env - part.plan.first_env);
}

bool JoinedGroup::Save(int32_t env, Writer& writer, Error* error) noexcept {
  const Place place = Find(env);
  return place.part.group->Save(place.env, writer, error);
}

bool JoinedGroup::Load(int32_t env, Reader& reader, Error* error) noexcept {
  const Place place = Find(env);
  return place.part.group->Load(place.env, reader, error);
}

bool JoinedGroup::Render(int32_t env, uint8_t* rgb, Error* error) noexcept {
  const Place place = Find(env);
  const ImageSize own = place.part.plan.picture;
  if (!place.part.group->Render(place.env, rgb, error)) return false;
  if (own == picture_) return true;
  return Guard(error, [&] {
    Column small("", DType::kUint8), large("", DType::kUint8);
    small.shape = {own.height, own.width, 3};
    large.shape = {picture_.height, picture_.width, 3};
    Padding(small, large).Expand(reinterpret_cast<std::byte*>(rgb), 1);
  });
}

bool JoinedGroup::RenderText(int32_t env, Writer& text, Error* error) noexcept {
  const Place place = Find(env);
  return place.part.group->RenderText(place.env, text, error);
}

bool JoinedGroup::GetBodies(int32_t env, bool with_shapes, BodyReceiver& bodies,
                            Error* error) noexcept {
  const Place place = Find(env);
  return place.part.group->GetBodies(place.env, with_shapes, bodies, error);
}

EnvGroup* JoinedSetup::MakeGroup(int32_t, Error* error) const noexcept {
  EnvGroup* group = nullptr;
  Guard(error, [&] {
    std::vector<std::unique_ptr<EnvGroup>> groups;
    for (const JoinedPart& part : parts_) {
      groups.emplace_back(part.setup->MakeGroup(part.num_envs, error));
      if (!groups.back()) throw std::bad_alloc();
    }
    group = new JoinedGroup(*this, std::move(groups));
  });
  return group;
}

}  // namespace parallel_pool
