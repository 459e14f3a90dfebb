// The options of an env: the members of its Config that users set by keyword in make().
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool {

// The numbers that an option may be, both ends included.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

// An option that is a range of integers: low <= n < end. Users give (low, end), or n for n alone.
struct IntRange {
  int low, end;

  bool operator==(const IntRange&) const = default;
};

// An option that is a list of lines of text, such as a map; the text joins them by '\n'. Users give
// a list of str.
struct Lines {
  std::string text;

  bool operator==(const Lines&) const = default;
};

// An option that is n numbers, such as one for each of three events. Users give a list or a tuple.
template <size_t n>
using Numbers = std::array<double, n>;

// An option that is the number of something or its name.
using IntOrString = std::variant<int, std::string>;

// An option that is any number of arrays, each with a name and a row for each env of the pool, such
// as the mass of each one's robot. Users give a dict. Copies share the numbers.
class EnvArrays {
 public:
  EnvArrays() = default;
  explicit EnvArrays(Span<EnvArray> arrays) {
    auto own = std::make_shared<std::vector<Own>>();
    auto list = std::make_shared<std::vector<EnvArray>>();
    for (const EnvArray& a : arrays) {
      own->push_back(
          {a.name, {a.shape.begin(), a.shape.end()}, {a.numbers.begin(), a.numbers.end()}});
    }
    for (const Own& o : *own) {
      list->push_back({o.name.c_str(),
                       {o.shape.data(), static_cast<int32_t>(o.shape.size())},
                       {o.numbers.data(), static_cast<int32_t>(o.numbers.size())}});
    }
    own_ = std::move(own);
    list_ = std::move(list);
  }

  Span<EnvArray> all() const {
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
  std::shared_ptr<const std::vector<EnvArray>> list_;  // of own_
};

// The row of one env.
inline Span<double> RowOf(const EnvArray& array, int env) {
  int32_t size = 1;
  for (const int32_t n : array.shape) size *= n;
  return {array.numbers.data + static_cast<int64_t>(env) * size, size};
}

namespace internal {
template <class T>
inline constexpr bool kIsNumbers = false;
template <size_t n>
inline constexpr bool kIsNumbers<Numbers<n>> = true;
}  // namespace internal

template <class Config>
struct OptionOf {
  std::string name, doc;
  Range range;
  std::function<OptionValue(const Config&)> get;
  std::function<void(Config&, const OptionValue&)> set;
  Span<const char*> choices = {};  // of a std::string; empty: anything

  // What is an option of a Config is one of each Config that is derived from it.
  template <std::derived_from<Config> Derived>
  operator OptionOf<Derived>() const {
    return {name, doc, range, get, set, choices};
  }
};

// Option<&Config::frame_skip>("frame_skip", "frames for which an action is held", {.min = 1})
template <auto Member>
auto Option(std::string name, std::string doc, Range range = {}) {
  using Config = typename internal::MemberTraits<decltype(Member)>::Struct;
  using T = typename internal::MemberTraits<decltype(Member)>::Value;
  static_assert(
      std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, IntRange> ||
          std::is_same_v<T, Lines> || std::is_same_v<T, EnvArrays> ||
          std::is_same_v<T, IntOrString> || internal::kIsNumbers<T>,
      "an option is a bool, an integer, a floating point number, a std::string, an IntRange, "
      "Lines, Numbers<n>, EnvArrays or an IntOrString");
  OptionOf<Config> option{std::move(name), std::move(doc), range, {}, {}};
  if constexpr (std::is_same_v<T, std::string>) {
    option.get = [](const Config& c) -> OptionValue {
      return {OptionType::kString, 0, 0.0, (c.*Member).c_str()};
    };
    option.set = [](Config& c, const OptionValue& v) { c.*Member = v.text; };
  } else if constexpr (std::is_same_v<T, Lines>) {
    option.get = [](const Config& c) -> OptionValue {
      return {OptionType::kLines, 0, 0.0, (c.*Member).text.c_str()};
    };
    option.set = [](Config& c, const OptionValue& v) { (c.*Member).text = v.text; };
  } else if constexpr (internal::kIsNumbers<T>) {
    option.get = [](const Config& c) -> OptionValue {
      const T& numbers = c.*Member;
      const auto count = static_cast<int32_t>(numbers.size());
      return {OptionType::kNumbers, 0, 0.0, nullptr, 0, false, {numbers.data(), count}};
    };
    option.set = [](Config& c, const OptionValue& v) {
      std::copy(v.numbers.begin(), v.numbers.end(), (c.*Member).begin());
    };
  } else if constexpr (std::is_same_v<T, IntOrString>) {
    option.range.min = std::max<double>(range.min, std::numeric_limits<int>::min());
    option.range.max = std::min<double>(range.max, std::numeric_limits<int>::max());
    option.get = [](const Config& c) -> OptionValue {
      const int* const number = std::get_if<int>(&(c.*Member));
      if (number != nullptr) return {OptionType::kIntOrString, *number, 0.0, nullptr};
      return {OptionType::kIntOrString, 0, 0.0, std::get<std::string>(c.*Member).c_str()};
    };
    option.set = [](Config& c, const OptionValue& v) {
      if (v.text != nullptr) {
        c.*Member = v.text;
      } else {
        c.*Member = static_cast<int>(v.integer);
      }
    };
  } else if constexpr (std::is_same_v<T, EnvArrays>) {
    option.get = [](const Config& c) -> OptionValue {
      return {OptionType::kEnvArrays, 0, 0.0, nullptr, 0, false, {}, (c.*Member).all()};
    };
    option.set = [](Config& c, const OptionValue& v) { c.*Member = EnvArrays(v.arrays); };
  } else if constexpr (std::is_same_v<T, IntRange>) {
    option.range.max = std::min<double>(range.max, std::numeric_limits<int>::max() - 1);
    option.get = [](const Config& c) -> OptionValue {
      return {OptionType::kIntRange, (c.*Member).low, 0.0, nullptr, (c.*Member).end};
    };
    option.set = [](Config& c, const OptionValue& v) {
      c.*Member = {static_cast<int>(v.integer), static_cast<int>(v.end)};
    };
  } else if constexpr (std::is_floating_point_v<T>) {
    option.get = [](const Config& c) -> OptionValue {
      return {OptionType::kFloat, 0, static_cast<double>(c.*Member), nullptr};
    };
    option.set = [](Config& c, const OptionValue& v) { c.*Member = static_cast<T>(v.real); };
  } else {
    // Whatever T can hold, at most.
    option.range.min = std::max<double>(range.min, std::numeric_limits<T>::min());
    option.range.max = std::min<double>(range.max, std::numeric_limits<T>::max());
    option.get = [](const Config& c) -> OptionValue {
      return {std::is_same_v<T, bool> ? OptionType::kBool : OptionType::kInt,
              static_cast<int64_t>(c.*Member), 0.0, nullptr};
    };
    option.set = [](Config& c, const OptionValue& v) { c.*Member = static_cast<T>(v.integer); };
  }
  return option;
}

// OneOf(words), for a static array of const char*.
template <size_t n>
Span<const char*> OneOf(const char* const (&words)[n]) {
  return {words, static_cast<int32_t>(n)};
}

// Option<&Config::color>("color", "of the ball", OneOf(kColors)): a std::string that is one of
// them.
template <auto Member>
  requires std::is_same_v<typename internal::MemberTraits<decltype(Member)>::Value, std::string>
auto Option(std::string name, std::string doc, Span<const char*> choices) {
  auto option = Option<Member>(std::move(name), std::move(doc));
  option.choices = choices;
  return option;
}

template <class Config>
using Options = std::vector<OptionOf<Config>>;

}  // namespace parallel_pool
