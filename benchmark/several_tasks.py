"""Compares a pool of several tasks with a pool for each of them.

The pools of the tasks step in turn, so that both sides keep the same memory busy. A ratio above 1
means that the pool of several tasks is faster.
"""

import argparse
import statistics
import time
from typing import Any

import gymnasium
import numpy as np
from tqdm import tqdm

import parallel_pool

# The tasks, the envs of each, and how they share spaces.
_PADDED = {"action_padding": True, "observation_padding": True}
_WORKLOADS: tuple[tuple[list[str], int, dict[str, Any]], ...] = (
    (["CartPole-v1", "Ant-v5", "Pong-v5"], 64, {"separate_spaces": True}),
    (["CheetahRun-v1", "WalkerWalk-v1", "CartpoleSwingup-v1"], 64, _PADDED),
    (["Pong-v5", "Breakout-v5", "Qbert-v5"], 32, {"full_action_space": True}),
    (["CartPole-v1", "Acrobot-v1"], 512, _PADDED),
)
_STEPS = 12  # of each side before the other one's turn

# Pools that step in turn, with the action of each.
_Side = list[tuple[Any, Any]]


def _with_actions(pool: Any) -> tuple[Any, Any]:
    """A pool that has begun, and an action of zeros."""
    pool.reset()
    return pool, gymnasium.vector.utils.create_empty_array(pool.action_space, len(pool), np.zeros)


def _seconds(side: _Side) -> float:
    begin = time.perf_counter()
    for _ in range(_STEPS):
        for pool, action in side:
            pool.step(action)
    return time.perf_counter() - begin


def ratio(tasks: list[str], num_envs: int, rounds: int, **options: Any) -> float:
    """The median of the seconds of a pool for each task, divided by those of one pool.

    Args:
        tasks: the tasks.
        num_envs: the envs of each task.
        rounds: how often the two sides take turns.
        **options: how the tasks share spaces; also given to the pools of one task where they have
            such an option.
    """
    own = {n: v for n, v in options.items() if n == "full_action_space"}
    joint = [_with_actions(parallel_pool.make(tasks, num_envs=num_envs * len(tasks), **options))]
    apart = [_with_actions(parallel_pool.make(task, num_envs=num_envs, **own)) for task in tasks]
    for side in (joint, apart):
        _seconds(side)
    return statistics.median(_seconds(apart) / _seconds(joint) for _ in range(rounds))


def main() -> None:
    """Prints a ratio for each workload."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=60, help="turns of each side (60)")
    args = parser.parse_args()
    for tasks, num_envs, options in tqdm(_WORKLOADS, disable=None):
        found = ratio(tasks, num_envs, args.rounds, **options)
        tqdm.write(f"{', '.join(tasks):<50} {num_envs:>4} envs each: {found:.2f}")


if __name__ == "__main__":
    main()
