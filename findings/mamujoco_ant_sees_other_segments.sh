#!/usr/bin/env bash
# Guess:    in ManySegmentAnt an agent observes the joints of the segments that it moves.
# Happens:  the indices of the observation are shifted. agent_0 sees a joint of a segment of agent_1,
#           and lacks one of its own; agent_1 sees the position and the turn of the torso as "joints".
# Who:      a user who trains ManySegmentAnt of multi-agent MuJoCo, and a user who reads meaning into a row.
# Source:   package gymnasium-robotics, file envs/multiagent_mujoco/obsk.py, ManySegmentAnt
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    gymnasium-robotics==1.4.2 mujoco==3.3.0 gymnasium==1.4.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import sys

import numpy as np
from gymnasium_robotics import mamujoco_v1

print("gymnasium-robotics", importlib.metadata.version("gymnasium-robotics"))
env = mamujoco_v1.parallel_env(
    "ManySegmentAnt",
    "2x3",  # two agents with three segments each
    agent_obsk=0,  # their own parts only
    local_categories=[["qpos"]],
    global_categories=(),
)
observations, _ = env.reset(seed=1)
robot = env.unwrapped.single_agent_env.unwrapped
names = [f"torso[{i}]" for i in range(7)] + [robot.model.joint(i).name for i in range(1, robot.model.njnt)]
wrong = 0
for agent, parts in zip(observations, env.unwrapped.agent_action_partitions):
    moved = {robot.model.joint(robot.model.actuator(part.act_ids).trnid[0]).name for part in parts}
    places = [int(np.flatnonzero(robot.data.qpos == number)[0]) for number in observations[agent]]
    seen = {names[place] for place in places}
    print(f"{agent} moves {' '.join(sorted(moved))}")
    print(f"{agent} sees instead of {' '.join(sorted(moved - seen))}: {' '.join(sorted(seen - moved))}")
    wrong += len(seen - moved)
if wrong == 0:
    sys.exit("The agents of ManySegmentAnt now observe the joints that they move.")
EOF
