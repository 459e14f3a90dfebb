#include "parallel_pool/core/words.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace parallel_pool {
namespace {

// The least number of letters to insert, delete or replace that makes b of a.
size_t Distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

int Find(std::span<const std::string> words, const std::string& word, const std::string& what) {
  const std::string upper = Upper(word);
  const auto distance = [&](const std::string& w) { return Distance(upper, Upper(w)); };
  const auto nearest = std::ranges::min_element(words, {}, distance);
  if (nearest != words.end() && Upper(*nearest) == upper) {
    return static_cast<int>(nearest - words.begin());
  }
  std::string allowed;
  for (const std::string& w : words) allowed += (allowed.empty() ? "" : ", ") + w;
  throw std::invalid_argument(what + " '" + word + "'; did you mean '" + *nearest +
                              "'? Allowed are " + allowed);
}

std::vector<int> FindAll(std::span<const std::string> words, const Lines& names,
                         const std::string& what) {
  std::istringstream lines(names.text);
  std::vector<int> places;
  for (std::string name; std::getline(lines, name);) {
    const int place = Find(words, name, what);
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  return places;
}

std::string Upper(std::string text) {
  for (char& letter : text)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

}  // namespace parallel_pool
