"""Names, players and options of Foraging, where lbforaging has no row to compare."""

from typing import Any

import gymnasium
import lbforaging
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

import parallel_pool
from parallel_pool.envs.foraging.names import NAMES
from parallel_pool.envs.foraging.reference import reference_env
from parallel_pool.integrations.pettingzoo import aec_env, parallel_env
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.testing.any_order import assert_same_in_any_order
from parallel_pool.testing.results import same

# Options of lbforaging's names that are the defaults of the task.
SAME_IN_ALL = {
    "min_player_level": 1,
    "max_player_level": 2,
    "min_food_level": 1,
    "max_food_level": None,
    "max_episode_steps": 50,
}


def test_names_are_those_of_lbforaging(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = gymnasium.registry
    listed = {name: registry[name].kwargs for name in registry if name.startswith("Foraging")}
    grids: dict[str, dict[str, Any]] = {}
    monkeypatch.setattr(
        lbforaging, "register", lambda id, entry_point, kwargs: grids.update({id: kwargs})
    )
    lbforaging.register_grid_envs()
    assert (len(listed), len(grids)) == (1920, 11520)
    for name, theirs in (listed | grids).items():
        task_id, ours = NAMES[name]({"penalty": 0.5})
        assert task_id == "Foraging-v3"
        assert SAME_IN_ALL | ours == {**theirs, "penalty": 0.5}
    assert set(NAMES) == set(listed)
    assert len(NAMES) == len(listed)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("Foraging-8x8-2p-2f-coop-v2", "did you mean .*Foraging-8x8-2p-2f-coop-v3"),
        ("Foraging-8x9-2p-2f-v3", "did you mean .*Foraging-8x8-2p-2f-v3"),
        ("Foraging-8x8-2p-5f-v3", "did you mean .*Foraging-8x8-2p-2f-v3"),
        ("Foraging-3s-8x8-2p-2f-v3", "did you mean .*Foraging-2s-8x8-2p-2f-v3"),
        ("foraging-8x8-2p-2f-v3", "did you mean .*Foraging-8x8-2p-2f-v3"),
        ("Foraging-grid-8s-8x8-2p-2f-v3", "did you mean"),
        ("Foraging-08x08-2p-2f-v3", "did you mean"),
    ],
)
def test_wrong_names_are_refused(name: str, nearest: str) -> None:
    with pytest.raises(ValueError, match=f"there is no task '{name}'; {nearest}"):
        parallel_pool.make_spec(name)


def test_options_of_the_user_come_first() -> None:
    spec = parallel_pool.make_spec("Foraging-8x8-2p-2f-coop-v3", force_coop=False, penalty=0.5)
    assert spec.task_id == "Foraging-v3"
    assert not spec.config["force_coop"]
    assert spec.config["penalty"] == 0.5
    levels = parallel_pool.make_spec("Foraging-v3", max_food_level=3).config["max_food_level"]
    assert tuple(levels) == (3.0,)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"players": 4, "max_player_level": [1, 2, 3, 5], "max_food_level": 4},
        {"observe_agent_levels": False, "players": 3, "sight": 2},
    ],
)
def test_players_are_those_of_lbforaging(options: dict[str, Any]) -> None:
    spec = parallel_pool.make_spec("Foraging-v3", **options)
    env = reference_env(**options)
    assert [player.name for player in spec.players] == [f"agent_{i}" for i in range(env.n_agents)]
    for player, space in zip(spec.players, env.observation_space, strict=True):
        assert player.role == "agent"
        assert player.observation_space == space
        assert player.action_space.n == 6  # type: ignore[attr-defined]
    assert spec.action_meanings == ("NOOP", "UP", "DOWN", "LEFT", "RIGHT", "LOAD")


def test_infos_name_the_player_of_each_row() -> None:
    with parallel_pool.make("Foraging-8x8-3p-2f-v3", num_envs=2) as pool:
        players = pool.reset()[1]["players"]
        assert players["agent"].tolist() == [0, 1, 2] * 2
        assert players["env_id"].tolist() == [0] * 3 + [1] * 3


def test_async_pools_play_the_same() -> None:
    assert_same_in_any_order("Foraging-5x5-3p-2f-v3", 80)


def test_a_saved_pool_goes_on() -> None:
    task_id, random = "Foraging-5x5-4p-3f-v3", np.random.default_rng(1)
    with (
        parallel_pool.make(task_id, num_envs=3) as pool,
        parallel_pool.make(task_id, num_envs=3, seed=500) as other,
    ):
        pool.reset()
        other.reset()
        for step in range(120):
            if step % 40 == 20:
                other.load(pool.save())
            action = random_actions(pool.spec, random, 3)
            results = pool.step(action), other.step(action)
            if step >= 20:
                same(*results)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 0}, "players is 0; it must be between 1 and 100"),
        ({"field_size": (2, 8)}, r"field_size\[0\] is 2.0; it must be between 3 and 100"),
        ({"field_size": (5.5, 8)}, r"field_size\[0\] is 5.5; it must be a whole number"),
        ({"field_size": (3, 3), "players": 10}, "players is 10; the field has only 9 cells"),
        ({"sight": 0}, "sight is 0; it must be between 1 and 100"),
        ({"penalty": -1.0}, "penalty is -1.0; it must be at least 0"),
        (
            {"min_player_level": 3},
            "min_player_level is 3 and max_player_level is 2; the first must not be greater",
        ),
        ({"max_player_level": [1, 2, 3]}, "max_player_level has 3 numbers; it must be one for all"),
        ({"max_food_level": 1.5}, "max_food_level is 1.5; it must be a whole number"),
        ({"min_food_level": 3}, "min_food_level is 3; without max_food_level it must be at most 2"),
        ({"min_food_level": 0}, r"min_food_level is 0.0; it must be between 1 and 1000"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^Foraging-v3: .*{words}"):
        parallel_pool.make("Foraging-v3", **options)


def test_wrong_actions_are_refused() -> None:
    with parallel_pool.make("Foraging-v3", num_envs=1) as pool:
        pool.reset()
        words = r"action\[1\] of agent_1 is 6; allowed are the integers 0 to 5"
        with pytest.raises(ValueError, match=words):
            pool.step([0, 6])


@pytest.mark.filterwarnings("ignore:.*reset\\(\\) leaves out the option 'options'")
def test_pettingzoo_has_its_players() -> None:
    task_id = "Foraging-8x8-2p-2f-coop-v3"
    env = parallel_env(task_id)
    assert env.possible_agents == ["agent_0", "agent_1"]
    parallel_api_test(env, num_cycles=100)
    api_test(aec_env(task_id, render_mode="rgb_array"), num_cycles=100)


def test_pictures_show_players_and_foods() -> None:
    with parallel_pool.make("Foraging-v3", field_size=(4, 6), render_mode="rgb_array") as pool:
        pool.reset()
        picture = pool.render()[0]
        assert picture.shape == (160, 240, 3)
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 4
        assert pool.metadata["render_fps"] == 5
    with parallel_pool.make("Foraging-v3", field_size=(4, 6), render_mode="ansi") as pool:
        pool.reset()
        text = pool.render()[0]
        lines = text.splitlines()
        assert len(lines) == 4
        assert all(len(line.split(" ")) == 6 for line in lines)
        assert text.count("A") == text.count("B") == 1
        assert sum(text.count(level) for level in "1234") >= 1


def test_the_packages_normalize_reward_is_another_option() -> None:
    with pytest.raises(ValueError, match="option of this name is normalize_loads here"):
        parallel_pool.make_spec("Foraging-8x8-2p-2f-v3", normalize_reward=False)
