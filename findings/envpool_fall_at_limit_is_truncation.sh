#!/usr/bin/env bash
# Guess:    if the pole falls in the very step of the time limit, that step says terminated.
# Happens:  it says truncated and not terminated. Gymnasium's TimeLimit sets both flags. A learner adds
#           the value of a state in which the pole has fallen.
# Who:      a user who trains with short time limits, or compares the ends of episodes with Gymnasium.
# Source:   package envpool, tried in 1.2.5, and in 1.2.7 with the same result
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    envpool==1.2.5 gymnasium==1.4.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import sys

import envpool
import gymnasium
import numpy as np

print("envpool", envpool.__version__, "gymnasium", gymnasium.__version__)


def end(env, action):
    """The step, and the two flags, in which an episode of one action ends."""
    env.reset(seed=0) if isinstance(env, gymnasium.Wrapper) else env.reset()
    for step in range(1, 100):
        _, _, terminated, truncated, _ = env.step(action)
        if np.any(terminated) or np.any(truncated):
            return step, bool(np.all(terminated)), bool(np.all(truncated))


def pool(limit):
    return envpool.make_gymnasium("CartPole-v1", num_envs=1, seed=0, max_episode_steps=limit)


falls, *_ = end(pool(500), np.zeros(1, int))
late, same = (end(pool(limit), np.zeros(1, int)) for limit in (falls + 1, falls))
single_falls, *_ = end(gymnasium.make("CartPole-v1"), 0)
single = end(gymnasium.make("CartPole-v1", max_episode_steps=single_falls), 0)
print("step, terminated, truncated:")
print(f"EnvPool, limit {falls + 1}:", *late)
print(f"EnvPool, limit {falls}:", *same)
print(f"Gymnasium, limit {single_falls}:", *single)
if late[1:] != (True, False) or same[1:] != (False, True) or single[1:] != (True, True):
    sys.exit("A fall in the step of the time limit is no longer a truncation only.")
EOF
