#!/usr/bin/env bash
# Guess:    cfrc_ext has all forces of constraints on a body, so a body that hangs on a tendon at
#           its limit shows its own weight there.
# Happens:  until MuJoCo 3.13 it was 0: contacts, welds and connects were counted, limits of tendons
#           in space were not. Since 3.14 they are, and force sensors feel them.
# Who:      a user of cfrc_ext or of force sensors on a robot with cables.
# Source:   package mujoco, mj_rnePostConstraint
# Date:     2026-11-30
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
cat >"$folder/look.py" <<'EOF'
import mujoco

model = mujoco.MjModel.from_xml_string("""
  <mujoco><worldbody><site name="hook" pos="0 0 1"/>
    <body pos="0 0 .4"><freejoint/><geom size=".05"/><site name="ring"/></body></worldbody>
    <tendon><spatial limited="true" range="0 .3"><site site="hook"/><site site="ring"/></spatial>
    </tendon></mujoco>""")
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
mujoco.mj_rnePostConstraint(model, data)
pull = data.qfrc_constraint[2]
print(f"{mujoco.mj_versionString()} the tendon pulls by {pull:.1f}, cfrc_ext {data.cfrc_ext[1, 5]:.1f}")
EOF
for version in 3.13.0 3.17.0; do
  "$folder/venv/bin/pip" install -qq --disable-pip-version-check mujoco==$version numpy==2.3.5
  "$folder/venv/bin/python" "$folder/look.py" | tee -a "$folder/out"
done
if ! diff "$folder/out" - <<'EOF'; then
3.13.0 the tendon pulls by 397.6, cfrc_ext 0.0
3.17.0 the tendon pulls by 397.6, cfrc_ext 397.6
EOF
  echo "The force of a tendon's limit in cfrc_ext is not what it was." >&2
  exit 1
fi
