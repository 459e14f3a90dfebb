#!/usr/bin/env bash
# Guess:    a vector env reads the options of reset() and leaves the caller's dict as it is.
# Happens:  reset() removes "reset_mask" from the dict. A program that builds its options once and
#           uses them again resets all envs from the second call on, without a word.
# Who:      a user who resets ended envs in a loop (autoreset mode DISABLED) and keeps one dict.
# Source:   package gymnasium, file gymnasium/vector/sync_vector_env.py, reset(): options.pop
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
from gymnasium.vector import AutoresetMode, SyncVectorEnv

print("gymnasium", gymnasium.__version__)
envs = SyncVectorEnv(
    [lambda: gymnasium.make("CartPole-v1")] * 3, autoreset_mode=AutoresetMode.DISABLED
)
envs.reset(seed=1)
options = {"reset_mask": np.array([True, False, False])}
for call in (1, 2):
    before, *_ = envs.step(np.zeros(3, int))
    before = before.copy()
    after, _ = envs.reset(options=options)
    was_reset = [not np.array_equal(*rows) for rows in zip(before, after)]
    print(f"call {call}: envs that were reset: {was_reset}; options afterwards: {options}")
if was_reset != [True, True, True] or options:
    sys.exit("reset() no longer removes reset_mask from the caller's dict.")
EOF
