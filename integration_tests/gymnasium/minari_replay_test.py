"""A replay buffer as a dataset of Minari, and back: the same transitions."""

import pathlib
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool import ReplayBuffer
from parallel_pool.integrations.minari_replay import read_minari, write_minari

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # of Minari: no author and so on


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))


def filled(task: str, capacity: int, steps: int, **options: Any) -> ReplayBuffer:
    """A buffer of three envs after some steps with random actions."""
    pool = parallel_pool.make(task, num_envs=3, seed=2, max_episode_steps=12, **options)
    buffer = ReplayBuffer(pool, capacity)
    buffer.reset()
    for _ in range(steps):
        buffer.step(pool.sample_actions())
    return buffer


def rows_of(buffer: ReplayBuffer) -> dict[bytes, Any]:
    """The transitions by their observations and actions, which games may have twice."""
    batch = buffer.transitions()
    found = {}
    for i in range(len(buffer)):
        parts = {
            name: {k: v[i] for k, v in value.items()} if isinstance(value, dict) else value[i]
            for name, value in batch.items()
            if name not in ("index", "discount")
        }
        key = b""
        for name in ("obs", "next_obs", "action"):
            part = parts[name]
            arrays = part.values() if isinstance(part, dict) else [part]
            key += b"".join(np.asarray(array).tobytes() for array in arrays)
        found[key] = parts
    return found


@pytest.mark.parametrize("task", ["Pendulum-v1", "Pong-v5", "FetchReach-v4"])
@pytest.mark.parametrize("capacity", [3000, 90])
def test_the_same_transitions_come_back(task: str, capacity: int) -> None:
    buffer = filled(task, capacity, 40)
    dataset = write_minari(buffer, "test/buffer-v0")
    assert dataset.total_steps == len(buffer)
    if capacity == 3000:
        assert dataset.total_episodes == 12
        assert {len(dataset[i].rewards) for i in range(12)} == {12, 1}
    back = ReplayBuffer(parallel_pool.make(task, num_envs=2), 3000)
    assert read_minari(back, "test/buffer-v0") == len(buffer) == len(back)
    found, wanted = rows_of(back), rows_of(buffer)
    assert found.keys() == wanted.keys()
    for key, parts in wanted.items():
        # A part of an episode that goes on is truncated there.
        cut = found[key]["truncated"] and not parts["truncated"]
        for name, value in parts.items():
            if name != "truncated" or not cut:
                np.testing.assert_equal(found[key][name], value, name)
    cuts = sum(bool(found[k]["truncated"] and not wanted[k]["truncated"]) for k in wanted)
    assert cuts <= 3


def test_what_cannot_be_a_dataset() -> None:
    with pytest.raises(ValueError, match="the buffer has no transitions"):
        write_minari(ReplayBuffer(parallel_pool.make("CartPole-v1"), 100), "test/none-v0")
    dataset = write_minari(filled("Pendulum-v1", 300, 5), "test/pendulum-v0")
    other = ReplayBuffer(parallel_pool.make("CartPole-v1"), 100)
    other.reset()
    with pytest.raises(ValueError, match=r"obs has shape \(1, 3\); it must be \(1, 4\)"):
        read_minari(other, dataset)
