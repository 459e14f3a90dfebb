#!/usr/bin/env bash
# Guess:    a pendulum far away, which touches nothing, does not change how a robot in the same model moves.
# Happens:  the pendulum that makes 60 degrees of freedom of 59 changes the last bits of the robot. From 60 on,
#           the Jacobian is sparse by itself (option jacobian="auto"), and sums over sparse rows have another
#           order. With jacobian="dense" the robot moves as before.
# Who:      a user who adds objects to a scene and compares runs bit by bit, or replays recorded controls.
# Source:   MuJoCo's XML reference, option/jacobian; package mujoco, header mujoco/mjmodel.h, mjtJacobian
# Date:     2026-11-30
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check mujoco==3.17.0 numpy==2.4.6

"$folder/venv/bin/python" -W ignore - <<'EOF'
import sys

import mujoco
import numpy as np

print("mujoco", mujoco.__version__)
LINKS = 9


def chain(links: int) -> str:
    """A chain of capsules that falls onto the floor."""
    if links == 0:
        return ""
    axis = "0 1 0" if links % 2 else "0 0 1"
    joint = f"<joint axis='{axis}' range='-1 1' limited='true'/>" if links < LINKS else "<freejoint/>"
    place = "0.2 0 0" if links < LINKS else "0 0 0.5"
    geom = "<geom type='capsule' size='0.04' fromto='0 0 0 0.2 0 0'/>"
    return f"<body pos='{place}'>{joint}{geom}{chain(links - 1)}</body>"


def robot_after(pendulums: int, jacobian: str) -> np.ndarray:
    """The robot's positions after 500 steps, in a model with some pendulums far away."""
    others = "".join(
        f"<body pos='{100 + i} 0 5'><joint axis='0 1 0'/><geom size='0.1' pos='0.3 0 0'/></body>"
        for i in range(pendulums)
    )
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option jacobian='{jacobian}'/><compiler angle='radian'/><worldbody>"
        f"<geom type='plane' size='9 9 1'/>{chain(LINKS)}{others}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    data.qvel[:6] = (1, 0.5, 0, 2, 1, 3)
    for _ in range(500):
        mujoco.mj_step(model, data)
    print(f"{jacobian}, {model.nv} degrees of freedom: the robot's height is {data.qpos[2]!r}")
    return data.qpos[: 6 + LINKS].copy()


few = 59 - (6 + LINKS - 1)
fewer, before, after = (robot_after(few + more, "auto") for more in (-1, 0, 1))
dense = robot_after(few + 1, "dense")
if not (fewer == before).all():
    sys.exit("A pendulum now changes the robot below 60 degrees of freedom, too.")
if (before == after).all():
    sys.exit("The robot now moves alike with 59 and with 60 degrees of freedom.")
if not (before == dense).all():
    sys.exit("The robot now moves in another way with a dense Jacobian of 60 degrees of freedom.")
print("largest difference after 500 steps:", np.abs(before - after).max())
EOF
