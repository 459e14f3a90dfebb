#!/usr/bin/env bash
# Guess:    the lift of an ellipsoid in a fluid grows with its area, so a model of another
#           size or of another year swims alike.
# Happens:  until MuJoCo 3.13 a term was bounded by 1e-15. At 0.1 m/s an ellipsoid of 5 cm had
#           a fifteenth of the lift, one of 1.5 cm none. Since 3.14 the lift has no such floor.
# Who:      a user who compares returns of dm_control's fish, or of a small robot in water, across versions.
# Source:   package mujoco, mj_ellipsoidFluidModel
# Date:     2026-11-30
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
cat >"$folder/look.py" <<'EOF'
import mujoco


def lift(scale):
    """The lift of an ellipsoid that moves slantwise, by its size squared."""
    size = f"{0.5 * scale} {0.2 * scale} {0.1 * scale}"
    model = mujoco.MjModel.from_xml_string(f"""
      <mujoco><option density="1000" gravity="0 0 0"/><worldbody><body><freejoint/>
        <geom type="ellipsoid" size="{size}" fluidshape="ellipsoid" fluidcoef="0 0 0 1 0"/>
      </body></worldbody></mujoco>""")
    model.geom_fluid[0, 6:] = 0  # no mass of the fluid that is moved along
    data = mujoco.MjData(model)
    data.qvel[:3] = 0.1, 0.05, 0.02
    mujoco.mj_forward(model, data)
    return data.qfrc_passive[2] / scale**2


print(mujoco.mj_versionString(), *(f"{lift(scale):.4f}" for scale in (1, 0.1, 0.03)))
EOF
for version in 3.13.0 3.17.0; do
  "$folder/venv/bin/pip" install -qq --disable-pip-version-check mujoco==$version numpy==2.3.5
  "$folder/venv/bin/python" "$folder/look.py" | tee -a "$folder/out"
done
if ! diff "$folder/out" - <<'EOF'; then
3.13.0 -1.0017 -0.0651 -0.0000
3.17.0 -1.0017 -1.0017 -1.0017
EOF
  echo "The lift of small ellipsoids is not what it was." >&2
  exit 1
fi
