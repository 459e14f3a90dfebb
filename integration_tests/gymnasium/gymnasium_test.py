"""Parts of Gymnasium that need more packages than the build has."""

import pathlib
from collections.abc import Callable
from typing import Any

import gymnasium
import imageio_ffmpeg
import numpy as np
import pytest

import parallel_pool


def read(video: pathlib.Path) -> Any:
    """The frames of a video, (frames, height, width, 3)."""
    reader = imageio_ffmpeg.read_frames(str(video))
    width, height = next(reader)["size"]
    return np.array([np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in reader])


def record(env: Any, folder: pathlib.Path) -> Any:
    """The video of 40 steps of two CartPoles, side by side."""
    env = gymnasium.wrappers.vector.RecordVideo(
        env, str(folder), video_length=40, step_trigger=lambda step: step == 0, disable_logger=True
    )
    env.reset(seed=3)
    for _ in range(50):
        env.step(np.array([1, 0]))
    env.close()
    (video,) = folder.glob("*.mp4")
    return read(video)


@pytest.mark.parametrize(
    ("make", "task"),
    [
        (gymnasium.make_vec, "parallel_pool:parallel_pool/CartPole-v1"),
        (parallel_pool.make, "CartPole-v1"),
    ],
)
def test_record_video(make: Callable[..., Any], task: str, tmp_path: pathlib.Path) -> None:
    mine = record(make(task, num_envs=2, render_mode="rgb_array"), tmp_path / "mine")
    assert mine.shape[0] >= 40
    assert mine.shape[1] * mine.shape[2] == 2 * 400 * 600
    assert len(np.unique(mine[0])) > 10
    assert (mine[0] != mine[-1]).any()


def test_the_page(snippet: Callable[[str], str]) -> None:
    assert "[" in snippet("Gymnasium")
    assert snippet("EnvPool") == "True\n"
    assert "[False" in snippet("CleanRL")
