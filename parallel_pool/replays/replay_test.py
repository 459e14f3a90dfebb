"""Recorded runs are played again with equal results, from each of their steps."""

import pathlib
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family
from parallel_pool.testing.recorded_run import NUM_ENVS, Run
from parallel_pool.testing.results import same


@pytest.mark.parametrize("batch_size", [NUM_ENVS, 2])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"autoreset_mode": "same_step", "record_episode_statistics": True},
        {"normalize_observation": True, "normalize_reward": True, "clip_observation": 2.0},
        {"stack_num": 2, "time_aware": False, "action_repeat": 2, "reward_dtype": "float64"},
        {"per_env": {"max_episode_steps": [5, 6, 7, 8, 9, 10]}},
    ],
)
def test_runs_of_cart_pole(tmp_path: pathlib.Path, batch_size: int, options: Any) -> None:
    run = Run(tmp_path, "CartPole-v1", batch_size=batch_size, **options)
    if run.pool.is_async:
        run.pool.async_reset()
    else:
        run.reset(seed=3)
    run.steps(150)
    run.check(num_threads=1)


@pytest.mark.parametrize("task", ["Echo-v0", "Words-v0", "Crowd-v0", "Turns-v0"])
def test_other_arrays_and_players(tmp_path: pathlib.Path, task: str) -> None:
    run = Run(tmp_path, task)
    run.reset()
    run.steps(60)
    run.check()


def test_all_that_a_pool_can_be_asked(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "CartPole-v1", normalize_observation=True)
    run.reset(seed=[5, 4, 3, 2, 1, 0])
    run.steps(20)
    saved, statistics = run.pool.save(), run.pool.statistics()
    run.reset([4, 1], seed=9, options={"low": -0.01, "high": 0.01})
    run.steps(20)
    run.pool.load(saved)
    run.steps(20)
    run.pool.load_statistics(statistics)
    mask = np.array([True, False, False, True, False, False])
    run.reset(options={"reset_mask": mask, "per_env": {"max_episode_steps": [3] * NUM_ENVS}})
    run.steps(20)
    run.results.append(run.pool.step(np.array([1, 0]), [3, 5]))
    run.steps(5)
    run.check()


def test_several_tasks(tmp_path: pathlib.Path) -> None:
    tasks: list[Any] = [("CartPole-v1", {}), ("Acrobot-v1", {})]
    run = Run(*(tmp_path, tasks), batch_size=4, observation_padding=True, action_padding=True)
    run.pool.async_reset()
    run.steps(100)
    run.check()


def test_actions(tmp_path: pathlib.Path) -> None:
    with parallel_pool.make("Pendulum-v1", num_envs=2) as pool:
        with pool.record(tmp_path / "run.ppr"):
            pool.reset()
            sent = [pool.sample_actions() for _ in range(9)]
            for action in sent:
                pool.step(action)
        pool.step(sent[0])  # not recorded
    with parallel_pool.replay(tmp_path / "run.ppr") as replay:
        next(replay)
        assert replay.was_reset.tolist() == [True, True]
        for action in sent:
            next(replay)
            np.testing.assert_array_equal(replay.action, action)
            assert replay.was_reset.tolist() == [False, False]
        assert next(replay, None) is None


@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "dm"])
@pytest.mark.parametrize("num_envs", [None, 2])
def test_apis(tmp_path: pathlib.Path, env_type: Any, num_envs: int | None) -> None:
    env = parallel_pool.make("Acrobot-v1", env_type, num_envs=num_envs)
    env.record(tmp_path / "run.ppr")
    results = [env.reset()]
    results += [env.step(1 if num_envs is None else np.ones(2, int)) for _ in range(20)]
    env.close()
    with parallel_pool.replay(tmp_path / "run.ppr") as replay:
        first = next(replay)
        assert (first if env_type == "dm" else first[0]) is not None
        for mine in results[1:]:
            same(tuple(mine), tuple(next(replay)))


def test_a_rollout_is_recorded(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "CartPole-v1")
    rollout = parallel_pool.Rollout(run.pool, 16)
    for _ in rollout:
        rollout.act(run.pool.sample_actions())
    run.pool.close()
    with parallel_pool.replay(run.path) as replay:
        rewards = [result[1] for result in replay][1:]
    np.testing.assert_array_equal(rewards, rollout.reward)


class Walk(gymnasium.Env):
    """An env in Python."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,))
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self, noise: float = 1.0) -> None:
        self._noise = noise

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self._place = self.np_random.normal(size=2).astype(np.float32)
        self._place += (options or {}).get("begin", 0)
        return self._place, {"text": f"at {self._place}"}

    def step(self, action: int) -> Any:
        noise = self._noise * self.np_random.normal(size=2).astype(np.float32)
        self._place = self._place + action - 1 + noise
        return self._place, float(action), bool(self._place[0] > 3), False, {"n": int(action)}


def test_envs_in_python(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "run.ppr"
    pool = parallel_pool.make_python(Walk, 5, 2, 0 if sys.platform == "win32" else 2)
    pool.record(path)
    pool.async_reset()
    results = []
    for _ in range(200):
        results.append(pool.recv())
        ids = results[-1][4]["env_id"]
        pool.send(pool.sample_actions(results[-1][4]), ids)
    pool.close()
    with pytest.raises(ValueError, match="give its envs"):
        parallel_pool.replay(path)
    with parallel_pool.replay(path, env=Walk) as replay:
        for k, again in enumerate(replay):
            same(results[k], again, f"result {k}")
        assert replay.verified == 3
    with (
        parallel_pool.replay(path, env=lambda: Walk(noise=1.1)) as replay,
        pytest.raises(parallel_pool.ReplayError, match="result 63, or one"),
    ):
        list(replay)


def test_reset_options_of_envs_in_python(tmp_path: pathlib.Path) -> None:
    """They are pickles, which have zeros inside."""
    results = []
    with parallel_pool.make_python(Walk, 3, num_workers=0) as pool:
        pool.record(tmp_path / "run.ppr")
        results.append(pool.reset(options={"begin": 100}))
        pool.queue(1, seed=5, options={"begin": 50})
        results.append(pool.reset(seed=2))  # drops what was queued
        pool.queue(1, seed=5, options={"begin": 50})
        results.append(pool.reset())
        pool.queue([1], options={"begin": 70})
        state = pool.save()
        pool.load(state)
        results.append(pool.reset())
    starts = [[int(np.round(x, -1)) for x in obs[:, 0]] for obs, _ in results]
    assert starts == [[100] * 3, [0] * 3, [0, 50, 0], [0, 70, 0]]
    with parallel_pool.replay(tmp_path / "run.ppr", env=Walk) as replay:
        for result, again in zip(results, replay, strict=True):
            same(result, (again[0], again[4]), "reset")


def test_env_errors_come_again(tmp_path: pathlib.Path) -> None:
    run = Run(tmp_path, "Trouble-v0", num_envs=3)
    run.reset()
    with pytest.raises(parallel_pool.EnvError) as kept:
        run.pool.step(np.array([testing_family.FINE, testing_family.THROW, testing_family.FINE]))
    run.results += [kept.value.result]
    run.results += [run.pool.step(np.zeros(3, int))]
    run.pool.close()
    with parallel_pool.replay(run.path) as replay:
        next(replay)
        with pytest.raises(parallel_pool.EnvError) as again:
            next(replay)
        assert (str(again.value), again.value.env_ids) == (str(kept.value), [1])
        run.compare(1, again.value.result)
        run.compare(2, next(replay))
