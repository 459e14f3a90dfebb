// The files of the package vizdoom, which is installed apart from this one.
#pragma once

#include <filesystem>
#include <string>

#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

namespace parallel_pool::vizdoom {

// The folder of the installed package, which has the engine, freedoom2.wad and scenarios/.
// `engine_path` is that folder; if it is empty, Python finds it. Throws std::invalid_argument that
// says how to install it.
std::filesystem::path FindPackage(const std::string& engine_path);

// Reads the file `config_file` of `package` or of the user into `scenario`, and sets what follows
// from its options. Paths and lists that `scenario` has already stay. Throws std::invalid_argument
// if a file or a word does not exist.
void LoadScenario(const std::filesystem::path& package, const std::string& config_file,
                  Scenario& scenario);

// Sets `buttons` and `variables` by the names of the two lists. Throws std::invalid_argument if
// there is no such name.
void FindNames(Scenario& scenario);

// Throws std::invalid_argument unless the scenario's WAD file has its map: the engine would start
// another one.
void CheckMap(const Scenario& scenario);

}  // namespace parallel_pool::vizdoom
