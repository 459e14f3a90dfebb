#!/usr/bin/env bash
# Guess:    nle's own max_episode_steps truncates an episode, and the last observation is the game's.
# Happens:  the step says terminated=True and truncated=False, and nle has quit the game in this step:
#           the screen shows the list of high scores, and the map is empty. A learner that uses the
#           flags takes the value of the last state to be 0.
# Who:      a user who trains with NetHackScore and its eight sisters, whose limit of 5,000 steps is this one.
# Source:   package nle, file nle/env/base.py, step()
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
env = NetHackScore(max_episode_steps=5)
env.seed(1, 1, False)
observation, _ = env.reset()


def words(observation):
    rows = (bytes(row).decode().strip() for row in observation["tty_chars"])
    return " | ".join(row for row in rows if row)


for step in range(1, 6):
    before = words(observation)
    observation, reward, terminated, truncated, info = env.step(1)
    print(f"step {step}: terminated={terminated}, truncated={truncated}, {info['end_status']!r}")
print("the screen before that step:", before[-60:])
print("the screen after that step:", words(observation)[:110])
if not terminated or truncated or "quit" not in words(observation):
    sys.exit("The limit of steps no longer quits the game and terminates the episode.")
EOF
