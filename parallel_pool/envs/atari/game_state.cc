// State that saveState of some games' RomSettings does not save. The list comes from a comparison
// of the members of all RomSettings with their saveState; miniature_golf saves its numbers as
// bools.
#include "ale/games/supported/Atlantis2.hpp"
#include "ale/games/supported/ChopperCommand.hpp"
#include "ale/games/supported/DemonAttack.hpp"
#include "ale/games/supported/Hangman.hpp"
#include "ale/games/supported/MiniatureGolf.hpp"
#include "ale/games/supported/VideoCheckers.hpp"
#include "ale/games/supported/VideoCube.hpp"
#include "parallel_pool/envs/atari/ale_members.h"

namespace parallel_pool::atari {

struct Atlantis2 { friend auto MembersOf(Atlantis2); };
template struct Expose<Atlantis2, &ale::Atlantis2Settings::m_lives>;
struct ChopperCommand { friend auto MembersOf(ChopperCommand); };
template struct Expose<ChopperCommand, &ale::ChopperCommandSettings::m_is_started>;
struct DemonAttack { friend auto MembersOf(DemonAttack); };
template struct Expose<DemonAttack, &ale::DemonAttackSettings::m_level_change>;
struct Hangman { friend auto MembersOf(Hangman); };
template struct Expose<Hangman, &ale::HangmanSettings::m_timerArray>;
struct MiniatureGolf { friend auto MembersOf(MiniatureGolf); };
template struct Expose<MiniatureGolf, &ale::MiniatureGolfSettings::m_levelNumber,
                       &ale::MiniatureGolfSettings::m_levelPar, &ale::MiniatureGolfSettings::m_hits,
                       &ale::MiniatureGolfSettings::m_leftStatus,
                       &ale::MiniatureGolfSettings::m_hitsAtStartOfLevel>;
struct VideoCheckers { friend auto MembersOf(VideoCheckers); };
template struct Expose<VideoCheckers, &ale::VideoCheckersSettings::m_reverse_checkers>;
struct VideoCube { friend auto MembersOf(VideoCube); };
template struct Expose<VideoCube, &ale::VideoCubeSettings::m_timerArray>;

namespace {

template <class Tag, class Game, class Pass>
bool PassIf(const Pass& pass, ale::RomSettings& settings) {
  auto* const game = dynamic_cast<Game*>(&settings);
  return game == nullptr || PassMembers<Tag>(pass, *game);
}

template <class Pass>
bool PassAny(const Pass& pass, ale::RomSettings& game) {
  return PassIf<Atlantis2, ale::Atlantis2Settings>(pass, game) &&
         PassIf<ChopperCommand, ale::ChopperCommandSettings>(pass, game) &&
         PassIf<DemonAttack, ale::DemonAttackSettings>(pass, game) &&
         PassIf<Hangman, ale::HangmanSettings>(pass, game) &&
         PassIf<MiniatureGolf, ale::MiniatureGolfSettings>(pass, game) &&
         PassIf<VideoCheckers, ale::VideoCheckersSettings>(pass, game) &&
         PassIf<VideoCube, ale::VideoCubeSettings>(pass, game);
}

}  // namespace

bool PassGame(const Out& pass, ale::RomSettings& game) {
  return PassAny(pass, game);
}

bool PassGame(const In& pass, ale::RomSettings& game) {
  return PassAny(pass, game);
}

}  // namespace parallel_pool::atari
