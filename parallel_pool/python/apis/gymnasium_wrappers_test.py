"""Gymnasium's vector wrappers, on our vector env and on SyncVectorEnv: all results are equal.

RecordVideo and the conversions to JAX and torch need packages that the build does not have; they
are tested in integration_tests/.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pygame
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import transform_action, transform_observation, transform_reward, vector

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401

ENVS = 3
STEPS = 300
ELSEWHERE = {"RecordVideo", "ArrayConversion", "NumpyToTorch", "JaxToNumpy", "JaxToTorch"}
AnyEnv = VectorEnv[Any, Any, Any]


def ours(task_id: str, **options: Any) -> AnyEnv:
    env: AnyEnv = gymnasium.make_vec(f"parallel_pool/{task_id}", num_envs=ENVS, **options)
    return env


def theirs(task_id: str, **options: Any) -> AnyEnv:
    """Gymnasium's SyncVectorEnv, with rewards in float32 as ours."""
    env = gymnasium.make_vec(task_id, num_envs=ENVS, vectorization_mode="sync", **options)
    return vector.TransformReward(env, lambda reward: reward.astype(np.float32))


def play(env: AnyEnv) -> Iterator[tuple[Any, ...]]:
    """The results of a reset and of STEPS steps with random actions."""
    env.action_space.seed(7)
    yield env.reset(seed=3)
    for _ in range(STEPS):
        yield env.step(env.action_space.sample())


def assert_equal(a: Any, b: Any) -> None:
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    np.testing.assert_array_equal(a, b)


def swap(action: Any) -> Any:
    return 1 - action


def halve(x: Any) -> Any:
    return x / np.float32(2)


HALF = gymnasium.spaces.Box(-np.inf, np.inf, (4,))
WRAPPERS: list[tuple[str, str, Callable[[AnyEnv], AnyEnv]]] = [
    ("TransformObservation", "CartPole-v1", lambda e: vector.TransformObservation(e, halve)),
    (
        "VectorizeTransformObservation",
        "CartPole-v1",
        lambda e: vector.VectorizeTransformObservation(
            e, transform_observation.TransformObservation, func=halve, observation_space=HALF
        ),
    ),
    ("FlattenObservation", "Taxi-v4", vector.FlattenObservation),
    ("ReshapeObservation", "CartPole-v1", lambda e: vector.ReshapeObservation(e, (2, 2))),
    ("RescaleObservation", "Pendulum-v1", lambda e: vector.RescaleObservation(e, -1, 1)),
    ("DtypeObservation", "CartPole-v1", lambda e: vector.DtypeObservation(e, np.float64)),
    ("NormalizeObservation", "CartPole-v1", vector.NormalizeObservation),
    ("TransformAction", "CartPole-v1", lambda e: vector.TransformAction(e, swap)),
    (
        "VectorizeTransformAction",
        "CartPole-v1",
        lambda e: vector.VectorizeTransformAction(
            e, transform_action.TransformAction, func=swap, action_space=e.single_action_space
        ),
    ),
    ("ClipAction", "Pendulum-v1", vector.ClipAction),
    ("RescaleAction", "Pendulum-v1", lambda e: vector.RescaleAction(e, -1, 1)),
    ("TransformReward", "Pendulum-v1", lambda e: vector.TransformReward(e, halve)),
    (
        "VectorizeTransformReward",
        "Pendulum-v1",
        lambda e: vector.VectorizeTransformReward(e, transform_reward.TransformReward, func=halve),
    ),
    ("ClipReward", "Pendulum-v1", lambda e: vector.ClipReward(e, -1, 0)),
    ("NormalizeReward", "Pendulum-v1", vector.NormalizeReward),
    ("RecordEpisodeStatistics", "CartPole-v1", vector.RecordEpisodeStatistics),
]


@pytest.mark.parametrize(("name", "task_id", "wrap"), WRAPPERS)
def test_equals(name: str, task_id: str, wrap: Callable[[AnyEnv], AnyEnv]) -> None:
    one, other = wrap(ours(task_id)), wrap(theirs(task_id))
    assert type(one).__name__ == name
    for mine, reference in zip(play(one), play(other), strict=True):
        for a, b in zip(mine[:-1], reference[:-1], strict=True):
            assert_equal(a, b)
    assert one.observation_space == other.observation_space
    assert one.action_space == other.action_space
    one.close()
    other.close()


def test_flatten_makes_one_hot_rows() -> None:
    env = vector.FlattenObservation(ours("Taxi-v4"))
    obs, _ = env.reset()
    assert obs.shape == (ENVS, 500)
    assert (obs.sum(1) == 1).all()


@pytest.mark.parametrize("mode", list(AutoresetMode)[:2])
def test_record_episode_statistics(mode: AutoresetMode) -> None:
    one = ours("CartPole-v1", autoreset_mode=mode)
    make = [lambda: gymnasium.make("CartPole-v1")] * ENVS
    other = SyncVectorEnv(make, autoreset_mode=mode)
    envs = [vector.RecordEpisodeStatistics(env) for env in (one, other)]
    for (*_, mine), (*_, reference) in zip(*map(play, envs), strict=True):
        assert ("episode" in mine) == ("episode" in reference)
        if "episode" in mine:
            assert_equal(mine["_episode"], reference["_episode"])
            assert_equal(mine["episode"]["r"], reference["episode"]["r"])
            assert_equal(mine["episode"]["l"], reference["episode"]["l"])
    assert envs[0].episode_count == envs[1].episode_count > 10
    assert envs[0].return_queue == envs[1].return_queue


def test_dict_info_to_list() -> None:
    env = vector.DictInfoToList(ours("CartPole-v1", autoreset_mode="same_step"))
    ends = 0
    for result in play(env):
        *_, rows = result
        assert [row["env_id"] for row in rows] == list(range(ENVS))
        assert all("elapsed_step" in row and "players" not in row for row in rows)
        if len(result) == 5:
            ended = (result[2] | result[3]).tolist()
            assert ["final_obs" in row for row in rows] == ended
            assert all(row["final_info"]["elapsed_step"] > 0 for row in rows if "final_obs" in row)
            ends += sum(ended)
    assert ends > 10


class Recorded(gymnasium.Env[Any, Any]):
    """One env that repeats the recorded observations of another."""

    def __init__(self, space: gymnasium.Space[Any], rows: list[Any]) -> None:
        self.observation_space, self.action_space = space, gymnasium.spaces.Discrete(2)
        self._rows = rows

    def reset(self, **kwargs: Any) -> Any:
        self._left = iter(self._rows)
        return next(self._left), {}

    def step(self, action: Any) -> Any:
        return next(self._left), 0.0, False, False, {}


@pytest.mark.parametrize(
    ("task_id", "wrap"),
    [
        ("Pong-v5", vector.GrayscaleObservation),
        ("Pong-v5", lambda e: vector.ResizeObservation(e, (40, 60))),
        ("Echo-v0", lambda e: vector.FilterObservation(e, ["choice", "motor"])),
    ],
)
def test_pictures_and_dicts(task_id: str, wrap: Any) -> None:
    """A SyncVectorEnv repeats observations of ours that need no further packages."""
    env = picture_env() if task_id == "Pong-v5" else ours(task_id)
    frames = [result[0] for result in itertools.islice(play(env), 20)]
    space = env.single_observation_space

    def row(obs: Any, i: int) -> Any:
        return {k: row(v, i) for k, v in obs.items()} if isinstance(obs, dict) else obs[i]

    again = SyncVectorEnv(
        [
            lambda i=i: Recorded(space, [row(f, i) for f in frames])  # type: ignore[misc]
            for i in range(ENVS)
        ]
    )
    one, other = wrap(env), wrap(again)
    other.reset()
    for k, (mine, *_) in enumerate(itertools.islice(play(one), 20)):
        reference = other.reset()[0] if k == 0 else other.step(np.zeros(ENVS, int))[0]
        assert data_equivalence(mine, reference)
    assert one.observation_space == other.observation_space


def picture_env() -> AnyEnv:
    """Pong in color, with the channels last as in Gymnasium."""
    env = ours("Pong-v5", obs_type="rgb", stack_num=1)
    space = gymnasium.spaces.Box(0, 255, (84, 84, 3), np.uint8)
    return vector.TransformObservation(
        env, lambda obs: np.ascontiguousarray(np.moveaxis(obs, 1, -1)), None, space
    )


def test_human_rendering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = vector.HumanRendering(ours("Taxi-v4", render_mode="rgb_array"), screen_size=(600, 600))
    assert env.render_mode == "human"
    assert env.metadata["render_fps"] == gymnasium.make("Taxi-v4").metadata["render_fps"]
    env.reset(seed=1)
    before = pygame.surfarray.array3d(env.window)
    env.step(np.ones(ENVS, int))  # all taxis drive north, which changes the picture
    after = pygame.surfarray.array3d(env.window)
    assert before.any()
    assert (before != after).any()
    env.close()


def test_observation_wrappers_refuse_same_step() -> None:
    """Gymnasium's choice: the wrappers do not transform the last observation, which is in info."""
    env = ours("CartPole-v1", autoreset_mode="same_step")
    with pytest.raises(ValueError, match="Expected autoreset_mode to be NEXT_STEP or DISABLED"):
        vector.DtypeObservation(env, np.float64)


def test_no_wrapper_is_left_out() -> None:
    tested = {name for name, *_ in WRAPPERS} | ELSEWHERE
    tested |= {"GrayscaleObservation", "ResizeObservation", "FilterObservation"}
    tested |= {"RecordEpisodeStatistics", "DictInfoToList", "HumanRendering"}
    assert tested == set(vector.__all__)


def test_without_batched_spaces_wrappers_say_so() -> None:
    """Pools of make() have one env's spaces: such wrappers need envs of make_vec()."""
    with parallel_pool.make("CartPole-v1", num_envs=ENVS) as pool:
        env = vector.RecordEpisodeStatistics(pool)
        env.reset()
        assert env.step([0] * ENVS)[0].shape == (ENVS, 4)
