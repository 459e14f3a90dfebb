"""The patched emulator equals ale_py's: RAM, screen, reward, lives and end after every frame.

Each change to ALE relies on this test: all games of ALE, and random programs that do more than any
game.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ale_py
import numpy as np
import numpy.typing as npt
import pytest

from parallel_pool.envs.atari.emulator.random_program import random_program
from parallel_pool.testing.form import by_form, some

FRAMES = by_form(400, 1000)  # frames of each game, played twice
PROGRAMS = by_form(80, 160)
PROGRAM_FRAMES = 30
ROMS = [
    rom
    for rom in sorted(Path(str(ale_py.roms.get_rom_path("pong"))).parent.glob("*.bin"))
    if ale_py.ALEInterface.isSupportedROM(rom)
]
# Games whose start works with any program.
PATIENT = ("seaquest", "enduro", "pitfall", "venture")

ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
LIBRARY = ctypes.CDLL(str(Path(__file__).parent / "emulator_capi.so"))
LIBRARY.Open.restype = LIBRARY.Clone.restype = ctypes.c_void_p
LIBRARY.Open.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_float]
LIBRARY.Act.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_float]
LIBRARY.Restore.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
LIBRARY.SetMode.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
LIBRARY.Look.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
LIBRARY.GameOver.restype = ctypes.c_bool
for function in (LIBRARY.Close, LIBRARY.Reset, LIBRARY.Lives, LIBRARY.GameOver, LIBRARY.Clone):
    function.argtypes = [ctypes.c_void_p]


class Both:
    """The same console twice; every call goes to both, and their RAM and screens must be equal."""

    def __init__(self, rom: Path, seed: int, sticky: float) -> None:
        self.theirs = ale_py.ALEInterface()
        self.theirs.setFloat("repeat_action_probability", sticky)
        self.theirs.setInt("random_seed", seed)
        self.theirs.loadROM(rom)
        self.ours = LIBRARY.Open(bytes(rom), seed, sticky)
        self.seen = np.zeros(128 + self.theirs.getScreen().size, np.uint8)
        self.where = f"{rom.stem}, seed {seed}"
        self.check("start")

    def check(self, when: object) -> None:
        LIBRARY.Look(self.ours, self.seen.ctypes.data)
        where = f"{self.where}, {when}"
        self.check_part(self.seen[:128], self.theirs.getRAM(), f"{where}: RAM")
        self.check_part(self.seen[128:], self.theirs.getScreen().reshape(-1), f"{where}: screen")
        assert LIBRARY.Lives(self.ours) == self.theirs.lives(), where
        assert LIBRARY.GameOver(self.ours) == self.theirs.game_over(), where

    def check_part(self, ours: npt.NDArray[Any], theirs: npt.NDArray[Any], where: str) -> None:
        if not np.array_equal(ours, theirs):
            at = np.flatnonzero(ours != theirs)
            pytest.fail(f"{where} differs at {at[:9]}: {ours[at[:9]]}, not {theirs[at[:9]]}")

    def act(self, action: int, strength: float, when: object) -> None:
        reward = self.theirs.act(ale_py.Action(action), strength)
        assert LIBRARY.Act(self.ours, action, strength) == reward, f"{self.where}, {when}"
        self.check(when)

    def reset(self) -> None:
        self.theirs.reset_game()
        LIBRARY.Reset(self.ours)
        self.check("reset")

    def set_mode(self, mode: int, difficulty: int) -> None:
        self.theirs.setMode(mode)
        self.theirs.setDifficulty(difficulty)
        LIBRARY.SetMode(self.ours, mode, difficulty)
        self.reset()


@contextmanager
def both(rom: Path, seed: int, sticky: float = 0.0) -> Iterator[Both]:
    consoles = Both(rom, seed, sticky)
    yield consoles
    LIBRARY.Close(consoles.ours)


def play(consoles: Both, rng: np.random.Generator, frames: int) -> None:
    """Plays random actions, each held for some frames; saves and restores a state in the middle."""
    actions = [action.value for action in consoles.theirs.getLegalActionSet()]
    state: Any = None
    for frame in range(frames):
        if frame == 0 or rng.integers(8) == 0:
            action, strength = int(rng.choice(actions)), float(rng.integers(101)) / 100
        consoles.act(action, strength, frame)
        if frame == frames // 2:
            state = consoles.theirs.cloneState(include_rng=True), LIBRARY.Clone(consoles.ours)
        if state and frame == frames // 2 + 20:
            consoles.theirs.restoreState(state[0])
            LIBRARY.Restore(consoles.ours, state[1])
        if consoles.theirs.game_over() or rng.integers(1000) == 0:
            consoles.reset()


@pytest.mark.parametrize("rom", some(ROMS, 4), ids=lambda rom: rom.stem)
def test_games(rom: Path) -> None:
    rng = np.random.default_rng(sum(rom.stem.encode()))
    with both(rom, 1) as consoles:
        play(consoles, rng, FRAMES)
    with both(rom, 2, sticky=0.25) as consoles:
        modes = consoles.theirs.getAvailableModes()
        difficulties = consoles.theirs.getAvailableDifficulties()
        consoles.set_mode(int(rng.choice(modes)), int(rng.choice(difficulties)))
        play(consoles, rng, FRAMES)


@pytest.mark.parametrize("part", range(8))
def test_programs(part: int, tmp_path: Path) -> None:
    for seed in range(part, PROGRAMS, 8):
        rom = tmp_path / str(seed) / f"{PATIENT[seed // 8 % len(PATIENT)]}.bin"
        rom.parent.mkdir()
        rom.write_bytes(random_program(seed))
        with both(rom, seed) as consoles:
            play(consoles, np.random.default_rng(seed), PROGRAM_FRAMES)
