// Machine::Save and Load. ALE's own state does not have the last action (for sticky actions), the
// sound, the state that some games do not save (game_state.cc) and that of chips (chips_state.cc).
#include <string>
#include <tuple>

#include "parallel_pool/core/save.h"
#include "parallel_pool/envs/atari/ale_members.h"
#include "parallel_pool/envs/atari/emulator_parts.h"
#include "parallel_pool/envs/atari/machine_parts.h"

namespace parallel_pool::atari {

using ale::StellaEnvironment;

struct Held { friend auto MembersOf(Held); };
template struct Expose<
    Held, &StellaEnvironment::m_player_a_action, &StellaEnvironment::m_player_b_action,
    &StellaEnvironment::m_paddle_a_strength, &StellaEnvironment::m_paddle_b_strength>;
struct Sound { friend auto MembersOf(Sound); };
template struct Expose<Sound, &StellaEnvironment::m_sound>;

namespace {

// State that ALE's own does not contain.
template <class Pass>
bool PassRest(const Pass& pass, ale::ALEInterface& ale) {
  bool good = PassMembers<Held>(pass, *ale.environment) && PassGame(pass, *ale.romSettings) &&
              PassChips(pass, *ale.theOSystem);
  ForEach<Sound>(*ale.environment, [&](auto& sound) { good = good && pass(sound); });
  return good;
}

}  // namespace

void Machine::Save(Writer& writer) const {
  const std::string text = emulator_->ale.cloneState(/*include_rng=*/true).serialize();
  WriteAll(writer, std::tie(text, at_start_));
  PassRest(Out{writer}, emulator_->ale);
}

bool Machine::Load(Reader& reader) {
  std::string text;
  if (!ReadAll(reader, std::tie(text, at_start_))) return false;
  emulator_->ale.restoreState(ale::ALEState(text));
  return PassRest(In{reader}, emulator_->ale);
}

}  // namespace parallel_pool::atari
