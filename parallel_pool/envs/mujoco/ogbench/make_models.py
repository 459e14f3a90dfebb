"""Writes the models of OGBench's arm, which it makes by code: python make_models.py FOLDER.

A model's tasks are numbers of its own: task1_init, task1_goal and so on.
"""

import contextlib
import io
import pathlib
import sys
import warnings
from typing import Any

import numpy as np
from dm_control import mjcf

with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
    warnings.simplefilter("ignore")
    from ogbench.manipspace import mjcf_utils
    from ogbench.manipspace.envs.cube_env import CubeEnv
    from ogbench.manipspace.envs.puzzle_env import PuzzleEnv
    from ogbench.manipspace.envs.scene_env import SceneEnv

KINDS = {
    CubeEnv: ("single", "double", "triple", "quadruple", "octuple"),
    PuzzleEnv: ("3x3", "4x4", "4x5", "4x6"),
    SceneEnv: ("",),
}


def flat(state: Any) -> list[float]:
    """The numbers of a state, in the order of its parts."""
    parts = state.values() if isinstance(state, dict) else [state]
    return [float(number) for part in parts for number in np.ravel(part)]


def halves(task: dict[str, Any]) -> dict[str, list[float]]:
    """The first state of a task, and the wanted one."""
    found = {}
    for half in ("init", "goal"):
        (name,) = (key for key in task if key.startswith(half))
        found[half] = flat(task[name])
    return found


def arm_with(env: Any) -> Any:
    """The model of an env, with the gains that it gives the compiled one."""
    env.reset()
    root = env.mjcf_model
    for i, actuator in enumerate(root.find_all("actuator")):
        actuator.gainprm = env.model.actuator_gainprm[i, :3]
        actuator.biasprm = env.model.actuator_biasprm[i, :3]
    for i, task in enumerate(env.task_infos, 1):
        for half, numbers in halves(task).items():
            root.custom.add("numeric", name=f"task{i}_{half}", data=numbers)
    return root


def arm_alone(env: Any) -> Any:
    """The model of inverse kinematics, without what only pictures need."""
    path = env._desc_dir / "universal_robots_ur5e" / "ur5e.xml"
    root = mjcf.from_path(path, escape_separators=True)
    for geom in root.find_all("geom"):
        if geom.mesh is not None:
            geom.remove()
    for mesh in root.find_all("mesh"):
        mesh.remove()
    root.size.memory = "256K"
    return root


def main() -> None:
    """Writes all of them. Their files are expected in the folder assets."""
    folder = pathlib.Path(sys.argv[1])
    for kind, names in KINDS.items():
        for name in names:
            env = kind(env_type=name)
            text = mjcf_utils.to_string(arm_with(env))
            text = text.replace("<compiler ", '<compiler assetdir="assets" ', 1)
            # The build writes the meshes in another format (engine/make_meshes.py).
            text = text.replace('.obj"', '.msh"').replace('.stl"', '.msh"')
            file = kind.__name__.removesuffix("Env").lower() + (name and f"-{name}")
            (folder / f"{file}.xml").write_text(text)
    (folder / "ur5e.xml").write_text(mjcf_utils.to_string(arm_alone(env)))


if __name__ == "__main__":
    main()
