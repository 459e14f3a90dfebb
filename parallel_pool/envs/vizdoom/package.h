// The files of the package vizdoom, which is installed apart from this one.
#pragma once

#include <filesystem>
#include <string>

namespace parallel_pool::vizdoom {

// The folder of the installed package, which has the engine, freedoom2.wad and scenarios/.
// `engine_path` is that folder; if it is empty, the folder is next to the package parallel_pool.
// Throws std::invalid_argument that says how to install it.
std::filesystem::path FindPackage(const std::string& engine_path);

// Throws std::invalid_argument unless the WAD file `wad` has the map `map`: the engine would start
// another one.
void CheckMap(const std::filesystem::path& wad, const std::string& map);

}  // namespace parallel_pool::vizdoom
