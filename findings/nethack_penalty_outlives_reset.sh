#!/usr/bin/env bash
# Guess:    reset() sets back all that an episode has counted, and equal games give equal rewards.
# Happens:  with penalty_mode "exp", "square" or "linear" the count of steps in which no turn passed
#           goes on in the next episode: the first useless step costs 0.64 in place of 0.02.
# Who:      a user who shapes rewards of nle by penalty_mode; the reward is no function of the episode.
# Source:   package nle, file nle/env/tasks.py: _frozen_steps is set by the constructor only
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

from nle.env.tasks import NetHackScore

print("nle", importlib.metadata.version("nle"))
env = NetHackScore(penalty_mode="exp")


def rewards(count):
    """A new game from the same seed, and the action MORE, with which no turn passes."""
    env.seed(1, 1, False)
    env.reset()
    return [round(float(env.step(0)[1]), 2) for _ in range(count)]


first, second = rewards(5), rewards(5)
print("rewards of a new env's first episode:", *first)
print("rewards of the same game once more:  ", *second)
if first == second or second[0] != 2 * first[-1]:
    sys.exit("The count of useless steps no longer outlives a reset.")
EOF
