"""Envs that are stepped and reset in chunks, and actions that do not begin at 0."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from dm_env import specs

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401

THROW, THROW_ALL = -1, 3
ENVS = 6


def play(seed: int, **options: Any) -> list[Any]:
    """The rows of each env, step by step: the sum, the reward and the flags."""
    steps = 60
    actions = np.random.default_rng(seed).integers(0, 3, (ENVS, steps))
    shown: list[list[Any]] = [[] for _ in range(ENVS)]
    with parallel_pool.make("Herd-v0", num_envs=ENVS, **options) as pool:
        pool.async_reset()
        while sum(map(len, shown)) < ENVS * (steps + 1):
            obs, reward, terminated, truncated, info = pool.recv()
            envs = info["env_id"].tolist()
            for row, env in enumerate(envs):
                shown[env].append((obs[row], reward[row], terminated[row], truncated[row]))
            if ready := [env for env in envs if len(shown[env]) <= steps]:
                pool.send([actions[env][len(shown[env]) - 1] for env in ready], np.array(ready))
    return shown


@pytest.mark.parametrize(
    "options",
    [
        {"num_threads": 1, "chunk_size": 1},
        {"num_threads": 3, "chunk_size": 256},
        {"num_threads": 2, "batch_size": 1},
    ],
)
def test_results_depend_neither_on_chunks_nor_on_threads(options: dict[str, Any]) -> None:
    assert play(0, **options) == play(0, num_threads=1)
    assert play(0) != play(1)


def test_one_thread_steps_all_at_once() -> None:
    with parallel_pool.make("Herd-v0", num_envs=ENVS, num_threads=1, chunk_size=ENVS) as pool:
        _, info = pool.reset()
        assert info["chunks"].tolist() == [[0, ENVS]] * ENVS
        *_, info = pool.step(np.ones(ENVS, int))
        assert info["chunks"].tolist() == [[ENVS, ENVS]] * ENVS
        *_, info = pool.step([1, 2], [4, 5])
        assert info["chunks"].tolist() == [[2, ENVS]] * 2


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_ended_envs_are_reset_together(mode: str) -> None:
    options: dict[str, Any] = {"num_threads": 1, "chunk_size": ENVS, "autoreset_mode": mode}
    with parallel_pool.make("Herd-v0", num_envs=ENVS, **options) as pool:
        pool.reset(options={"start": 9})
        obs, _, terminated, _, info = pool.step([1, 0, 1, 0, 1, 0])
        assert terminated.tolist() == [True, False] * 3
        ended = [0, 2, 4]
        if mode == "disabled":
            obs, info = pool.reset(ended)
            assert obs.tolist() == [0, 0, 0]
            assert info["chunks"][:, 1].tolist() == [3, 3, 3]
            return
        if mode == "same_step":
            assert info["final_obs"][ended].tolist() == [10, 10, 10]
            assert info["final_info"]["chunks"][ended, 1].tolist() == [ENVS] * 3
        else:
            obs, *_, info = pool.step(np.zeros(ENVS, int))
        assert obs.tolist() == [0, 9, 0, 9, 0, 9]
        assert info["chunks"][ended, 1].tolist() == [3, 3, 3]


def test_an_exception_fails_one_env_or_its_chunk() -> None:
    with parallel_pool.make("Herd-v0", num_envs=4, num_threads=1, chunk_size=4) as pool:
        pool.reset()
        with pytest.raises(parallel_pool.EnvError, match=r"env 1 .*the bell broke") as failed:
            pool.step([1, THROW, 2, 0])
        assert failed.value.env_ids == [1]
        assert failed.value.result[0].tolist() == [1, 0, 2, 0]
        obs, *_ = pool.step([1, 1, 1, 1])  # env 1 is reset
        assert obs.tolist() == [2, 0, 3, 1]
        with pytest.raises(parallel_pool.EnvError, match="the fence broke") as failed:
            pool.step([1, 1, THROW_ALL, 0])
        assert sorted(failed.value.env_ids) == [0, 1, 2, 3]
        assert pool.step([1, 1, 1, 1])[0].tolist() == [0, 0, 0, 0]


def test_reset_options_reach_the_chunk() -> None:
    with parallel_pool.make("Herd-v0", num_envs=2, num_threads=1) as pool:
        assert pool.reset(options={"start": 7})[0].tolist() == [7, 7]
        assert pool.reset()[0].tolist() == [0, 0]


def test_a_chunk_size_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"Herd-v0: ChunkSize\(\) is 0; .* between 1 and 256"):
        parallel_pool.make("Herd-v0", chunk_size=0)


def test_saved_envs_go_on() -> None:
    with parallel_pool.make("Herd-v0", num_envs=2) as pool:
        pool.reset()
        pool.step([1, 2])
        state = pool.save()
        wanted = pool.step([2, 1])[0]
        pool.load(state)
        np.testing.assert_array_equal(pool.step([2, 1])[0], wanted)


def test_the_space_begins_below_zero() -> None:
    spec = parallel_pool.make_spec("Herd-v0")
    assert spec.action_space == gymnasium.spaces.Discrete(5, start=THROW)
    assert spec.action_spec() == specs.BoundedArray((), np.int32, THROW, 3, "action")
    with parallel_pool.make("Herd-v0") as pool:
        pool.reset()
        with pytest.raises(
            ValueError, match=r"action\[0\] is -2; allowed are the integers -1 to 3"
        ):
            pool.step([-2])
        with pytest.raises(ValueError, match=r"action\[0\] is 4; allowed are the integers -1 to 3"):
            pool.step([4])
        assert pool.step([2])[0].tolist() == [2]
