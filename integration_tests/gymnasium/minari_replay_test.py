"""A replay buffer as a dataset of Minari or a flat HDF5 file, and back: the same transitions."""

import pathlib
from typing import Any

import h5py
import numpy as np
import pytest

import parallel_pool
from parallel_pool import ReplayBuffer
from parallel_pool.integrations.hdf5_replay import read_hdf5, write_hdf5
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


@pytest.mark.parametrize("task", ["Pendulum-v1", "Pong-v5", "FetchReach-v4", "cube-single-v0"])
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
    assert_same(back, buffer)


def assert_same(found_in: ReplayBuffer, wanted_in: ReplayBuffer) -> None:
    found, wanted = rows_of(found_in), rows_of(wanted_in)
    assert found.keys() == wanted.keys()
    cuts = 0
    for key, parts in wanted.items():
        # A part of an episode that goes on is truncated there.
        is_cut = found[key]["truncated"] and not parts["truncated"]
        cuts += bool(is_cut)
        for name, value in parts.items():
            if name != "truncated" or not is_cut:
                np.testing.assert_equal(found[key][name], value, name)
    assert cuts <= 3


@pytest.mark.parametrize(
    "task", ["Pendulum-v1", "CartPole-v1", "FetchReach-v4", "antmaze-large-v0"]
)
def test_flat_files(task: str, tmp_path: pathlib.Path) -> None:
    buffer = filled(task, 3000, 40)
    path = tmp_path / "steps.hdf5"
    assert write_hdf5(buffer, path) == len(buffer)
    back = ReplayBuffer(parallel_pool.make(task, num_envs=2), 3000)
    assert read_hdf5(back, path) == len(buffer) == len(back)
    assert_same(back, buffer)
    with pytest.raises(FileExistsError):
        write_hdf5(buffer, path)


def test_flat_files_without_last_observations(tmp_path: pathlib.Path) -> None:
    buffer = filled("CartPole-v1", 3000, 60)
    path = tmp_path / "steps.hdf5"
    write_hdf5(buffer, path)
    with h5py.File(path, "a") as file:
        del file["next_observations"]
        terminals = np.array(file["terminals"])
        cut = np.array(file["timeouts"]) & ~terminals
    back = ReplayBuffer(parallel_pool.make("CartPole-v1", num_envs=1), 3000)
    assert read_hdf5(back, path) == len(buffer) - cut.sum()
    batch, whole = back.transitions(), buffer.transitions()
    assert cut.any()
    assert batch["terminated"].sum() == terminals.sum() > 0
    for name in ("obs", "action", "reward", "terminated"):
        np.testing.assert_array_equal(batch[name], whole[name][~cut], name)
    goes_on = ~batch["terminated"]
    np.testing.assert_array_equal(batch["next_obs"][goes_on], whole["next_obs"][~cut][goes_on])
    with h5py.File(path, "a") as file:
        del file["rewards"]
    with pytest.raises(ValueError, match="has no 'rewards'; it has actions"):
        read_hdf5(back, path)
    with pytest.raises(OSError, match="steps"):
        read_hdf5(back, tmp_path / "no steps.hdf5")


def test_what_cannot_be_a_dataset() -> None:
    with pytest.raises(ValueError, match="the buffer has no transitions"):
        write_minari(ReplayBuffer(parallel_pool.make("CartPole-v1"), 100), "test/none-v0")
    dataset = write_minari(filled("Pendulum-v1", 300, 5), "test/pendulum-v0")
    other = ReplayBuffer(parallel_pool.make("CartPole-v1"), 100)
    other.reset()
    with pytest.raises(ValueError, match=r"obs has shape \(1, 3\); it must be \(1, 4\)"):
        read_minari(other, dataset)
