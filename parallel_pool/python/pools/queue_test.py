"""pool.queue(): how the next episode of an env begins."""

import pathlib
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family
from parallel_pool.testing.results import same

LEFT, RIGHT = 0, 1


def first_obs(seed: int, **options: Any) -> Any:
    """The first observation of CartPole from a seed."""
    with parallel_pool.make("CartPole-v1", num_envs=1) as pool:
        return pool.reset(seed=seed, options=options or None)[0][0]


def play(pool: Any, until: int) -> tuple[Any, Any]:
    """Steps until env `until` has begun its next episode: its first row, and infos."""
    for _ in range(100):
        obs, _, terminated, truncated, info = pool.step(np.full(pool.num_envs, RIGHT))
        if pool.config["autoreset_mode"] == "disabled" and (terminated | truncated)[until]:
            obs, info = pool.reset([until])
            return obs[0], info
        if info["elapsed_step"][until] == 0:
            return obs[until], info
    raise AssertionError("no episode has ended")


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_a_seed(mode: Any) -> None:
    with parallel_pool.make("CartPole-v1", num_envs=3, autoreset_mode=mode) as pool:
        pool.reset()
        pool.queue([1, 2], seed=[77, 88])
        obs, _ = play(pool, 1)
        np.testing.assert_array_equal(obs, first_obs(77))


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_reset_options_hold_once(mode: Any) -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2, autoreset_mode=mode) as pool:
        pool.reset()
        pool.queue(0, options={"low": -0.001, "high": 0.001}, seed=5)
        obs, _ = play(pool, 0)
        np.testing.assert_array_equal(obs, first_obs(5, low=-0.001, high=0.001))
        obs, _ = play(pool, 0)
        assert np.abs(obs).max() > 0.001


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_options_of_make(mode: Any) -> None:
    pool = parallel_pool.make(
        "FrozenLake-v1", num_envs=3, per_env={"is_slippery": [True] * 3}, autoreset_mode=mode
    )
    pool.reset()
    pool.queue([2], options={"per_env": {"is_slippery": [False], "max_episode_steps": [7]}})
    assert pool.config["per_env"]["is_slippery"] == [True, True, True]
    for _ in range(300):
        info = pool.step(np.zeros(3, int))[4]
        if info["elapsed_step"][2] == 0:
            break
    assert pool.config["per_env"]["is_slippery"] == [True, True, False]
    assert pool.config["per_env"]["max_episode_steps"] == [100, 100, 7]
    for step in range(1, 7):  # always to the left: nothing happens before the time limit
        _, _, _, truncated, info = pool.step(np.zeros(3, int))
        assert info["elapsed_step"][2] == step
        assert not truncated[2]
    assert pool.step(np.zeros(3, int))[3][2]
    pool.close()


def test_a_later_call_takes_its_place() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2) as pool:
        pool.reset()
        pool.queue(0, seed=1, options={"low": -0.001, "high": 0.001})
        pool.queue(0, seed=2)
        obs, _ = play(pool, 0)
        np.testing.assert_array_equal(obs, first_obs(2))
        pool.queue(0, seed=3)
        obs, _ = pool.reset([0], seed=4)
        np.testing.assert_array_equal(obs[0], first_obs(4))
        again, _ = play(pool, 0)
        assert (again != first_obs(3)).any()
        pool.queue(0, seed=5)
        obs, _ = pool.reset([0])  # without arguments of its own
        np.testing.assert_array_equal(obs[0], first_obs(5))
        saved = pool.save()
        pool.queue(0, seed=6)
        pool.load(saved)
        obs, _ = play(pool, 0)
        assert (obs != first_obs(6)).any()


def test_options_of_several_calls() -> None:
    limits = {"max_episode_steps": [50] * 3}
    with parallel_pool.make("CartPole-v1", num_envs=3, per_env=limits) as pool:
        pool.reset()
        pool.queue([0], options={"per_env": {"max_episode_steps": [3]}})
        pool.queue([1], options={"per_env": {"max_episode_steps": [4]}})
        pool.queue([0], seed=1)  # drops the limit that was queued for env 0
        pool.reset()
        assert pool.config["per_env"]["max_episode_steps"] == [50, 4, 50]


def test_async_pools() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4, batch_size=2, num_threads=2) as pool:
        pool.async_reset()
        seeds = dict.fromkeys(range(4), 0)
        seen = 0
        for _ in range(400):
            obs, _, terminated, truncated, info = pool.recv()
            for row, env in enumerate(info["env_id"].tolist()):
                if info["elapsed_step"][row] == 0 and seeds[env]:
                    np.testing.assert_array_equal(obs[row], first_obs(seeds[env]))
                    seen += 1
                if (terminated | truncated)[row]:
                    seeds[env] = 100 * env + seen + 1
                    pool.queue(env, seed=seeds[env])
            pool.send(np.full(2, RIGHT), info["env_id"])
        assert seen > 20


def test_a_lost_life_begins_no_episode() -> None:
    # A game of three lives; a step of END loses one.
    with parallel_pool.make("Trouble-v0", num_envs=1, lives=3) as pool:
        pool.reset()
        with parallel_pool.make("Trouble-v0", num_envs=1, lives=3) as other:
            fresh = other.reset(seed=9)[0]
        pool.queue(seed=9)
        end, go_on = np.array([testing_family.END]), np.array([testing_family.FINE])
        for _ in range(2):
            assert pool.step(end)[2][0]
            obs, _, _, _, info = pool.step(go_on)
            assert info["elapsed_step"][0] > 0
            assert (obs != fresh).any()
        assert pool.step(end)[2][0]
        obs, _, _, _, info = pool.step(go_on)
        assert info["elapsed_step"][0] == 0
        np.testing.assert_array_equal(obs, fresh)


def test_several_tasks() -> None:
    tasks: list[Any] = ["CartPole-v1", "Acrobot-v1"]
    with parallel_pool.make(
        tasks, num_envs=4, observation_padding=True, action_padding=True
    ) as pool:
        pool.reset()
        pool.queue([0, 3], seed=[7, 8])
        obs, _ = pool.reset()
        np.testing.assert_array_equal(obs[0][:4], first_obs(7))
        with parallel_pool.make("Acrobot-v1", num_envs=1) as other:
            np.testing.assert_array_equal(obs[3], other.reset(seed=8)[0][0])


class Counted(gymnasium.Env):
    """An env in Python that tells how it was reset."""

    observation_space = gymnasium.spaces.Box(-1e9, 1e9, (2,), np.float64)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self._obs = np.array([seed or 0, (options or {}).get("level", 0)], np.float64)
        self._left = 3
        return self._obs, {}

    def step(self, action: int) -> Any:
        self._left -= 1
        return self._obs, 0.0, self._left == 0, False, {}


@pytest.mark.parametrize("num_workers", [0] if sys.platform == "win32" else [0, 2])
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_envs_in_python(num_workers: int, mode: Any) -> None:
    with parallel_pool.make_python(
        Counted, 3, num_workers=num_workers, autoreset_mode=mode
    ) as pool:
        pool.reset()
        pool.queue([1], seed=55, options={"level": 4})
        for _ in range(4 if mode == "next_step" else 3):
            obs, *_ = pool.step(np.zeros(3, int))
        np.testing.assert_array_equal(obs, [[0, 0], [55, 4], [0, 0]])
        for _ in range(4 if mode == "next_step" else 3):
            obs, *_ = pool.step(np.zeros(3, int))
        np.testing.assert_array_equal(obs, np.zeros((3, 2)))


def test_bad_calls_change_nothing() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=3) as pool:
        pool.reset()
        pool.queue(0, seed=1)
        for arguments, error, words in (
            ({"env_id": 3, "seed": 1}, ValueError, "env_id"),
            ({"env_id": [0, 0], "seed": 1}, ValueError, "twice"),
            ({"env_id": [0, 1], "seed": [1]}, ValueError, "seed has 1 values"),
            ({"env_id": 0, "seed": -1}, ValueError, "seed is -1"),
            ({"env_id": 0, "options": {"lov": 1}}, ValueError, "did you mean low"),
            ({"options": {"reset_mask": np.ones(3, bool)}}, ValueError, "no reset_mask"),
            ({"env_id": 0, "options": {"low": 1.0, "high": 0.0}}, ValueError, "low"),
            ({"env_id": 0, "options": {"per_env": {"lo": [1]}}}, ValueError, "no option"),
        ):
            with pytest.raises(error, match=words):
                pool.queue(**arguments)
        pool.send(np.zeros(3, int))
        with pytest.raises(ValueError, match="in flight"):
            pool.queue(0, seed=2)
        pool.recv()


@pytest.mark.parametrize("batch_size", [4, 2])
def test_replays(tmp_path: pathlib.Path, batch_size: int) -> None:
    path = tmp_path / "run.ppr"
    pool = parallel_pool.make(
        "CartPole-v1", num_envs=4, batch_size=batch_size, num_threads=2, max_episode_steps=9
    )
    pool.record(path)
    pool.async_reset()
    results = []
    for step in range(200):
        results.append(pool.recv())
        ids = results[-1][4]["env_id"]
        per_env = {"max_episode_steps": (3 + ids % 5).tolist()}
        pool.queue(ids, seed=7 * step, options={"low": -0.01, "per_env": per_env})
        if step == 100:  # from here on in a file of its own, whose keyframe has what is queued
            pool.stop_recording() if batch_size == 4 else None
            pool.record(path) if batch_size == 4 else None
            results = results if batch_size == 2 else []
        pool.send(pool.sample_actions(results[-1][4] if results else None), ids)
    pool.close()
    with parallel_pool.replay(path) as replay:
        for k, again in zip(range(len(results)), replay, strict=False):
            same(results[k], again, f"result {k}")
        for step in (len(results) - 5, len(results) // 2):
            replay.seek(step)
            same(results[step], next(replay), f"result {step}")
