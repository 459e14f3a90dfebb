"""Pictures of a run."""

import pathlib
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family


def test_frames(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("pygame")
    with parallel_pool.make("CartPole-v1", num_envs=2, render_mode="rgb_array") as pool:
        pool.record(tmp_path / "run.ppr")
        pool.reset()
        shown = [pool.render()]
        for _ in range(3):
            pool.step(np.ones(2, int))
            shown.append(pool.render())
    with parallel_pool.replay(tmp_path / "run.ppr", render_mode="rgb_array") as replay:
        np.testing.assert_array_equal(list(replay.frames()), shown)
    with parallel_pool.replay(tmp_path / "run.ppr", env_id=1, render_mode="rgb_array") as replay:
        np.testing.assert_array_equal(list(replay.frames()), [both[1:] for both in shown])


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_a_film_has_a_picture_of_each_result(tmp_path: pathlib.Path, mode: Any) -> None:
    """Also of resets, of a part of the envs, of what did not move, and where an env threw."""
    fine, end, throw = testing_family.FINE, testing_family.END, testing_family.THROW
    with parallel_pool.make("Trouble-v0", num_envs=2, lives=3, autoreset_mode=mode) as pool:
        pool.record(tmp_path / "run.ppr")
        pool.reset()
        for action in (fine, fine, end, fine):
            pool.step([action, fine])
        pool.step([end], [1])
        with pytest.raises(parallel_pool.EnvError):
            pool.step([throw, fine])
        pool.step([fine, fine])
        pool.reset([0])
    with parallel_pool.replay(tmp_path / "run.ppr", render_mode="rgb_array") as replay:
        assert len(list(replay.frames())) == replay.results == 9
        replay.seek(6)
        assert len(list(replay.frames())) == 3
