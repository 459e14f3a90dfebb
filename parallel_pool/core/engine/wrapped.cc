#include "parallel_pool/core/engine/wrapped.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "parallel_pool/core/engine/forwarding.h"
#include "parallel_pool/core/env_slots.h"
#include "parallel_pool/core/frame_stack.h"

namespace parallel_pool {
namespace {

// Calls body(from, to), both typed pointers.
template <class Body>
void WithTypes(const std::byte* from, DType from_type, std::byte* to, DType to_type,
               const Body& body) {
  WithType(from_type, [&]<class From>(From*) {
    WithType(to_type, [&]<class To>(To*) {
      body(reinterpret_cast<const From*>(from), reinterpret_cast<To*>(to));
    });
  });
}

// Writes one observation of an array in the form of a WrappedPart.
class Frame {
 public:
  Frame(const WrappedPart& part, const Column& from, DType to_type)
      : from_type_(from.dtype), to_type_(to_type), size_(from.row_size()), row_size_(size_) {
    if (part.channel_last) {
      channels_ = from.shape[0];
      is_copy_ = false;
    }
    if (!part.one_hot) return;
    is_copy_ = false;
    row_size_ = 0;
    for (int64_t i = 0; i < size_; ++i) {
      const auto bound = [&](const std::vector<double>& all) {
        return static_cast<int64_t>(all[all.size() == 1 ? 0 : i]);
      };
      const int64_t low = from.kind == SpaceKind::kDiscrete ? bound(from.low) : 0;
      places_.push_back(row_size_ - low);
      row_size_ += bound(from.high) - low + 1;
    }
  }

  // Elements of an observation in its new form.
  int64_t row_size() const { return row_size_; }
  int64_t row_bytes() const { return row_size_ * ItemBytes(to_type_); }
  // Whether rows that lie one after another may be written as one.
  bool is_copy() const { return is_copy_; }

  void Write(const std::byte* from, std::byte* to, int64_t rows) const {
    if (is_copy_ && from_type_ == to_type_) {
      std::memcpy(to, from, rows * row_bytes());
      return;
    }
    WithTypes(from, from_type_, to, to_type_, [&]<class From, class To>(const From* x, To* y) {
      if (!places_.empty()) {
        std::fill_n(y, row_size_, To{0});
        for (int64_t i = 0; i < size_; ++i) y[places_[i] + static_cast<int64_t>(x[i])] = To{1};
      } else if (channels_ > 0) {
        const int64_t pixels = size_ / channels_;
        for (int64_t c = 0; c < channels_; ++c) {
          for (int64_t i = 0; i < pixels; ++i) {
            y[i * channels_ + c] = static_cast<To>(x[c * pixels + i]);
          }
        }
      } else {
        for (int64_t i = 0; i < rows * size_; ++i) y[i] = static_cast<To>(x[i]);
      }
    });
  }

 private:
  DType from_type_, to_type_;
  int64_t size_, row_size_;
  int64_t channels_ = 0;  // 0: the order of elements stays
  bool is_copy_ = true;
  std::vector<int64_t> places_;  // one-hot: the place of the value 0 of each integer
};

class WrappedSetup final : public ForwardingSetup {
 public:
  struct Part {
    WrappedPart form;
    Frame frame;
    bool is_whole;      // it is a row of the user's array, with nothing next to it
    int64_t row_bytes;  // of the env's array
  };

  WrappedSetup(std::shared_ptr<const Setup> setup, std::vector<WrappedAction> actions,
               std::vector<Column> state, std::vector<WrappedPart> parts)
      : ForwardingSetup(std::move(setup)), actions_(std::move(actions)), state_(std::move(state)) {
    const Span<ArraySpec> own_actions = setup_->action_spec(), own_state = setup_->state_spec();
    if (std::max(own_actions.size, own_state.size) > static_cast<int32_t>(kMaxArrays)) {
      throw std::invalid_argument(std::string(task().id) + " has more than " +
                                  std::to_string(kMaxArrays) + " arrays");
    }
    for (WrappedAction& action : actions_) {
      const auto k = static_cast<int32_t>(action_spec_.size());
      action.column.takes_doubles = own_actions[k].dtype == DType::kFloat32Or64;
      action_spec_.push_back(SpecOf(action.column, own_actions[k].meanings));
    }
    for (const Column& column : state_) state_spec_.push_back(SpecOf(column, ""));
    passed_on_.resize(own_state.size, -1);
    for (const WrappedPart& form : parts) {
      const Column from(own_state[form.from]);
      const Column& to = state_[form.to];
      const Frame frame(form, from, to.dtype);
      const bool is_whole = frame.row_size() == to.row_size() && form.frames == 1;
      if (is_whole && frame.is_copy() && from.dtype == to.dtype) {
        passed_on_[form.from] = form.to;
        state_spec_[form.to].meanings = own_state[form.from].meanings;
      } else {
        parts_.push_back({form, frame, is_whole, from.row_bytes()});
      }
    }
  }

  Span<ArraySpec> action_spec() const override { return Span<ArraySpec>::Of(action_spec_); }
  Span<ArraySpec> state_spec() const override { return Span<ArraySpec>::Of(state_spec_); }

  EnvGroup* MakeGroup(int32_t num_envs, Error* error) const noexcept override;

 private:
  friend class WrappedGroup;

  std::vector<WrappedAction> actions_;
  const std::vector<Column> state_;
  std::vector<ArraySpec> action_spec_, state_spec_;
  std::vector<int32_t> passed_on_;  // of each array of the env: the user's, if it is the same; -1
  std::vector<Part> parts_;         // the others
};

class WrappedGroup final : public ForwardingGroup {
 public:
  WrappedGroup(const WrappedSetup& setup, std::unique_ptr<EnvGroup> group, int32_t num_envs)
      : ForwardingGroup(std::move(group)), setup_(setup), envs_(num_envs) {
    for (const WrappedAction& action : setup.actions_) {
      actions_.emplace_back(action.is_changed() ? action.column.row_bytes() * num_envs : 0);
    }
  }

  bool Create(int32_t env, uint64_t seed, const Setup* setup, Error* error) noexcept override {
    const auto make_frames = [&] {
      for (const WrappedSetup::Part& part : setup_.parts_) {
        if (part.form.frames == 1) continue;
        envs_[env].frames.emplace_back(part.form.frames, part.frame.row_bytes());
      }
    };
    return internal::Guard(error, make_frames) && ForwardingGroup::Create(env, seed, setup, error);
  }

  void Step(const int32_t* envs, const Turn* turns, int32_t count, std::byte* const* actions,
            Result* results) noexcept override {
    std::byte* own[kMaxArrays];
    for (size_t k = 0; k < actions_.size(); ++k) {
      own[k] = actions_[k].empty() ? actions[k] : actions_[k].data();
    }
    for (int32_t i = 0; i < count; ++i) {
      Env& env = envs_[envs[i]];
      env.out_of_memory = false;
      if (turns[i] == Turn::kStep) {
        env.has_new_frame = true;
        WriteActions(envs[i], actions);
      } else if (turns[i] != Turn::kObserveOnly) {
        env.has_new_frame = env.begins = true;
      }
    }
    group_->Step(envs, turns, count, own, results);
  }

  void Observe(const int32_t* envs, int32_t count, std::byte* const* columns, int64_t first_row,
               Result* results) noexcept override {
    // Rows of the env's own arrays that users do not receive. Each thread has one such memory.
    thread_local std::vector<std::byte> memory;
    int64_t bytes = 0;
    for (const WrappedSetup::Part& part : setup_.parts_) bytes += Rounded(count * part.row_bytes);
    Error error;
    if (!internal::Guard(&error, [&] { memory.resize(bytes); })) {
      for (int32_t i = 0; i < count; ++i) {
        results[i].failed = envs_[envs[i]].out_of_memory = true;
      }
      return;
    }
    std::byte* own[kMaxArrays] = {};
    for (size_t k = 0; k < setup_.passed_on_.size(); ++k) {
      const int32_t to = setup_.passed_on_[k];
      if (to >= 0) own[k] = columns[to] + first_row * setup_.state_[to].row_bytes();
    }
    std::byte* free = memory.data();
    for (const WrappedSetup::Part& part : setup_.parts_) {
      own[part.form.from] = free;
      free += Rounded(count * part.row_bytes);
    }
    group_->Observe(envs, count, own, 0, results);
    size_t stack = 0;
    for (const WrappedSetup::Part& part : setup_.parts_) {
      const Column& column = setup_.state_[part.form.to];
      std::byte* const to = columns[part.form.to] + first_row * column.row_bytes() +
                            part.form.first * ItemBytes(column.dtype);
      if (part.form.frames > 1) {
        WriteFrames(part, stack++, envs, count, own[part.form.from], to, results);
      } else if (part.is_whole && part.frame.is_copy()) {
        part.frame.Write(own[part.form.from], to, count);
      } else {
        for (int32_t i = 0; i < count; ++i) {
          if (results[i].failed) continue;
          part.frame.Write(own[part.form.from] + i * part.row_bytes, to + i * column.row_bytes(),
                           1);
        }
      }
    }
    for (int32_t i = 0; i < count; ++i) {
      envs_[envs[i]].has_new_frame = envs_[envs[i]].begins = false;
    }
  }

  const char* Failure(int32_t env) const override {
    return envs_[env].out_of_memory ? internal::kOutOfMemory : group_->Failure(env);
  }

  // The frames come before the env's own bytes, which may be all that is left. Between calls no env
  // has a new frame.
  bool Save(int32_t env, Writer& writer, Error* error) noexcept override {
    const auto save_frames = [&] {
      for (const FrameStack& frames : envs_[env].frames) frames.Save(writer);
    };
    return internal::Guard(error, save_frames) && group_->Save(env, writer, error);
  }
  bool Load(int32_t env, Reader& reader, Error* error) noexcept override {
    bool loaded = true;
    const auto load_frames = [&] {
      for (FrameStack& frames : envs_[env].frames) loaded = loaded && frames.Load(reader);
    };
    return internal::Guard(error, load_frames) && loaded && group_->Load(env, reader, error);
  }

 private:
  struct Env {
    std::vector<FrameStack> frames;  // of each part that has several
    bool has_new_frame = false;      // the next observation is not in `frames` yet
    bool begins = false;             // and it is the first one of an episode
    bool out_of_memory = false;
  };

  static int64_t Rounded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

  // Writes the changed arrays of an env's action.
  void WriteActions(int32_t env, std::byte* const* actions) {
    for (size_t k = 0; k < actions_.size(); ++k) {
      if (actions_[k].empty()) continue;
      const WrappedAction& action = setup_.actions_[k];
      const int64_t bytes = action.column.row_bytes(), place = env * bytes;
      const std::byte* const row = actions[k] + place;
      const bool has_doubles = action.column.has_doubles(row);
      if (action.column.dtype == DType::kFloat32 && !has_doubles) {
        WriteAction<float>(action, row, &actions_[k][place]);
      } else {
        WriteAction<double>(action, row, &actions_[k][place]);
      }
      if (action.column.takes_doubles) actions_[k][place + bytes - 8] = std::byte{has_doubles};
    }
  }
  // Each operation in the precision of the action, as NumPy has it.
  template <class T>
  static void WriteAction(const WrappedAction& action, const std::byte* from, std::byte* to) {
    for (int64_t i = 0; i < action.column.row_size(); ++i) {
      T x = reinterpret_cast<const T*>(from)[i];
      if (!action.low.empty()) {
        const T low = static_cast<T>(action.low[i]), high = static_cast<T>(action.high[i]);
        x = x < low ? low : x > high ? high : x;
      }
      if (!action.gradient.empty()) {
        x = (x - static_cast<T>(action.intercept[i])) / static_cast<T>(action.gradient[i]);
      }
      reinterpret_cast<T*>(to)[i] = x;
    }
  }

  // Adds the new observations to the frames of the envs, and writes all frames.
  void WriteFrames(const WrappedSetup::Part& part, size_t stack, const int32_t* envs, int32_t count,
                   const std::byte* from, std::byte* to, const Result* results) {
    for (int32_t i = 0; i < count; ++i) {
      if (results[i].failed) continue;
      Env& env = envs_[envs[i]];
      FrameStack& frames = env.frames[stack];
      if (env.has_new_frame) {
        part.frame.Write(from + i * part.row_bytes, reinterpret_cast<std::byte*>(frames.Next()), 1);
        if (env.begins) frames.Repeat();
      }
      frames.CopyTo(reinterpret_cast<uint8_t*>(to) + i * setup_.state_[part.form.to].row_bytes());
    }
  }

  const WrappedSetup& setup_;
  std::vector<std::vector<std::byte>> actions_;  // of all envs, in the env's form; empty: the same
  std::vector<Env> envs_;
};

EnvGroup* WrappedSetup::MakeGroup(int32_t num_envs, Error* error) const noexcept {
  std::unique_ptr<EnvGroup> group(setup_->MakeGroup(num_envs, error));
  if (!group) return nullptr;
  internal::Guard(error, [&] { group = WrappedGroupOf(*this, std::move(group), num_envs); });
  return group.release();
}

}  // namespace

std::shared_ptr<Setup> Wrapped(std::shared_ptr<const Setup> setup,
                               std::vector<WrappedAction> actions, std::vector<Column> state,
                               std::vector<WrappedPart> parts) {
  return std::make_shared<WrappedSetup>(std::move(setup), std::move(actions), std::move(state),
                                        std::move(parts));
}

std::unique_ptr<EnvGroup> WrappedGroupOf(const Setup& setup, std::unique_ptr<EnvGroup> group,
                                         int32_t num_envs) {
  const auto* const wrapped = dynamic_cast<const WrappedSetup*>(&setup);
  if (wrapped == nullptr) return group;
  return std::make_unique<WrappedGroup>(*wrapped, std::move(group), num_envs);
}

}  // namespace parallel_pool
