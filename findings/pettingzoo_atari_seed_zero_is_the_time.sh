#!/usr/bin/env bash
# Guess:    reset(seed=0) repeats an episode, as every other seed does.
# Happens:  it does not, in PettingZoo's Atari games. multi-agent-ale-py takes the time, in seconds,
#           where the low 32 bits of a seed are 0. Two resets within one second often agree, so a quick
#           test of reproducibility does not show it.
# Who:      a user who begins a list of seeds with 0, the most common one.
# Source:   packages pettingzoo, file atari/base_atari_env.py, _seed(), and multi-agent-ale-py, whose
#           setting random_seed means the time if it is 0
# Date:     2026-12-01
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    pettingzoo==1.27.0 multi-agent-ale-py==0.1.12 ale-py==0.12.1 pygame==2.6.1 \
    gymnasium==1.4.0 numpy==2.4.6

PYGAME_HIDE_SUPPORT_PROMPT=1 "$folder/venv/bin/python" -W ignore - <<'EOF'
import importlib.metadata
import pathlib
import sys
import time

import ale_py  # has the ROMs
from pettingzoo.atari import maze_craze_v3

for package in ("pettingzoo", "multi-agent-ale-py", "ale-py"):
    print(package, importlib.metadata.version(package))
env = maze_craze_v3.parallel_env(
    obs_type="ram", auto_rom_install_path=str(pathlib.Path(ale_py.__file__).parent)
)


def ram(seed):
    return bytes(env.reset(seed=seed)[0]["first_0"])


seeds = (0, 1, 2, 3, 2**32)
before = [ram(seed) for seed in seeds]
time.sleep(2.1)
repeats = {}
for seed, first in zip(seeds, before):
    second = ram(seed)
    repeats[seed] = first == second
    differ = sum(x != y for x, y in zip(first, second))
    print(f"reset(seed={seed}), and again 2 s later: {differ} of 128 bytes of RAM differ")
if repeats != {0: False, 1: True, 2: True, 3: True, 2**32: False}:
    sys.exit("Seed 0 of PettingZoo's Atari games behaves as other seeds do.")
EOF
