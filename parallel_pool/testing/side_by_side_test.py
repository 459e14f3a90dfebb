"""SideBySide and compare() find each planted difference and say where it is."""

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest

from parallel_pool.testing.same import Same
from parallel_pool.testing.side_by_side import SideBySide, compare

NUM_ENVS, STEPS = 3, 60


class Planted:
    """Gymnasium's CartPole, one of whose results is changed."""

    def __init__(self, part: int | None = None, value: Any = None) -> None:
        """Part `part` of the result of step 5 becomes `value`; None: no change."""
        self.env: Any = gymnasium.make("CartPole-v1")
        self.part, self.value, self.steps = part, value, 0

    def reset(self, seed: int | None = None) -> Any:
        """Same as CartPole."""
        return self.env.reset(seed=seed)

    def step(self, action: Any) -> Any:
        """Same as CartPole, but for the planted change."""
        self.steps += 1
        result = list(self.env.step(action))
        if self.steps == 5 and self.part is not None:
            result[self.part] = self.value
        return tuple(result)


def play(*envs: Any, **options: Any) -> SideBySide:
    with SideBySide("CartPole-v1", 40, envs, **options) as both:
        for step in range(STEPS):
            both.step([step % 2, 1, 0])
    return both


def test_equal_plays_count_their_episodes() -> None:
    both = play(Planted(), Planted(), Planted())
    assert both.same.step == STEPS
    assert both.episodes == both.ends["terminated"] > 5
    assert both.ends["truncated"] == 0
    assert both.ours[0].shape == (NUM_ENVS, 4)


def test_an_episode_begins_in_the_step_after_an_end() -> None:
    with SideBySide("CartPole-v1", 40, [Planted()]) as both:
        while not both.is_over[0]:
            both.step([1])
        both.step([1])
        assert both.theirs[0][1:4] == (0.0, False, False)
        assert not both.is_over[0]


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [
        (0, np.zeros(4, np.float32), r"obs\[0\] of env 2 is .*; the reference has 0.0 \(4 of 4"),
        (0, np.zeros(4), "obs's dtype of env 2 is float32; the reference has float64"),
        (0, np.zeros(3, np.float32), r"obs's shape of env 2 is \(4,\); the reference has \(3,\)"),
        (1, 0.5, "reward of env 2 is 1.0; the reference has 0.5"),
        (2, True, "terminated of env 2 is False; the reference has True"),
        (3, True, "truncated of env 2 is False; the reference has True"),
        (4, {"elapsed_step": 4}, "info.elapsed_step of env 2 is 5; the reference has 4"),
    ],
)
def test_a_planted_change_is_found(part: int, value: Any, words: str) -> None:
    with pytest.raises(AssertionError, match=f"^CartPole-v1, seed 40, step 5: {words}"):
        play(Planted(), Planted(), Planted(part, value))


def test_an_observation_of_none_is_not_compared() -> None:
    info = {"env_id": np.arange(1)}
    compare(Same("Game-v0", 3), (np.ones(1), info), [(None, {})])
    with pytest.raises(AssertionError, match="reward of env 0"):
        compare(Same("Game-v0", 3), (np.ones(1), np.ones(1), info), [(None, 0.0, {})])


def test_infos_to_compare() -> None:
    changed = {"elapsed_step": 4}
    play(Planted(4, changed), Planted(), Planted(), infos=())
    with pytest.raises(KeyError):
        play(Planted(), Planted(), Planted(), infos=("elapsed_step",))


OURS: Any = (
    {"place": np.arange(6.0).reshape(3, 2), "word": np.array([list(b"up\0")] * 3, np.uint8)},
    np.array([0.5, 1.5, 2.5]),
    np.array([True, False]),
    np.array([False, False]),
    {
        "env_id": np.array([0, 1]),
        "players": {"env_id": np.array([0, 1, 1]), "agent": np.array([1, 0, 1])},
    },
)
THEIRS: Any = [
    (
        {"place": np.arange(2.0)[None], "word": np.array([list(b"up\0")], np.uint8)},
        np.array([0.5]),
        *(True, False),
        {"players": {"agent": [1]}},
    ),
    (
        {"place": np.arange(2.0, 6).reshape(2, 2), "word": np.array([list(b"up\0")] * 2, np.uint8)},
        np.array([1.5, 2.5]),
        *(False, False),
        {"players": {"agent": [0, 1]}},
    ),
]


def test_envs_of_several_players() -> None:
    same = Same("Game-v0", 3)
    compare(same, OURS, THEIRS)
    compare(same, (OURS[0], OURS[4]), [(their[0], their[4]) for their in THEIRS])
    changed = copy.deepcopy(THEIRS)
    changed[1][1][1] = 9
    with pytest.raises(AssertionError, match=r"step 0: reward\[1\] of env 1 is 2.5; .* has 9.0"):
        compare(same, OURS, changed)
    changed = copy.deepcopy(THEIRS)
    changed[1][0]["place"][1, 0] = 9
    with pytest.raises(AssertionError, match=r"obs.place\[1, 0\] of env 1 is 4.0; .* has 9.0"):
        compare(same, OURS, changed)
    changed = copy.deepcopy(THEIRS)
    changed[0][4]["players"]["agent"] = [0]
    with pytest.raises(AssertionError, match=r"info.players.agent\[0\] of env 0 is 1; .* has 0"):
        compare(same, OURS, changed)
    changed = copy.deepcopy(THEIRS)
    del changed[0][0]["word"]
    with pytest.raises(AssertionError, match=r"obs\.word"):
        compare(same, OURS, changed)


def test_rows_of_players_are_in_the_order_of_envs() -> None:
    ours = copy.deepcopy(OURS)
    ours[4]["players"]["env_id"][:] = [1, 0, 1]
    with pytest.raises(AssertionError, match=r"info.players.env_id of env 0 is 1"):
        compare(Same("Game-v0", 3), ours, THEIRS)


def test_an_info_with_the_name_of_a_result() -> None:
    info = {"env_id": np.zeros(1, int), "reward": np.ones(1)}
    ours: Any = (np.zeros(1), np.zeros(1), *np.zeros((2, 1), bool), info)
    same, theirs = Same("Game-v0", 3), [0.0, 0.0, False, False, {"reward": 1.0}]
    compare(same, ours, [theirs])
    with pytest.raises(AssertionError, match=r"step 0: reward of env 0 is 0.0; .* has 0.5"):
        compare(same, ours, [[0.0, 0.5, *theirs[2:]]])
    with pytest.raises(AssertionError, match=r"info.reward of env 0 is 1.0; .* has 0.5"):
        compare(same, ours, [[*theirs[:4], {"reward": 0.5}]])


def test_each_env_of_the_pool_is_compared() -> None:
    with pytest.raises(AssertionError, match=r"info.env_id is \[0, 1\]; the reference has \[0\]"):
        compare(Same("Game-v0", 3), OURS, THEIRS[:1])


def test_texts() -> None:
    info = {"env_id": np.arange(2)}
    ours: Any = (np.array([list(b"left\0"), list(b"right")], np.uint8), info)
    compare(Same("Game-v0", 3), ours, [("left", {}), ("right", {})])
    with pytest.raises(AssertionError, match="obs of env 1 is right; the reference has left"):
        compare(Same("Game-v0", 3), ours, [("left", {}), ("left", {})])
