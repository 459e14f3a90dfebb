#!/usr/bin/env bash
# Guess:    infos of a vector env have the values that its envs have given.
# Happens:  the array gets the type of the first env that gives the key. FrozenLake's info "prob" is the
#           integer 1 after a reset and 0.33 after a step, so whenever env 0 has just been reset, the
#           probability of every other env's step is cut to 0.
# Who:      a user who reads numbers of vector infos; here, importance weights become 0 at times.
# Source:   package gymnasium, file gymnasium/vector/vector_env.py, _add_info() and _init_info_arrays()
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    gymnasium==1.4.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import sys

import gymnasium
import numpy as np

print("gymnasium", gymnasium.__version__)
envs = gymnasium.make_vec("FrozenLake-v1", num_envs=2, vectorization_mode="sync")
envs.reset(seed=0)
envs.action_space.seed(0)
ended = np.zeros(2, bool)
cut = []
for step in range(200):
    previous = ended
    *_, terminated, truncated, info = envs.step(envs.action_space.sample())
    ended = terminated | truncated
    if (info["prob"] == 0).any():
        cut.append(step)
    if cut[-1:] == [step] and len(cut) <= 3:
        print(f"step {step}: prob {info['prob']} ({info['prob'].dtype}), env 0 was reset: {previous[0]}")
print(f"in {len(cut)} of 200 steps a step that has happened has the probability 0")
if not cut:
    sys.exit("Infos are no longer cut to the type of the first env.")
EOF
