"""Single envs (num_envs=None): their results, and what they refuse."""

import copy
import pickle
from typing import Any

import dm_env
import gym
import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.apis import gymnasium_env
from parallel_pool.testing.testing_family import END, FINE, THROW

APIS: list[Any] = ["gymnasium", "gym", "dm"]


def single(task_id: str = "CartPole-v1", env_type: Any = "gymnasium", **kwargs: Any) -> Any:
    return parallel_pool.make(task_id, env_type, num_envs=None, **kwargs)


def test_results_have_no_batch_axis() -> None:
    with single(seed=3) as env:
        assert isinstance(env, gymnasium.Env)
        obs, info = env.reset()
        assert (obs.shape, obs.dtype, info) == ((4,), np.float32, {})
        obs, reward, terminated, truncated, info = env.step(1)
        assert (obs.shape, obs.dtype, info) == ((4,), np.float32, {})
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
    with single("FrozenLake-v1") as env:
        obs, info = env.reset()
        assert (obs, type(obs), type(info["prob"])) == (0, int, float)


@pytest.mark.parametrize("env_type", ["gymnasium", "gym"])
def test_rewards_and_returns_are_float64(env_type: Any) -> None:
    """As those of Gymnasium's env: pools round rewards to float32, unless reward_dtype says no."""
    theirs = gymnasium.make("Pendulum-v1", max_episode_steps=50)
    with single(
        "Pendulum-v1", env_type, max_episode_steps=50, record_episode_statistics=True
    ) as env:
        for _ in range(3):
            total, expected = 0.0, 0.0
            theirs.reset(seed=5), env.reset(seed=5)
            for _ in range(50):
                action = np.full(1, 0.3, np.float32)
                _, reward, _, truncated, info = env.step(action)
                assert type(reward) is float
                assert reward == theirs.step(action)[1]
                total += reward
                expected += float(np.float32(reward))
            assert truncated
            assert type(info["episode"]["r"]) is float
            assert info["episode"]["r"] == total != expected


@pytest.mark.parametrize("action", [1, np.int64(1), np.uint8(1), np.array(1), np.array([1]), [1]])
def test_forms_of_an_action(action: Any) -> None:
    with single(seed=3) as env, single(seed=3) as other:
        env.reset(), other.reset()
        np.testing.assert_array_equal(env.step(action)[0], other.step(1)[0])


@pytest.mark.parametrize("env_type", APIS)
@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        (2, ValueError, "CartPole-v1: action.* 2"),
        (-1, ValueError, "-1"),
        (2**80, (TypeError, ValueError), "action"),
        (0.5, (TypeError, ValueError), "0.5"),
        ([0, 1], ValueError, r"action has shape \(2,\); it must be \(\), for one env"),
        ("left", TypeError, "action"),
    ],
)
def test_a_wrong_action_changes_nothing(env_type: Any, action: Any, error: Any, words: str) -> None:
    with single(env_type=env_type, seed=3) as env, single(seed=3) as other:
        env.reset(), other.reset()
        with pytest.raises(error, match=words):
            env.step(action)
        result = env.step(0)
        obs = result.observation if env_type == "dm" else result[0]
        np.testing.assert_array_equal(obs, other.step(0)[0])


@pytest.mark.parametrize("env_type", ["gymnasium", "gym"])
def test_an_episode_must_have_begun(env_type: Any) -> None:
    with single("Trouble-v0", env_type) as env:
        with pytest.raises(ValueError, match="it has no episode yet; reset it first"):
            env.step(FINE)
        env.reset()
        assert env.step(END)[2] is True
        with pytest.raises(ValueError, match="its episode has ended; reset it first"):
            env.step(FINE)
        obs, _ = env.reset()
        assert obs[0] == 0
        with pytest.raises(parallel_pool.EnvError, match="the motor broke") as error:
            env.step(THROW)
        assert error.value.result[3] is True
        env.reset()
        assert env.step(FINE)[0][0] == 1


def test_time_limits() -> None:
    def length(env: Any) -> int:
        env.reset()
        for n in range(1, 3000):
            *_, terminated, truncated, _ = env.step(FINE)
            assert not terminated
            if truncated:
                return n
        return 3000

    with single("Trouble-v0", max_episode_steps=7) as env:
        assert length(env) == 7
    limit = parallel_pool.make_spec("Trouble-v0").max_episode_steps
    assert gymnasium.spec("parallel_pool/Trouble-v0").max_episode_steps == limit
    for given, steps in ((None, limit), (9, 9), (limit + 5, limit + 5), (-1, 3000)):
        with gymnasium.make("parallel_pool/Trouble-v0", max_episode_steps=given) as env:
            assert length(env) == min(steps, 3000)


def test_gymnasium_make() -> None:
    env: Any = gymnasium.make("parallel_pool/CartPole-v1", render_mode="rgb_array", seed=5)
    assert isinstance(env.unwrapped, gymnasium_env.Env)
    assert env.spec.id == "parallel_pool/CartPole-v1"
    obs, _ = env.reset()
    with parallel_pool.make("CartPole-v1", num_envs=1, seed=5) as pool:
        np.testing.assert_array_equal(obs, pool.reset()[0][0])
    assert env.render().shape == (400, 600, 3)
    again = env.spec.make(seed=5)
    np.testing.assert_array_equal(again.reset()[0], obs)
    for copied in (copy.deepcopy(env.unwrapped), pickle.loads(pickle.dumps(env.unwrapped))):
        assert copied.spec == env.unwrapped.spec
        np.testing.assert_array_equal(copied.reset(seed=5)[0], obs)
    env.close()
    with pytest.raises(TypeError, match="CartPole-v1 has no option 'gravity'"):
        gymnasium.make("parallel_pool/CartPole-v1", gravity=3)


@pytest.mark.parametrize("env_type", APIS)
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pong-v5"])
def test_a_deep_copy_continues_as_the_original(task_id: str, env_type: Any) -> None:
    def seen(result: Any) -> bytes:
        return (result.observation if env_type == "dm" else result[0]).tobytes()  # type: ignore[no-any-return]

    with single(task_id, env_type, seed=3) as env:
        env.reset()
        env.step(1)
        if env_type != "dm":
            env.action_space.seed(8)
        with copy.deepcopy(env) as other:
            for action in (0, 1, 1, 0):
                assert seen(other.step(action)) == seen(env.step(action))
            assert seen(other.reset()) == seen(env.reset())  # the random numbers, too
            if env_type != "dm":
                assert [other.action_space.sample() for _ in range(9)] == [
                    env.action_space.sample() for _ in range(9)
                ]
            env.step(1)
            assert other._native is not env._native
    with copy.deepcopy(env) as other:  # of a closed env: a new one
        other.reset()


def test_gymnasiums_own_vector_env_of_single_envs() -> None:
    kwargs: Any = {"num_envs": 2, "vectorization_mode": "sync"}
    with parallel_pool.make("CartPole-v1", num_envs=2) as pool:
        envs = gymnasium.make_vec("parallel_pool/CartPole-v1", **kwargs)
        np.testing.assert_array_equal(envs.reset(seed=4)[0], pool.reset(seed=4)[0])
        for _ in range(60):
            for mine, other in zip(envs.step([1, 0])[:4], pool.step([1, 0])[:4], strict=True):
                np.testing.assert_array_equal(mine, other)
        envs.close()


def test_only_envs_with_goals_compute_rewards() -> None:
    """Stable-Baselines3 takes an env that has the attribute for a GoalEnv."""
    plain = parallel_pool.make("CartPole-v1", num_envs=None)
    assert not hasattr(plain, "compute_reward")
    goals = parallel_pool.make("PointMaze_UMaze-v3", num_envs=None)
    assert goals.compute_reward(np.zeros(2), np.zeros(2)) == 1


def test_seeds() -> None:
    first, second = (single() for _ in range(2))
    assert first.config["seed"] != second.config["seed"]
    assert first.np_random_seed == first.config["seed"]
    assert (first.reset()[0] != second.reset()[0]).any()
    np.testing.assert_array_equal(first.reset(seed=8)[0], second.reset(seed=8)[0])
    np.testing.assert_array_equal(first.reset()[0], second.reset()[0])
    assert first.np_random.bit_generator.state == np.random.default_rng(8).bit_generator.state
    with pytest.raises(ValueError, match="seed is -1"):
        first.reset(seed=-1)
    with pytest.raises(ValueError, match="unknown reset option 'reset_mask'"):
        first.reset(options={"reset_mask": [True]})
    first.close(), second.close()


@pytest.mark.parametrize("env_type", APIS)
def test_states_pictures_and_copies(env_type: Any) -> None:
    env = single(env_type=env_type, render_mode="rgb_array", seed=3)
    env.reset(seed=4)
    frame, state = env.render(), env.save()
    assert (frame.shape, frame.dtype) == ((400, 600, 3), np.uint8)
    for _ in range(8):
        env.step(1)
    assert (env.render() != frame).any()
    env.load(state)
    np.testing.assert_array_equal(env.render(), frame)
    other = pickle.loads(pickle.dumps(env))
    assert (type(other), other.config, repr(other)) == (type(env), env.config, repr(env))
    other.load(state)
    np.testing.assert_array_equal(other.render(), frame)
    env.close()
    env.close()
    assert "(closed)" in repr(env)
    with pytest.raises(RuntimeError, match="closed"):
        env.step(1)
    with pytest.raises(AttributeError, match="CartPole-v1: a single env has no attribute 'recv'"):
        _ = env.recv


@pytest.mark.parametrize("env_type", APIS)
def test_options_of_pools_are_refused(env_type: Any) -> None:
    options: list[tuple[str, Any]] = [
        ("batch_size", 1),
        ("num_threads", 2),
        ("autoreset_mode", "disabled"),
        ("render_env_id", 0),
        ("thread_affinity_offset", 0),
    ]
    for name, value in options:
        with pytest.raises(TypeError, match=f"{name} has no meaning for a single env"):
            single(env_type=env_type, **{name: value})
    with pytest.raises(ValueError, match="num_envs is None; it has arrays with a row for each pl"):
        single("Crowd-v0", env_type)


def test_a_spec_makes_a_single_env() -> None:
    spec = parallel_pool.make_spec("CartPole-v1", num_envs=None, seed=3)
    assert spec.is_single
    assert "batch_size" not in str(spec)
    with parallel_pool.make(spec) as env, parallel_pool.make_dm(spec) as other:
        np.testing.assert_array_equal(env.reset()[0], other.reset().observation)


def test_gym() -> None:
    with single(env_type="gym", seed=3) as env, single(seed=3) as other:
        assert isinstance(env, gym.Env)
        assert env.unwrapped is env
        assert env.action_space == gym.spaces.Discrete(2)
        obs, info = env.reset()
        np.testing.assert_array_equal(obs, other.reset()[0])
        wrapped = gym.wrappers.TimeLimit(env, 3)
        wrapped.reset()
        assert [wrapped.step(0)[3] for _ in range(3)] == [False, False, True]


def test_dm_env() -> None:
    with single("Trouble-v0", "dm") as env:
        assert isinstance(env, dm_env.Environment)
        first = env.reset()
        assert first == dm_env.restart(first.observation)
        env.observation_spec().validate(first.observation)
        mid = env.step(FINE)
        assert (mid.step_type, mid.reward, mid.discount) == (dm_env.StepType.MID, 1.0, 1.0)
        last = env.step(END)
        assert (last.step_type, last.discount) == (dm_env.StepType.LAST, 0.0)
        assert "lives" in env.info
        again = env.step(FINE)
        assert again.first()
        assert (again.reward, again.observation[0]) == (None, 0)
        env.reward_spec().validate(np.asarray(mid.reward))
        env.discount_spec().validate(np.asarray(mid.discount))
        env.action_spec().validate(np.int32(FINE))
