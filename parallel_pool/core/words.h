// Words that users write in options, such as names of buttons or keys.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/options.h"

namespace parallel_pool {

// The place of `word` in `words`, in any case of letters. Throws std::invalid_argument that begins
// with `what` and names the nearest and all allowed words.
int Find(std::span<const std::string> words, const std::string& word, const std::string& what);

// The places of all lines of `names`, each once, in their order. Throws like Find.
std::vector<int> FindAll(std::span<const std::string> words, const Lines& names,
                         const std::string& what);

// The text with its letters in upper case.
std::string Upper(std::string text);

}  // namespace parallel_pool
