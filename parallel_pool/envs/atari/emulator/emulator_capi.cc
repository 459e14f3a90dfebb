// The patched emulator as C functions, for proof_test.py (ctypes).
#include <cstdint>
#include <cstring>

#include "ale/ale_interface.hpp"

extern "C" {

ale::ALEInterface* Open(const char* rom, int seed, float repeat_action_probability) {
  ale::Logger::setMode(ale::Logger::Error);
  auto* const ale = new ale::ALEInterface();
  ale->setFloat("repeat_action_probability", repeat_action_probability);
  ale->setInt("random_seed", seed);
  ale->loadROM(rom);
  return ale;
}

void Close(ale::ALEInterface* ale) {
  delete ale;
}

void SetMode(ale::ALEInterface* ale, int mode, int difficulty) {
  ale->setMode(mode);
  ale->setDifficulty(difficulty);
}

void Reset(ale::ALEInterface* ale) {
  ale->reset_game();
}

int Act(ale::ALEInterface* ale, int action, float paddle_strength) {
  return ale->act(static_cast<ale::Action>(action), paddle_strength);
}

// Writes the 128 bytes of RAM, then the screen's palette indices.
void Look(ale::ALEInterface* ale, uint8_t* ram_and_screen) {
  std::memcpy(ram_and_screen, ale->getRAM().array(), 128);
  std::memcpy(ram_and_screen + 128, ale->getScreen().getArray(), ale->getScreen().arraySize());
}

int Lives(ale::ALEInterface* ale) {
  return ale->lives();
}

bool GameOver(ale::ALEInterface* ale) {
  return ale->game_over();
}

ale::ALEState* Clone(ale::ALEInterface* ale) {
  return new ale::ALEState(ale->cloneState(/*include_rng=*/true));
}

// Restores the state and deletes it.
void Restore(ale::ALEInterface* ale, ale::ALEState* state) {
  ale->restoreState(*state);
  delete state;
}
}
