#!/usr/bin/env bash
# Guess:    lists in an info have an order that the seed or the program decides.
# Happens:  info["tasks_to_complete"] of FrankaKitchen is a Python set as a list. Its order follows from
#           the hashes of texts, which Python salts in another way in each process.
# Who:      a user who makes a vector or a one-hot of that list, or compares the infos of two runs.
# Source:   package gymnasium-robotics, file envs/franka_kitchen/kitchen_env.py
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    gymnasium-robotics==1.4.2 mujoco==3.3.0 gymnasium==1.4.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import os
import subprocess
import sys

PROGRAM = """
import gymnasium
import gymnasium_robotics

gymnasium.register_envs(gymnasium_robotics)
env = gymnasium.make("FrankaKitchen-v1", disable_env_checker=True)
print(", ".join(env.reset(seed=0)[1]["tasks_to_complete"]))
"""
print("gymnasium-robotics", importlib.metadata.version("gymnasium-robotics"))
orders = []
for salt in ("1", "2", "1"):
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        env={**os.environ, "PYTHONHASHSEED": salt},
        capture_output=True,
        text=True,
        check=True,
    )
    orders.append(ran.stdout.strip().splitlines()[-1])
    print(f"PYTHONHASHSEED={salt}, reset(seed=0): {orders[-1]}")
if orders[0] == orders[1] or orders[0] != orders[2]:
    sys.exit("The order of the kitchen's tasks no longer follows from the hashes of texts.")
EOF
