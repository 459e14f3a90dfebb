"""LegacyGym and install_as_envpool()."""

import copy
import importlib
import subprocess
import sys
from typing import Any

import gym
import numpy as np
import pytest

import parallel_pool
from parallel_pool.compat import LegacyGym
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
    environment = {"PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-W", "error", "-c", code]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


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
assert envpool.make is parallel_pool.make
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
