"""FrozenLake equals Gymnasium's, step for step, in numbers and as text."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

import parallel_pool
from parallel_pool.testing.gymnasium_parity import SEEDS, assert_same_spaces, compare
from parallel_pool.testing.render_parity import compare_words

TWO_STARTS = ["SFFFF", "FFHFS", "FFFFG"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"is_slippery": False},
    {"success_rate": 0.75},
    {"reward_schedule": (10, -2.5, -0.125)},
    {"map_name": "4x4", "success_rate": 1.0},
    {"desc": TWO_STARTS},
    {"desc": generate_random_map(size=6, seed=3), "is_slippery": False},
]


PLAYED = [("FrozenLake-v1", options) for options in OPTIONS] + [("FrozenLake8x8-v1", {})]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("task_id", "options"), PLAYED, ids=str)
def test_equals_gymnasium(task_id: str, options: dict[str, Any], seed: int) -> None:
    ends = compare(
        task_id, lambda: gymnasium.make(task_id, **options), seed, infos=("prob",), **options
    )
    assert ends["terminated"] > 0


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_words_equal_gymnasium(options: dict[str, Any]) -> None:
    compare_words("FrozenLake-v1", **options)


@pytest.mark.parametrize(("task_id", "options"), PLAYED, ids=str)
def test_task_facts(task_id: str, options: dict[str, Any]) -> None:
    assert_same_spaces(task_id, gymnasium.make(task_id, **options), **options)


def test_maps_as_gymnasium_takes_them() -> None:
    config = parallel_pool.make_spec("FrozenLake-v1", desc=TWO_STARTS).config
    assert config["desc"] == tuple(TWO_STARTS)
    assert parallel_pool.make_spec("FrozenLake-v1", desc=None).config["desc"] == ()
    with parallel_pool.make("FrozenLake-v1", num_envs=1, desc=TWO_STARTS) as pool:
        obs, _ = pool.reset()
        data = pool.save()
        pool.step([0])
        pool.load(data)
        np.testing.assert_array_equal(obs, pool.reset(seed=42)[0])
        with (
            parallel_pool.make("FrozenLake-v1", num_envs=1) as other,
            pytest.raises(ValueError, match="desc="),
        ):
            other.load(data)


@pytest.mark.parametrize(
    ("task_id", "options", "size", "map_name"),
    [
        ("FrozenLake-v1", {}, 4, "4x4"),
        ("FrozenLake-v1", {"size": 8}, 8, "8x8"),
        ("FrozenLake-v1", {"map_name": "8x8"}, 8, "8x8"),
        ("FrozenLake-v1", {"map_name": "8x8", "size": 8}, 8, "8x8"),
        ("FrozenLake8x8-v1", {}, 8, "8x8"),
        ("FrozenLake8x8-v1", {"size": 4}, 4, "4x4"),
        ("FrozenLake-v1", {"desc": TWO_STARTS}, 3, "4x4"),
    ],
)
def test_size_is_another_name_of_the_map(
    task_id: str, options: dict[str, Any], size: int, map_name: str
) -> None:
    spec = parallel_pool.make_spec(task_id, **options)
    assert (spec.config["size"], spec.config["map_name"]) == (size, map_name)
    cells = 15 if "desc" in options else size * size
    assert spec.observation_space == gymnasium.spaces.Discrete(cells)
    again = {name: spec.config[name] for name in ("size", "map_name", "desc")}
    assert parallel_pool.make_spec(task_id, **again).config == spec.config


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"desc": ["SF", "FXG"]}, ValueError, r"desc\[1\] is 'FXG'; all rows must have 2 letters"),
        ({"desc": ["SF", "XG"]}, ValueError, r"desc\[1\] is 'XG'; allowed are the letters S, F, H"),
        ({"desc": ["FF", "FG"]}, ValueError, "desc has no start"),
        ({"desc": ["SF", ""]}, ValueError, r"desc\[1\] is ''; it must be one line"),
        ({"desc": ["SF\nFG"]}, ValueError, "it must be one line"),
        ({"desc": "SFFG"}, TypeError, "desc must be a list of str, not 'SFFG'"),
        ({"desc": ["SF", 3]}, TypeError, "desc must be a list of str"),
        ({"map_name": "4x5"}, ValueError, "map_name is '4x5'; allowed are '4x4', '8x8'; did you"),
        ({"size": 5}, ValueError, "size is 5; allowed are 4 and 8, or give a map as desc"),
        ({"size": -1}, ValueError, "size is -1; it must be"),
        (
            {"size": 8, "map_name": "4x4"},
            ValueError,
            "size is 8, but the map has 4 rows",
        ),
        ({"size": 4, "desc": TWO_STARTS}, ValueError, "size is 4, but the map has 3 rows"),
        ({"reward_schedule": 1}, TypeError, "reward_schedule must be a list of 3 numbers, not 1"),
        ({"reward_schedule": (1, 0)}, ValueError, r"is \(1, 0\); it must be 3 numbers"),
        ({"reward_schedule": (1, "0", 0)}, TypeError, r"reward_schedule\[1\] must be"),
        ({"reward_schedule": (1, 0, float("nan"))}, ValueError, r"reward_schedule\[2\] is nan"),
        ({"success_rate": 1.5}, ValueError, "success_rate is 1.5; it must be between 0 and 1"),
    ],
)
def test_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parallel_pool.make("FrozenLake-v1", **options)
