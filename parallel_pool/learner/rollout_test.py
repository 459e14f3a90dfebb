"""Rollouts have the rows of a plain loop over step(), in place."""

import sys
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.arrays.trees import flatten, take_rows
from parallel_pool.testing.results import same
from parallel_pool.testing.testing_family import FINE, THROW

ENVS, STEPS = 5, 40


@pytest.fixture(params=["next_step", "same_step"])
def mode(request: pytest.FixtureRequest) -> Any:
    return request.param


def actions(pool: Any, seed: int) -> Iterator[Any]:
    """Random actions of all envs."""
    pool.action_space.seed(seed)
    while True:
        yield np.stack([pool.action_space.sample() for _ in range(pool.num_envs)])


def leaves(tree: Any) -> list[Any]:
    return list(flatten(tree).values())


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("CartPole-v1", {}),
        ("Pendulum-v1", {"max_episode_steps": 17, "reward_dtype": "float64"}),
        ("FrozenLake-v1", {}),
        ("Taxi-v3", {"max_episode_steps": 9}),
        ("WalkerWalk-v1", {"max_episode_steps": 13}),
        ("Pong-v5", {"max_episode_steps": 11, "num_threads": 2}),
    ],
)
def test_rows_are_those_of_step(task_id: str, options: dict[str, Any], mode: Any) -> None:
    def make() -> Any:
        return parallel_pool.make(
            task_id, num_envs=ENVS, seed=4, autoreset_mode=mode, **{"num_threads": 1, **options}
        )

    with make() as pool, make() as twin:
        rollout = parallel_pool.Rollout(pool, STEPS)
        memory = [array.__array_interface__["data"] for array in leaves(rollout.obs)]
        theirs, _ = twin.reset()
        chosen = actions(pool, 1)
        began = np.zeros(ENVS, bool)
        for _ in range(3):
            ends, final_obs = [], []
            for step, obs in enumerate(rollout):
                same(obs, theirs)
                action = next(chosen)
                rollout.act(action, number=np.full(ENVS, step))
                theirs, reward, terminated, truncated, info = twin.step(action)
                same(rollout.reward[step], reward)
                same(rollout.terminated[step], terminated)
                same(rollout.truncated[step], truncated)
                same(rollout.extras["action"][step], action)
                ends.append(terminated | truncated)
                if mode == "same_step" and (truncated & ~terminated).any():
                    rows = truncated & ~terminated
                    final_obs += [[leaf[rows] for leaf in leaves(info["final_obs"])]]
            same(rollout.last_obs, theirs)
            counts = np.ones((STEPS, ENVS), bool)
            if mode == "next_step":
                counts = ~np.stack([began, *ends[:-1]])
                began = ends[-1]
            np.testing.assert_array_equal(rollout.is_transition, counts)
            if final_obs:
                packed = [np.concatenate(parts) for parts in zip(*final_obs, strict=True)]
                same(leaves(rollout.final_obs), packed)
            elif mode == "same_step":
                assert [len(part) for part in leaves(rollout.final_obs)] == [0] * len(memory)
            else:
                assert rollout.final_obs is None
            batch = rollout.batch()
            numbers = np.broadcast_to(np.arange(STEPS)[:, None], counts.shape)
            same(batch["number"], numbers[counts])
            same(batch["reward"], rollout.reward[counts])
            same(batch["obs"], take_rows(take_rows(rollout.obs, np.s_[:-1]), counts))
        assert memory == [array.__array_interface__["data"] for array in leaves(rollout.obs)]
        assert np.any(ends)


def finished(pool: Any, values: Any, **options: Any) -> Any:
    """A rollout of CartPole whose values are those of `values`."""
    rollout = parallel_pool.Rollout(pool, STEPS)
    chosen = actions(pool, 2)
    for obs in rollout:
        rollout.act(next(chosen), value=values(obs))
    final = None if rollout.final_obs is None else values(rollout.final_obs)
    rollout.finish(values(rollout.last_obs), final, **options)
    return rollout


def value_of(obs: Any) -> Any:
    """Some number of each observation."""
    return obs @ np.array([1, -2, 3, 0.5], np.float32) + 1


def test_advantages_do_not_depend_on_how_envs_are_reset() -> None:
    """Each episode has the same ones, and a truncated one uses its true last observation."""
    found = []
    for mode in ("next_step", "same_step"):
        with parallel_pool.make(
            "CartPole-v1", num_envs=1, seed=3, max_episode_steps=8, autoreset_mode=mode
        ) as pool:
            rollout = parallel_pool.Rollout(pool, STEPS)
            step = 0
            for step_of_loop, obs in enumerate(rollout):
                # The row that only resets takes no action of the sequence.
                is_step = bool(rollout.is_transition[step_of_loop, 0])
                rollout.act(np.array([step // 2 % 2]), value=value_of(obs))
                step += is_step
            final = None if rollout.final_obs is None else value_of(rollout.final_obs)
            rollout.finish(value_of(rollout.last_obs), final, gamma=0.9, gae_lambda=0.8)
            assert (rollout.truncated & ~rollout.terminated).any()
            found.append(rollout.batch())
    # Later rows of the longer one see more of the last episode, so whole episodes are compared.
    whole = 8 * (len(found[0]["advantage"]) // 8)
    for name in ("obs", "reward", "advantage", "target"):
        np.testing.assert_array_equal(found[0][name][:whole], found[1][name][:whole], name)
    assert len(found[1]["advantage"]) > len(found[0]["advantage"]) > 20


def test_finish_is_gae(mode: Any) -> None:
    with parallel_pool.make("CartPole-v1", num_envs=ENVS, seed=0, autoreset_mode=mode) as pool:
        rollout = finished(pool, value_of, gamma=0.9, gae_lambda=0.8)
        advantage, target = parallel_pool.returns.gae(
            rollout.reward,
            rollout.extras["value"],
            rollout.terminated,
            rollout.truncated,
            value_of(rollout.last_obs),
            gamma=0.9,
            gae_lambda=0.8,
            is_transition=rollout.is_transition,
        )
        np.testing.assert_array_equal(rollout.advantage, advantage)
        np.testing.assert_array_equal(rollout.target, target)
        assert rollout.batch()["advantage"].shape == (rollout.is_transition.sum(),)


def test_a_batch_of_transitions_only_is_no_copy() -> None:
    with parallel_pool.make("Pendulum-v1", num_envs=3) as pool:
        rollout = parallel_pool.Rollout(pool, 6)
        for _ in rollout:
            rollout.act(np.zeros((3, 1), np.float32))
        batch = rollout.batch()
        assert batch["obs"].shape == (18, 3)
        for name in ("obs", "reward", "terminated"):
            assert np.shares_memory(batch[name], getattr(rollout, name))


class Counter(gymnasium.Env[Any, Any]):
    """An env in Python that counts its steps and ends after the seventh."""

    observation_space = gymnasium.spaces.Box(0, 99, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.count = 0
        return np.zeros(2, np.float32), {}

    def step(self, action: Any) -> Any:
        self.count += 1
        return np.full(2, self.count, np.float32), float(action), self.count == 7, False, {}


@pytest.mark.parametrize("num_workers", [0] if sys.platform == "win32" else [0, 2])
def test_envs_in_python(num_workers: int) -> None:
    with parallel_pool.make_python([Counter] * 4, num_workers=num_workers) as pool:
        rollout = parallel_pool.Rollout(pool, 20)
        for _ in rollout:
            rollout.act(np.ones(4, int))
        np.testing.assert_array_equal(
            rollout.obs[:, 0, 0], [0, 1, 2, 3, 4, 5, 6, 7] * 2 + [*range(5)]
        )
        assert rollout.is_transition.sum() == 4 * 18
        assert rollout.reward.sum() == 4 * 18


def test_a_loop_that_is_left_early_goes_on() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2, seed=1) as pool:
        rollout = parallel_pool.Rollout(pool, 10)
        for step, _ in enumerate(rollout):
            rollout.act(np.zeros(2, int))
            if step == 3:
                break
        last = rollout.last_obs.copy()
        with pytest.raises(RuntimeError, match=r"batch\(\) needs a whole loop: 4 of 10 steps"):
            rollout.batch()
        for _ in rollout:
            rollout.act(np.zeros(2, int))
        np.testing.assert_array_equal(rollout.obs[0], last)
        rollout.reset(seed=1)
        with parallel_pool.make("CartPole-v1", num_envs=2, seed=1) as twin:
            np.testing.assert_array_equal(next(iter(rollout)), twin.reset()[0])


def test_an_env_that_throws() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=3) as pool:
        rollout = parallel_pool.Rollout(pool, 4)
        for step, _ in enumerate(rollout):
            rollout.act(np.full(3, FINE))
            if step == 1:
                break
        observed = iter(rollout)
        next(observed)
        with pytest.raises(parallel_pool.EnvError, match="env 1") as raised:
            rollout.act(np.array([FINE, THROW, FINE]))
        for part in leaves(raised.value.result[0]):
            while isinstance(part, np.ndarray):  # the memory's owner is an array of the rollout
                owner, part = part, part.base
            assert part is None and any(owner is whole for whole in leaves(rollout.obs))
        assert rollout.truncated[0].tolist() == [False, True, False]
        for _ in rollout:
            rollout.act(np.full(3, FINE))
        assert rollout.is_transition[0].tolist() == [True, False, True]


def test_episodes_are_recorded() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4, record_episode_statistics=True) as pool:
        rollout = parallel_pool.Rollout(pool, 60)
        for _ in rollout:
            rollout.act(np.zeros(4, int))
        ends = (rollout.terminated | rollout.truncated).sum()
        assert len(rollout.episode_returns) == ends > 4
        assert 8 <= min(rollout.episode_returns) <= max(rollout.episode_returns) <= 11


def test_wrong_calls() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2) as pool:
        rollout = parallel_pool.Rollout(pool, 3)
        with pytest.raises(RuntimeError, match=r"act\(\) belongs into a loop"):
            rollout.act(np.zeros(2, int))
        with pytest.raises(RuntimeError, match=r"act\(\) was not called in step 0"):
            list(rollout)
        for step, _ in enumerate(rollout):
            if step == 1:
                with pytest.raises(ValueError, match=r"given action; .* was action, value"):
                    rollout.act(np.zeros(2, int))
                with pytest.raises(
                    ValueError, match=r"value cannot be kept: .*shape \(3,\), not \(2,\)"
                ):
                    rollout.act(np.zeros(2, int), value=np.zeros(3))
                with pytest.raises(
                    ValueError, match=r"action cannot be kept: .*float64, not int64"
                ):
                    rollout.act(np.zeros(2), value=np.zeros(2))
                with pytest.raises(ValueError, match="CartPole-v1"):
                    rollout.act(np.full(2, 7), value=np.zeros(2))
            rollout.act(np.zeros(2, int), value=np.zeros(2))
            with pytest.raises(RuntimeError, match="once for each step"):
                rollout.act(np.zeros(2, int), value=np.zeros(2))
        with pytest.raises(ValueError, match="last_value has shape"):
            rollout.finish(np.zeros(5))
        other = parallel_pool.Rollout(pool, 1)
        for _ in other:
            with pytest.raises(ValueError, match="an extra cannot have the name 'reward'"):
                other.act(np.zeros(2, int), reward=np.zeros(2))
            with pytest.raises(ValueError, match="it has no env_id"):
                other.act({"action": np.zeros(1, int), "env_id": np.array([1])})
            other.act(np.zeros(2, int))
        with pytest.raises(RuntimeError, match=r"finish\(\) needs the values"):
            other.finish(np.zeros(2))


@pytest.mark.parametrize(
    ("task_id", "options", "steps", "error", "text"),
    [
        ("CartPole-v1", {"batch_size": 2}, 3, ValueError, "batch_size is 2 of 4"),
        ("CartPole-v1", {"autoreset_mode": "disabled"}, 3, ValueError, "'next_step' or 'same_"),
        ("CartPole-v1", {"env_type": "dm"}, 3, TypeError, "env_type='gymnasium' or 'gym'"),
        ("CartPole-v1", {}, 0, ValueError, "steps is 0; it must be at least 1"),
        ("CartPole-v1", {}, 2.0, TypeError, "steps must be an integer, not float"),
        ("TicTacToe-v0", {}, 3, ValueError, "cannot have players that come and go"),
    ],
)
def test_refused(
    task_id: str, options: dict[str, Any], steps: Any, error: type[Exception], text: str
) -> None:
    with (
        parallel_pool.make(task_id, num_envs=4, **options) as pool,
        pytest.raises(error, match=text),
    ):
        parallel_pool.Rollout(pool, steps)


def test_a_device_needs_torch() -> None:
    with (
        parallel_pool.make("CartPole-v1", num_envs=4) as pool,
        pytest.raises(ValueError, match="device is 'cuda'; it needs torch=True"),
    ):
        parallel_pool.Rollout(pool, 3, device="cuda")
