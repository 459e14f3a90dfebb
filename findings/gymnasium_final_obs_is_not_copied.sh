#!/usr/bin/env bash
# Guess:    with the autoreset mode SAME_STEP, info["final_obs"] has the last observation of an episode.
# Happens:  of an env that writes its observations into one array of its own, it has the first
#           observation of the next episode. The vector env keeps a reference, resets the env, and
#           then reads. Ordinary observations are copied (copy=True), these are not.
# Who:      a user who bootstraps values from final_obs with an env that reuses its array.
# Source:   package gymnasium, files sync_vector_env.py and async_vector_env.py in gymnasium/vector
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


class Clock(gymnasium.Env):
    """Observes 100 times the episode plus the step; each episode has three steps."""

    observation_space = gymnasium.spaces.Box(0, 1000, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    episode = 0

    def __init__(self, reuse):
        self.reuse, self.array = reuse, np.zeros(1, np.float32)

    def observation(self):
        self.array[0] = 100 * self.episode + self.step_number
        return self.array if self.reuse else self.array.copy()

    def reset(self, *, seed=None, options=None):
        self.episode, self.step_number = self.episode + 1, 0
        return self.observation(), {}

    def step(self, action):
        self.step_number += 1
        return self.observation(), 0.0, self.step_number == 3, False, {}


final = {}
for reuse in (False, True):
    envs = SyncVectorEnv([lambda: Clock(reuse)], autoreset_mode=AutoresetMode.SAME_STEP)
    envs.reset()
    for _ in range(3):
        *_, info = envs.step([0])
    final[reuse] = float(info["final_obs"][0][0])
    print(f"an env with {'one array' if reuse else 'new arrays'}: final_obs is {final[reuse]}")
if final != {False: 103.0, True: 200.0}:
    sys.exit("final_obs no longer shows the next episode's observation.")
EOF
