"""Procgen's own Python, which the tests compare with."""

import functools
import importlib
import os
import pathlib
import sys
from typing import Any

import numpy as np

GAMES = [
    "bigfish",
    "bossfight",
    "caveflyer",
    "chaser",
    "climber",
    "coinrun",
    "dodgeball",
    "fruitbot",
    "heist",
    "jumper",
    "leaper",
    "maze",
    "miner",
    "ninja",
    "plunder",
    "starpilot",
]


@functools.cache
def _procgen() -> Any:
    """Imports procgen and gym3 from the folders that Bazel has extracted them to."""
    for record in ("procgen/procgen-0.10.7.dist-info/RECORD", "gym3/gym3-0.3.3.dist-info/RECORD"):
        link = pathlib.Path(os.environ["TEST_SRCDIR"]) / record
        sys.path.insert(0, str(link.resolve().parents[1]))
    procgen = importlib.import_module("procgen")
    # It calls the library. If the garbage collector runs it in cffi, cffi waits for its own lock.
    del importlib.import_module("gym3.libenv").CEnv.__del__
    return procgen


class Reference:
    """One env of ProcgenGym3Env; its rows have the order of a pool's."""

    def __init__(self, game: str, seed: int, **options: Any) -> None:
        """Makes the env with `seed`, and options of ProcgenGym3Env."""
        self.env = _procgen().ProcgenGym3Env(
            num=1, env_name=game, rand_seed=seed, num_threads=0, **options
        )

    def row(self) -> dict[str, Any]:
        """The present row; after the end of an episode, it is the first of the next."""
        reward, obs, first = self.env.observe()
        info = self.env.get_info()[0]
        return {"obs": obs["rgb"][0], "reward": float(reward[0]), "first": bool(first[0]), **info}

    def step(self, action: int) -> dict[str, Any]:
        """The row after an action; -1 resets."""
        self.env.act(np.array([action], np.int32))
        return self.row()
