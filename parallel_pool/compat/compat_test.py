"""LegacyGym and install_as_envpool()."""

import copy
import importlib
from typing import Any

import gym
import numpy as np
import pytest

import parallel_pool
from parallel_pool.compat import LegacyGym
from parallel_pool.testing.processes import output_of
from parallel_pool.testing.testing_family import END, FINE


@pytest.mark.parametrize("env_type", ["gym", "gymnasium"])
def test_old_calls(env_type: Any) -> None:
    pool = parallel_pool.make("Trouble-v0", env_type, num_envs=3, max_episode_steps=2)
    with LegacyGym(pool) as env:
        assert isinstance(env.reset(), np.ndarray)
        assert isinstance(env.reset([1], seed=3), np.ndarray)
        env.step([FINE, END, FINE])
        obs, reward, done, info = env.step([END, FINE, FINE])
        assert obs.shape[0] == len(reward) == 3
        # Env 0 terminated in the step of its time limit, env 2 was truncated, env 1 was reset.
        assert done.tolist() == [True, False, True]
        assert info["TimeLimit.truncated"].tolist() == [False, False, True]
        env.send([FINE] * 3)
        assert len(env.recv(timeout=20)) == 4
        assert (len(env), env.num_envs, env.is_vector_env) == (3, 3, True)
        assert env.config["max_episode_steps"] == 2
        assert repr(env) == f"LegacyGym({pool!r})"
    with pytest.raises(RuntimeError, match="closed"):
        env.step([FINE] * 3)


def test_attributes_are_the_programs() -> None:
    with LegacyGym(parallel_pool.make_gym("CartPole-v1", num_envs=4)) as env:
        assert env.single_action_space == env.action_space == gym.spaces.Discrete(2)
        env.num_envs = 4
        env.single_observation_space = env.observation_space
        wrapped = gym.Wrapper(env)
        assert wrapped.reset().shape == (4, 4)
        assert wrapped.unwrapped is env
        with pytest.raises(AttributeError, match="no attribute 'lives'"):
            _ = env.lives
        with copy.deepcopy(env) as other:
            np.testing.assert_array_equal(other.reset(seed=5), env.reset(seed=5))


def test_what_is_refused() -> None:
    with (
        parallel_pool.make_dm("CartPole-v1") as pool,
        pytest.raises(TypeError, match="env_type 'gym' or 'gymnasium', not make\\('CartPole-v1'"),
    ):
        LegacyGym(pool)
    with pytest.raises(TypeError, match="not 'CartPole-v1'"):
        LegacyGym("CartPole-v1")  # type: ignore[arg-type]


def run(code: str) -> str:
    """The output of the code in a process of its own."""
    return output_of(code, "-W", "error")


def test_installed_as_envpool() -> None:
    run("""
import sys, types
import parallel_pool
sys.modules.pop("envpool", None)
parallel_pool.install_as_envpool()
parallel_pool.install_as_envpool()
import envpool, importlib.util
import envpool.python.envpool
from envpool.python.protocol import EnvPool
assert importlib.util.find_spec("envpool") is not None
assert envpool.__version__ == "1.2.7" and envpool.__file__.endswith(".py")
import envpool.registration, envpool.entry, envpool.python
import envpool.atari.registration, envpool.classic_control.registration
import envpool.mujoco.gym.registration, envpool.toy_text.registration
from envpool.minigrid import decode_mission
assert decode_mission is parallel_pool.decode_mission
from envpool.registration import make_gym, make_gymnasium
from envpool import DMEnvPool, EnvSpec, GymnasiumEnvPool
try:
    import envpool.gfootball
    raise SystemExit("a family that does not exist was imported")
except ModuleNotFoundError:
    pass
assert isinstance(envpool.make_spec("CartPole-v1"), EnvSpec)
assert isinstance(envpool.make_dm("CartPole-v1"), DMEnvPool)
assert isinstance(make_gymnasium("CartPole-v1"), GymnasiumEnvPool)
assert envpool.list_all_envs() == parallel_pool.list_all_envs()
for env_type in ("gym", "gymnasium", "dm"):
    with envpool.make("CartPole-v1", env_type=env_type, num_envs=2) as pool:
        assert isinstance(pool, envpool.python.envpool.EnvPoolMixin) and isinstance(pool, EnvPool)
""")


def test_installed_with_old_calls() -> None:
    run("""
import parallel_pool
parallel_pool.install_as_envpool(legacy_gym=True)
import envpool
for make in (envpool.make_gym, lambda *a, **k: envpool.make(*a, env_type="gym", **k)):
    with make("CartPole-v1", num_envs=2) as env:
        assert env.reset().shape == (2, 4)
        assert len(env.step([0, 1])) == 4
with envpool.make("CartPole-v1", num_envs=2) as env:
    env.reset()
    assert len(env.step([0, 1])) == 5
""")


def test_installed_as_envpool_with_infos_of_resets_or_without() -> None:
    run("""
import numpy as np
import parallel_pool
parallel_pool.install_as_envpool()
import envpool
assert len(envpool.make_gym("CartPole-v1").reset()) == 2
assert len(envpool.make("CartPole-v1", env_type="gym").reset()) == 2
assert len(envpool.make("CartPole-v1", "gymnasium", gym_reset_return_info=True).reset()) == 2
assert isinstance(envpool.make_gym("CartPole-v1", gym_reset_return_info=False).reset(), np.ndarray)
parallel_pool.install_as_envpool(gym_reset_return_info=False)
import envpool
assert isinstance(envpool.make_gym("CartPole-v1").reset(), np.ndarray)
assert len(envpool.make_gym("CartPole-v1", gym_reset_return_info=True).reset()) == 2
for call in (
    lambda: envpool.make("CartPole-v1", "gymnasium", gym_reset_return_info=False),
    lambda: parallel_pool.install_as_envpool(legacy_gym=True, gym_reset_return_info=True),
):
    try:
        call()
    except ValueError as error:
        assert "True" in str(error)
    else:
        raise SystemExit("not refused")
""")


def test_render_shows_one_env_as_in_envpool() -> None:
    run("""
import numpy as np
import parallel_pool
parallel_pool.install_as_envpool()
import envpool
def frames(make, **kwargs):
    with make("CartPole-v1", num_envs=3, render_mode="rgb_array", **kwargs) as pool:
        pool.reset()
        return pool.render()
all_envs = frames(parallel_pool.make)
assert len(all_envs) == 3
for make in (envpool.make, envpool.make_gym, envpool.make_dm, envpool.make_gymnasium):
    assert np.array_equal(frames(make), all_envs[:1])
    assert np.array_equal(frames(make, render_env_id=2), all_envs[2:])
assert envpool.make("CartPole-v1").config["render_env_id"] is None
""")


def test_a_library_that_is_missing() -> None:
    """The build has no Stable-Baselines3."""
    with pytest.raises(ImportError, match="needs Stable-Baselines3: pip install stable-baselines3"):
        importlib.import_module("parallel_pool.integrations.sb3")


def test_refuses_where_envpool_is() -> None:
    out = run("""
import sys, types
envpool = types.ModuleType("envpool")
envpool.__file__ = "/usr/lib/envpool/__init__.py"
sys.modules["envpool"] = envpool
import parallel_pool
try:
    parallel_pool.install_as_envpool()
except RuntimeError as error:
    print(error)
assert sys.modules["envpool"] is envpool
""")
    assert "imported envpool itself, from /usr/lib/envpool/__init__.py: call install_as" in out
