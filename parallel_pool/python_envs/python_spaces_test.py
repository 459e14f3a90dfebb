"""The spaces of envs in Python: all kinds, those that are refused, and forms of actions."""

import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import parallel_pool
from parallel_pool.testing.python_env import Nested, with_spaces

SPACES = [
    (spaces.Discrete(2), spaces.Text(5), r"Env: its action_space is Text.* cannot be a text"),
    (
        spaces.Dict(a=spaces.Sequence(spaces.Discrete(2))),
        None,
        r"observation_space, at a is Sequen",
    ),
    (
        spaces.Dict({"a.b": spaces.Discrete(2)}),
        None,
        r"has the key 'a\.b'; a key must be a str with",
    ),
    (spaces.Box(0, 1, (2,), np.uint64), None, r"has dtype uint64; allowed are bool, int8"),
    (spaces.Discrete(2), spaces.Graph(spaces.Discrete(2), None), r"its action_space is Graph"),
    (spaces.Dict({}), None, r"it has no arrays"),
    ("a box", None, r"its observation_space is 'a box', no space of Gymnasium"),
    (spaces.Discrete(2), "a box", r"its action_space is 'a box', no space of Gymnasium"),
    (spaces.Discrete(2), len, r"its action_space is <built-in function len>, no space of Gymnasi"),
]


@pytest.mark.parametrize("workers", [0, None])
@pytest.mark.parametrize(("observation", "action", "message"), SPACES)
def test_spaces_that_are_refused(
    observation: Any, action: Any, message: str, workers: int | None
) -> None:
    with pytest.raises(ValueError, match=message):
        parallel_pool.make_python(with_spaces(observation, action), num_workers=workers)


def test_spaces_of_gym_are_refused() -> None:
    gym = pytest.importorskip("gym")
    hint = "no space of Gymnasium; wrap the env by shimmy"
    with pytest.raises(ValueError, match=rf"its action_space is Discrete\(2\), {hint}"):
        parallel_pool.make_python(with_spaces(spaces.Discrete(2), gym.spaces.Discrete(2)))


_BOOL: Any = bool
_NESTED: Any = [[2, 5], [3, 3]]
GOOD_SPACES: list[Any] = [
    spaces.Box(-1, 1, (2, 2), np.float64),
    spaces.Box(np.array([0, -1]), np.array([3, 7]), dtype=np.int16),
    spaces.Box(0, 1, (3,), _BOOL),
    spaces.Box(-np.inf, np.inf, (), np.float32),
    spaces.Discrete(3, start=-1),
    spaces.MultiBinary(3),
    spaces.MultiBinary((2, 2)),
    spaces.MultiDiscrete([2, 5]),
    spaces.MultiDiscrete(_NESTED),
    spaces.MultiDiscrete([2, 5], start=[1, -1]),
    spaces.Tuple((spaces.Discrete(2), spaces.Dict(x=spaces.MultiBinary(2)))),
]


WORKERS = (0,) if sys.platform == "win32" else (0, 1, 2)


@pytest.mark.parametrize("space", GOOD_SPACES, ids=str)
def test_spaces(space: Any) -> None:
    """As observation and as action; the env itself checks that it gets values of its space."""
    with parallel_pool.make_python(with_spaces(space, space), 3, num_workers=WORKERS[-1]) as pool:
        assert pool.single_observation_space == space
        assert pool.single_action_space == space
        obs, _ = pool.reset()
        batch = gymnasium.vector.utils.batch_space(space, 3)
        assert batch.contains(obs), obs
        for _ in range(5):
            obs = pool.step(batch.sample())[0]
            assert batch.contains(obs), obs
        pool.send(batch.sample())
        pool.recv()


def test_forms_of_actions() -> None:
    with parallel_pool.make_python(Nested, 2, seed=1) as pool:
        both = (np.array([0, 2]), np.array([[1, 0], [0, 1]]))
        rows = []
        for move in (np.zeros((2, 2)), ((0, 0), (0, 0)), [[0, 0], [0, 0]]):
            pool.reset(seed=1)
            rows.append(pool.step({"move": move, "both": both})[0]["camera"].tolist())
        assert rows[0] == rows[1] == rows[2]


def test_all_envs_need_the_same_spaces() -> None:
    one, other = with_spaces(spaces.Discrete(2)), with_spaces(spaces.Discrete(3))
    for workers in WORKERS:
        with pytest.raises(
            ValueError,
            match=r"env 1: its observation_space is Discrete\(3\); that of env 0 is Disc",
        ):
            parallel_pool.make_python([one, other], num_workers=workers)
