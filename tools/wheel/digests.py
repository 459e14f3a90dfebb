"""Prints the digest of a trajectory of several tasks of every family: a line FAMILY TASK DIGEST.

Two wheels, or one wheel in two Pythons, have the same results if their lines are equal. It needs
the wheel only, and ViZDoom's engine. WITHOUT_FAMILY in the environment leaves out a family.
Usage: digests.py [TASKS OF EACH FAMILY] [STEPS]
"""

import collections
import hashlib
import os
import re
import sys

import parallel_pool
from parallel_pool.python.check.random_player import NUM_ENVS, RandomPlayer
from parallel_pool.python.specs.registry import registry

_SEED = 7
# Tasks of vizdoom that need a file, a game that is not free, or a network; those of MetaWorld,
# whose models are not in the wheel; and NetHack's, whose engine has no wheel for each Python.
_NOT_PLAYED = re.compile(
    r".*(Custom|Battle|Cig|Deathmatch-v0|Doom\w+-S\d-v0).*|MetaWorld/.*|[a-z-]+-v3|(Net|Mini)Hack.*"
)


def some_tasks(most: int) -> dict[str, list[str]]:
    """At most `most` tasks of each family, evenly over its sorted ids."""
    families = collections.defaultdict(list)
    for task in parallel_pool.list_all_envs():
        family = registry().family(task)
        if not _NOT_PLAYED.match(task) and family != os.environ.get("WITHOUT_FAMILY"):
            families[family].append(task)
    return {family: tasks[:: -(-len(tasks) // most)] for family, tasks in families.items()}


def digest(task: str, steps: int) -> str:
    """SHA-256 of all rows of two envs under random actions, with the arrays' names and dtypes."""
    found = hashlib.sha256()
    with parallel_pool.make_gymnasium(task, num_envs=NUM_ENVS, seed=_SEED) as pool:
        player = RandomPlayer(pool)
        player.take(pool.reset())
        for rows in player.play(steps):
            for row in rows:
                for name, array in sorted(row.items()):
                    found.update(f"{name} {array.dtype} {array.shape} ".encode())
                    found.update(array.tobytes())
    return found.hexdigest()


def main() -> None:
    """Prints the lines."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    for family, tasks in some_tasks(most).items():
        for task in tasks:
            print(family, task, digest(task, steps), flush=True)


if __name__ == "__main__":
    main()
