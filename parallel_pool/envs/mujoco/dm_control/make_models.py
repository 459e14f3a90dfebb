"""Writes the models that dm_control makes by code: python make_models.py FOLDER."""

import pathlib
import sys

import numpy as np
from dm_control.suite import cartpole, dog, lqr, manipulator, stacker, swimmer

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
for name, (model, _) in models.items():
    # The build also writes the meshes in another format (make_meshes.py).
    model = model.replace(b'.stl"', b'.msh"')
    (pathlib.Path(sys.argv[1]) / f"{name}.xml").write_bytes(model)
