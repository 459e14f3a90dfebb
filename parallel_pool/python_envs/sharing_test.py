"""Envs of a pool share large objects, once in each worker, but never an env."""

import copy
import pathlib
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import parallel_pool
from parallel_pool.testing.python_env import Trouble

WORKERS = [0] if sys.platform == "win32" else [0, 1, 2]


class Named(gymnasium.Env[Any, Any]):
    """An env with a name."""

    observation_space = spaces.Discrete(9)
    action_space = spaces.Discrete(2)

    def __init__(self, name: Any = "") -> None:
        self.name = name

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return 1, {}

    def step(self, action: Any) -> Any:
        return 1, 0.0, False, False, {}

    def size_of_table(self) -> int:
        return int(self.name.nbytes)

    def memory(self) -> int:
        """The bytes that only this process has."""
        lines = pathlib.Path("/proc/self/status").read_text().splitlines()
        return 1024 * int(next(line.split()[1] for line in lines if line.startswith("RssAnon")))


def with_table(form: str, table: Any) -> tuple[Any, dict[str, Any]]:
    """The source and keywords of envs that share a table."""
    if form == "function":
        return lambda: Named(table), {}
    if form == "functions":
        return [lambda: Named(table) for _ in range(64)], {}
    if form == "keyword":
        return Named, {"env_kwargs": {"name": table}}
    return Named, {"env_kwargs": [{"name": table} for _ in range(64)]}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("form", ["function", "functions", "keyword", "keywords"])
def test_a_table_of_all_envs_is_once_in_each_worker(form: str) -> None:
    def memory(size: int) -> Any:
        source, options = with_table(form, np.ones(size, np.uint8))
        with parallel_pool.make_python(source, 64, num_workers=2, **options) as pool:
            pool.reset()
            assert pool.call("size_of_table") == (size,) * 64
            each = pool.call("memory")
            return np.array([each[0], each[-1]])

    size = 40_000_000
    added = memory(size) - memory(1)
    assert (added > 0.9 * size).all()  # the measure works
    assert (added < 1.2 * size).all()


ENV = Named()

# Each gives the same env to all envs of a pool.
SAME_ENV: list[tuple[Any, dict[str, Any]]] = [
    (lambda: ENV, {}),
    (lambda env=ENV: env, {}),
    ([lambda: ENV] * 2, {}),
    (lambda: gymnasium.wrappers.TimeLimit(ENV, 9), {}),
    (lambda env: env, {"env_kwargs": {"env": ENV}}),
    (gymnasium.wrappers.TimeLimit, {"env_kwargs": {"env": ENV, "max_episode_steps": 9}}),
]
REFUSED = (
    r"it is the same Named as another env of the pool; each needs an object of its own: give a "
    "class, or a function that makes a new env at each call"
)


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize(("source", "options"), SAME_ENV)
def test_an_env_cannot_be_several(source: Any, options: dict[str, Any], workers: int) -> None:
    with pytest.raises(ValueError, match=REFUSED):
        parallel_pool.make_python(source, 2, num_workers=workers, **options)


@pytest.mark.parametrize("workers", WORKERS[:2])
def test_neither_if_the_functions_differ(workers: int) -> None:
    box = [Named()]
    with pytest.raises(ValueError, match=f"env 1: .*{REFUSED}"):
        parallel_pool.make_python([lambda: box[0], lambda: box[0]], num_workers=workers)


def test_an_env_that_is_made_before_may_be_the_only_one() -> None:
    closed = []

    class Drawn(Trouble):
        def close(self) -> None:
            closed.append(self)

    env = Drawn(render_mode="rgb_array")
    with parallel_pool.make_python(lambda: env, 1, num_workers=0) as pool:
        assert not closed
        pool.reset()
        assert pool.render().shape == (1, 4, 6, 3)
    assert closed == [env]


@pytest.mark.parametrize("workers", WORKERS)
def test_envs_that_are_made_before_may_be_one_each(workers: int) -> None:
    made = [lambda env=env: env for env in map(Named, "ab")]
    with parallel_pool.make_python(made, num_workers=workers) as pool:
        assert pool.get_attr("name") == ("a", "b")
    with parallel_pool.make_python(lambda: copy.copy(ENV), 2, num_workers=workers) as pool:
        assert pool.reset()[0].tolist() == [1, 1]
