#!/usr/bin/env bash
# Guess:    MuJoCo's mju_dot adds the products from left to right, as a plain loop does.
# Happens:  it has four sums, one for each index modulo 4, and adds these: (s0 + s2) + (s1 + s3). So
#           two thirds of the results differ from a plain loop in the last bits, and also from NumPy's.
# Who:      a user who ports a part of MuJoCo and compares by ==.
# Source:   package mujoco, function mju_dot; found by trying orders of sums until all results were equal
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    mujoco==3.17.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import sys

import mujoco
import numpy as np

print("mujoco", mujoco.__version__)


def plain(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


def by_four(a, b):
    sums = [plain(a[start::4], b[start::4]) for start in range(4)]
    return (sums[0] + sums[2]) + (sums[1] + sums[3])


random = np.random.default_rng(0)
vectors = random.normal(size=(1000, 2, 24))
rules = {"a plain loop": plain, "four sums": by_four, "numpy.dot": np.dot}
equal = {
    name: sum(mujoco.mju_dot(a, b) == rule(a, b) for a, b in vectors) for name, rule in rules.items()
}
for name, number in equal.items():
    print(f"mju_dot of 24 numbers equals {name} in {number} of 1000 cases")
if equal["four sums"] != 1000 or equal["a plain loop"] > 900:
    sys.exit("mju_dot no longer adds four sums.")
EOF
