#!/usr/bin/env bash
# Guess:    reset(seed=s) begins the same game each time, as Gymnasium's API says.
# Happens:  reset(seed=) takes the seed and ignores it. env.unwrapped.seed(core, disp) before reset()
#           seeds the game, but one game only: the reset after that is random again.
# Who:      a user who runs nle by Gymnasium's API and believes that evaluations are repeatable.
# Source:   package nle, file nle/env/base.py, reset() and seed()
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

import gymnasium
import nle  # registers the envs

print("nle", importlib.metadata.version("nle"))
env = gymnasium.make("NetHackScore-v0", disable_env_checker=True)


def game(seed=None):
    observation, _ = env.reset(seed=seed)
    return observation["chars"].tobytes() + observation["blstats"].tobytes()


by_reset = len({game(seed=1) for _ in range(5)})
by_seed = set()
after_seed = set()
for _ in range(5):
    env.unwrapped.seed(1, 2, False)
    by_seed.add(game())
    after_seed.add(game())
print("different games of five reset(seed=1):", by_reset)
print("different games of five env.unwrapped.seed(1, 2, False); reset():", len(by_seed))
print("different games of the five resets that followed these:", len(after_seed))
if by_reset == 1 or len(by_seed) != 1 or len(after_seed) == 1:
    sys.exit("Seeds of nle are no longer as described.")
EOF
