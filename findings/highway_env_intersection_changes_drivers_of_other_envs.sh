#!/usr/bin/env bash
# Guess:    envs of one process are independent: a reset of one changes nothing in another.
# Happens:  a reset of an intersection env of highway-env sets three constants of the class IDMVehicle,
#           which drives the other cars of all tasks. They stay until the process ends. An env of
#           another task, made and seeded before, drives on differently.
# Who:      a user who evaluates several tasks of highway-env in one process, or trains on a mixture:
#           results depend on the order of tasks, and differ from those of a process for each task.
# Source:   package highway-env, file envs/intersection_env.py, _make_vehicles():
#           vehicle_type.DISTANCE_WANTED, COMFORT_ACC_MAX and COMFORT_ACC_MIN
# Date:     2026-12-01
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    highway-env==1.12.1 gymnasium==1.4.0 numpy==2.4.6

SDL_VIDEODRIVER=dummy PYGAME_HIDE_SUPPORT_PROMPT=1 "$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import subprocess
import sys

PROGRAM = """
import sys

import gymnasium
import highway_env
from highway_env.vehicle.behavior import IDMVehicle

gymnasium.logger.min_level = gymnasium.logger.ERROR  # newer versions of a task
env = gymnasium.make("highway-fast-v0", disable_env_checker=True)
env.reset(seed=1)
if sys.argv[1] != "none":
    gymnasium.make(sys.argv[1], disable_env_checker=True).reset(seed=1)
for _ in range(3):
    env.step(1)  # IDLE
print(IDMVehicle.DISTANCE_WANTED, IDMVehicle.COMFORT_ACC_MAX, IDMVehicle.COMFORT_ACC_MIN)
print(*(vehicle.speed for vehicle in env.unwrapped.road.vehicles))
"""


def drive(other):
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, other]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    constants, speeds = ran.stdout.strip().splitlines()[-2:]
    return constants, [float(speed) for speed in speeds.split()]


print("highway-env", importlib.metadata.version("highway-env"))
alone_constants, alone = drive("none")
print(f"highway-fast-v0 alone: constants of drivers {alone_constants}")
counts = {}
for other in ("none", "merge-v0", "intersection-v0"):
    constants, speeds = drive(other)
    counts[other] = sum(x != y for x, y in zip(alone, speeds))
    worst = max(abs(x - y) for x, y in zip(alone, speeds))
    print(f"and a reset of {other}: constants {constants}; {counts[other]} of {len(speeds)} cars have "
          f"another speed 3 s later, by {worst:.2f} m/s at most")
if counts["none"] or counts["merge-v0"] or not counts["intersection-v0"]:
    sys.exit("A reset of an intersection env no longer changes the drivers of other envs.")
EOF
