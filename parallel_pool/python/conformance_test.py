"""What every task of this package keeps to."""

from typing import Any

import numpy as np
import pytest

import parallel_pool

STEPS = 40


def play(task_id: str, **kwargs: Any) -> list[tuple[Any, ...]]:
    """All that two envs give over a reset and STEPS random actions."""
    with parallel_pool.make(task_id, num_envs=2, **kwargs) as pool:
        obs, info = pool.reset()
        rows = [(obs, np.zeros(2), np.zeros(2, bool), np.zeros(2, bool), info)]
        space = pool.action_space
        space.seed(1)
        for _ in range(STEPS):
            rows.append(pool.step(np.stack([space.sample(), space.sample()])))
        return rows


def same(a: list[tuple[Any, ...]], b: list[tuple[Any, ...]]) -> bool:
    return all(
        np.array_equal(x, y)
        for (*row, info), (*other, other_info) in zip(a, b, strict=True)
        for x, y in [
            *zip(row, other, strict=True),
            *((info[k], other_info[k]) for k in info if k != "players"),
        ]
    )


@pytest.mark.parametrize("task_id", parallel_pool.list_all_envs())
def test_conforms(task_id: str) -> None:
    spec = parallel_pool.make_spec(task_id)
    assert spec.max_episode_steps >= 1
    assert all(option.doc for option in spec.options)

    rows = play(task_id, num_threads=1)
    for obs, reward, terminated, truncated, info in rows:
        assert all(spec.observation_space.contains(one) for one in obs)
        assert np.isfinite(reward).all()
        assert terminated.shape == truncated.shape == (2,)
        assert info["env_id"].tolist() == [0, 1]
        for array in spec.state_arrays:
            if array.name.startswith("info:"):
                value = info[array.name.removeprefix("info:")]
                assert (value.dtype, value.shape) == (array.dtype, (2, *array.shape))
                low, high = array.bounds()
                assert ((value >= low) & (value <= high)).all(), array.name

    assert same(play(task_id, num_threads=2), rows), "threads or time change the result"
    assert not same(play(task_id, seed=7), rows), "the seed does not matter"
    ends = play(task_id, max_episode_steps=5)
    assert [bool(row[3].all()) for row in ends[:7]] == [False] * 5 + [True, False]
