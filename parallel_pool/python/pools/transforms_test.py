"""Options that normalize and clip equal Gymnasium's wrappers, or NumPy where these differ."""

import copy
import pickle
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers.vector import NormalizeObservation, NormalizeReward

import parallel_pool
from parallel_pool.python.errors import EnvError
from parallel_pool.testing.results import same
from parallel_pool.testing.testing_family import FINE, THROW

ENVS, STEPS = 5, 120
RunningMeanStd: Any = gymnasium.wrappers.utils.RunningMeanStd


def theirs(task_id: str, mode: str = "next_step", num_envs: int = ENVS) -> Any:
    autoreset = gymnasium.vector.AutoresetMode[mode.upper()]
    return gymnasium.make_vec(
        task_id,
        num_envs=num_envs,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": autoreset},
    )


def make(task_id: str = "CartPole-v1", **options: Any) -> Any:
    options = {"num_envs": ENVS, "reward_dtype": "float64", **options}
    return parallel_pool.make(task_id, **options)


def play(pool: Any, steps: int = STEPS) -> list[Any]:
    """The results of a reset and of steps with random actions."""
    pool.action_space.seed(1)
    rows = [pool.reset(seed=3)]
    for _ in range(steps):
        action = np.array([pool.action_space.sample() for _ in range(pool.num_envs)])
        rows.append(pool.step(action))
    return rows


@pytest.mark.parametrize(
    ("task_id", "num_envs", "steps"),
    [
        ("CartPole-v1", ENVS, STEPS),
        ("Pendulum-v1", ENVS, STEPS),
        ("Hopper-v5", ENVS, STEPS),  # float64
        *(("CartPole-v1", n, 5) for n in (1, 8, 131, 300)),
    ],
)
def test_observations_equal_gymnasiums(task_id: str, num_envs: int, steps: int) -> None:
    reference = NormalizeObservation(theirs(task_id, num_envs=num_envs))
    pool = make(task_id, num_envs=num_envs, normalize_observation=True)
    expected, _ = reference.reset(seed=3)
    obs, _ = pool.reset(seed=3)
    pool.action_space.seed(1)
    for _ in range(steps):
        np.testing.assert_array_equal(obs.astype(np.float32), expected)
        action = np.array([pool.action_space.sample() for _ in range(num_envs)])
        expected, obs = reference.step(action)[0], pool.step(action)[0]
    statistics = pool.statistics()["obs"]
    np.testing.assert_array_equal(statistics["mean"], reference.obs_rms.mean)
    np.testing.assert_array_equal(statistics["var"], reference.obs_rms.var)
    assert statistics["count"] == reference.obs_rms.count
    space = pool.single_observation_space
    assert (space.low == -np.inf).all()
    assert obs.dtype == space.dtype == theirs(task_id).single_observation_space.dtype


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1"])
def test_rewards_equal_gymnasiums_in_same_step(task_id: str) -> None:
    reference = NormalizeReward(theirs(task_id, "same_step"), gamma=0.9)
    pool = make(task_id, normalize_reward=True, gamma=0.9, autoreset_mode="same_step")
    reference.reset(seed=3)
    pool.reset(seed=3)
    pool.action_space.seed(1)
    ends = 0
    for _ in range(250):
        action = np.array([pool.action_space.sample() for _ in range(ENVS)])
        (_, expected, _, _, _), (_, reward, terminated, truncated, _) = (
            reference.step(action),
            pool.step(action),
        )
        np.testing.assert_array_equal(reward, expected)
        ends += int((terminated | truncated).sum())
    assert ends >= ENVS
    assert pool.statistics()["reward"] == {
        "mean": reference.return_rms.mean,
        "var": reference.return_rms.var,
        "count": reference.return_rms.count,
    }


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_each_episode_begins_with_a_return_of_zero(mode: str) -> None:
    """Gymnasium's wrapper carries the return of a truncated episode on to the next one."""
    options: dict[str, Any] = {"autoreset_mode": mode, "max_episode_steps": 15}
    plain = play(make("CartPole-v1", **options))[1:]
    rows = play(make("CartPole-v1", normalize_reward=True, gamma=0.95, **options))[1:]
    begins = [np.zeros(ENVS, bool), *(row[2] | row[3] for row in plain)]
    sums, moments = np.zeros(ENVS, np.float32), RunningMeanStd(shape=())
    for row, raw, begin in zip(rows, plain, begins, strict=False):
        _, reward, terminated, truncated, _ = raw
        active = np.ones(ENVS, bool) if mode == "same_step" else ~begin
        ends = terminated[active].astype(int)
        sums[active] = sums[active] * 0.95 * (1 - ends) + reward[active]
        if active.any():
            moments.update(sums[active])
        sums[terminated | truncated] = 0
        np.testing.assert_array_equal(row[1], reward / np.sqrt(moments.var + 1e-8))
        np.testing.assert_array_equal(row[0], raw[0])


def test_final_observations_are_normalized_and_not_counted() -> None:
    options: dict[str, Any] = {"autoreset_mode": "same_step"}
    plain = play(make(**options))
    rows = play(make(normalize_observation=True, clip_observation=0.5, **options))
    moments = RunningMeanStd(shape=(4,), dtype=np.float32)
    ends = 0
    for row, raw in zip(rows, plain, strict=True):
        moments.update(raw[0])
        deviation = np.sqrt(moments.var + 1e-8)
        expected = np.clip((raw[0] - moments.mean) / deviation, -0.5, 0.5)
        np.testing.assert_array_equal(row[0], expected)
        if len(row) == 2:
            continue
        info, mask = raw[4], raw[4]["_final_obs"]
        expected = np.clip((info["final_obs"] - moments.mean) / deviation, -0.5, 0.5)
        np.testing.assert_array_equal(row[4]["final_obs"][mask], expected[mask])
        assert not row[4]["final_obs"][~mask].any()
        ends += int(mask.sum())
    assert ends > 0


def test_without_autoreset() -> None:
    pool = make("Pendulum-v1", autoreset_mode="disabled", max_episode_steps=10)
    other = make(
        "Pendulum-v1",
        autoreset_mode="disabled",
        max_episode_steps=10,
        normalize_reward=True,
        normalize_observation=True,
    )
    moments, returns = RunningMeanStd(shape=(3,), dtype=np.float32), RunningMeanStd(shape=())
    action = np.ones((ENVS, 1), np.float32)
    for episode in range(3):
        raw, row = pool.reset(seed=episode), other.reset(seed=episode)
        sums = np.zeros(ENVS, np.float32)
        for step in range(11):
            moments.update(raw[0])
            expected = (raw[0] - moments.mean) / np.sqrt(moments.var + 1e-8)
            np.testing.assert_array_equal(row[0], expected)
            if step > 0:
                sums[:] = sums * 0.99 * (1 - raw[2].astype(int)) + raw[1]
                returns.update(sums)
                np.testing.assert_array_equal(row[1], raw[1] / np.sqrt(returns.var + 1e-8))
            if step < 10:
                raw, row = pool.step(action), other.step(action)


@pytest.mark.parametrize("reward_dtype", ["float32", "float64"])
def test_clipping(reward_dtype: str) -> None:
    plain = play(make("Pendulum-v1", reward_dtype=reward_dtype))
    pool = make("Pendulum-v1", reward_dtype=reward_dtype, clip_observation=0.7, clip_reward=2.0)
    rows = play(pool)
    for row, raw in zip(rows, plain, strict=True):
        np.testing.assert_array_equal(row[0], np.clip(raw[0], -0.7, 0.7))
        if len(row) > 2:
            np.testing.assert_array_equal(row[1], np.clip(raw[1], -2, 2))
    assert any((raw[1] < -2).any() for raw in plain[1:])
    space = pool.single_observation_space
    np.testing.assert_array_equal(space.high, np.array([0.7] * 3, np.float32))
    assert pool.statistics() == {}


ALL: dict[str, Any] = {
    "normalize_observation": True,
    "normalize_reward": True,
    "clip_observation": 3.0,
    "clip_reward": 3.0,
}


def same_but_infos(rows: list[Any], others: list[Any]) -> None:
    same([row[:-1] for row in rows], [row[:-1] for row in others])


def test_threads_and_envs_in_python_change_nothing() -> None:
    rows = play(make(**ALL))
    same_but_infos(rows, play(make(num_threads=2, **ALL)))
    for workers in (0,) if sys.platform == "win32" else (0, 2):
        with parallel_pool.make_python(
            "CartPole-v1", ENVS, num_workers=workers, reward_dtype="float64", **ALL
        ) as pool:
            same_but_infos(rows, play(pool))
            assert (pool.single_observation_space.high == 3).all()


def test_an_evaluation() -> None:
    training = make(**ALL)
    play(training)
    pool = make(update_statistics=False, **ALL)
    first = pool.statistics()
    assert (first["obs"]["count"], first["reward"]["var"]) == (1e-4, 1)
    pool.load_statistics(training.statistics())
    raw, _ = make().reset(seed=8)
    obs, _ = pool.reset(seed=8)
    statistics = training.statistics()["obs"]
    expected = (raw - statistics["mean"]) / np.sqrt(statistics["var"] + np.float32(1e-8))
    np.testing.assert_array_equal(obs, np.clip(expected, -3, 3))
    play(pool)
    for name, entry in pool.statistics().items():
        for part, value in entry.items():
            np.testing.assert_array_equal(value, training.statistics()[name][part])


def test_states_and_pickles_have_the_statistics() -> None:
    pool = make(**ALL)
    play(pool, 7)
    other = make(**ALL)
    other.load(pool.save())
    some = make(**ALL)
    some.load(pool.save([0, 1]), [0, 1])
    assert some.statistics()["obs"]["count"] == 1e-4
    pickled = pickle.loads(pickle.dumps(pool))
    assert pickled.statistics()["obs"]["count"] == pool.statistics()["obs"]["count"] > ENVS
    plain = make()
    plain.load(pool.save())  # the statistics stay behind
    rng = np.random.default_rng(0)
    for _ in range(60):
        action = rng.integers(0, 2, ENVS)
        same_but_infos([pool.step(action)], [other.step(action)])


def test_single_envs() -> None:
    env = parallel_pool.make("CartPole-v1", num_envs=None, seed=3, **ALL)
    env.reset()
    for action in (0, 1, 1):
        env.step(action)
    twin = copy.deepcopy(env)
    same(env.step(0), twin.step(0))
    assert env.statistics()["obs"]["count"] == 5.0001  # a reset and four steps


def test_envs_that_throw_are_not_counted() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=3, **ALL) as pool:
        pool.reset()
        pool.step(np.full(3, FINE))
        before = pool.statistics()
        with pytest.raises(EnvError) as caught:
            pool.step(np.array([FINE, THROW, FINE]))
        after = pool.statistics()
        assert [after[name]["count"] for name in before] == [e["count"] for e in before.values()]
        obs, reward, *_ = caught.value.result
        assert not obs[1].any()
        assert reward[1] == 0


def test_rollouts() -> None:
    """The rows that the engine writes in place are those of step()."""
    rows = play(make(**ALL), 8)
    pool = make(**ALL)
    pool.action_space.seed(1)
    rollout = parallel_pool.Rollout(pool, steps=8)
    rollout.reset(seed=3)
    for step, obs in enumerate(rollout):
        np.testing.assert_array_equal(obs, rows[step][0])
        rollout.act(np.array([pool.action_space.sample() for _ in range(ENVS)]))
    np.testing.assert_array_equal(rollout.reward, [row[1] for row in rows[1:]])


@pytest.mark.parametrize(
    ("task_id", "options", "message"),
    [
        (
            "FrozenLake-v1",
            {"normalize_observation": True},
            "is True; it is for observations of floats, and this task has obs of int64",
        ),
        ("Pong-v5", {"clip_observation": 1.0}, r"is 1.0; it is for .* has obs of uint8"),
        ("CartPole-v1", {"gamma": 1.5}, "gamma is 1.5; .*1"),
        ("CartPole-v1", {"clip_reward": -1.0}, "clip_reward is -1.0"),
        (
            ["CartPole-v1", "CartPole-v0"],
            {"normalize_reward": True},
            "each task needs statistics of its own",
        ),
        ("SimpleSpread-v3", {"normalize_reward": True}, "rewards of each player"),
        ("SimpleSpread-v3", {"clip_observation": 1.0}, "a row for each player"),
    ],
)
def test_what_is_refused(task_id: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parallel_pool.make(task_id, num_envs=2, **options)


def test_statistics_that_are_refused() -> None:
    pool = make(**ALL)
    good = pool.statistics()
    for bad, message in (
        ({}, "nothing is given; this pool has obs, reward"),
        (good | {"obs": good["obs"] | {"mean": np.zeros(3)}}, r"obs\['mean'\] .* shape \(4,\)"),
        (good | {"obs": {"mean": np.zeros(4)}}, r"obs needs .*; it has \['mean'\]"),
        (good | {"obs": good["obs"] | {"var": -np.ones(4)}}, "obs has a negative variance"),
        (good | {"reward": good["reward"] | {"var": np.nan}}, r"reward\['var'\] must be finite"),
    ):
        with pytest.raises(ValueError, match=message):
            pool.load_statistics(bad)
    with pytest.raises(ValueError, match="obs, reward is given; this pool has none"):
        make().load_statistics(good)
    with pytest.raises(ValueError, match="obs, rewards is given; this pool has obs"):
        make(normalize_observation=True).load_statistics({"obs": good["obs"], "rewards": {}})


def test_an_evaluation_may_have_rewards_as_they_are() -> None:
    training = make(**ALL)
    training.reset()
    evaluation = make(normalize_observation=True, update_statistics=False)
    evaluation.load_statistics(training.statistics())
    (name,) = evaluation.statistics()
    for part in ("mean", "var", "count"):
        np.testing.assert_array_equal(
            evaluation.statistics()[name][part], training.statistics()[name][part]
        )
