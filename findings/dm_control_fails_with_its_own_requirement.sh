#!/usr/bin/env bash
# Guess:    a release of dm_control works with each version of MuJoCo that its requirements allow.
# Happens:  dm_control 1.0.50 asks for mujoco>=3.17.0, so pip takes 4.0.0 and "pip check" is content.
#           But no task of the suite loads: MuJoCo 4 has no field flex_vertedge any more, and
#           dm_control reads every field of a model that its own table of sizes has.
# Who:      a user who installs dm_control without a pin of mujoco since November 2026.
# Source:   packages dm_control and mujoco: metadata, and the error
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    dm_control==1.0.50 mujoco==4.0.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import subprocess
import sys

import mujoco
from dm_control import suite

version = importlib.metadata.version("dm_control")
asks = [line for line in importlib.metadata.requires("dm_control") if line.startswith("mujoco")]
check = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
print("dm_control", version, "asks for", *asks, "- installed is mujoco", mujoco.__version__)
print("pip check:", check.stdout.strip())
failed = []
for domain, task in (("cartpole", "balance"), ("cheetah", "run"), ("pendulum", "swingup")):
    try:
        suite.load(domain, task).reset()
        print(domain, task, "works")
    except AttributeError as error:
        failed.append(domain)
        print(domain, task, "fails:", error)
if len(failed) != 3 or check.returncode != 0:
    sys.exit("dm_control now works with this MuJoCo, or its requirements no longer allow it.")
EOF
