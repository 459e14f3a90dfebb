"""Plays an arm for some seconds, and prints its steps a second.

Its argument is an Arm of questions/off_policy.py in JSON.
"""

import importlib
import json
import os
import sys
import time

import gymnasium
import torch

import parallel_pool
from benchmark.peers.off_policy.common import ENVS

_WARM_UP = 16  # steps of all envs, of which each library makes whole batches


def main() -> None:
    """Plays until the time has passed."""
    arm = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    if arm["library"] == "torchrl":  # which looks for them when it is imported
        parallel_pool.install_as_envpool()
        sys.modules.setdefault("gym", gymnasium)
        sys.modules.setdefault("gym.spaces", gymnasium.spaces)
    library = importlib.import_module(f"benchmark.peers.off_policy.with_{arm['library']}")
    play = library.arm(arm["task"], arm["form"])
    for _ in range(_WARM_UP):
        play()
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < arm["seconds"] or steps % _WARM_UP:
        play()
        steps += 1
    rate = steps * ENVS / (time.perf_counter() - start)
    print(json.dumps({"rate": rate}, allow_nan=False), flush=True)
    os._exit(0)  # threads of a library do not end by themselves


if __name__ == "__main__":
    main()
