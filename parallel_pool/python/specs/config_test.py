"""The options that make() accepts and refuses."""

import os
import pickle
import re
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.core import _core
from parallel_pool.python.options.option import Option, suggest
from parallel_pool.python.specs.config import pool_options
from parallel_pool.python.specs.registry import registry
from parallel_pool.testing import testing_family  # noqa: F401


def make(task_id: str = "CartPole-v1", **kwargs: Any) -> Any:
    return parallel_pool.make(task_id, **kwargs)


@pytest.mark.parametrize(
    ("kwargs", "error", "words"),
    [
        ({"num_envs": 0}, ValueError, "num_envs is 0; it must be at least 1"),
        ({"num_envs": -3}, ValueError, "num_envs is -3"),
        ({"num_envs": True}, TypeError, "num_envs must be an int, not True"),
        ({"num_envs": 2.0}, TypeError, "num_envs must be an int, not 2.0"),
        ({"num_envs": "2"}, TypeError, "num_envs must be an int, not '2'"),
        ({"num_envs": 2, "batch_size": 3}, ValueError, "batch_size is 3.* num_envs = 2"),
        ({"batch_size": -1}, ValueError, "batch_size is -1"),
        ({"num_threads": -1}, ValueError, "num_threads is -1"),
        ({"num_threads": 10**6}, ValueError, "num_threads is 1000000"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"seed": 2**64 - 1, "num_envs": 2}, ValueError, "seed is 18446744073709551616"),
        ({"seed": [1, 2], "num_envs": 3}, ValueError, "seed has 2 values.* each of 3 envs"),
        ({"seed": 1.5}, TypeError, "seed must be an int"),
        ({"seed": "1"}, TypeError, "seed must be an int"),
        ({"seed": np.array(1.5)}, TypeError, "seed must be an int"),
        ({"seed": np.True_}, TypeError, "seed must be an int"),
        ({"num_envs": np.array([2])}, TypeError, "num_envs must be an int"),
        ({"num_envs": 2**40}, ValueError, "1099511627776; it must be between 1 and 2147483647"),
        ({"max_episode_steps": 0}, ValueError, "max_episode_steps is 0"),
        ({"max_num_players": 2}, ValueError, "max_num_players is 2; only 1"),
        ({"thread_affinity_offset": -2}, ValueError, "thread_affinity_offset is -2"),
        (
            {"thread_affinity_offset": 9999},
            ValueError,
            rf"thread_affinity_offset is 9999; .* {_core.usable_processors() - 1}$",
        ),
        ({"reward_threshold": "high"}, TypeError, "reward_threshold must be a number"),
        ({"num_env": 3}, TypeError, "no option 'num_env'; did you mean num_envs"),
        ({"sutton_barto": True}, TypeError, "did you mean sutton_barto_reward"),
        ({"sutton_barto_reward": 1}, TypeError, "must be True or False, not 1"),
        (
            {"autoreset_mode": "sometimes"},
            ValueError,
            "'sometimes'; allowed are 'next_step', 'same_",
        ),
        ({"autoreset_mode": 1}, ValueError, "autoreset_mode is 1; allowed"),
        ({"xyzzy": 1}, TypeError, "no option 'xyzzy'; there are action_repeat, "),
        ({"num_envs": 10**9}, MemoryError, "1000000000 envs need at least"),
    ],
)
def test_refuses(kwargs: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make(**kwargs)


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"size": 0}, "size is 0; it must be between 1 and 100"),
        ({"gain": float("nan")}, "gain is nan"),
        ({"color": "green"}, "Echo-v0: color is 'green'; allowed are red and blue"),
        ({"style": "bolt"}, "style is 'bolt'; allowed are 'plain', 'bold'; did you mean bold"),
        ({"style": "xyz"}, "style is 'xyz'; allowed are 'plain', 'bold'$"),
        ({"repeats": 0}, "repeats is 0; it must be between 1 and 9"),
        ({"repeats": (3, 3)}, r"repeats is \(3, 3\); .* end must be greater than low, .* 1 and 9"),
        ({"repeats": (3, 11)}, r"repeats is \(3, 11\)"),
        ({"repeats": [1, 2, 3]}, "must be an int or a pair of ints"),
    ],
)
def test_refuses_an_option_of_the_task(kwargs: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make("Echo-v0", **kwargs)
    with pytest.raises(TypeError, match="color must be a str, not 3"):
        make("Echo-v0", color=3)
    with pytest.raises(TypeError, match=r"repeats\[1\] must be an int, not 2.5"):
        make("Echo-v0", repeats=(1, 2.5))
    with pytest.raises(TypeError, match="repeats must be an int, not '3'"):
        make("Echo-v0", repeats="3")


@pytest.mark.parametrize(
    ("given", "complete"),
    [
        ({}, {"style": "plain", "color": "red", "gain": 1.0, "repeats": 1}),
        ({"style": "bold"}, {"color": "blue", "gain": 2.0}),
        ({"style": "bold", "gain": 3}, {"color": "blue", "gain": 3.0}),
        ({"style": "bold", "color": "red"}, {"color": "red", "gain": 2.0}),
        ({"repeats": (2, 5)}, {"repeats": (2, 5)}),
        ({"repeats": [4, 5]}, {"repeats": 4}),
        ({"repeats": np.int64(9)}, {"repeats": 9}),
        ({"repeats": (1, 10)}, {"repeats": (1, 10)}),
    ],
)
def test_options_follow_from_others(given: dict[str, Any], complete: dict[str, Any]) -> None:
    config = parallel_pool.make_spec("Echo-v0", **given).config
    assert {name: config[name] for name in complete} == complete
    with make("Echo-v0", **config) as pool:  # all of them, given by the user
        assert pool.config == config
        pool.load(pool.save())
        again = pickle.loads(pickle.dumps(pool))
        assert again.config == config
        again.close()


def test_says_why_an_env_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="Trouble-v0 env 0: no such device"):
        make("Trouble-v0", refuse=True)


def test_unknown_names_come_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="no task 'CartPol-v1'; did you mean CartPole-v1"):
        make("CartPol-v1")
    with pytest.raises(ValueError, match="did you mean CartPole-v1"):
        make("cartpole-v1")
    with pytest.raises(TypeError, match="must be a str"):
        make(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="env_type is 'gim'; allowed are 'gymnasium', 'gym'"):
        make(env_type="gim")


def test_a_family_that_cannot_load_is_named_when_a_task_is_missing() -> None:
    registry().failures["doom"] = "libEGL.so: cannot open"
    try:
        with pytest.raises(ValueError, match=r"no family doom: libEGL.so: cannot open"):
            make("NoSuchTask-v0")
    finally:
        del registry().failures["doom"]


def test_takes_numpy_numbers_and_fills_in_defaults() -> None:
    with make(num_envs=np.int64(4), seed=np.arange(4), sutton_barto_reward=np.True_) as pool:
        assert pool.config["num_envs"] == pool.config["batch_size"] == len(pool) == 4
        assert pool.config["max_episode_steps"] == 500
        assert pool.config["sutton_barto_reward"] is True
        assert pool.config["num_threads"] >= 1
        np.testing.assert_array_equal(pool.all_env_ids, [0, 1, 2, 3])
        assert not pool.is_async


def test_reward_threshold() -> None:
    assert parallel_pool.make_spec("CartPole-v1").reward_threshold == 475
    assert parallel_pool.make_spec("CartPole-v1", reward_threshold=7).reward_threshold == 7
    assert parallel_pool.make_spec("Echo-v0").reward_threshold is None


def test_errors_name_what_lists_many_names() -> None:
    command = "; `python -m parallel_pool info Ant-v5` lists all options"
    with pytest.raises(TypeError, match=re.escape(f"Ant-v5 has no option 'zzzz'{command} (")):
        parallel_pool.make("Ant-v5", zzzz=1)
    with (
        parallel_pool.make("Ant-v5") as pool,
        pytest.raises(AttributeError, match=re.escape(f"no attribute 'zzzz'{command}")),
    ):
        pool.get_attr("zzzz")
    with pytest.raises(ValueError, match=r"'zzzz'; parallel_pool.list_all_envs\(\) names all"):
        parallel_pool.make("zzzz")
    many = [f"name{k}" for k in range(41)]
    assert suggest("zzzz", many[:40], "the page") == f"; there are {', '.join(sorted(many[:40]))}"
    assert suggest("zzzz", many, "the page names all") == "; the page names all"
    assert suggest("zzzz", many).startswith("; there are name0, ")


def test_a_relative_path_is_made_absolute_in_a_list_of_values_too() -> None:
    option = Option("own_path", "", "", kind="str")
    for place in ("", "[1]"):
        assert option.check("Task-v0", "./here", place) == os.path.abspath("here")


def test_lists_tasks_in_order() -> None:
    names = parallel_pool.list_all_envs()
    assert names == sorted(names)
    assert "CartPole-v1" in names


def test_every_task_that_draws_has_a_window_and_a_size() -> None:
    drawn = 0
    for task_id in registry().tasks:
        task = registry().find(task_id)
        names = {option.name for option in (*task.options, *pool_options(task))}
        draws = "rgb_array" in task.render_modes
        assert draws == ({"render_width", "render_height"} <= names), task.id
        assert draws == ("human" in task.render_modes), task.id
        drawn += draws
    assert drawn > 700  # also where Procgen, NetHack and ViZDoom are missing


def test_a_range_whose_default_is_a_pair_takes_one_int() -> None:
    option = Option("skip", "", (2, 5), 1, 10, kind="range")
    assert option.check("Task-v0", 3) == 3
    assert type(option.check("Task-v0", 3)) is int
    with pytest.raises(TypeError, match="skip must be an int"):
        option.check("Task-v0", 3.5)


def test_numbers_are_as_many_as_the_option_says() -> None:
    option = Option("prizes", "", (1.0, 0.0), -1, 9, kind="numbers", count=2)
    assert option.check("Task-v0", [np.float32(2.5), -1]) == (2.5, -1.0)
    assert option.check("Task-v0", [[2], [-1]]) == (2.0, -1.0)
    of_any = Option("speeds", "", (1.0, 0.0), -1, 9, kind="numbers")
    assert of_any.check("Task-v0", [1, 2, 3]) == (1.0, 2.0, 3.0)
    for value, error, words in [
        (3.0, TypeError, "prizes must be a list of 2 numbers, not 3.0"),
        ((1, 2, 3), ValueError, "it must be 2 numbers"),
        ((1, True), TypeError, "prizes.1. must be a number, not True"),
        ((1, 10), ValueError, "prizes.1. is 10.0; it must be between -1 and 9"),
    ]:
        with pytest.raises(error, match=words):
            option.check("Task-v0", value)


def test_numbers_by_name_are_as_many_as_the_count() -> None:
    option = Option("gains", "", {"health": (1.0, 0.0)}, -9, 9, kind="numbers_by_name", count=2)
    assert option.check("Task-v0", {"armor": [np.float32(2.5), -1]}) == {"armor": (2.5, -1.0)}
    assert option.check("Task-v0", {}) == option.check("Task-v0", None) == {}
    for value, error, words in [
        (3.0, TypeError, "gains must be a dict, not 3.0"),
        ({1: (1, 2)}, TypeError, "gains: a key must be a str, not 1"),
        ({"armor": 1}, TypeError, "gains.'armor'. must be a list of 2 numbers, not 1"),
        ({"armor": (1, 2, 3)}, ValueError, "gains.'armor'. is .*; it must be 2 numbers"),
        ({"armor": (1, "2")}, TypeError, "gains.'armor'..1. must be a number, not '2'"),
        ({"armor": (1, 10)}, ValueError, "gains.'armor'..1. is 10.0; it must be between -9 and 9"),
        ({"armor": (1, float("nan"))}, ValueError, "gains.'armor'..1. is nan"),
    ]:
        with pytest.raises(error, match=words):
            option.check("Task-v0", value)


def test_one_number_for_each_int_is_bare() -> None:
    option = Option("slots", "", {}, kind="numbers_by_int", count=1)
    assert option.check("Task-v0", {np.int64(2): 1}) == {2: 1.0}
    for value, words in [
        ({"2": 1}, "slots: a key must be an int, not '2'"),
        ({True: 1}, "slots: a key must be an int, not True"),
        ({2: (1,)}, "slots.2. must be a number, not .1,."),
    ]:
        with pytest.raises(TypeError, match=words):
            option.check("Task-v0", value)


def test_zero_dimensional_arrays_are_integers() -> None:
    with make(num_envs=np.array(3), seed=np.array(5), num_threads=np.uint8(1)) as pool:
        assert (pool.num_envs, pool.config["num_envs"]) == (3, 3)
        first, _ = pool.reset()
        np.testing.assert_array_equal(first, pool.reset(seed=np.array(5))[0])


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (np.int64(3), 3),
        (np.uint8(200), 200),
        (np.array(9), 9),
        (np.array([1, 2]), [1, 2]),
        ([np.int32(1), np.int64(2)], [1, 2]),
        ((4, 5), [4, 5]),
    ],
)
@pytest.mark.parametrize("is_python", [False, True])
def test_seeds_become_plain_ints(seed: Any, expected: Any, is_python: bool) -> None:
    def open_pool(seed: Any) -> Any:
        if is_python:
            return parallel_pool.make_python("CartPole-v1", 2, num_workers=0, seed=seed)
        return make(num_envs=2, seed=seed)

    with open_pool(seed) as pool, open_pool(expected) as plain:
        own = pool.config["seed"]
        numbers = own if isinstance(own, list) else [own]
        assert own == expected and all(type(number) is int for number in numbers)
        np.testing.assert_array_equal(pool.sample_actions(), plain.sample_actions())
        np.testing.assert_array_equal(pool.reset()[0], plain.reset()[0])
        listed = expected if isinstance(expected, list) else [expected, expected + 1]
        assert pool.np_random_seed == tuple(listed)


def test_a_list_of_seeds_is_copied() -> None:
    seeds = [1, 2]
    spec = parallel_pool.make_spec("CartPole-v1", num_envs=2, seed=seeds)
    seeds[0] = 7
    assert spec.config["seed"] == [1, 2]


def test_no_seed_is_drawn_and_shown() -> None:
    with make(num_envs=2, seed=None) as pool, make(num_envs=2, seed=None) as other:
        seed = pool.config["seed"]
        assert 0 <= seed < 2**63
        assert seed != other.config["seed"]
        obs, _ = pool.reset()
        assert (obs != other.reset()[0]).any()
        with make(num_envs=2, seed=seed) as again:
            np.testing.assert_array_equal(again.reset()[0], obs)


def test_pools_of_several_ranks_share_no_seed() -> None:
    first = []
    for rank in range(3):
        seed = parallel_pool.rank_seed(7, rank, 4)
        with parallel_pool.make("CartPole-v1", num_envs=4, seed=seed) as pool:
            first += [row.tobytes() for row in pool.reset()[0]]
    assert len(set(first)) == 12
    with parallel_pool.make("CartPole-v1", num_envs=12, seed=7) as pool:
        assert first == [row.tobytes() for row in pool.reset()[0]]


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((-1, 0, 1), ValueError, "rank_seed: seed is -1; it must be 0 or more"),
        ((0, -1, 1), ValueError, "rank_seed: rank is -1; it must be 0 or more"),
        ((0, 0, 0), ValueError, "rank_seed: num_envs is 0; it must be 1 or more"),
        ((0, 0.5, 1), TypeError, "rank_seed: rank must be an int, not 0.5"),
    ],
)
def test_bad_ranks(args: tuple[int, int, int], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        parallel_pool.rank_seed(*args)
