// Bugs that a sanitizer must report; tests use them to check that it is on.
#pragma once

extern "C" {

// Two threads write one int.
int PlantedRace();
int PlantedUseAfterFree();
// Overflows a signed int.
int PlantedOverflow();
}
