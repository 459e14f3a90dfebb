"""parallel_pool.integrations.sb3 with Stable-Baselines3, compared with SB3's own DummyVecEnv."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecCheckNan, VecFrameStack, VecNormalize

import parallel_pool
from parallel_pool.integrations.sb3 import VecEnv

ENVS = 3


def theirs(task_id: str) -> DummyVecEnv:
    return DummyVecEnv([lambda: Monitor(gymnasium.make(task_id))] * ENVS)


def assert_same(a: Any, b: Any) -> None:
    assert np.asarray(a).dtype == np.asarray(b).dtype
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("tasks", "options"),
    [
        (["Pendulum-v1", ("Pendulum-v1", {"g": 5.0})], {}),
        ("Pendulum-v1", {"per_env": {"g": [10.0, 5.0]}}),
    ],
)
def test_envs_that_differ(tasks: Any, options: dict[str, Any]) -> None:
    one = VecEnv(tasks, num_envs=2, **options)
    other = DummyVecEnv([lambda g=g: gymnasium.make("Pendulum-v1", g=g) for g in (10.0, 5.0)])
    assert one.get_attr("g") == [10.0, 5.0]
    one.seed(5)
    other.seed(5)
    assert_same(one.reset(), other.reset())
    one.action_space.seed(1)
    for _ in range(250):
        actions = np.array([one.action_space.sample() for _ in range(2)])
        for a, b in zip(one.step(actions)[:3], other.step(actions)[:3], strict=True):
            assert_same(a, b)
    PPO("MlpPolicy", one, n_steps=32, batch_size=32).learn(64)


def test_envs_without_a_seed_differ() -> None:
    """As SB3's own: an evaluation does not repeat the training's first episodes."""
    spec = parallel_pool.make_python_spec("CartPole-v1", 2, num_workers=1)
    for task in ("CartPole-v1", parallel_pool.make_spec("CartPole-v1", num_envs=2), spec):
        training, evaluation = VecEnv(task), VecEnv(task)
        assert (training.reset()[0] != evaluation.reset()[0]).all()
    seeded = parallel_pool.make_spec("CartPole-v1", num_envs=2, seed=3)
    assert_same(VecEnv(seeded).reset(), VecEnv(seeded).reset())


def test_several_games() -> None:
    envs = VecEnv(["Pong-v5", "Breakout-v5"], num_envs=4, full_action_space=True)
    assert envs.action_space.n == 18
    PPO("CnnPolicy", envs, n_steps=4, batch_size=8, n_epochs=1).learn(16)
    with pytest.raises(ValueError, match="the action is Dict"):
        VecEnv(["CartPole-v1", "Pendulum-v1"], separate_spaces=True)


@pytest.mark.parametrize("all_infos", [False, True])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "Taxi-v4", "FrozenLake-v1"])
def test_equals_dummy_vec_env(task_id: str, all_infos: bool) -> None:
    one, other = VecEnv(task_id, num_envs=ENVS, all_infos=all_infos), theirs(task_id)
    assert one.observation_space == other.observation_space
    assert one.action_space == other.action_space
    one.seed(5)
    other.seed(5)
    assert_same(one.reset(), other.reset())
    one.action_space.seed(1)
    ends = 0
    for _ in range(500):
        actions = np.array([one.action_space.sample() for _ in range(ENVS)])
        mine, reference = one.step(actions), other.step(actions)
        for a, b in zip(mine[:3], reference[:3], strict=True):
            assert_same(a, b)
        for a, b in zip(mine[3], reference[3], strict=True):
            if "episode" not in a and not all_infos:
                assert a == {}
            else:
                assert a["TimeLimit.truncated"] == b["TimeLimit.truncated"]
                own = {"episode", "terminal_observation", "TimeLimit.truncated"}
                assert set(b) - own <= set(a)  # the task's own infos
            assert ("episode" in a) == ("episode" in b) == ("terminal_observation" in a)
            if "episode" in a:
                assert_same(a["terminal_observation"], b["terminal_observation"])
                assert a["episode"]["l"] == b["episode"]["l"]
                # Monitor adds up float64 and rounds to 6 digits; our rewards are float32.
                assert a["episode"]["r"] == pytest.approx(b["episode"]["r"], rel=1e-6)
                ends += 1
    assert ends >= ENVS
    one.close()
    one.close()


class Ending(gymnasium.Env[Any, Any]):
    """An env in Python whose episodes end by action 1."""

    observation_space = gymnasium.spaces.Discrete(9)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self) -> None:
        self.steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.steps = 0
        return 0, {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        return self.steps, 1.0, bool(action), False, {}


def test_an_end_in_the_step_of_its_time_limit_is_not_truncated() -> None:
    def limited() -> Any:
        return gymnasium.wrappers.TimeLimit(Ending(), 2)

    spec = parallel_pool.make_python_spec(limited, 3, num_workers=0)
    for envs in (VecEnv(spec), DummyVecEnv([limited] * 3)):
        envs.reset()
        envs.step(np.array([0, 0, 1]))
        *_, done, infos = envs.step(np.array([1, 0, 0]))
        assert done.tolist() == [True, True, False]
        assert [info["TimeLimit.truncated"] for info in infos[:2]] == [False, True]


def test_neither_is_that_of_a_task() -> None:
    env = parallel_pool.make("CartPole-v1", num_envs=None, seed=3)
    env.reset()
    steps = 1
    while not env.step(1)[2]:
        steps += 1
    envs = VecEnv("CartPole-v1", num_envs=1, seed=3, max_episode_steps=steps)
    envs.reset()
    for _ in range(steps):
        *_, done, infos = envs.step(np.array([1]))
    assert done.all() and infos[0]["TimeLimit.truncated"] is False
    shorter = VecEnv("CartPole-v1", num_envs=1, seed=3, max_episode_steps=steps - 1)
    shorter.reset()
    for _ in range(steps - 1):
        *_, done, infos = shorter.step(np.array([1]))
    assert done.all() and infos[0]["TimeLimit.truncated"] is True


def test_a_life_is_no_episode_to_the_monitor() -> None:
    env = VecEnv("Breakout-v5", num_envs=ENVS, episodic_life=True, reward_clip=True, seed=3)
    env.reset()
    dones = 0
    episodes: list[dict[str, Any]] = []
    while len(episodes) < 2:
        _, reward, done, infos = env.step(
            np.array([env.action_space.sample() for _ in range(ENVS)])
        )
        assert set(np.unique(reward)) <= {0, 1}
        dones += int(done.sum())
        episodes += [info["episode"] for info in infos if "episode" in info]
        assert all(info["lives"] == 0 for info in infos if "episode" in info)
        assert all(("terminal_observation" in i) == d for i, d in zip(infos, done, strict=True))
    assert dones >= 10
    env.close()


@pytest.mark.parametrize("preset", ["gymnasium", "ale_vector"])
def test_a_life_is_an_episode_with_the_presets(preset: str) -> None:
    """A lost life ends their games."""
    env = VecEnv("Breakout-v5", num_envs=ENVS, preset=preset, episodic_life=True, seed=3)
    model = PPO("CnnPolicy", env, n_steps=64, batch_size=64, n_epochs=1).learn(256)
    assert len(model.ep_info_buffer) >= ENVS  # SB3 shows ep_rew_mean
    episodes = 0
    for _ in range(100):
        *_, done, infos = env.step(np.array([env.action_space.sample() for _ in range(ENVS)]))
        assert [("episode" in info) for info in infos] == done.tolist()
        episodes += int(done.sum())
    assert episodes > 0
    env.close()


def test_learns() -> None:
    model = PPO(
        "MlpPolicy", VecEnv("CartPole-v1", num_envs=8, seed=0), n_steps=64, batch_size=128, seed=0
    )
    others = VecEnv("CartPole-v1", num_envs=8)
    before, _ = evaluate_policy(model, others, n_eval_episodes=16, deterministic=False)
    model.learn(8_000)
    after, _ = evaluate_policy(model, others, n_eval_episodes=16, deterministic=False)
    assert model.ep_info_buffer
    assert before < 50 < 80 < after


def test_a_single_env_by_its_id() -> None:
    model = PPO("MlpPolicy", "parallel_pool/CartPole-v1", n_steps=64, batch_size=32, n_epochs=1)
    model.learn(200)
    assert model.ep_info_buffer  # Monitor sees episodes
    check_env(parallel_pool.make("CartPole-v1", num_envs=None))


def test_off_policy_and_wrappers() -> None:
    env = VecCheckNan(VecNormalize(VecFrameStack(VecEnv("CartPole-v1", num_envs=4), 2)))
    DQN("MlpPolicy", env, learning_starts=50, buffer_size=500).learn(400)


def test_pictures_for_a_convolution() -> None:
    env = VecEnv("Pong-v5", num_envs=2)
    PPO("CnnPolicy", env, n_steps=8, batch_size=8, n_epochs=1).learn(16)


def test_render_and_attributes() -> None:
    env = VecEnv("CartPole-v1", num_envs=4, render_mode="rgb_array")
    env.seed(1)
    env.set_options({"low": -0.001, "high": 0.001})
    assert (np.abs(env.reset()) <= 0.001).all()
    assert (np.abs(env.reset()) > 0.001).any()
    assert env.render().shape == (800, 1200, 3)
    assert len(env.get_images()) == 4
    assert env.get_attr("max_episode_steps", indices=[1, 2]) == [500, 500]
    assert env.get_attr("render_mode", indices=1) == ["rgb_array"]
    assert env.env_is_wrapped(Monitor) == [True] * 4
    (obs, info), _ = env.env_method("reset", indices=[2, 0], seed=7)
    assert info["env_id"] == 2
    assert obs.shape == (4,)
    assert len(env.env_method("render", indices=[1])) == 1
    env.step_async([0] * 4)
    assert env.step([1] * 4)[0].shape == (4, 4)
    env.step_async([0] * 4)
    assert env.reset().shape == (4, 4)


def test_each_env_has_its_options() -> None:
    """Also before the first reset, and for envs in Python; the seeds are those of one reset."""
    options: list[dict[str, Any]] = [{"low": 0.2, "high": 0.3}, {}, {"low": 0.2, "high": 0.3}]
    for spec in ("CartPole-v1", parallel_pool.make_python_spec("CartPole-v1", 3)):
        env, plain = VecEnv(spec), VecEnv(spec)
        if spec == "CartPole-v1":
            env, plain = VecEnv(spec, num_envs=3), VecEnv(spec, num_envs=3)
        for seed in (4, 5):
            for one in (env, plain):
                one.seed(seed)
            env.set_options(options)
            obs, own = env.reset(), plain.reset()
            assert (obs[[0, 2]] >= 0.2).all()
            np.testing.assert_array_equal(obs[1], own[1])
            assert [info.keys() for info in env.reset_infos] == [
                info.keys() for info in plain.reset_infos
            ]
        env.close()
        plain.close()
    env = VecEnv("CartPole-v1", num_envs=2)
    env.set_options([{"low": -0.1}, {"lo": -0.2}])
    with pytest.raises(ValueError, match="unknown reset option 'lo'; did you mean low"):
        env.reset()


def test_what_is_refused() -> None:
    env = VecEnv("CartPole-v1", num_envs=2)
    with pytest.raises(TypeError, match="sets autoreset_mode itself"):
        VecEnv("CartPole-v1", autoreset_mode="next_step")
    with pytest.raises(ValueError, match=r"batch_size is 1; .* allowed are 0 and num_envs = 2"):
        VecEnv("CartPole-v1", num_envs=2, batch_size=1)
    with pytest.raises(AttributeError, match="no method 'rende'; did you mean render"):
        env.env_method("rende")
    with pytest.raises(AttributeError, match="'gravity' cannot be set"):
        env.set_attr("gravity", 1)
    with pytest.raises(ValueError, match="num_envs is None, a single env; a VecEnv needs a number"):
        VecEnv("CartPole-v1", num_envs=None)
    with pytest.raises(RuntimeError, match="needs a render_mode"):
        env.get_images()
    with pytest.raises(TypeError, match="it is num_envs here"):
        VecEnv("CartPole-v1", n_envs=2)


@pytest.mark.parametrize("env_type", ["gymnasium", "gym"])
def test_a_pool_itself_is_refused(env_type: Any) -> None:
    with parallel_pool.make("CartPole-v1", env_type, num_envs=2) as pool:
        with pytest.raises(ValueError, match="parallel_pool"):
            PPO("MlpPolicy", pool)
        with pytest.raises(TypeError, match="task_id must be a str"):
            VecEnv(pool)


def test_snippet(snippet: Callable[[str], str]) -> None:
    snippet("Stable-Baselines3")
