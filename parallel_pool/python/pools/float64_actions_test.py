"""Actions of float64 in spaces of float32: tasks that take them get them unrounded, on every way.

That the results equal the references' is tested with each family, whose random actions have both
dtypes (testing/gymnasium_parity.py).
"""

import pathlib
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.results import same

TASK, ENVS, STEPS = "HalfCheetah-v5", 3, 40


def actions(dtype: Any = np.float64) -> list[Any]:
    random = np.random.default_rng(1)
    return [random.uniform(-1, 1, (ENVS, 6)).astype(dtype) for _ in range(STEPS)]


def make(**options: Any) -> Any:
    return parallel_pool.make(
        TASK, num_envs=ENVS, seed=7, reward_dtype="float64", **{"num_threads": 2, **options}
    )


def play(pool: Any, sent: list[Any]) -> list[Any]:
    pool.reset(seed=7)
    return [pool.step(action)[:2] for action in sent]


def agree(some: list[Any], others: list[Any]) -> bool:
    return all(np.array_equal(a[0], b[0]) for a, b in zip(some, others, strict=True))


def test_the_env_gets_them_unrounded() -> None:
    with make() as pool:
        assert pool.single_action_space.dtype == np.float32
        found = play(pool, actions())
    reference = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make(TASK)] * ENVS)
    reference.reset(seed=7)
    same(found, [reference.step(action)[:2] for action in actions()])
    with make() as pool:
        assert not agree(found, play(pool, actions(np.float32))), "rounding must matter"
        same(found, play(pool, [action.tolist() for action in actions()]))


def test_calls_of_both_dtypes_in_turn() -> None:
    sent = [a.astype(np.float32) if k % 2 else a for k, a in enumerate(actions())]
    with make() as pool:
        found = play(pool, sent)
    reference = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make(TASK)] * ENVS)
    reference.reset(seed=7)
    same(found, [reference.step(action)[:2] for action in sent])


def test_an_async_pool() -> None:
    with make() as pool:
        expected = play(pool, actions())
    with make(batch_size=2) as pool:
        pool.async_reset()
        sent, seen = actions(), [-1] * ENVS
        while min(seen) < STEPS - 1:
            obs, _, _, _, info = pool.recv()
            ids = info["env_id"]
            for row, env in zip(obs, ids, strict=True):
                seen[env] += 1
                if 0 < seen[env] <= STEPS:
                    np.testing.assert_array_equal(row, expected[seen[env] - 1][0][env])
            pool.send(np.array([sent[min(seen[env], STEPS - 1)][env] for env in ids]), ids)


@pytest.mark.parametrize("dtypes", [(np.float64,), (np.float32,), (np.float64, np.float32)])
def test_a_recording_has_their_dtype(dtypes: Any, tmp_path: pathlib.Path) -> None:
    sent = [a.astype(dtypes[k % len(dtypes)]) for k, a in enumerate(actions())]
    with make() as pool, pool.record(tmp_path / "run.ppr"):
        expected = play(pool, sent)
    for env_id in (None, 1):
        with parallel_pool.replay(tmp_path / "run.ppr", env_id=env_id) as run:
            rows = slice(None) if env_id is None else slice(env_id, env_id + 1)
            for k, step in enumerate(run):
                if k == 0:
                    continue
                np.testing.assert_array_equal(step[0], expected[k - 1][0][rows])
                np.testing.assert_array_equal(run.action, sent[k - 1][rows], strict=True)


def test_rescaled_and_clipped() -> None:
    options: dict[str, Any] = {"clip_action": True, "rescale_action": True}
    sent = [1.2 * action for action in actions()]
    with make(**options) as pool:
        found = play(pool, sent)

    def wrapped() -> Any:
        env = gymnasium.wrappers.RescaleAction(gymnasium.make(TASK), np.float32(-1), np.float32(1))
        return gymnasium.wrappers.ClipAction(env)

    reference = gymnasium.vector.SyncVectorEnv([wrapped] * ENVS)
    reference.reset(seed=7)
    same(found, [reference.step(action)[:2] for action in sent])


def test_a_pool_of_several_tasks() -> None:
    with make() as pool:
        expected = play(pool, actions())
    tasks: list[Any] = [(TASK, {"num_envs": ENVS}), ("Hopper-v5", {"num_envs": 1})]
    padding: dict[str, Any] = {"action_padding": True, "observation_padding": True}
    with parallel_pool.make(tasks, seed=7, reward_dtype="float64", **padding) as pool:
        sent = [np.vstack([action, np.zeros((1, 6))]) for action in actions()]
        found = play(pool, sent)
    for (obs, reward), (wanted, wanted_reward) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(obs[:ENVS], wanted)
        np.testing.assert_array_equal(reward[:ENVS], wanted_reward)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_envs_in_python(num_workers: int) -> None:
    with make() as pool:
        expected = play(pool, actions())
    with parallel_pool.make_python(
        TASK, ENVS, num_workers=num_workers, seed=7, reward_dtype="float64"
    ) as pool:
        same(play(pool, actions()), expected)


def test_checked_bounds() -> None:
    with make(check_actions=True) as pool:
        pool.reset()
        good, bad = np.ones((ENVS, 6)), np.ones((ENVS, 6))
        bad[1, 4] = 1.5
        with pytest.raises(
            ValueError,
            match=r"action\[1\] \(element 4\) is 1.5; allowed are numbers from -1 to 1 "
            r"\(check_actions\)",
        ):
            pool.step(bad)
        with pytest.raises(ValueError, match=r"is nan; allowed are finite numbers"):
            pool.step(good * np.nan)
        pool.step(good)
    with make() as pool:
        pool.reset()
        pool.step(bad)  # envs clip
    with parallel_pool.make("CartPole-v1", num_envs=1, check_actions=True) as pool:
        pool.reset()
        with pytest.raises(ValueError, match="allowed are the integers 0 to 1"):
            pool.step([2])
    with parallel_pool.make_python("Pendulum-v1", 1, check_actions=True) as pool:
        pool.reset()
        with pytest.raises(ValueError, match="numbers from -2 to 2"):
            pool.step([[2.5]])
