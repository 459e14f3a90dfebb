// The images that games draw with. By itself the library decodes all 860 of them, also those of
// unused backgrounds, when the first game is made: 4 s and 350 MB. This loads the sprites at once
// (40 ms) and each background when a level first shows it. An image is loaded by the library's own
// function, so nothing else changes.
//
// images.cc is compiled with libstdc++'s older std::string, as the library is; so no std:: type
// crosses this header.
#pragma once

#include <cstddef>

namespace parallel_pool::procgen {

// Tells the library, which begins at `base`, that its images are loaded, and where they are. Once,
// before the first game is made.
void PrepareImages(std::byte* base, const char* folder);

// Loads all sprites of a game. Before any game is drawn.
void LoadSprites(std::byte* base, void* game);

// Loads the background of a game's level, if it shows one that is not loaded. From any thread.
void LoadBackground(void* game);

}  // namespace parallel_pool::procgen
