#!/usr/bin/env bash
# Guess:    an episode of racetrack-v0 with a duration of 300 s, at 5 steps a second, has 1500 steps.
# Happens:  it has 1501. The time is a sum of 0.2, which is below 300 after 1500 steps. Parking's 100 s
#           have 500 steps, since that sum is not below 100. Other durations give the one or the other.
# Who:      a user who relies on the number of steps: fixed arrays of rollouts, a TimeLimit next to it,
#           or a comparison with an env that counts steps.
# Source:   package highway-env, file envs/common/abstract.py, step(): self.time += 1 / policy_frequency
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
import numpy as np

gymnasium.logger.min_level = gymnasium.logger.ERROR  # newer versions of a task
print("highway-env", importlib.metadata.version("highway-env"))


def steps_until_truncation(name, **config):
    env = gymnasium.make(name, config=config, disable_env_checker=True)
    env.reset(seed=0)
    still = np.zeros(env.action_space.shape, np.float32)
    terminated = truncated = False
    steps = 0
    while not (terminated or truncated):
        _, _, terminated, truncated, _ = env.step(still)
        steps += 1
    if terminated:
        sys.exit(f"{name} ended for another reason.")
    own = env.unwrapped.config
    print(f"{name} with a duration of {own['duration']} s and {own['policy_frequency']} Hz: {steps} steps")
    return steps


# The car drives straight on, off the road, and is alone: the time is all that ends these episodes.
alone = {"other_vehicles": 0, "terminate_off_road": False}
counts = [
    steps_until_truncation("racetrack-v0", **alone),  # 300 s
    steps_until_truncation("racetrack-v0", duration=2, **alone),
    steps_until_truncation("racetrack-v0", duration=5, **alone),
    steps_until_truncation("parking-v0"),  # 100 s
    steps_until_truncation("parking-v0", duration=20),
]
if counts != [1501, 11, 25, 500, 101]:
    sys.exit("highway-env counts the time of an episode in another way.")
EOF
