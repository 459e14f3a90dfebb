#!/usr/bin/env bash
# Guess:    the numbers of an observation have the same order in each run of a program.
# Happens:  in Pusher of multi-agent MuJoCo, the shoulder's two angles change places from one process to
#           the next, with the same seed and actions. The table names two joints (and a third) alike;
#           they are kept in a Python set and sorted by name, so the addresses in memory decide.
# Who:      a user who trains a policy in one process and runs it in another one.
# Source:   package gymnasium-robotics, file envs/multiagent_mujoco/obsk.py: three times
#           Node("r_wrist_roll_joint", ...), and get_joints_at_kdist()
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    gymnasium-robotics==1.4.2 mujoco==3.3.0 gymnasium==1.4.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import subprocess
import sys

PROGRAM = """
import numpy as np
from gymnasium_robotics import mamujoco_v1

env = mamujoco_v1.parallel_env("Pusher", "3p", agent_obsk=0, local_categories=[["qpos"]])
env.reset(seed=1)
for _ in range(5):
    spaces = {agent: env.action_space(agent) for agent in env.agents}
    obs, *_ = env.step({agent: np.linspace(0.5, 1.5, box.shape[0]) for agent, box in spaces.items()})
print("first three numbers of agent_0:", *(round(float(number), 3) for number in obs["agent_0"][:3]))
"""
print("gymnasium-robotics", importlib.metadata.version("gymnasium-robotics"))
lines = []
for run in range(30):
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True)
    lines.append(ran.stdout.strip().splitlines()[-1])
    print(f"process {run}: {lines[-1]}")
    if len(set(lines)) > 1:
        break
else:
    sys.exit("30 processes agree about the order of the joints.")
if len({tuple(sorted(line.split())) for line in lines}) != 1:
    sys.exit("The numbers themselves differ: this is another behaviour.")
EOF
