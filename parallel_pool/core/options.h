// The options of an env: the members of its Config that users set by keyword in make().
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "parallel_pool/core/numbers_by_key.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool {

// The allowed numbers of an option, both ends included.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

// An option that is a range of integers: low <= n < end. Users give (low, end), or n for n alone.
struct IntRange {
  int low, end;

  bool operator==(const IntRange&) const = default;
};

// An option that is a list of lines of text, such as a map. Users give a list of str. `text` joins
// the lines by '\n', so the list crosses the plugin boundary as one text. A list of any type would
// need a type of its own there.
struct Lines {
  std::string text;

  bool operator==(const Lines&) const = default;
};

// An option that is n numbers, such as one for each of three events. Users give a list or a tuple.
// Gymnasium's constructors take such options: pairs that are ranges, and FrozenLake's three
// rewards.
template <size_t n>
using Numbers = std::array<double, n>;

// An option that is the number or the name of something, as Gymnasium's main_body and cameras.
using IntOrString = std::variant<int, std::string>;

// An option that is any number of arrays by name, such as numbers of a model. For users each array
// has a row for each env of the pool: make() gives each env its own rows, so that a pool can
// randomize domains. Copies of the options share the numbers.
class Arrays {
 public:
  Arrays() = default;
  explicit Arrays(Span<OptionArray> arrays) {
    auto own = std::make_shared<std::vector<Own>>();
    auto list = std::make_shared<std::vector<OptionArray>>();
    for (const OptionArray& a : arrays) {
      own->push_back(
          {a.name, {a.shape.begin(), a.shape.end()}, {a.numbers.begin(), a.numbers.end()}});
    }
    for (const Own& o : *own) {
      list->push_back({o.name.c_str(), Span<int32_t>::Of(o.shape), Span<double>::Of(o.numbers)});
    }
    own_ = std::move(own);
    list_ = std::move(list);
  }

  Span<OptionArray> all() const {
    if (!list_) return {};
    return {list_->data(), static_cast<int32_t>(list_->size())};
  }

 private:
  struct Own {
    std::string name;
    std::vector<int32_t> shape;
    std::vector<double> numbers;
  };

  std::shared_ptr<const std::vector<Own>> own_;
  std::shared_ptr<const std::vector<OptionArray>> list_;  // of own_
};

namespace internal {

inline constexpr double kMaxInt = std::numeric_limits<int>::max();

// The form of an option with a member of type T at the plugin boundary: Get and Set convert, and
// kHolds is the range of numbers that a T can hold. One specialization for each type of option.
template <class T>
struct OptionTraits;

template <class T>
  requires std::is_arithmetic_v<T>
struct OptionTraits<T> {
  static constexpr Range kHolds = std::is_floating_point_v<T>
                                      ? Range{}
                                      : Range{static_cast<double>(std::numeric_limits<T>::min()),
                                              static_cast<double>(std::numeric_limits<T>::max())};

  static OptionValue Get(const T& member) {
    if constexpr (std::is_floating_point_v<T>) {
      return {.type = OptionType::kFloat, .real = static_cast<double>(member)};
    } else {
      return {.type = std::is_same_v<T, bool> ? OptionType::kBool : OptionType::kInt,
              .integer = static_cast<int64_t>(member)};
    }
  }
  static void Set(T& member, const OptionValue& value) {
    member = static_cast<T>(std::is_floating_point_v<T> ? value.real : value.integer);
  }
};

template <>
struct OptionTraits<std::string> {
  static constexpr Range kHolds = {};

  static OptionValue Get(const std::string& member) {
    return {.type = OptionType::kString, .text = member.c_str()};
  }
  static void Set(std::string& member, const OptionValue& value) { member = value.text; }
};

template <>
struct OptionTraits<Lines> {
  static constexpr Range kHolds = {};

  static OptionValue Get(const Lines& member) {
    return {.type = OptionType::kLines, .text = member.text.c_str()};
  }
  static void Set(Lines& member, const OptionValue& value) { member.text = value.text; }
};

template <size_t n>
struct OptionTraits<Numbers<n>> {
  static constexpr Range kHolds = {};

  static OptionValue Get(const Numbers<n>& member) {
    return {.type = OptionType::kNumbers,
            .integer = n,
            .numbers = {member.data(), static_cast<int32_t>(n)}};
  }
  static void Set(Numbers<n>& member, const OptionValue& value) {
    std::copy(value.numbers.begin(), value.numbers.end(), member.begin());
  }
};

// Any number of numbers.
template <>
struct OptionTraits<std::vector<double>> {
  static constexpr Range kHolds = {};

  static OptionValue Get(const std::vector<double>& member) {
    return {.type = OptionType::kNumbers, .numbers = Span<double>::Of(member)};
  }
  static void Set(std::vector<double>& member, const OptionValue& value) {
    member.assign(value.numbers.begin(), value.numbers.end());
  }
};

template <>
struct OptionTraits<IntRange> {
  static constexpr Range kHolds = {.max = kMaxInt - 1};  // `end` is one more

  static OptionValue Get(const IntRange& member) {
    return {.type = OptionType::kIntRange, .integer = member.low, .end = member.end};
  }
  static void Set(IntRange& member, const OptionValue& value) {
    member = {static_cast<int>(value.integer), static_cast<int>(value.end)};
  }
};

template <>
struct OptionTraits<IntOrString> {
  static constexpr Range kHolds = OptionTraits<int>::kHolds;

  static OptionValue Get(const IntOrString& member) {
    const int* const number = std::get_if<int>(&member);
    if (number != nullptr) return {.type = OptionType::kIntOrString, .integer = *number};
    return {.type = OptionType::kIntOrString, .text = std::get<std::string>(member).c_str()};
  }
  static void Set(IntOrString& member, const OptionValue& value) {
    if (value.text != nullptr) {
      member = value.text;
    } else {
      member = static_cast<int>(value.integer);
    }
  }
};

template <>
struct OptionTraits<Arrays> {
  static constexpr Range kHolds = {};

  static OptionValue Get(const Arrays& member) {
    return {.type = OptionType::kArrays, .arrays = member.all()};
  }
  static void Set(Arrays& member, const OptionValue& value) { member = Arrays(value.arrays); }
};

template <class Key, size_t n>
struct OptionTraits<NumbersByKey<Key, n>> {
  static constexpr Range kHolds = {};

  static OptionValue Get(const NumbersByKey<Key, n>& member) {
    constexpr bool is_by_name = std::is_same_v<Key, std::string>;
    return {.type = is_by_name ? OptionType::kNumbersByName : OptionType::kNumbersByInt,
            .integer = n,
            .keyed = member.all()};
  }
  static void Set(NumbersByKey<Key, n>& member, const OptionValue& value) {
    member = NumbersByKey<Key, n>(value.keyed);
  }
};

}  // namespace internal

// One option of a Config of any type.
struct UntypedOption {
  std::string name, doc;
  Range range;
  // `owner` is the struct that has the member, `base` bytes after the begin of the Config.
  OptionValue (*get_from)(const void* owner) = nullptr;
  void (*set_in)(void* owner, const OptionValue& value) = nullptr;
  ptrdiff_t base = 0;
  Span<const char*> choices = {};  // the allowed texts of a std::string; empty: any text
};

// One option of an env whose options are a Config.
template <class Config>
struct OptionOf : UntypedOption {
  OptionValue get(const Config& config) const {
    return get_from(reinterpret_cast<const std::byte*>(&config) + base);
  }
  void set(Config& config, const OptionValue& value) const {
    set_in(reinterpret_cast<std::byte*>(&config) + base, value);
  }

  // A derived struct inherits the options of its base.
  template <std::derived_from<Config> Derived>
  operator OptionOf<Derived>() const {
    alignas(Derived) static std::byte place[sizeof(Derived)];
    OptionOf<Derived> option{*this};
    option.base +=
        reinterpret_cast<std::byte*>(static_cast<Config*>(reinterpret_cast<Derived*>(place))) -
        place;
    return option;
  }
};

// Makes one option of a Config:
//   Option<&Config::frame_skip>("frame_skip", "frames for which an action is held", {.min = 1})
template <auto Member>
auto Option(std::string_view name, std::string_view doc, Range range = {}) {
  using Config = typename internal::MemberTraits<decltype(Member)>::Struct;
  using T = typename internal::MemberTraits<decltype(Member)>::Value;
  constexpr bool is_option = requires { internal::OptionTraits<T>::kHolds; };
  static_assert(is_option,
                "an option is a bool, an integer, a floating point number, a std::string, an "
                "IntRange, Lines, Numbers<n>, a std::vector<double>, NumbersByKey<Key, n>, Arrays "
                "or an IntOrString");
  OptionOf<Config> option;
  option.name = name;
  option.doc = doc;
  if constexpr (is_option) {
    using Traits = internal::OptionTraits<T>;
    option.range = {.min = std::max(range.min, Traits::kHolds.min),
                    .max = std::min(range.max, Traits::kHolds.max)};
    option.get_from = [](const void* owner) {
      return Traits::Get(static_cast<const Config*>(owner)->*Member);
    };
    option.set_in = [](void* owner, const OptionValue& value) {
      Traits::Set(static_cast<Config*>(owner)->*Member, value);
    };
  }
  return option;
}

// A view of `words`, a static array, for Option's `choices`.
template <size_t n>
Span<const char*> OneOf(const char* const (&words)[n]) {
  return {words, static_cast<int32_t>(n)};
}

// Option<&Config::color>("color", "of the ball", OneOf(kColors)): a std::string that is one of
// `choices`.
template <auto Member>
  requires std::is_same_v<typename internal::MemberTraits<decltype(Member)>::Value, std::string>
auto Option(std::string_view name, std::string_view doc, Span<const char*> choices) {
  auto option = Option<Member>(name, doc);
  option.choices = choices;
  return option;
}

template <class Config>
using Options = std::vector<OptionOf<Config>>;

// Whether the user has given an option, by its name.
class Given {
 public:
  template <class Config>
  Given(const Options<Config>& options, Span<OptionValue> values) {
    for (size_t k = 0; k < options.size(); ++k) {
      if (!values[static_cast<int32_t>(k)].is_default) names_.push_back(options[k].name);
    }
  }

  bool operator()(std::string_view name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

 private:
  std::vector<std::string_view> names_;  // of the options
};

}  // namespace parallel_pool
