"""Replay buffers go on where a file has them."""

import pathlib
import zipfile
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool import ReplayBuffer

ENVS = 3


def make(task: str, mode: str = "next_step", **options: Any) -> Any:
    return parallel_pool.make(task, num_envs=ENVS, seed=7, autoreset_mode=mode, **options)


def play(buffer: ReplayBuffer, steps: int) -> None:
    """Steps with random actions; with "disabled", envs that have ended are reset."""
    if not buffer.nbytes or not len(buffer):
        buffer.reset()
    for _ in range(steps):
        _, _, terminated, truncated, _ = buffer.step(buffer.pool.sample_actions())
        ended = np.flatnonzero(terminated | truncated)
        if buffer.pool.config["autoreset_mode"] == "disabled" and len(ended):
            buffer.reset(ended)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_saved_buffers_go_on(mode: str, tmp_path: pathlib.Path) -> None:
    options = {"max_episode_steps": 15}
    with make("Pong-v5", mode, **options) as pool, make("Pong-v5", mode, **options) as twin:
        buffer, other = ReplayBuffer(pool, 300, alpha=0.6), ReplayBuffer(twin, 300, alpha=0.6)
        play(buffer, 40)
        buffer.update_priorities(buffer.sample(20)["index"], np.arange(20))
        buffer.save(tmp_path / "run.replay")
        other.load(tmp_path / "run.replay")
        for each in (buffer, other):
            play(each, 30)
        found, wanted = other.sample(50), buffer.sample(50)
        for name, value in wanted.items():
            np.testing.assert_array_equal(found[name], value, name)
        assert_equal = np.testing.assert_array_equal
        assert_equal(other.transitions()["obs"], buffer.transitions()["obs"])


def test_damaged_files_are_named(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "run.replay"
    with make("CartPole-v1") as pool:
        buffer = ReplayBuffer(pool, 300)
        play(buffer, 20)
        buffer.save(path)
        before = buffer.transitions()
        data = bytearray(path.read_bytes())
        with zipfile.ZipFile(path) as file:
            place = file.getinfo("obs.npy").header_offset + 500
        data[place] ^= 1
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"run\.replay is damaged: its part 'obs\.npy'"):
            buffer.load(path)
        path.write_bytes(data[:1000])
        with pytest.raises(ValueError, match="damaged, or no file"):
            buffer.load(path)
        np.testing.assert_array_equal(buffer.transitions()["obs"], before["obs"])
        other = ReplayBuffer(pool, 600)
        other.save(path)
        with pytest.raises(ValueError, match="capacity=600, not 300"):
            buffer.load(path)


def test_rows_without_the_pool(tmp_path: pathlib.Path) -> None:
    with make("CartPole-v1") as pool, make("CartPole-v1", max_episode_steps=50) as other:
        buffer, found = ReplayBuffer(pool, 300), ReplayBuffer(other, 300)
        play(buffer, 20)
        buffer.save(tmp_path / "run")
        found.load(tmp_path / "run", pool=False)
        assert len(found) == len(buffer)
        play(found, 10)
        assert len(found) == len(buffer) + ENVS * 9  # the first step resets the new pool


def test_rows_may_be_files(tmp_path: pathlib.Path) -> None:
    with make("Pong-v5") as pool, make("Pong-v5") as twin:
        buffer = ReplayBuffer(pool, 600, folder=tmp_path / "rows")
        memory = ReplayBuffer(twin, 600)
        for each in (buffer, memory):
            play(each, 30)
        assert (tmp_path / "rows" / "obs.npy").stat().st_size > 600 * 84 * 84
        found, wanted = buffer.sample(20), memory.sample(20)
        for name, value in wanted.items():
            np.testing.assert_array_equal(found[name], value, name)
