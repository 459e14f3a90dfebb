"""A training that is cut and resumed equals one that is not: save() and load() of learners."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.arrays.trees import map_leaves, take_rows
from parallel_pool.testing.results import same

NORMALIZED = {"normalize_observation": True, "normalize_reward": True}


class Drift(gymnasium.Env[Any, Any]):
    """An env in Python whose observations follow from its random numbers and actions."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = self.np_random.normal(size=2)
        return self.at.copy(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.at = self.at + action - 1 + self.np_random.normal(size=2)
        return self.at.copy(), float(self.at[0]), bool(abs(self.at[1]) > 3), False, {"a": action}


def pool_of(kind: str, **options: Any) -> Any:
    """A pool of one of the kinds that a training may have."""
    if kind == "python":
        return parallel_pool.make_python(Drift, num_envs=4, seed=5, num_workers=2, **options)
    if kind == "several":
        return parallel_pool.make(
            ["CartPole-v1", "Acrobot-v1"],
            num_envs=6,
            seed=3,
            max_episode_steps=20,
            observation_padding=True,
            action_padding=True,
            **options,
        )
    if kind == "players":
        return parallel_pool.make("SimpleSpread-v3", num_envs=4, seed=3, **options)
    return parallel_pool.make(
        "CartPole-v1",
        num_envs=8,
        seed=3,
        max_episode_steps=30,
        record_episode_statistics=True,
        **options,
    )


def copied(tree: Any) -> Any:
    """Copies of the arrays, which no later step writes to."""
    return map_leaves(np.array, tree)


def play_rollout(rollout: Any, loops: int) -> list[Any]:
    """All that the loops have shown."""
    shown: list[Any] = []
    for _ in range(loops):
        for obs in rollout:
            shown.append(copied(obs))
            action = rollout.pool.sample_actions(
                rollout.info if rollout.pool._pool_spec.setup.most_players else None
            )
            rows = len(rollout.pool)
            rollout.act(action, value=np.full(rows, len(shown), np.float32))
        shown.append(copied(rollout.batch()))
        shown.append({"returns": np.array(rollout.episode_returns)})
    return shown


def play_trajectories(trajectories: Any, loops: int) -> list[Any]:
    shown: list[Any] = []
    for _ in range(loops):
        for obs in trajectories:
            shown.append(copied(obs))
            trajectories.act(trajectories.pool.sample_actions(trajectories.info))
        shown.append(copied(trajectories.batch()))
        shown.append({"returns": np.array(trajectories.episode_returns)})
    return shown


def play_pipeline(pipeline: Any, steps: int) -> list[Any]:
    shown: list[Any] = []
    for _ in range(steps):
        ids = {"env_id": pipeline.parts[pipeline.part]}
        obs, reward, terminated, truncated, info = pipeline.step(pipeline.pool.sample_actions(ids))
        shown.append(copied({"obs": obs, "r": reward, "t": terminated, "c": truncated, "i": info}))
    return shown


def assert_all_same(one: list[Any], other: list[Any]) -> None:
    same(tuple(one), tuple(other), "row")


ROLLOUTS = [
    ("cartpole", {}),
    ("cartpole", {"autoreset_mode": "same_step"}),
    ("cartpole", NORMALIZED),
    ("cartpole", {"stack_num": 3, **NORMALIZED}),
    ("several", {}),
    ("players", {}),
    ("python", {}),
    ("python", NORMALIZED),
]


@pytest.mark.parametrize(("kind", "options"), ROLLOUTS)
def test_a_rollout_that_is_resumed_equals_one_that_is_not(
    kind: str, options: dict[str, Any]
) -> None:
    rollout = parallel_pool.Rollout(pool_of(kind, **options), 7)
    play_rollout(rollout, 3)
    saved = rollout.save()
    uncut = play_rollout(rollout, 4)
    again = parallel_pool.Rollout(pool_of(kind, **options), 7)
    play_rollout(again, 1)  # of this nothing is left
    again.load(saved)
    assert_all_same(uncut, play_rollout(again, 4))


@pytest.mark.parametrize(("kind", "options"), ROLLOUTS)
def test_a_rollout_over_a_loaded_pool_goes_on_with_its_episodes(
    kind: str, options: dict[str, Any]
) -> None:
    pool = pool_of(kind, **options)
    rollout = parallel_pool.Rollout(pool, 7)
    play_rollout(rollout, 3)
    saved, resets = pool.save(), pool.stats()["resets"]
    uncut = play_rollout(rollout, 2)
    other = pool_of(kind, **options)
    other.load(saved)
    resumed = play_rollout(parallel_pool.Rollout(other, 7), 2)
    assert other.stats()["resets"] == pool.stats()["resets"] - resets
    # The first row is shown by the present statistics, where it was shown by earlier ones.
    first = 1 if options.get("normalize_observation") else 0
    assert_all_same(uncut[first:7], resumed[first:7])


def test_statistics_do_not_count_what_is_shown_once_more() -> None:
    pool = pool_of("cartpole", **NORMALIZED)
    play_rollout(parallel_pool.Rollout(pool, 5), 1)
    before = pool.statistics()
    for _ in parallel_pool.Rollout(pool, 5):
        break
    same(before, pool.statistics())


TRAJECTORIES = [
    ("cartpole", {"batch_size": 4, "num_threads": 1}),
    ("cartpole", {"batch_size": 8, **NORMALIZED}),
    ("cartpole", {"batch_size": 4, "num_threads": 1, "autoreset_mode": "same_step"}),
    ("several", {}),
    ("players", {}),
    ("python", {}),
]


@pytest.mark.parametrize(("kind", "options"), TRAJECTORIES)
def test_trajectories_that_are_resumed_equal_those_that_are_not(
    kind: str, options: dict[str, Any]
) -> None:
    one = parallel_pool.Trajectories(pool_of(kind, **options), 7)
    play_trajectories(one, 3)
    saved = one.save()
    uncut = play_trajectories(one, 4)
    again = parallel_pool.Trajectories(pool_of(kind, **options), 7)
    play_trajectories(again, 1)
    again.load(saved)
    assert_all_same(uncut, play_trajectories(again, 4))


def test_trajectories_are_not_changed_by_save() -> None:
    options = {"batch_size": 4, "num_threads": 1}
    one = parallel_pool.Trajectories(pool_of("cartpole", **options), 7)
    other = parallel_pool.Trajectories(pool_of("cartpole", **options), 7)
    play_trajectories(one, 2)
    one.save()
    assert_all_same(
        play_trajectories(one, 2),
        (play_trajectories(other, 2), play_trajectories(other, 2))[1],
    )


def by_env(batch: dict[str, Any]) -> list[Any]:
    """The rows of each env of a batch, in their order."""
    return [take_rows(batch, batch["env_id"] == env) for env in range(8)]


def test_rows_that_fill_no_batch_are_saved_too() -> None:
    """Which rows come first is chance here, so each env's time line is compared."""
    options = {"batch_size": 3, "num_threads": 2}

    def play(trajectories: Any, loops: int) -> list[Any]:
        batches: list[Any] = []
        for _ in range(loops):
            for _ in trajectories:
                ids = trajectories.info["env_id"]
                trajectories.act((ids + trajectories.info["elapsed_step"]) % 2)
            batches.append(copied(trajectories.batch()))
        return by_env({n: np.concatenate([b[n] for b in batches]) for n in batches[0]})

    one = parallel_pool.Trajectories(pool_of("cartpole", **options), 9)
    play(one, 2)
    saved = one.save()
    uncut = play(one, 3)
    again = parallel_pool.Trajectories(pool_of("cartpole", **options), 9)
    again.load(saved)
    resumed = play(again, 3)
    for mine, theirs in zip(uncut, resumed, strict=True):
        rows = slice(min(len(mine["obs"]), len(theirs["obs"])))
        assert rows.stop > 15
        same(take_rows(mine, rows), take_rows(theirs, rows))


def test_trajectories_name_the_way_out_when_others_have_moved_the_pool() -> None:
    pool = pool_of("cartpole", batch_size=4)
    trajectories = parallel_pool.Trajectories(pool, 3)
    play_trajectories(trajectories, 1)
    pool.reset()
    with pytest.raises(RuntimeError, match=r"by others.*reset\(\)"):
        play_trajectories(trajectories, 1)
    with pytest.raises(RuntimeError, match="by others"):
        trajectories.save()
    trajectories.reset(seed=1)
    play_trajectories(trajectories, 1)


@pytest.mark.parametrize("kind", ["cartpole", "several", "python"])
def test_a_pipeline_that_is_resumed_equals_one_that_is_not(kind: str) -> None:
    one = parallel_pool.Pipeline(pool_of(kind), 2)
    one.reset()
    play_pipeline(one, 9)
    saved = one.save()
    uncut = play_pipeline(one, 40)
    again = parallel_pool.Pipeline(pool_of(kind), 2)
    again.reset()
    again.load(saved)
    assert_all_same(uncut, play_pipeline(again, 40))


def test_a_pipeline_names_the_way_out_when_others_have_moved_the_pool() -> None:
    pool = pool_of("cartpole")
    pipeline = parallel_pool.Pipeline(pool)
    pipeline.reset()
    pool.recv()
    with pytest.raises(RuntimeError, match=r"by others.*reset\(\)"):
        pipeline.step([0, 0, 0, 0])
    pipeline.reset()
    play_pipeline(pipeline, 3)


def test_what_waits_in_queue_is_saved() -> None:
    pool = parallel_pool.make("MountainCar-v0", num_envs=2, seed=0, max_episode_steps=3)
    pool.reset()
    pool.queue(0, seed=17, options={"low": -0.55, "high": -0.5})
    saved = pool.save()
    other = parallel_pool.make("MountainCar-v0", num_envs=2, seed=1, max_episode_steps=3)
    other.load(saved)
    for _ in range(9):
        same(pool.step([0, 2]), other.step([0, 2]))
    part = parallel_pool.make("MountainCar-v0", num_envs=1, seed=1, max_episode_steps=3)
    pool.queue([1], seed=3)
    part.load(pool.save([1]))
    for _ in range(5):
        mine, theirs = pool.step([0, 2]), part.step([2])
        np.testing.assert_array_equal(mine[0][1:], theirs[0])


def test_options_that_wait_in_queue_are_saved() -> None:
    pool = parallel_pool.make(
        "CartPole-v1", num_envs=2, seed=0, per_env={"max_episode_steps": [3, 3]}
    )
    pool.reset()
    pool.queue([1], options={"per_env": {"max_episode_steps": [2]}})
    other = parallel_pool.make(
        "CartPole-v1", num_envs=2, seed=0, per_env={"max_episode_steps": [3, 3]}
    )
    other.load(pool.save())
    for _ in range(12):
        same(pool.step([0, 1]), other.step([0, 1]))
    assert other.config["per_env"]["max_episode_steps"] == [3, 2]


def test_random_actions_go_on_after_load() -> None:
    pool = pool_of("cartpole")
    pool.sample_actions()
    saved = pool.save()
    other = pool_of("cartpole")
    other.load(saved)
    for _ in range(20):
        np.testing.assert_array_equal(pool.sample_actions(), other.sample_actions())


def test_states_of_something_else_are_refused() -> None:
    rollout = parallel_pool.Rollout(pool_of("cartpole"), 3)
    play_rollout(rollout, 1)
    saved = rollout.save()
    with pytest.raises(ValueError, match="a Rollout"):
        parallel_pool.Trajectories(pool_of("cartpole"), 3).load(saved)
    with pytest.raises(ValueError, match=r"pool.load\(\)"):
        rollout.load(rollout.pool.save())
    with pytest.raises(TypeError, match="bytes"):
        rollout.load("run")  # type: ignore[arg-type]
    for cut in (saved[:-1], saved[:26], saved[:40] + b"x" + saved[41:]):
        with pytest.raises(ValueError, match="damaged"):
            rollout.load(cut)
    with pytest.raises(ValueError, match="envs"):
        parallel_pool.Rollout(parallel_pool.make("CartPole-v1", num_envs=2), 3).load(saved)
    play_rollout(rollout, 1)
