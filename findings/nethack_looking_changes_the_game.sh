#!/usr/bin/env bash
# Guess:    the choice of observation_keys decides what the agent sees, and not what happens.
# Happens:  the array screen_descriptions changes the game. It asks NetHack for the name of each thing
#           in view. A thing that is named then counts as seen, so later messages are different
#           ("a red gem" and no longer "a gem"), and so is what follows.
# Who:      a user who leaves this array out to be faster, and compares with results of the full one.
# Source:   package nle, option observation_keys; found by playing the same keys with and without it
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
KEYS = ("glyphs", "chars", "colors", "specials", "blstats", "message")


def play(keys, seed, steps=400):
    env = NetHackScore(observation_keys=keys)
    env.seed(seed, seed, False)
    env.reset()
    choose = np.random.default_rng(seed)
    for _ in range(steps):
        observation, _, terminated, truncated, _ = env.step(choose.integers(env.action_space.n))
        text = bytes(observation["message"]).decode().rstrip("\0")
        yield observation["blstats"].tolist(), text
        if terminated or truncated:
            return


differ = 0
for seed in range(40):
    if list(play(KEYS, seed)) != list(play(KEYS, seed)):
        sys.exit("A seed no longer gives one game, so this cannot be compared.")
    both = zip(play(KEYS, seed), play((*KEYS, "screen_descriptions"), seed))
    for step, (without, with_it) in enumerate(both):
        if without != with_it:
            print(f"seed {seed}, step {step}: {without[1]!r} without, {with_it[1]!r} with the array")
            differ += 1
            break
print(f"{differ} of 40 games are different")
if not differ:
    sys.exit("screen_descriptions no longer changes the game.")
EOF
