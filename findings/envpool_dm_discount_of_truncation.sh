#!/usr/bin/env bash
# Guess:    in dm_env's API the last step of an episode that a time limit cuts has the discount 1, as
#           dm_env's own function truncation() gives it; a discount of 0 says that nothing follows.
# Happens:  it is 0, as if the task had ended by itself. So the API can no longer tell the two apart.
# Who:      agents written for dm_env (Acme and others), which multiply the next value by the discount.
# Source:   package envpool, env_type="dm", tried in 1.2.5, and in 1.2.7 with the same result
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    envpool==1.2.5 gymnasium==1.4.0 numpy==2.4.6 dm-env==1.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import sys

import dm_env
import envpool
import numpy as np

print("envpool", envpool.__version__)
pool = envpool.make_dm("Pendulum-v1", num_envs=1, seed=0, max_episode_steps=5)
pool.reset()
for _ in range(5):
    step = pool.step(np.zeros((1, 1), np.float32))
expected = dm_env.truncation(reward=0.0, observation=None).discount
print("Pendulum never ends by itself; its step at the limit:")
print("step type", dm_env.StepType(int(step.step_type[0])).name, "discount", float(step.discount[0]))
print("discount of dm_env.truncation():", expected)
if step.step_type[0] != dm_env.StepType.LAST or step.discount[0] != 0 or expected != 1:
    sys.exit("The discount of a truncated step is no longer 0.")
EOF
