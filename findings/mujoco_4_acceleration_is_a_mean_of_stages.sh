#!/usr/bin/env bash
# Guess:    where MuJoCo 4 keeps every bit of a robot's positions and speeds, it keeps those of its
#           accelerations (qacc), too.
# Happens:  not with the integrator RK4. After a step of Gymnasium's InvertedPendulum, qpos and qvel have
#           the same bits in 3.17.0 and in 4.0.1, and qacc differs. In 3.17.0 it is the acceleration of
#           the fourth stage; in 4.0.1 it is (new qvel - old qvel) / timestep, the mean of all stages.
#           With the integrator Euler it stays the same.
# Who:      a user who stores qacc, trains an inverse model with it, or gives it to mj_inverse.
# Source:   packages mujoco 3.17.0 and mujoco-core 4.0.1; the model of gymnasium 1.4.0
# Date:     2026-11-30
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=${PYTHON:-python3}
for package in mujoco==3.17.0 mujoco-core==4.0.1; do
    "$python" -m venv "$folder/$package"
    "$folder/$package/bin/pip" install -qq --disable-pip-version-check \
        "$package" gymnasium==1.4.0 numpy==2.4.6
    "$folder/$package/bin/python" -W ignore - "$folder/$package.npz" <<'EOF'
import pathlib
import sys

import gymnasium
import mujoco
import numpy as np

file = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets/inverted_pendulum.xml"
found = {}
for name in ("EULER", "RK4"):
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{name}")
    data = mujoco.MjData(model)
    random, rows = np.random.default_rng(0), []
    for _ in range(100):
        before = data.qvel.copy()
        data.ctrl[:] = random.uniform(-1, 1, model.nu)
        mujoco.mj_step(model, data)
        mean = (data.qvel - before) / model.opt.timestep
        rows.append(np.concatenate([data.qpos, data.qvel, data.qacc, mean]))
    found[name] = np.array(rows)
np.savez(sys.argv[1], **found)
EOF
done
"$folder/mujoco-core==4.0.1/bin/python" - "$folder/mujoco==3.17.0.npz" "$folder/mujoco-core==4.0.1.npz" <<'EOF'
import sys

import numpy as np

old, new = (np.load(path) for path in sys.argv[1:])
for name in ("EULER", "RK4"):
    a, b = old[name], new[name]
    moves = (a[:, :4] == b[:, :4]).all()
    same = (a[:, 4:6] == b[:, 4:6]).all()
    apart = np.abs(a[:, 4:6] - b[:, 4:6]).max()
    mean = [float(np.abs(x[:, 4:6] - x[:, 6:]).max()) for x in (a, b)]
    print(f"{name}: positions and speeds equal: {moves}; qacc equal: {same}, apart by {apart:.2g}; "
          f"from the mean: 3.17.0 {mean[0]:.2g}, 4.0.1 {mean[1]:.2g}")
    assert moves
    assert same == (name == "EULER")
    if name == "RK4":
        assert mean[0] > 1e-3 and mean[1] < 1e-9
EOF
