"""The page of the viewer shows pictures and plots, in Debian's Chromium."""

import pathlib

import numpy as np
import pytest
from browser import CHROMIUM, POLE, count, shoot

from parallel_pool.integrations.rerun import to_rerun, viewer


@pytest.mark.skipif(not pathlib.Path(CHROMIUM).exists(), reason="there is no Chromium")
def test_the_page_shows_the_picture_and_plots(run: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The picture has the pole; lines of plots are of several strong colors."""
    file = str(tmp_path / "run.rrd")
    to_rerun(run, file, envs=[0], pictures=1)
    with viewer.served(file) as server:
        picture = shoot(server.page, tmp_path / "page.png", POLE)
    assert count(picture, POLE) > 100
    below = picture[len(picture) // 2 :].astype(int)  # the plots
    strong = below[(below.max(axis=2) - below.min(axis=2)) > 80]
    colors, counts = np.unique(strong // 32, axis=0, return_counts=True)
    assert (counts > 100).sum() >= 3, (colors, counts)
