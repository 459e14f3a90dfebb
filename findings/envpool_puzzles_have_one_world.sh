#!/usr/bin/env bash
# Guess:    the envs of a pool begin different episodes, and another seed begins others.
# Happens:  in eleven puzzles of the Jumanji family all envs of all seeds have one and the same world.
#           An agent learns one instance by heart.
# Who:      users of Python 3.11, where pip takes 1.2.5 as the newest version. Version 1.2.7, for
#           newer Pythons, draws worlds.
# Source:   package envpool 1.2.5, family jumanji; found by comparing first observations
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    envpool==1.2.5 gymnasium==1.4.0 numpy==2.4.6 optree==0.20.0

"$folder/venv/bin/python" -W ignore - <<'EOF'
import sys

import envpool
import numpy as np
import optree

print("envpool", envpool.__version__)
PUZZLES = """BinPack-v2 CVRP-v1 Connector-v2 FlatPack-v0 JobShop-v0 LevelBasedForaging-v0
MMST-v0 MultiCVRP-v0 RobotWarehouse-v0 SearchAndRescue-v0 Sokoban-v0 Maze-v0 Snake-v1 TSP-v1""".split()


def worlds(name):
    """The number of different first observations of 16 envs of each of two seeds."""
    seen = set()
    for seed in (1, 1000):
        pool = envpool.make_gymnasium(f"Jumanji/{name}", num_envs=16, seed=seed)
        leaves = [np.asarray(leaf) for leaf in optree.tree_leaves(pool.reset()[0])]
        seen |= {b"".join(leaf[row].tobytes() for leaf in leaves) for row in range(16)}
    return len(seen)


found = {name: worlds(name) for name in PUZZLES}
print("different first observations of 32 envs:")
for name, number in found.items():
    print(f"{number:4} {name}")
if list(found.values())[:11] != [1] * 11 or min(list(found.values())[11:]) < 5:
    sys.exit("The first eleven no longer have one world each, or the last three have few.")
EOF
