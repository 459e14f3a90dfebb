#!/usr/bin/env bash
# Guess:    gymnasium.make(id, render_mode="rgb_array") works for all ids of a package that draws pictures.
# Happens:  three of highway-env's 31 ids raise a TypeError: parking-ActionRepeat-v0, parking-parked-v0
#           and lane-keeping-v0. Their constructors have no such argument. The two of parking refuse
#           config, too.
# Who:      a user who records a video of each task, or makes each task in a loop with one render mode.
# Source:   package highway-env, files envs/parking_env.py (the classes ParkingEnvActionRepeat and
#           ParkingEnvParkedVehicles) and envs/lane_keeping_env.py: __init__()
# Date:     2026-12-01
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    highway-env==1.12.1 gymnasium==1.4.0 numpy==2.4.6

SDL_VIDEODRIVER=dummy PYGAME_HIDE_SUPPORT_PROMPT=1 "$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import sys

import gymnasium
import highway_env

gymnasium.logger.min_level = gymnasium.logger.ERROR  # newer versions of a task
print("highway-env", importlib.metadata.version("highway-env"))
ids = [i for i, spec in gymnasium.registry.items() if str(spec.entry_point).startswith("highway_env")]


def refusals(**kwargs):
    refused = {}
    for name in ids:
        try:
            gymnasium.make(name, **kwargs).close()
        except TypeError as error:
            refused[name] = str(error).split(" was raised")[0]
    return refused


with_mode = refusals(render_mode="rgb_array")
for name, error in with_mode.items():
    print(f"{name} with a render mode: {error}")
print(f"{len(with_mode)} of {len(ids)} ids refuse render_mode, {len(refusals(config={}))} refuse config, "
      f"{len(refusals())} cannot be made at all")
if set(with_mode) != {"parking-ActionRepeat-v0", "parking-parked-v0", "lane-keeping-v0"} or refusals():
    sys.exit("Other ids of highway-env refuse a render mode.")
EOF
