#!/usr/bin/env bash
# Guess:    mujoco.batch's rollout records each field that its bind() accepts, time among them.
# Happens:  bind("time") gives the array, and rollout(record=["time"]) is a ValueError that proposes
#           the same name: "time is not an MjData array field (did you mean 'time'?)". time is a number
#           in MjData, and rollout takes arrays and integers only. The component mjSTATE_TIME of the
#           state records it.
# Who:      a user who records a rollout with its times, to plot it or to find where it stopped.
# Source:   package mujoco-core 4.0.1; mujoco 3.17.0 does the same
# Date:     2026-11-30
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=${PYTHON:-python3}
"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check mujoco-core==4.0.1 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'EOF'
import mujoco
from mujoco import batch

model = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
)
many = batch.Batch(model, 2, 1)
print("mujoco", mujoco.__version__, "bind('time'):", many.bind("time").shape)
try:
    many.rollout(3, record=["time"])
except ValueError as error:
    message = str(error)
else:
    message = "no error"
component = int(mujoco.mjtState.mjSTATE_TIME)
times = many.rollout(3, record=[component])[component]
print("record=['time']:", message)
print("record=[mjSTATE_TIME]:", times[0].ravel())
assert "time" in batch.DATA_FIELDS
assert "time is not" in message and "did you mean 'time'" in message
assert times.shape == (2, 3, 1)
EOF
