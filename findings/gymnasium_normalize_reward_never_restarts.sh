#!/usr/bin/env bash
# Guess:    NormalizeReward divides by the deviation of the discounted return of each episode.
# Happens:  reset() and truncation do not set the return back: with episodes that end by a time limit,
#           it is one sum over all episodes. Where an episode terminates, the sum restarts one step
#           early: the last reward of an episode is counted as the first one of the next.
# Who:      a user who compares with VecNormalize of Stable-Baselines3, which restarts at each end, or
#           with the formula of a paper.
# Source:   package gymnasium, file gymnasium/wrappers/stateful_reward.py, NormalizeReward.step()
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


class Ones(gymnasium.Env):
    """Each step gives 1; each episode has three steps."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, terminates):
        self.terminates = terminates

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.steps += 1
        end = self.steps == 3
        return np.zeros(1, np.float32), 1.0, end and self.terminates, end and not self.terminates, {}


def returns(terminates):
    env = gymnasium.wrappers.NormalizeReward(Ones(terminates), gamma=1.0)
    for _ in range(3):
        env.reset()
        for _ in range(3):
            env.step(0)
            yield float(env.discounted_reward[0])


cut, ended = list(returns(False)), list(returns(True))
print("three episodes of rewards 1, 1, 1; by the guess, the returns are 1 2 3 1 2 3 1 2 3")
print("ends by truncation:  the returns are", *cut)
print("ends by termination: the returns are", *ended)
if cut != [1, 2, 3, 4, 5, 6, 7, 8, 9] or ended != [1, 2, 1, 2, 3, 1, 2, 3, 1]:
    sys.exit("NormalizeReward no longer carries returns over the ends of episodes.")
EOF
