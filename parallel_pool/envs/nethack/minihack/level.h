// Levels of MiniHack: texts in NetHack's language for levels, which nle's compiler lev_comp reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace parallel_pool::nethack {

// A room of 5 by 5 places with stairs at a random place.
extern const char* const kPlainRoom;

// The text of a level. `des_file` is the text itself or, if it ends in ".des", a file: of the
// user's, or in the folder dat of the package minihack. Throws std::invalid_argument if there is no
// such file.
std::string ReadLevel(const std::string& des_file, const std::filesystem::path& minihack);

// NetHack's data with this level as the first of the dungeon, for all games of the process. Throws
// std::invalid_argument with the compiler's message if it refuses the text.
std::shared_ptr<const std::vector<uint8_t>> CompileLevel(const std::string& text,
                                                         const std::filesystem::path& nle,
                                                         const std::filesystem::path& minihack);

}  // namespace parallel_pool::nethack
