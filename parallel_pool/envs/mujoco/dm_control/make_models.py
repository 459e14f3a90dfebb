"""Writes the models that dm_control makes by code: python make_models.py FOLDER."""

import pathlib
import sys

from dm_control.suite import cartpole

folder = pathlib.Path(sys.argv[1])
for poles in (2, 3):
    model, _ = cartpole.get_model_and_assets(num_poles=poles)
    (folder / f"cartpole_{poles}.xml").write_bytes(model)
