"""Spaces and specs: nested arrays, all dtypes, all three APIs."""

import gymnasium
import numpy as np
import pytest
from dm_env import specs

import parallel_pool
from parallel_pool.python.apis.make import EnvType
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.testing import testing_family  # noqa: F401


def test_spaces_nest_where_names_have_dots() -> None:
    spec = parallel_pool.make_spec("Echo-v0", size=2)
    action = spec.action_space
    assert isinstance(action, gymnasium.spaces.Dict)
    assert set(action) == {"choice", "motor", "byte", "wide"}
    assert action["choice"] == gymnasium.spaces.Discrete(3)
    assert action["motor"]["force"] == gymnasium.spaces.Box(-1, 1, (2,), np.float32)  # type: ignore[index]
    wide = action["wide"]
    assert isinstance(wide, gymnasium.spaces.Box)
    assert wide.dtype == np.int64
    np.testing.assert_array_equal(wide.low, [0, -5])
    np.testing.assert_array_equal(wide.high, [2**50, 5])
    observation = spec.observation_space
    assert isinstance(observation, gymnasium.spaces.Dict)
    assert observation["flags"]["flip"].dtype == np.bool_  # type: ignore[index]


def test_actions_have_the_names_of_their_array() -> None:
    spec = parallel_pool.make_spec("CartPole-v1")
    assert spec.action_meanings == ("LEFT", "RIGHT")
    assert "\n  meanings     0 LEFT, 1 RIGHT\n" in str(spec)
    for task in ("Pendulum-v1", "Echo-v0"):  # a Box, and a dict of arrays
        assert parallel_pool.make_spec(task).action_meanings is None
        assert "  meanings" not in str(parallel_pool.make_spec(task))


@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "dm"])
def test_pools_have_ales_method(env_type: EnvType) -> None:
    with parallel_pool.make("MountainCar-v0", env_type, num_envs=2) as pool:
        assert pool.get_action_meanings() == ["LEFT", "NOOP", "RIGHT"]
    with (
        parallel_pool.make("Pendulum-v1", env_type, num_envs=2) as pool,
        pytest.raises(ValueError, match=r"Pendulum-v1: its actions have no names: Box\("),
    ):
        pool.get_action_meanings()


def test_actions_of_the_space_are_taken_and_observations_are_in_theirs() -> None:
    with parallel_pool.make("Echo-v0", num_envs=1) as pool:
        pool.reset()
        for seed in range(20):
            pool.action_space.seed(seed)
            action = pool.action_space.sample()
            batch = {
                "choice": np.array([action["choice"]]),
                "motor": {k: v[None] for k, v in action["motor"].items()},
                "byte": action["byte"][None],
                "wide": action["wide"][None],
            }
            obs, reward, *_ = pool.step(batch)
            one = {
                "choice": obs["choice"][0],
                "motor": {k: v[0] for k, v in obs["motor"].items()},
                "byte": obs["byte"][0],
                "wide": obs["wide"][0],
                "flags": {"flip": obs["flags"]["flip"][0]},
            }
            assert pool.observation_space.contains(
                {
                    **one,
                    "byte": np.asarray(one["byte"]),
                    "flags": {"flip": np.asarray(one["flags"]["flip"])},
                }
            )
            np.testing.assert_array_equal(obs["motor"]["exact"], batch["motor"]["exact"])
            np.testing.assert_array_equal(obs["wide"], batch["wide"])
            assert reward[0] == 0.5 * action["choice"]


def test_bounds_stay_within_the_dtype() -> None:
    spec = ArraySpec("obs", "int64", (2,), "box", [-np.inf], [np.inf, 1e30])
    low, high = spec.bounds()
    assert low.tolist() == [-(2**63), -(2**63)]
    assert high.tolist() == [2**63 - 1, 2**63 - 1]
    assert ArraySpec("obs", "uint8", (), "box", [], []).bounds()[0].shape == ()


def test_dm_specs_have_the_shape_of_an_observation() -> None:
    spec = parallel_pool.make_spec("Echo-v0", size=2)
    observation = spec.observation_spec()
    assert observation.motor.force == specs.BoundedArray((2,), np.float32, -np.ones(2), np.ones(2))
    assert observation.paint.color.maximum.max() == 255
    assert observation.env_id.dtype == np.int32
    assert spec.action_spec()["choice"] == specs.DiscreteArray(3, np.int32, "choice")
    with parallel_pool.make_dm("Echo-v0", size=2) as pool:
        step = pool.reset()
        assert step.observation._fields == observation._fields
        assert step.observation.motor._fields == observation.motor._fields
        assert step.observation.motor.force.shape == (1, 2)


def test_options_are_shown_as_they_are_given() -> None:
    text = str(parallel_pool.make_spec("CartPole-v1", num_envs=8))
    for shown in ("num_envs=8 ", "batch_size=0 ", "num_threads=0 ", "seed=42 ", "per_env={} "):
        assert f"  option       {shown}" in text
    spec = parallel_pool.make_spec("Pong-v5", num_envs=9, seed=range(9), preset="gymnasium")
    assert repr(spec) == "make_spec('Pong-v5', num_envs=9, seed=range(0, 9), preset='gymnasium')"
    assert "  option       gray_scale=True " in str(spec)


def test_a_spec_reads_as_help() -> None:
    text = str(parallel_pool.make_spec("Echo-v0", size=2))
    assert "action       Dict(" in text
    assert "info         paint.color uint8[3]" in text
    assert "info         players.env_id int32[]" in text
    assert "size=2 " in text
    assert "elements of force, 1 to 100" in text
    names = [option.name for option in parallel_pool.make_spec("Echo-v0").options]
    assert names[0] == "num_envs"
    assert names[-6:] == ["size", "gain", "flip", "color", "repeats", "style"]
