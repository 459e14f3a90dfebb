"""A step that ends an episode, and is the last one of its time limit, has both flags everywhere."""

import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import parallel_pool
from parallel_pool.compat import LegacyGym
from parallel_pool.testing.testing_family import END, FINE

WORKERS = 0 if sys.platform == "win32" else 2
# Env 0 ends in the step of its limit, env 1 only has the limit, and env 2 ends before it.
STEPS = [[FINE, FINE, FINE], [FINE, FINE, END], [END, FINE, FINE]]
LIMIT = 3
TERMINATED, TRUNCATED = [True, False, False], [True, True, False]


class Ending(gymnasium.Env[Any, Any]):
    """An env in Python whose episodes end by an action."""

    observation_space = spaces.Box(0, 99, (2,), np.float64)
    action_space = spaces.Discrete(7)

    def __init__(self) -> None:
        self.steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.steps = 0
        return np.zeros(2), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        return np.full(2, self.steps, np.float64), 1.0, bool(action == END), False, {}


def limited() -> Any:
    return gymnasium.wrappers.TimeLimit(Ending(), LIMIT)


def task(**options: Any) -> Any:
    return parallel_pool.make("Trouble-v0", num_envs=3, max_episode_steps=LIMIT, **options)


# Each makes a pool of three envs.
POOLS: dict[str, Any] = {
    "C++": task,
    "async": lambda **options: task(batch_size=2, **options),
    "Python": lambda **options: parallel_pool.make_python(
        Ending, 3, num_workers=0, max_episode_steps=LIMIT, **options
    ),
    "Python's own limit": lambda **options: parallel_pool.make_python(
        limited, 3, num_workers=0, **options
    ),
    "workers": lambda **options: parallel_pool.make_python(
        limited, 3, num_workers=WORKERS, **options
    ),
    "record": lambda **options: task(record_episode_statistics=True, **options),
    "time_aware": lambda **options: task(obs_dtype="float32", time_aware=True, **options),
}


def last_rows(pool: Any) -> tuple[list[bool], list[bool], Any]:
    """(terminated, truncated, info or TimeStep) of the third step of each env; sync or async."""
    if not pool.is_async:
        pool.reset()
        for action in STEPS[:-1]:
            pool.step(action)
        *_, terminated, truncated, info = pool.step(STEPS[-1])
        return terminated.tolist(), truncated.tolist(), info
    pool.async_reset()
    made = [0, 0, 0]
    flags: dict[int, tuple[bool, bool]] = {}
    while len(flags) < 3:
        *_, terminated, truncated, info = pool.recv()
        actions = []
        for row, env in enumerate(info["env_id"].tolist()):
            if made[env] == LIMIT:
                flags.setdefault(env, (bool(terminated[row]), bool(truncated[row])))
            actions.append(STEPS[made[env]][env] if made[env] < LIMIT else FINE)
            made[env] += 1
        pool.send(actions, info["env_id"])
    return [flags[e][0] for e in range(3)], [flags[e][1] for e in range(3)], None


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("env_type", ["gymnasium", "gym"])
@pytest.mark.parametrize("name", POOLS)
def test_pools(name: str, env_type: Any, mode: Any) -> None:
    with POOLS[name](env_type=env_type, autoreset_mode=mode) as pool:
        terminated, truncated, info = last_rows(pool)
        assert (terminated, truncated) == (TERMINATED, TRUNCATED)
        if mode == "same_step" and info is not None:
            assert info["_final_obs"].tolist() == [True, True, False]
            assert info["final_info"]["elapsed_step"].tolist() == [3, 3, 0]


@pytest.mark.parametrize("name", [name for name in POOLS if name != "async"])
def test_disabled_autoreset(name: str) -> None:
    with POOLS[name](autoreset_mode="disabled") as pool:
        pool.reset()
        pool.step(STEPS[0])
        pool.step(STEPS[1])
        pool.reset([2])
        *_, terminated, truncated, _ = pool.step(STEPS[2])
        assert (terminated.tolist(), truncated.tolist()) == (TERMINATED, TRUNCATED)


@pytest.mark.parametrize("name", [name for name in POOLS if name != "async"])
def test_dm_env(name: str) -> None:
    with POOLS[name](env_type="dm") as pool:
        pool.reset()
        pool.step(STEPS[0])
        pool.step(STEPS[1])
        step = pool.step(STEPS[2])
        assert step.last().tolist() == [True, True, False]
        assert step.discount.tolist()[:2] == [0.0, 1.0]  # 0 where the env itself has ended


def vector_envs(task_id: str) -> Any:
    if task_id == "Python":
        return gymnasium.make_vec(
            "parallel_pool/python", num_envs=3, env=Ending, max_episode_steps=LIMIT, num_workers=0
        )
    return gymnasium.make_vec(f"parallel_pool/{task_id}", num_envs=3, max_episode_steps=LIMIT)


@pytest.mark.parametrize("task_id", ["Trouble-v0", "Python"])
def test_gymnasium_make_vec(task_id: str) -> None:
    with vector_envs(task_id) as envs:
        terminated, truncated, _ = last_rows(envs)
        assert (terminated, truncated) == (TERMINATED, TRUNCATED)


def single(api: str) -> Any:
    if api == "gymnasium.make":
        return gymnasium.make("parallel_pool/Trouble-v0", max_episode_steps=LIMIT)
    if api == "gym":
        return parallel_pool.make_gym("Trouble-v0", num_envs=None, max_episode_steps=LIMIT)
    return parallel_pool.make("Trouble-v0", num_envs=None, max_episode_steps=LIMIT)


@pytest.mark.parametrize("api", ["gymnasium", "gym", "gymnasium.make"])
def test_single_envs(api: str) -> None:
    env = single(api)
    for env_id in (0, 1):
        env.reset()
        for action in STEPS[:-1]:
            assert not any(env.step(action[env_id])[2:4])
        assert env.step(STEPS[-1][env_id])[2:4] == (TERMINATED[env_id], TRUNCATED[env_id])
    env.close()


def test_a_single_env_of_dm_env() -> None:
    env = parallel_pool.make_dm("Trouble-v0", num_envs=None, max_episode_steps=LIMIT)
    for env_id, discount in ((0, 0.0), (1, 1.0)):
        env.reset()
        for action in STEPS[:-1]:
            env.step(action[env_id])
        step = env.step(STEPS[-1][env_id])
        assert step.last() and step.discount == discount
    env.close()


@pytest.mark.parametrize("name", ["C++", "Python"])
def test_legacy_gym_truncates_what_has_not_ended(name: str) -> None:
    with LegacyGym(POOLS[name](env_type="gym")) as env:
        env.reset()
        env.step(STEPS[0])
        env.step(STEPS[1])
        _, _, done, info = env.step(STEPS[2])
        assert done.tolist() == [True, True, False]
        assert info["TimeLimit.truncated"].tolist() == [False, True, False]


@pytest.mark.parametrize("name", ["C++", "Python"])
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_rollouts(name: str, mode: Any) -> None:
    with POOLS[name](autoreset_mode=mode) as pool:
        rollout = parallel_pool.Rollout(pool, LIMIT)
        for step, _ in enumerate(rollout):
            rollout.act(np.array(STEPS[step]), value=np.full(3, 10.0))
        assert rollout.terminated[-1].tolist() == TERMINATED
        assert rollout.truncated[-1].tolist() == TRUNCATED
        if mode == "same_step":  # the value after an end counts nothing, whatever it is
            assert len(rollout.final_obs) == 1
        final = np.full(1, 100.0) if mode == "same_step" else None
        rollout.finish(np.full(3, 100.0), final, gamma=1.0, gae_lambda=1.0)
        reward = rollout.reward[-1]
        assert rollout.target[-1].tolist()[:2] == [reward[0], reward[1] + 100]
