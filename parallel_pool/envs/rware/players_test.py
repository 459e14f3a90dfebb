"""Names, players and options of rware, where its package has no row to compare."""

import itertools
from typing import Any

import gymnasium
import numpy as np
import pytest
import rware
from pettingzoo.test import api_test, parallel_api_test

import parallel_pool
from parallel_pool.envs.rware.names import NAMES
from parallel_pool.envs.rware.reference import reference_env
from parallel_pool.integrations.pettingzoo import aec_env, parallel_env
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.testing.any_order import assert_same_in_any_order
from parallel_pool.testing.results import same

# Options of rware's names that are the defaults of the task.
SAME_IN_ALL = {
    "msg_bits": 0,
    "max_inactivity_steps": None,
    "max_steps": 500,
    "observation_type": "flattened",
    "image_observation_directional": True,
}
_EACH = 4999  # of the five million names that full_registration() registers


def registered(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """The options of the names that rware registers; of the longest list, one of `_EACH`."""
    found = {
        name: dict(gymnasium.registry[name].kwargs)
        for name in gymnasium.registry
        if name.startswith("rware")
    }
    assert len(found) == 228
    monkeypatch.setattr(
        rware, "register", lambda id, entry_point, kwargs: found.update({id: dict(kwargs)})
    )
    rware.image_registration()
    assert len(found) == 228 + 912
    product = itertools.product

    def some(*lists: Any) -> Any:
        return itertools.islice(product(*lists), 0, None, 7 if len(lists) == 7 else _EACH)

    with monkeypatch.context() as patch:
        patch.setattr(itertools, "product", some)
        rware.full_registration()
    return found


def test_names_are_those_of_rware(monkeypatch: pytest.MonkeyPatch) -> None:
    found = registered(monkeypatch)
    for name, theirs in found.items():
        for option in ("reward_type", "observation_type"):
            if option in theirs:
                theirs[option] = theirs[option].name.lower()
        task_id, ours = NAMES[name]({"sensor_range": 9})
        assert task_id == "rware-v2"
        assert SAME_IN_ALL | ours == SAME_IN_ALL | theirs | {"sensor_range": 9}
    assert len(found) > 5000
    assert set(NAMES) <= set(found)
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("rware-tiny-2ag-easy-v1", "did you mean .*rware-tiny-2ag-easy-v2"),
        ("rware-tiny-20ag-v2", "did you mean .*rware-tiny-2ag-v2"),
        ("rware-tinny-2ag-v2", "did you mean .*rware-tiny-2ag-v2"),
        ("rware-Nd-tiny-2ag-v2", "did you mean .*rware-tiny-2ag-v2"),
        ("rware-2s-tiny-2ag-v2", "did you mean .*rware-tiny-2ag-v2"),
        ("rware-imgdict-tiny-8h-2ag-v2", "did you mean"),
        ("rware-1x4-8h-2ag-3req-indiv-v2", "did you mean"),
        ("rware-1x3-08h-2ag-3req-indiv-v2", "did you mean"),
        ("rware-9s-1x3-8h-2ag-3req-indiv-v2", "did you mean"),
    ],
)
def test_wrong_names_are_refused(name: str, nearest: str) -> None:
    with pytest.raises(ValueError, match=f"there is no task '{name}'; {nearest}"):
        parallel_pool.make_spec(name)


def test_options_of_the_user_come_first() -> None:
    spec = parallel_pool.make_spec("rware-img-small-4ag-v2", n_agents=3, msg_bits=2)
    assert spec.task_id == "rware-v2"
    assert spec.config["n_agents"] == 3
    assert spec.observation_space.shape == (5, 3, 3)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_agents": 3, "msg_bits": 3, "sensor_range": 2},
        {"observation_type": "image", "image_observation_layers": ["AGENT_DIRECTION", "GOALS"]},
        {"observation_type": "image_dict"},
    ],
)
def test_players_are_those_of_rware(options: dict[str, Any]) -> None:
    spec = parallel_pool.make_spec("rware-v2", **options)
    env = reference_env(**options)
    assert [player.name for player in spec.players] == [f"agent_{i}" for i in range(env.n_agents)]
    for i, player in enumerate(spec.players):
        assert player.role == "agent"
        assert player.observation_space == env.observation_space[i]
        theirs = env.action_space[i]
        assert player.action_space.shape == theirs.shape
        if not options.get("msg_bits"):
            assert player.action_space.n == theirs.n  # type: ignore[attr-defined]


def test_infos_name_the_player_of_each_row() -> None:
    with parallel_pool.make("rware-tiny-3ag-v2", num_envs=2) as pool:
        players = pool.reset()[1]["players"]
        assert players["agent"].tolist() == [0, 1, 2] * 2
        assert players["env_id"].tolist() == [0] * 3 + [1] * 3


def test_async_pools_play_the_same() -> None:
    assert_same_in_any_order("rware-v2", 80, msg_bits=1, n_agents=4, max_episode_steps=30)


def test_a_saved_pool_goes_on() -> None:
    task_id, random = "rware-1x3-2h-8ag-5req-twostage-v2", np.random.default_rng(1)
    with (
        parallel_pool.make(task_id, num_envs=3, msg_bits=1) as pool,
        parallel_pool.make(task_id, num_envs=3, msg_bits=1, seed=500) as other,
    ):
        pool.reset()
        other.reset()
        for step in range(300):
            if step % 100 == 50:
                other.load(pool.save())
            action = random_actions(pool.spec, random, 3)
            results = pool.step(action), other.step(action)
            if step >= 50:
                same(*results)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_agents": 0}, "n_agents is 0; it must be between 1 and 100"),
        ({"shelf_columns": 4}, "shelf_columns is 4; it must be odd"),
        ({"n_agents": 7, "layout": "x.g\nx.."}, "n_agents is 7; the warehouse has only 6 cells"),
        ({"layout": "x.y"}, "layout: line 1 contains 'y'; allowed are x, g, . and spaces"),
        ({"layout": "xg.\nxx"}, "layout: line 2 has 2 cells; all lines must have as many"),
        ({"layout": "xx.\nxx."}, "layout has no goal"),
        ({"request_queue_size": 32}, "it must be less than the number of shelves, 32"),
        ({"shelf_rows": 99, "shelf_columns": 99}, "is too large: 10000 cells are allowed"),
        ({"reward_type": "team"}, "reward_type is 'team'; allowed are 'global', 'individual'"),
        ({"observation_type": "imagedict"}, "did you mean image_dict"),
        ({"image_observation_layers": ["SHELFS"]}, "contains 'SHELFS'; allowed are SHELVES"),
        ({"image_observation_layers": []}, "image_observation_layers has no layer"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=f"^rware-v2: .*{words}"):
        parallel_pool.make("rware-v2", **options)


def test_wrong_actions_are_refused() -> None:
    with parallel_pool.make("rware-v2", num_envs=1) as pool:
        pool.reset()
        words = r"action\[1\] of agent_1 is 5; allowed are the integers 0 to 4"
        with pytest.raises(ValueError, match=words):
            pool.step([0, 5])


@pytest.mark.filterwarnings("ignore:.*reset\\(\\) leaves out the option 'options'")
def test_pettingzoo_has_its_players() -> None:
    task_id = "rware-tiny-2ag-easy-v2"
    env = parallel_env(task_id, msg_bits=1)
    assert env.possible_agents == ["agent_0", "agent_1"]
    parallel_api_test(env, num_cycles=100)
    api_test(aec_env(task_id, render_mode="rgb_array"), num_cycles=100)


def test_pictures_show_agents_and_shelves() -> None:
    with parallel_pool.make("rware-v2", render_mode="rgb_array") as pool:
        pool.reset()
        picture = pool.render()[0]
        assert picture.shape == (330, 300, 3)
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 5
        assert pool.metadata["render_fps"] == 10
    with parallel_pool.make("rware-v2", n_agents=1, render_mode="ansi") as pool:
        pool.reset()
        text = pool.render()[0]
        assert [len(line) for line in text.splitlines()] == [10] * 11
        assert sum(text.count(arrow) for arrow in "^v<>") == 1
        assert text.count("X") >= 3
        assert text.count("g") >= 1
