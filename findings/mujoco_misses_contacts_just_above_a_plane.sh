#!/usr/bin/env bash
# Guess:    mj_collision has a contact of a sphere and a plane as soon as their distance is below their
#           margins, whatever else is in the sphere's body.
# Happens:  a body with one geom has it. With a second geom far above, up to 1e-6 m are missing: the
#           trees of bounding boxes give the plane a box from -1e10 m to itself, and sums with its half
#           are rounded to 1e-6 m. Whether a contact is missed depends on the sizes: of six margins here
#           some lose most contacts of the last micrometer, others none.
# Who:      a user who reproduces a simulation bit by bit, or wonders why a contact appears one step
#           later after a geom was added to a body. Forces hardly differ.
# Source:   package mujoco 3.17.0 (the same in mujoco-core 4.0.1)
# Date:     2026-11-30
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=${PYTHON:-python3}
for package in mujoco==3.17.0 mujoco-core==4.0.1; do
    "$python" -m venv "$folder/$package"
    "$folder/$package/bin/pip" install -qq --disable-pip-version-check "$package" numpy==2.4.6
    "$folder/$package/bin/python" - <<'EOF'
import mujoco
import numpy as np

MODEL = """
<mujoco>
  <default><geom margin="{margin}"/></default>
  <worldbody>
    <geom type="plane" size="9 9 1"/>
    <body><joint type="slide" axis="0 0 1"/><geom size=".08"/>{more}</body>
  </worldbody>
</mujoco>"""
ABOVE = '<geom size=".05" pos="0 0 .5"/>'


def missed(margin, more):
    """The contacts that are missing, of 1,000 within the last micrometer."""
    model = mujoco.MjModel.from_xml_string(MODEL.format(margin=margin, more=more))
    data = mujoco.MjData(model)
    count = 0
    for depth in np.geomspace(1e-9, 1e-6, 1000):
        data.qpos[0] = 0.08 + 2 * margin - depth
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        count += data.ncon == 0
    return count


print("MuJoCo", mujoco.__version__)
found = {}
for margin in (0.0, 0.0005, 0.001, 0.002, 0.003, 0.01):
    found[margin] = missed(margin, ""), missed(margin, ABOVE)
    print(f"margin {margin}: one geom misses {found[margin][0]}, with one above {found[margin][1]}")
assert all(one == 0 for one, _ in found.values())
assert found[0.0][1] == 0
assert found[0.001][1] > 500 and found[0.002][1] > 500
EOF
done
