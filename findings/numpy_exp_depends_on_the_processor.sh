#!/usr/bin/env bash
# Guess:    numpy.exp of float64 gives the same bits on every x86-64 processor, as IEEE sums do.
# Happens:  NumPy has code of its own for processors with AVX-512. Other processors take the C
#           library's. Some results differ in the last bit, and so do log1p, arctan2 and power.
#           The variable NPY_DISABLE_CPU_FEATURES shows both on one machine, if it has AVX-512.
# Who:      a user who computes rewards such as exp(-distance) and compares runs of two machines by ==.
# Source:   package numpy, its loops of unary math (SVML), and the variable's page in its manual
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import os
import subprocess
import sys

import numpy as np
from numpy._core._multiarray_umath import __cpu_features__

print("numpy", np.__version__)
if not __cpu_features__.get("X86_V4"):
    sys.exit("This processor has no AVX-512, so this machine cannot show the difference.")

PROGRAM = """
import sys
import numpy as np
x = np.linspace(-5, 5, 100_001)
for y in (np.exp(x), np.log1p(abs(x)), np.arctan2(x, x + 1), np.sin(x), np.exp(x.astype(np.float32))):
    sys.stdout.buffer.write(y.astype(np.float64).tobytes())
"""


def results(disabled):
    env = {**os.environ, "NPY_DISABLE_CPU_FEATURES": disabled}
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], env=env, capture_output=True)
    return np.frombuffer(ran.stdout).reshape(5, -1)


with_it, without = results(""), results("X86_V4 AVX512_ICL AVX512_SPR")
counts = {}
for name, one, other in zip(("exp", "log1p", "arctan2", "sin", "exp of float32"), with_it, without):
    counts[name] = int((one != other).sum())
    print(f"{name}: {counts[name]} of {one.size} differ, by a factor of 1 +- "
          f"{np.max(np.abs(one - other) / np.maximum(np.abs(one), 1e-300)):.1e} at most")
if not counts["exp"]:
    sys.exit("numpy.exp no longer depends on the processor's instructions.")
EOF
