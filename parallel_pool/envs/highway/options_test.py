"""Options of the tasks: dicts, defaults of types, other names and errors; recordings and states."""

import pathlib
import pickle
import re
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.results import same


def test_a_dict_with_a_type_has_the_defaults_of_that_type() -> None:
    of_task = parallel_pool.make_spec("intersection-v0").config
    assert of_task["observation.vehicles_count"] == 15
    config = parallel_pool.make_spec(
        "intersection-v0", observation={"type": "Kinematics", "see_behind": True}
    ).config
    assert config["observation.vehicles_count"] == 5
    assert config["observation.features"] == ("presence", "x", "y", "vx", "vy")
    assert config["observation.see_behind"]


def test_a_dict_without_a_type_changes_its_keys_only() -> None:
    of_task = parallel_pool.make_spec("intersection-v0").config
    config = parallel_pool.make_spec("intersection-v0", observation={"absolute": False}).config
    changed = {name for name in config if config[name] != of_task[name]}
    assert changed == {"observation.absolute"}


def test_envpools_names_are_those_tasks() -> None:
    assert parallel_pool.make_spec("HighwayFast-v0", lanes_count=5).task_id == "highway-fast-v0"
    assert parallel_pool.make_spec("ParkingActionRepeat-v0").task_id == "parking-ActionRepeat-v0"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"observation": {"vehicle_count": 3}}, "observation.vehicles_count"),
        ({"observation": {"type": "Kinematic"}}, "Kinematics"),
        ({"observation": {"features": ["speed"]}}, "speed"),
        ({"observation": "Kinematics"}, "observation must be a dict with keys of"),
        ({"config": {"lanes_count": 3}}, "give its keys as options"),
        ({"normalize_reward": False}, "option of this name is unit_reward here"),
        ({"lane_count": 3}, "lanes_count"),
        ({"initial_lane_id": 7}, "initial_lane_id"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        parallel_pool.make("highway-fast-v0", num_envs=1, **options)


def play(pool: Any, steps: int) -> list[Any]:
    random = np.random.default_rng(4)
    return [pool.step(random.integers(3, size=2)) for _ in range(steps)]


def test_recordings_and_pickles_go_on(tmp_path: pathlib.Path) -> None:
    options: Any = {"num_envs": 2, "seed": 3, "unit_reward": False}
    with parallel_pool.make("intersection-v0", **options) as pool:
        pool.record(tmp_path / "run.ppr")
        pool.reset()
        wanted = play(pool, 4)
        copy = pickle.loads(pickle.dumps(pool))
        assert copy.config == pool.config
        copy.close()
    with parallel_pool.replay(tmp_path / "run.ppr") as recording:
        found = list(recording)
    same([list(step)[:4] for step in found[-4:]], [list(step)[:4] for step in wanted])


def test_a_saved_env_goes_on() -> None:
    with (
        parallel_pool.make("intersection-v0", num_envs=2, seed=1) as pool,
        parallel_pool.make("intersection-v0", num_envs=2, seed=8) as other,
    ):
        pool.reset()
        play(pool, 3)
        state = pool.save()
        wanted = play(pool, 12)
        other.load(state)
        assert other.save() == state
        same(play(other, 12), wanted)


def test_rewards_of_goals_are_those_of_steps() -> None:
    with parallel_pool.make("parking-v0", num_envs=3, seed=0, reward_dtype="float64") as pool:
        pool.reset()
        obs, reward, *_, info = pool.step(np.full((3, 2), 0.1, np.float32))
        again = pool.compute_reward(obs["achieved_goal"], obs["desired_goal"])
        assert not info["crashed"].any()
        np.testing.assert_array_equal(again, reward)
