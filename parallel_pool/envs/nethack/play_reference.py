"""Plays pools and the reference with the same actions, and compares all that they return by ==."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import parallel_pool
from parallel_pool.envs.nethack.reference import PLAIN_DAY, Reference
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same
from parallel_pool.testing.side_by_side import compare

# From random numbers and the names of the actions to an action.
Policy = Callable[[np.random.Generator, Sequence[str]], int]


def any_key(random: np.random.Generator, names: Sequence[str]) -> int:
    """Any action."""
    return int(random.integers(len(names)))


def key_of(name: str) -> str:
    """The key in the name of an action, such as "^D" of "KICK (^D)"."""
    return name[name.index("(") + 1 : -1]


def code_of(key: str) -> int:
    """The code of a key in NetHack's notation."""
    if key.startswith("M-"):
        return 0x80 | ord(key[2])
    return ord(key[1]) & 0x1F if len(key) == 2 else ord(key)


def play(
    task_ids: str | Sequence[str],
    seed: int,
    steps: int,
    *,
    envs: int = 2,
    limit: int | None = None,
    policy: Policy = any_key,
    **options: Any,
) -> dict[str, int]:
    """Plays a pool of each task, and asserts that all results are the reference's.

    Args:
        task_ids: the tasks; the reference plays all of them in one process.
        seed: of the pools and of the actions.
        steps: the number of steps.
        envs: the envs of each pool.
        limit: the time limit in steps; None: the tasks'.
        policy: chooses the actions.
        **options: the options of the tasks.

    Returns:
        How many episodes were "terminated" and "truncated", how many of them had "success", and how
        many rewards were "positive".
    """
    tasks = [task_ids] if isinstance(task_ids, str) else task_ids
    own = dict(options)
    clock = own.pop("clock", PLAIN_DAY)
    if "actions" in own:
        own["actions"] = [code_of(key) for key in own["actions"]]
    given = options if limit is None else options | {"max_episode_steps": limit}
    pools = [
        parallel_pool.make(
            task, num_envs=envs, num_threads=2, seed=seed, reward_dtype="float64", **given
        )
        for task in tasks
    ]
    kwargs = [
        {"task_id": task, "seed": seed + i, "limit": pool.spec.max_episode_steps, **own}
        for task, pool in zip(tasks, pools, strict=True)
        for i in range(envs)
    ]
    counts = dict.fromkeys(("terminated", "truncated", "success", "positive"), 0)
    random = np.random.default_rng(seed)
    names = [pool.spec.action_meanings or () for pool in pools]
    with Reference(kwargs, clock) as reference:
        theirs = reference.first
        for step in range(steps + 1):
            if step:
                actions = [np.array([policy(random, own) for _ in range(envs)]) for own in names]
                theirs = reference.step(np.concatenate(actions))
            for i, pool in enumerate(pools):
                ours = pool.step(actions[i]) if step else pool.reset()
                same = Same(f"{tasks[i]} {options}", seed, step)
                wanted = [_as_ours(result, step) for result in theirs[envs * i : envs * (i + 1)]]
                compare(same, ours, wanted)
                if step:
                    _count(counts, *ours)
    for task, pool in zip(tasks, pools, strict=True):
        pool.close()
        played(task, seed, steps, envs)
    return counts


def _as_ours(theirs: Any, step: int) -> Any:
    """A result of nle as one of reset() or step() of a pool, with the infos that it has."""
    *parts, info = theirs if step else (theirs[0], theirs[-1])
    return *parts, {name: int(info[name]) for name in ("end_status", "is_ascended")}


def _count(
    counts: dict[str, int], obs: Any, reward: Any, terminated: Any, truncated: Any, info: Any
) -> None:
    counts["terminated"] += int(terminated.sum())
    counts["truncated"] += int(truncated.sum())
    counts["success"] += int((terminated.astype(bool) & (info["end_status"] == 2)).sum())
    counts["positive"] += int((reward > 0).sum())
