"""TensorBoard reads the scalars that a plain loop computes."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparison import episodes_of_recipes
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import parallel_pool
from parallel_pool.integrations.torch import TensorPool


def read(folder: pathlib.Path) -> dict[int, dict[str, float]]:
    """The scalars of a folder of events, by step."""
    events: Any = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    found: dict[int, dict[str, float]] = {}
    for name in events.Tags()["scalars"]:
        for event in events.Scalars(name):
            found.setdefault(event.step, {})[name] = event.value
    return found


def test_the_recipe(
    snippet: Callable[..., str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    snippet("TensorBoard", "recipes.md", "py")
    wanted = episodes_of_recipes()
    # TensorBoard stores float32.
    assert read(tmp_path / "runs/first") == {
        step: {name: float(np.float32(value)) for name, value in named.items()}
        for step, named in wanted.items()
    }
    assert len(wanted) == 10


def test_names_stay_whole(tmp_path: pathlib.Path) -> None:
    from torch.utils.tensorboard import SummaryWriter

    tasks = ["CartPole-v1", "Acrobot-v1", "CartPole-v1"]
    options: dict[str, Any] = {"action_padding": True, "observation_padding": True}
    with parallel_pool.make(tasks, num_envs=6, record_episode_statistics=True, **options) as pool:
        tensors = TensorPool(pool, "cpu")
        episodes, twin = parallel_pool.EpisodeScalars(tensors), parallel_pool.EpisodeScalars(pool)
        tensors.reset()
        for _ in range(600):
            *_, info = tensors.step(pool.sample_actions())
            episodes.add(info)
            twin.add(info)
    with SummaryWriter(str(tmp_path)) as writer:
        episodes.write(writer, 7)
    names = [
        f"{task}/{kind}"
        for task in ("Acrobot-v1", "CartPole-v1_0", "CartPole-v1_2")
        for kind in ("count", "length", "return")
    ]
    wanted = {name: float(np.float32(value)) for name, value in twin.scalars().items()}
    assert list(wanted) == [f"episode/{name}" for name in names]
    assert read(tmp_path) == {7: wanted}
