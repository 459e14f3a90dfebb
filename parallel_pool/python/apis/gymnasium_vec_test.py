"""gymnasium.make_vec("parallel_pool/...")."""

import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space

import parallel_pool
from parallel_pool.python.specs.gymnasium_ids import gymnasium_id
from parallel_pool.testing.processes import output_of
from parallel_pool.testing.testing_family import THROW


def make(task_id: str = "CartPole-v1", **kwargs: Any) -> Any:
    return gymnasium.make_vec(f"parallel_pool/{task_id}", **kwargs)


def theirs(num_envs: int) -> Any:
    return gymnasium.make_vec("CartPole-v1", num_envs=num_envs, vectorization_mode="sync")


def test_every_task_is_known() -> None:
    ids = {i for i in gymnasium.registry if i.startswith("parallel_pool/")}
    tasks = {gymnasium_id(task_id) for task_id in parallel_pool.list_all_envs()}
    assert ids == tasks | {"parallel_pool/python"}
    assert gymnasium.spec("parallel_pool/CartPole-v1").reward_threshold == 475
    assert gymnasium.spec("parallel_pool/Pendulum-v1").reward_threshold is None


def test_is_what_sync_vector_env_is() -> None:
    with make(num_envs=3) as env, make(num_envs=3, max_episode_steps=7) as short:
        assert isinstance(env, gymnasium.vector.VectorEnv)
        other = theirs(num_envs=3)
        for name in ("observation_space", "action_space", "num_envs", "closed", "render_mode"):
            assert getattr(env, name) == getattr(other, name), name
        assert env.single_observation_space == other.single_observation_space
        assert env.single_action_space == other.single_action_space
        assert env.metadata["autoreset_mode"] == other.metadata["autoreset_mode"]
        env.reset(seed=4)
        other.reset(seed=4)
        assert env.np_random_seed == other.np_random_seed == (4, 5, 6)
        assert short.config["max_episode_steps"] == 7
        assert repr(env.spec).startswith("EnvSpec(id='parallel_pool/CartPole-v1'")
        assert env.unwrapped is env


def test_infos_have_an_array_for_each_name() -> None:
    for mode in ("next_step", "same_step", "disabled"):
        with make(num_envs=2, autoreset_mode=mode) as env:
            assert env.autoreset_mode is env.metadata["autoreset_mode"]
            _, first = env.reset()
            env.async_reset()
            for info in (first, env.recv()[-1], env.step([0, 1])[-1]):
                parts = {name: part for name, part in info.items() if name != "final_info"}
                assert all(isinstance(part, np.ndarray) for part in parts.values()), info
    with make("Trouble-v0", num_envs=2) as env:
        env.reset()
        with pytest.raises(parallel_pool.EnvError) as error:
            env.step([THROW, 0])
        assert "players" not in error.value.result[-1]


def test_spaces_hold_what_is_shown() -> None:
    for task_id in ("CartPole-v1", "Pong-v5", "Taxi-v4", "Blackjack-v1", "Ant-v5", "Echo-v0"):
        with make(task_id, num_envs=2) as env:
            assert env.observation_space == batch_space(env.single_observation_space, 2)
            obs, _ = env.reset()
            assert env.observation_space.contains(obs), task_id
            obs, *_ = env.step(env.action_space.sample())
            assert env.observation_space.contains(obs), task_id


def test_texts_are_tuples_of_str() -> None:
    with make("Words-v0", num_envs=2) as env:
        texts = env.observation_space["text"]
        assert texts == batch_space(env.single_observation_space["text"], 2)
        assert env.reset()[0]["text"] == ("", "")
        obs, *_ = env.step(env.action_space.sample())
        assert obs["text"] == ("a", "a")
        assert texts.contains(obs["text"])


def test_vector_envs_without_a_seed_differ() -> None:
    with make(num_envs=2) as env, make(num_envs=2) as other, make(num_envs=2, seed=42) as seeded:
        firsts = [pool.reset()[0] for pool in (env, other, seeded)]
        assert len({first.tobytes() for first in firsts}) == 3
        with pickle.loads(pickle.dumps(env)) as again:
            assert again.np_random_seed == env.np_random_seed
            np.testing.assert_array_equal(again.reset()[0], firsts[0])
    with parallel_pool.make("CartPole-v1", num_envs=2) as pool:  # as EnvPool's make()
        np.testing.assert_array_equal(pool.reset()[0], firsts[2])


def test_seeds() -> None:
    with make(num_envs=3, seed=[5, 9, 1]) as env:
        assert env.np_random_seed == (5, 9, 1)
        env.reset(seed=[1, 2, 3])
        env.reset([2], seed=7)
        assert env.np_random_seed == (1, 2, 7)
        env.reset(seed=20, options={"reset_mask": np.array([True, False, False])})
        assert env.np_random_seed == env.get_attr("np_random_seed") == (20, 2, 7)
        with pytest.raises(AttributeError, match=r"drawn in C\+\+.*reset\(seed="):
            _ = env.np_random


def test_asking_all_envs() -> None:
    with make("FrozenLake-v1", num_envs=2, render_mode="ansi", is_slippery=False) as env:
        env.reset()
        assert env.get_attr("is_slippery") == env.call("is_slippery") == (False, False)
        assert env.call("render_mode") == ("ansi", "ansi")
        assert env.call("render") == env.render()
        assert isinstance(env.render(), tuple)
        with pytest.raises(AttributeError, match="no attribute 'slippery'; did you mean is_slip"):
            env.get_attr("slippery")
        with pytest.raises(AttributeError, match="'save' is a method of the pool"):
            env.call("save")
        with pytest.raises(AttributeError, match="'is_slippery' cannot be set"):
            env.set_attr("is_slippery", True)


def test_is_made_again() -> None:
    with make(num_envs=3, seed=8) as env, pickle.loads(pickle.dumps(env)) as other:
        assert type(other) is type(env)
        np.testing.assert_array_equal(env.reset()[0], other.reset()[0])
        again: Any = gymnasium.make_vec(env.spec)
        assert (again.num_envs, again.config["seed"]) == (3, 8)
        again.close()


@pytest.mark.parametrize(
    ("task_id", "options", "error", "words"),
    [
        ("CartPole-v1", {"num_envs": 4, "batch_size": 2}, ValueError, "allowed are 0 and num_envs"),
        ("Crowd-v0", {}, ValueError, "a row for each player"),
        ("CartPole-v1", {"sed": 3}, TypeError, "no option 'sed'; did you mean seed"),
        ("CartPol-v1", {}, gymnasium.error.NameNotFound, "Did you mean: `CartPole`"),
    ],
)
def test_refused(task_id: str, options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make(task_id, **options)


def test_a_process_that_knows_gymnasium_alone() -> None:
    """The import of parallel_pool registers the tasks."""
    code = """
import gymnasium
ids = set(gymnasium.registry)
import parallel_pool
assert "parallel_pool/Pong-v5" in set(gymnasium.registry) - ids
"""
    output_of(code, "-W", "error")


def test_processes_of_single_envs_are_warned_of() -> None:
    name = "parallel_pool/CartPole-v1"
    options: Any = {"num_envs": 2, "vectorization_mode": "async"}
    with pytest.warns(UserWarning, match="CartPole-v1: AsyncVectorEnv runs each env in a process"):
        env = gymnasium.make_vec(name, **options)
    assert env.reset(seed=1)[0].shape == (2, 4)
    env.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gymnasium.make_vec(name, **options | {"vectorization_mode": "sync"}).close()
        gymnasium.make(name).close()
