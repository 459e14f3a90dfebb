#!/usr/bin/env bash
# Guess:    compute_reward of goals in rows gives each row the reward that it has alone.
# Happens:  not so for the pen of the Shadow Hand. Its turn about z should not count, and the program
#           replaces element [2] of the angles. In a batch this is row 2 as a whole, so the turn about z
#           counts in all other rows. A batch of fewer than three rows raises an IndexError.
# Who:      a user who trains HandManipulatePen by hindsight experience replay, which asks for batches.
# Source:   package gymnasium-robotics, file envs/shadow_dexterous_hand/manipulate.py
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

import gymnasium
import gymnasium_robotics
import numpy as np

print("gymnasium-robotics", importlib.metadata.version("gymnasium-robotics"))
gymnasium.register_envs(gymnasium_robotics)
different = {}
for name in ("HandManipulatePenDense-v1", "HandManipulateEggDense-v1"):
    env = gymnasium.make(name, disable_env_checker=True).unwrapped
    env.reset(seed=0)
    random = np.random.default_rng(0)
    goals = random.normal(size=(2, 4, 7))  # 3 numbers of a place, 4 of a quaternion
    goals[..., 3:] /= np.linalg.norm(goals[..., 3:], axis=-1, keepdims=True)
    achieved, desired = goals
    batch = env.compute_reward(achieved.copy(), desired.copy(), {})
    alone = np.array([env.compute_reward(a.copy(), d.copy(), {}) for a, d in zip(achieved, desired)])
    different[name] = int((batch != alone).sum())
    print(name)
    print("  as a batch:", *np.round(batch, 3))
    print("  row by row:", *np.round(alone, 3))
if different["HandManipulatePenDense-v1"] == 0 or different["HandManipulateEggDense-v1"] != 0:
    sys.exit("Rewards of a batch are no longer wrong for the pen only.")
EOF
