// Bugs that a sanitizer must report: they show that it is on.
#pragma once

extern "C" {

// Two threads write one int.
int PlantedRace();
int PlantedUseAfterFree();
// Of a signed int.
int PlantedOverflow();
}
