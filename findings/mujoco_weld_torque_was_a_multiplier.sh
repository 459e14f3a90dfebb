#!/usr/bin/env bash
# Guess:    cfrc_ext has the force and the torque that a weld exerts on its bodies.
# Happens:  until MuJoCo 3.13 its torque was the multipliers of the three rows of rotation, which have
#           the scale of half a quaternion times torquescale. Since 3.14 it is the torque.
# Who:      a user of cfrc_ext, or of force and torque sensors, on a robot with a weld (Fetch, MetaWorld).
# Source:   package mujoco, mj_rnePostConstraint
# Date:     2026-11-30
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
cat >"$folder/look.py" <<'EOF'
import math

import mujoco

model = mujoco.MjModel.from_xml_string("""
  <mujoco><worldbody><body name="hand" mocap="true"/>
    <body name="held"><freejoint/><geom type="box" size=".06 .05 .04"/></body></worldbody>
    <equality><weld body1="hand" body2="held" torquescale=".7"/></equality></mujoco>""")
data = mujoco.MjData(model)
data.mocap_quat[0] = math.cos(0.2), 0, math.sin(0.2), 0
mujoco.mj_forward(model, data)
mujoco.mj_rnePostConstraint(model, data)
applied = data.qfrc_constraint[4]  # around the body's y axis, which is the world's
print(f"{mujoco.mj_versionString()} applied {applied:.3f}, cfrc_ext {data.cfrc_ext[2, 1]:.3f}")
EOF
for version in 3.13.0 3.17.0; do
  "$folder/venv/bin/pip" install -qq --disable-pip-version-check mujoco==$version numpy==2.3.5
  "$folder/venv/bin/python" "$folder/look.py" | tee -a "$folder/out"
done
if ! diff "$folder/out" - <<'EOF'; then
3.13.0 applied 1.212, cfrc_ext 3.532
3.17.0 applied 1.212, cfrc_ext 1.212
EOF
  echo "The torque of a weld in cfrc_ext is not what it was." >&2
  exit 1
fi
