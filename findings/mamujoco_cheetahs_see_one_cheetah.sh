#!/usr/bin/env bash
# Guess:    in CoupledHalfCheetah each of the two agents observes the cheetah that it moves.
# Happens:  both observe the second cheetah. agent_0 moves the first one and sees nothing of its joints.
# Who:      a user who trains CoupledHalfCheetah of multi-agent MuJoCo: agent_0 acts blindly.
# Source:   package gymnasium-robotics, file envs/multiagent_mujoco/obsk.py: the tables of nodes of both
#           cheetahs have the same negative indices, which count from the end of qpos
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
    "CoupledHalfCheetah",
    "1p1",
    agent_obsk=0,  # its own parts only
    local_categories=[["qpos"]],
    global_categories=(),
)
observations, _ = env.reset(seed=1)
robot = env.unwrapped.single_agent_env.unwrapped
joint_at = {int(robot.model.jnt_qposadr[i]): robot.model.joint(i).name for i in range(robot.model.njnt)}
seen = {}
for agent, parts in zip(observations, env.unwrapped.agent_action_partitions):
    moved = [robot.model.joint(robot.model.actuator(part.act_ids).trnid[0]).name for part in parts]
    places = [int(np.flatnonzero(robot.data.qpos == number)[0]) for number in observations[agent]]
    seen[agent] = [joint_at[place] for place in places]
    print(f"{agent} moves {' '.join(moved)}")
    print(f"{agent} sees  {' '.join(seen[agent])}")
if seen["agent_0"] != seen["agent_1"] or "bthigh0" in seen["agent_0"]:
    sys.exit("The agents of CoupledHalfCheetah no longer observe the same cheetah.")
EOF
