#include "parallel_pool/core/engine/joined.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "parallel_pool/core/engine/column.h"

namespace parallel_pool {
namespace {

// An action that a task does not read: every number is allowed.
ArraySpec Unread(ArraySpec spec) {
  static constexpr double kLow[] = {-std::numeric_limits<double>::infinity()};
  static constexpr double kHigh[] = {std::numeric_limits<double>::infinity()};
  spec.low = {kLow, 1};
  spec.high = {kHigh, 1};
  return spec;
}

// The numbers of `array` for a part, if it is of kShape: the shape of the part's own array, 1 for a
// number.
std::vector<int32_t> ShapeOf(const JoinedPart& part, const JoinedArray& array) {
  if (array.content != JoinedArray::kShape) return {};
  std::vector<int32_t> shape(array.column.shape_size());
  const auto found = std::ranges::find(part.state, array.of);
  if (found == part.state.end()) return shape;
  const Span<int32_t> own =
      part.setup->state_spec()[static_cast<int32_t>(found - part.state.begin())].shape;
  if (own.size == 0) return {1};
  std::ranges::copy(own, shape.begin());
  return shape;
}

// An array takes doubles if it does in each part that has it.
std::vector<JoinedArray> WithDoubles(std::vector<JoinedArray> action,
                                     const std::vector<JoinedPart>& parts) {
  for (size_t place = 0; place < action.size(); ++place) {
    int32_t have = 0, take = 0;
    for (const JoinedPart& part : parts) {
      for (size_t k = 0; k < part.action.size(); ++k) {
        if (part.action[k] != static_cast<int32_t>(place)) continue;
        const Span<ArraySpec> own = part.setup->action_spec();
        ++have;
        take += own[static_cast<int32_t>(k)].dtype == DType::kFloat32Or64;
      }
    }
    action[place].column.takes_doubles = have > 0 && take == have;
  }
  return action;
}

const OptionSpec* Find(Span<OptionSpec> options, const OptionSpec& wanted) {
  for (const OptionSpec& option : options) {
    if (std::string_view(option.name) == wanted.name && option.initial.type == wanted.initial.type)
      return &option;
  }
  return nullptr;
}

}  // namespace

Padding::Padding(const Column& own, const Column& whole)
    : own_bytes_(own.shape_size() * ItemBytes(whole.dtype)),
      whole_bytes_(whole.row_size() * ItemBytes(whole.dtype)) {
  run_bytes_ = (own.shape.empty() ? 1 : own.shape.back()) * ItemBytes(whole.dtype);
  const int64_t runs = run_bytes_ == 0 ? 0 : own_bytes_ / run_bytes_;
  for (int64_t run = 0; run < runs; ++run) {
    int64_t place = 0, stride = 1, rest = run;
    for (size_t axis = own.shape.size(); axis-- > 0;) {
      const bool is_last = axis + 1 == own.shape.size();
      if (!is_last) {
        place += rest % own.shape[axis] * stride;
        rest /= own.shape[axis];
      }
      stride *= whole.shape[axis];
    }
    runs_.push_back(place * ItemBytes(whole.dtype));
  }
}

void Padding::Expand(std::byte* first, int64_t rows) const {
  if (is_none()) return;
  // From the last run to the first, as no run moves towards the first row.
  std::byte* end = first + rows * whole_bytes_;
  for (int64_t row = rows; row-- > 0;) {
    for (size_t run = runs_.size(); run-- > 0;) {
      std::byte* const to = first + row * whole_bytes_ + runs_[run];
      std::memmove(to, first + row * own_bytes_ + static_cast<int64_t>(run) * run_bytes_,
                   run_bytes_);
      std::memset(to + run_bytes_, 0, end - (to + run_bytes_));
      end = to;
    }
  }
  std::memset(first, 0, end - first);
}

void Padding::Extract(const std::byte* row, std::byte* own, int64_t items) const {
  for (const int64_t run : runs_) {
    std::memcpy(own, row + items * run, items * run_bytes_);
    own += items * run_bytes_;
  }
}

JoinedSetup::JoinedSetup(std::string id, std::vector<JoinedPart> parts,
                         std::vector<JoinedArray> action, std::vector<JoinedArray> state)
    : id_(std::move(id)),
      parts_(std::move(parts)),
      action_(WithDoubles(std::move(action), parts_)),
      state_(std::move(state)) {
  for (const JoinedArray& a : action_) action_spec_.push_back(SpecOf(a.column, a.meanings.c_str()));
  for (const JoinedArray& a : state_) state_spec_.push_back(SpecOf(a.column, a.meanings.c_str()));
  task_ = {.id = id_.c_str(),
           .suite = "",
           .twin_of = "",
           .max_episode_steps = std::numeric_limits<int32_t>::max(),
           .reward_threshold = std::numeric_limits<double>::quiet_NaN(),
           .can_save = true,
           .can_render = true,
           .can_render_text = true,
           .turn_based = false};
  for (const JoinedPart& part : parts_) {
    const TaskSpec& task = part.setup->task();
    task_.can_save &= task.can_save;
    task_.can_render &= task.can_render;
    task_.can_render_text &= task.can_render_text;
  }
  ShareResetOptions();
  MakePlans();
}

void JoinedSetup::ShareResetOptions() {
  for (const OptionSpec& option : parts_[0].setup->reset_options()) {
    const bool all = std::ranges::all_of(parts_, [&](const JoinedPart& part) {
      return Find(part.setup->reset_options(), option) != nullptr;
    });
    if (all) reset_options_.push_back(option);
  }
}

void JoinedSetup::MakePlans() {
  int32_t first_env = 0;
  for (const JoinedPart& part : parts_) {
    Plan& plan = plans_.emplace_back();
    plan.first_env = first_env;
    first_env += part.num_envs;
    if (part.action.size() > kMaxArrays || part.state.size() > kMaxArrays) {
      throw std::invalid_argument(std::string(part.setup->task().id) + " has more than " +
                                  std::to_string(kMaxArrays) + " arrays");
    }
    for (const ArraySpec& spec : action_spec_) plan.allowed.push_back(Unread(spec));
    for (size_t k = 0; k < part.action.size(); ++k) {
      const ArraySpec& own = part.setup->action_spec()[static_cast<int32_t>(k)];
      const int32_t place = part.action[k];
      plan.allowed[place] = own;
      plan.action.emplace_back(own);
      plan.action_padding.emplace_back(plan.action.back(), action_[place].column);
    }
    for (size_t k = 0; k < part.state.size(); ++k) {
      const ArraySpec& own = part.setup->state_spec()[static_cast<int32_t>(k)];
      plan.state_padding.emplace_back(Column(own), state_[part.state[k]].column);
    }
    for (size_t k = 0; k < state_.size(); ++k) {
      const auto place = static_cast<int32_t>(k);
      const bool has = std::ranges::find(part.state, place) != part.state.end();
      if (state_[k].content == JoinedArray::kOfParts && !has) plan.absent.push_back(place);
      if (state_[k].content == JoinedArray::kMask && !has) {
        plan.num_actions =
            static_cast<int32_t>(plan.allowed[0].high[0] - plan.allowed[0].low[0]) + 1;
      }
      plan.shapes.push_back(ShapeOf(part, state_[k]));
    }
    for (const OptionSpec& option : part.setup->reset_options()) {
      const OptionSpec* const found = Find(reset_options(), option);
      plan.reset_options.push_back(
          found == nullptr ? -1 : static_cast<int32_t>(found - reset_options_.data()));
    }
    Error error;
    if (!part.setup->GetRenderSize(&plan.picture, &error)) plan.picture = {};
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    task_parts_.push_back({.id = parts_[i].setup->task().id,
                           .first_env = plans_[i].first_env,
                           .action = Span<ArraySpec>::Of(plans_[i].allowed),
                           .state = parts_[i].setup->state_spec()});
  }
}

int32_t JoinedSetup::render_fps() const {
  int32_t fps = 0;
  for (const JoinedPart& part : parts_) fps = std::max(fps, part.setup->render_fps());
  return fps;
}

bool JoinedSetup::GetRenderSize(ImageSize* size, Error* error) const noexcept {
  *size = {};
  for (const JoinedPart& part : parts_) {
    ImageSize own{};
    if (!part.setup->GetRenderSize(&own, error)) return false;
    size->height = std::max(size->height, own.height);
    size->width = std::max(size->width, own.width);
  }
  return true;
}

int32_t JoinedSetup::preferred_chunk() const {
  int32_t chunk = 1;
  for (const JoinedPart& part : parts_) chunk = std::max(chunk, part.setup->preferred_chunk());
  return chunk;
}

}  // namespace parallel_pool
