#include "parallel_pool/core/engine/option_bytes.h"

#include <tuple>
#include <utility>

#include "parallel_pool/core/save.h"

namespace parallel_pool {
namespace {

template <class T>
void WriteSpan(Writer& writer, Span<T> values) {
  std::vector<T> copy(values.begin(), values.end());
  WriteAll(writer, std::tie(copy));
}

// `size`: of a text that may have zeros inside.
void WriteText(Writer& writer, const char* text, int64_t size = 0) {
  std::string copy = text == nullptr ? "" : text;
  if (size > static_cast<int64_t>(copy.size())) copy.assign(text, size);
  bool is_there = text != nullptr;
  WriteAll(writer, std::tie(is_there, copy));
}

}  // namespace

void WriteOption(Writer& writer, const OptionValue& given) {
  OptionValue value = given;
  WriteAll(writer, std::tie(value.integer, value.real, value.end, value.is_default));
  // The text of kString may be bytes: a value that was given has their number.
  WriteText(writer, value.text, value.type == OptionType::kString ? value.integer : 0);
  WriteSpan(writer, value.numbers);
  int32_t arrays = value.arrays.size, keys = value.keyed.size;
  WriteAll(writer, std::tie(arrays, keys));
  for (const OptionArray& array : value.arrays) {
    WriteText(writer, array.name);
    WriteSpan(writer, array.shape);
    WriteSpan(writer, array.numbers);
  }
  for (const KeyedNumbers& entry : value.keyed) {
    int64_t number = entry.number;
    WriteText(writer, entry.name);
    WriteAll(writer, std::tie(number));
    WriteSpan(writer, entry.numbers);
  }
}

bool ReadOptions::Read(Reader& reader, const OptionSpec& spec) {
  OptionValue value = spec.initial;
  bool good = ReadAll(reader, std::tie(value.integer, value.real, value.end, value.is_default));
  const auto read_text = [&]() -> const char* {
    bool is_there = false;
    std::string& text = texts_.emplace_back();
    good = good && ReadAll(reader, std::tie(is_there, text));
    return is_there ? text.c_str() : nullptr;
  };
  value.text = read_text();
  if (spec.initial.type == OptionType::kString) {
    value.integer = static_cast<int64_t>(texts_.back().size());
  }
  value.numbers = ReadNumbers(reader, &good);
  int32_t arrays = 0, keys = 0;
  good = good && ReadAll(reader, std::tie(arrays, keys));
  std::vector<OptionArray>& all_arrays = arrays_.emplace_back();
  for (int32_t i = 0; good && i < arrays; ++i) {
    OptionArray array{};
    array.name = read_text();
    std::vector<int32_t>& shape = shapes_.emplace_back();
    good = good && ReadAll(reader, std::tie(shape));
    array.shape = Span<int32_t>::Of(shape);
    array.numbers = ReadNumbers(reader, &good);
    all_arrays.push_back(array);
  }
  std::vector<KeyedNumbers>& all_keys = keyed_.emplace_back();
  for (int32_t i = 0; good && i < keys; ++i) {
    KeyedNumbers entry{};
    entry.name = read_text();
    good = good && ReadAll(reader, std::tie(entry.number));
    entry.numbers = ReadNumbers(reader, &good);
    all_keys.push_back(entry);
  }
  value.arrays = Span<OptionArray>::Of(all_arrays);
  value.keyed = Span<KeyedNumbers>::Of(all_keys);
  values_.push_back(value);
  return good;
}

Span<double> ReadOptions::ReadNumbers(Reader& reader, bool* good) {
  std::vector<double>& numbers = numbers_.emplace_back();
  *good = *good && ReadAll(reader, std::tie(numbers));
  return Span<double>::Of(numbers);
}

}  // namespace parallel_pool
