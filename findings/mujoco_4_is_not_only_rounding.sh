#!/usr/bin/env bash
# Guess:    MuJoCo 4.0.0 and 3.17.0 differ by rounding, alike in all of Gymnasium's robots, or not at all.
# Happens:  three kinds. Reacher has the same bits. HalfCheetah differs by rounding. Ant and Humanoid
#           differ by 1e-7 in the first step, Ant soon by far more: the integrator RK4 treats
#           free joints in another way. Gymnasium's ids (-v5) stay the same.
# Who:      a user who compares learning curves or stored rollouts of Ant-v5 across an upgrade.
# Source:   packages mujoco and gymnasium, and MuJoCo's notes on 4.0 (RK4 is of order four for free joints)
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 3.17.0 4.0.0; do
    "${PYTHON:-python3}" -m venv "$folder/$version"
    "$folder/$version/bin/pip" install -qq --disable-pip-version-check \
        "mujoco==$version" "gymnasium[mujoco]==1.4.0" numpy==2.4.6
    "$folder/$version/bin/python" -W ignore - "$folder/$version.npz" 2> "$folder/warnings" <<'EOF'
import sys

import gymnasium
import numpy as np

places = {}
for name in ("Reacher-v5", "HalfCheetah-v5", "Ant-v5", "Humanoid-v5"):
    env = gymnasium.make(name)
    env.reset(seed=0)
    random = np.random.default_rng(0)
    low, high = env.action_space.low, env.action_space.high
    rows = []
    for _ in range(50):
        env.step(random.uniform(low, high).astype(np.float32))
        rows.append(env.unwrapped.data.qpos.copy())
    places[name] = np.array(rows)
np.savez(sys.argv[1], **places)
EOF
done
"$folder/4.0.0/bin/python" - "$folder/3.17.0.npz" "$folder/4.0.0.npz" <<'EOF'
import sys

import numpy as np

old, new = np.load(sys.argv[1]), np.load(sys.argv[2])
apart = {name: np.abs(old[name] - new[name]).max(axis=1) for name in old.files}
print("mujoco 3.17.0 and 4.0.0: the largest difference of a position or an angle")
for name, steps in apart.items():
    print(f"{name:15} after 1 step {steps[0]:.0e}, after 10 {steps[9]:.0e}, after 50 {steps[49]:.0e}")
first = {name: steps[0] for name, steps in apart.items()}
if apart["Reacher-v5"].any() or first["HalfCheetah-v5"] > 1e-14 or first["Ant-v5"] < 1e-9:
    sys.exit("The two versions no longer differ in three ways.")
EOF
