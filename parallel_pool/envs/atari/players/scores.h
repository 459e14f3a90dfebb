// How each game stands, from the RAM after a frame. Each function writes the rewards of the frame,
// the lives and the end of the game, and counts what the game does not.
#pragma once

#include "parallel_pool/envs/atari/players/rules.h"

namespace parallel_pool::atari {

void ReadBoxing(Ram ram, int mode, Tally& tally);
void ReadCombat(Ram ram, int mode, Tally& tally);
void ReadDoubleDunk(Ram ram, int mode, Tally& tally);
void ReadEntombed(Ram ram, int mode, Tally& tally);
void ReadFlagCapture(Ram ram, int mode, Tally& tally);
void ReadIceHockey(Ram ram, int mode, Tally& tally);
void ReadJoust(Ram ram, int mode, Tally& tally);
void ReadMarioBros(Ram ram, int mode, Tally& tally);
void ReadMazeCraze(Ram ram, int mode, Tally& tally);
void ReadOthello(Ram ram, int mode, Tally& tally);
void ReadPong(Ram ram, int mode, Tally& tally);
void ReadSpaceInvaders(Ram ram, int mode, Tally& tally);
void ReadSpaceWar(Ram ram, int mode, Tally& tally);
void ReadSurround(Ram ram, int mode, Tally& tally);
void ReadTennis(Ram ram, int mode, Tally& tally);
void ReadVideoCheckers(Ram ram, int mode, Tally& tally);
void ReadWarlords(Ram ram, int mode, Tally& tally);
void ReadWizardOfWor(Ram ram, int mode, Tally& tally);

}  // namespace parallel_pool::atari
