// The files of the package nle, which is installed apart from this one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/envs/nethack/engine/library.h"

namespace parallel_pool::nethack {

// The folder of the installed package. `engine_path` is that folder; if it is empty, Python finds
// it. Throws std::invalid_argument that says how to install it.
std::filesystem::path FindPackage(const std::string& engine_path);

// The library and NetHack's data of the package, which all games of the process share.
std::shared_ptr<const Library> LoadLibrary(const std::filesystem::path& package);
std::shared_ptr<const std::vector<uint8_t>> LoadData(const std::filesystem::path& package);

// The same for the package minihack.
std::filesystem::path FindMinihack(const std::string& minihack_path);

}  // namespace parallel_pool::nethack
