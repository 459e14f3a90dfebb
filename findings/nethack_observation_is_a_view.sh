#!/usr/bin/env bash
# Guess:    an observation that reset() or step() has returned stays as it is.
# Happens:  all arrays of nle are its own buffers. The next step writes into the observation that the
#           program has kept; a replay buffer that stores references has one observation many times.
# Who:      a user who keeps the last observation, to see what has changed, or to store a transition.
# Source:   package nle, file nle/nethack/nethack.py: buffers that are made once and returned each time
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    nle==1.3.0 gymnasium==1.2.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import sys

import numpy as np
from nle.env.tasks import NetHackScore

print("nle", importlib.metadata.version("nle"))
env = NetHackScore()
env.seed(core=1, disp=1)
kept, _ = env.reset()
copies = {name: array.copy() for name, array in kept.items()}
later, *_ = env.step(0)
for _ in range(30):
    later, *_ = env.step(env.action_space.sample())

shared = [name for name in kept if np.shares_memory(kept[name], later[name])]
changed = [name for name in kept if not np.array_equal(kept[name], copies[name])]
print(f"{len(shared)} of {len(kept)} arrays of reset() share their memory with those of step()")
print("arrays of reset() that have changed after 31 steps:", *changed)
turn = 20  # of blstats
print("turn in the kept observation:", kept["blstats"][turn], "- it was", copies["blstats"][turn])
if len(shared) != len(kept) or "blstats" not in changed:
    sys.exit("Observations of nle are no longer overwritten by the next step.")
EOF
