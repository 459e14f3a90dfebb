"""Writes the models that dm_control makes by code: python make_models.py FOLDER."""

import pathlib
import sys

import numpy as np
from dm_control.suite import cartpole, dog, lqr, manipulator, quadruped, stacker, swimmer

models = {
    **{f"cartpole_{n}": cartpole.get_model_and_assets(num_poles=n) for n in (2, 3)},
    "dog_fetch": dog.get_model_and_assets(remove_ball=False),
    **{
        f"dog_{gait}": dog.get_model_and_assets(floor_size=size)
        for gait, size in (("walk", 15), ("trot", 45), ("run", 135))
    },
    **{
        f"{verb}_{prop}": manipulator.make_model(use_peg=prop == "peg", insert=verb == "insert")
        for prop in ("ball", "peg")
        for verb in ("bring", "insert")
    },
    **{f"stack_{n}": stacker.make_model(n_boxes=n) for n in (2, 4)},
    **{f"swimmer_{n}": swimmer.get_model_and_assets(n) for n in (6, 15)},
    # Envs replace the springs, which the random numbers are for.
    **{
        f"lqr_{bodies}_{motors}": lqr.get_model_and_assets(
            bodies, motors, random=np.random.RandomState(0)
        )
        for bodies, motors in ((2, 1), (6, 2))
    },
}
texts = {
    **{name: model for name, (model, _) in models.items()},
    "quadruped_walk": quadruped.make_model(floor_size=10.0),
    "quadruped_run": quadruped.make_model(floor_size=100),
    # Envs measure the rangefinders' distances themselves.
    "quadruped_escape": quadruped.make_model(floor_size=40, terrain=True),
    "quadruped_fetch": quadruped.make_model(walls_and_ball=True),
}
for name, text in texts.items():
    # The build also writes the meshes in another format (engine/make_meshes.py).
    text = text.replace(b'.stl"', b'.msh"')
    (pathlib.Path(sys.argv[1]) / f"{name}.xml").write_bytes(text)
