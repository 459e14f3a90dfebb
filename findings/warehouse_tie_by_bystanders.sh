#!/usr/bin/env bash
# Guess:    two robots that drive into one free cell are treated by a fixed rule, such as "the first
#           robot wins", wherever they are.
# Happens:  who wins depends on the column in which they meet, as soon as enough other robots exist,
#           which only stand still in a far corner. The nodes of a small part of a networkx graph
#           come in the order of a Python set of cells, and the longest path takes the first one.
# Who:      a user who writes a faster copy of the warehouse, or a rule for robots that meet.
# Source:   package rware, file warehouse.py, step(): weakly_connected_components, dag_longest_path
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    rware==2.0.0 gymnasium==1.4.0 networkx==3.6.1 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import sys

import gymnasium
import rware  # registers the envs
from rware.warehouse import Direction

print("rware", importlib.metadata.version("rware"))
STAY, FORWARD = 0, 1


def winner(robots, column):
    """Robots 0 and 1 meet in the lowest row; the others stand still in the upper left corner."""
    env = gymnasium.make(f"rware-small-{robots}ag-v2", disable_env_checker=True).unwrapped
    env.reset(seed=1)
    row = env.grid_size[0] - 1
    left, right, *others = env.agents
    left.x, left.y, left.dir = column - 1, row, Direction.RIGHT
    right.x, right.y, right.dir = column + 1, row, Direction.LEFT
    for place, robot in enumerate(others):
        robot.x, robot.y = place, 0
    env._recalc_grid()
    env.step([FORWARD, FORWARD] + [STAY] * len(others))
    return "R0" if left.x == column else "R1" if right.x == column else "none"


columns = range(1, 9)
results = {robots: [winner(robots, x) for x in columns] for robots in (2, 6)}
for robots, winners in results.items():
    print(f"{robots} robots, meeting in columns 1 to 8: the winner is", *winners)
if set(results[2]) != {"R0"} or len(set(results[6])) < 2:
    sys.exit("The winner no longer depends on the column and on robots that stand still.")
EOF
