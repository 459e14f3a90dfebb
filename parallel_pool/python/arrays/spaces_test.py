"""Arrays of int16, texts, and the spaces MultiBinary and MultiDiscrete."""

from typing import Any

import gym
import gymnasium
import numpy as np
import pytest
from dm_env import specs
from gymnasium.utils.env_checker import check_env

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401

ACTION = {"pressed": np.array([[1, 0], [0, 1]]), "levels": np.array([[2, 1], [0, 0]])}


def single(action: dict[str, Any]) -> dict[str, Any]:
    """The action of the first env."""
    return {name: rows[0] for name, rows in action.items()}


def test_a_pool_has_arrays() -> None:
    with parallel_pool.make("Words-v0", num_envs=2) as env:
        env.reset()
        obs = env.step(ACTION)[0]
        assert (obs["sound"].dtype, obs["sound"].shape) == (np.int16, (2, 3, 1))
        assert obs["sound"][0, :, 0].tolist() == [-32768, 1, 32767]
        for name, rows in ACTION.items():
            assert np.array_equal(obs[name], rows)
        assert (obs["pressed"].dtype, obs["levels"].dtype) == (np.int8, np.int64)
        assert (obs["text"].dtype, obs["text"].shape) == (np.uint8, (2, 3))
        assert parallel_pool.decode_text(obs["text"]) == ["a", "a"]
        assert parallel_pool.decode_text(env.step(ACTION)[0]["text"][0]) == "ab"
        assert parallel_pool.decode_text(env.step(ACTION)[0]["text"][0]) == "abc"


def test_spaces_of_a_pool() -> None:
    spec = parallel_pool.make_spec("Words-v0")
    spaces = gymnasium.spaces
    assert spec.action_space == spaces.Dict(
        pressed=spaces.MultiBinary(2), levels=spaces.MultiDiscrete([3, 2])
    )
    observation: Any = spec.observation_space
    assert observation["text"] == spaces.Box(0, 127, (3,), np.uint8)
    assert observation["sound"] == spaces.Box(-32768, 32767, (3, 1), np.int16)
    assert isinstance(spec.action_space_of(gym.spaces)["levels"], gym.spaces.MultiDiscrete)
    assert spec.action_spec()["levels"].maximum.tolist() == [2, 1]


@pytest.mark.parametrize("env_type", ["gymnasium", "gym"])
def test_a_single_env_has_a_str(env_type: Any) -> None:
    env = parallel_pool.make("Words-v0", env_type, num_envs=None)
    assert env.reset(seed=1)[0]["text"] == ""
    assert env.observation_space.contains(env.reset(seed=1)[0])
    obs = env.step(single(ACTION))[0]
    assert obs["text"] == "a"
    assert env.observation_space.contains(obs)
    assert [env.step(single(ACTION))[0]["text"] for _ in range(3)] == ["ab", "abc", "abc"]
    env.close()


def test_a_single_env_of_dm_has_a_str() -> None:
    env = parallel_pool.make_dm("Words-v0", num_envs=None)
    assert env.reset().observation["text"] == ""
    step = env.step(single(ACTION))
    assert step.observation["text"] == "a"
    assert isinstance(env.observation_spec()["text"], specs.StringArray)
    for name, spec in env.observation_spec().items():
        spec.validate(step.observation[name])
    env.close()


def test_gymnasiums_check() -> None:
    check_env(gymnasium.make("parallel_pool/Words-v0").unwrapped)


def test_make_vec_batches_the_spaces() -> None:
    env = gymnasium.make_vec("parallel_pool/Words-v0", num_envs=2)
    obs, _ = env.reset()
    assert env.observation_space.contains(obs)
    action = env.action_space.sample()
    obs = env.step(action)[0]
    assert np.array_equal(obs["levels"], action["levels"])
    env.close()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "pressed",
            [[0, 2], [0, 0]],
            "pressed.0. .element 1. is 2; allowed are the integers 0 to 1",
        ),
        ("levels", [[0, 0], [0, 2]], "levels.1. .element 1. is 2; allowed are the integers 0 to 1"),
        ("levels", [[3, 0], [0, 0]], "levels.0. .element 0. is 3; allowed are the integers 0 to 2"),
    ],
)
def test_actions_out_of_range(name: str, value: Any, message: str) -> None:
    with parallel_pool.make("Words-v0", num_envs=2) as env:
        env.reset()
        with pytest.raises(ValueError, match=message):
            env.step({**ACTION, name: np.array(value)})
        # int16 is read like every other integer.
        env.step({**ACTION, "levels": ACTION["levels"].astype(np.int16)})


def test_conforms() -> None:
    parallel_pool.check("Words-v0", stochastic=False)


def test_what_decode_text_refuses() -> None:
    with pytest.raises(TypeError, match="dtype int64; it must be uint8"):
        parallel_pool.decode_text([1, 2])
    with pytest.raises(ValueError, match=r"shape \(\); it must be"):
        parallel_pool.decode_text(np.uint8(3))
