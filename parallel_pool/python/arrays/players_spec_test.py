"""Players with names and spaces of their own: specs, actions and rewards."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.arrays.player_spec import PlayerSpec
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.testing import testing_family  # noqa: F401

spaces = gymnasium.spaces


def lesson(**changes: Any) -> dict[str, Any]:
    """A valid action of two envs of Lesson-v0, with some arrays replaced."""
    action: dict[str, Any] = {
        "word": [6, 1, 0, 2],
        "marks": [[2, 3], [1, 0], [0, 0], [0, 0]],
        "force": np.arange(12.0).reshape(4, 3),
    }
    return {**action, **changes}


def test_a_spec_has_the_players() -> None:
    spec = parallel_pool.make_spec("Lesson-v0")
    teacher, pupil = spec.players
    assert (teacher.name, teacher.role) == ("teacher_0", "teacher")
    assert (pupil.name, pupil.role) == ("pupil_0", "pupil")
    own = ["word", "marks", "force", "obs:force", "obs:marks", "info:players.agent", "reward"]
    assert list(teacher.arrays) == list(pupil.arrays) == own
    assert pupil.arrays["obs:force"].shape == (2,)
    assert pupil.arrays["obs:force"].players == 0
    assert pupil.arrays["word"].low == [1]
    assert pupil.arrays["word"].high == [2]
    assert teacher.action_space["word"] == spaces.Discrete(7)  # type: ignore[index]
    assert pupil.action_space["word"] == spaces.Discrete(2, start=1)  # type: ignore[index]
    assert teacher.observation_space == spec.observation_space
    assert pupil.observation_space == spaces.Dict(
        {
            "force": spaces.Box(-1, 1, (2,), np.float32),
            "marks": spaces.MultiDiscrete([2], np.int32),
        }
    )
    assert (
        "\n  player       pupil_0 (pupil): word int32[] 1 to 2, marks int32[1], force float32[2], "
        "obs:force float32[2], obs:marks int32[1]\n"
    ) in str(spec)


def test_players_without_a_description_are_alike() -> None:
    spec = parallel_pool.make_spec("Crowd-v0", max_num_players=3)
    assert [(p.name, p.role) for p in spec.players] == [(f"player_{i}", "player") for i in range(3)]
    assert spec.players[2].arrays["players.move"].high == [4]
    assert "room" not in spec.players[0].observation_space  # it belongs to the env
    assert parallel_pool.make_spec("CartPole-v1").players == ()
    assert parallel_pool.make_spec("Duo-v0").players[1] == PlayerSpec(
        "player_1", "player", parallel_pool.make_spec("Duo-v0").players[0].arrays
    )


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("count", r"Describe names 1 players; its arrays are PerPlayer\(2, ...\)"),
        ("name", "two players are called 'teacher_0'"),
        ("role", "a player has an empty name or role"),
        ("array", "of array 'wrod'; arrays that are PerPlayer are word, marks, force, obs:force,"),
        ("axes", "'force of player pupil_0': its own shape must have as many axes as the common"),
        ("shape", "its own shape must not be larger than the common one"),
        ("kind", "its own space must be of the same kind as the common one"),
        ("values", "'word of player pupil_0': its own values must be among the common ones"),
        ("bound", "has 2 elements, but a bound has 3 numbers"),
    ],
)
def test_a_wrong_description_is_refused(mistake: str, words: str) -> None:
    with pytest.raises(ValueError, match=f"^Lesson-v0: .*{words}"):
        parallel_pool.make("Lesson-v0", mistake=mistake)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"word": [6, 0, 0, 2]}, r"word\[1\] of pupil_0 is 0; allowed are the integers 1 to 2"),
        ({"word": [6, 1, 0, 3]}, r"word\[3\] of pupil_0 is 3; allowed are the integers 1 to 2"),
        ({"word": [7, 1, 0, 2]}, r"word\[0\] of teacher_0 is 7; allowed are the integers 0 to 6"),
        (
            {"marks": [[2, 3], [2, 0], [0, 0], [0, 0]]},
            r"marks\[1\] \(element 0\) of pupil_0 is 2; allowed are the integers 0 to 1",
        ),
        ({"force": np.full((4, 3), np.nan)}, r"force\[0\] \(element 0\) of teacher_0 is nan"),
    ],
)
def test_a_player_may_send_its_own_actions_only(changes: dict[str, Any], words: str) -> None:
    with parallel_pool.make("Lesson-v0", num_envs=2) as pool:
        pool.reset()
        with pytest.raises(ValueError, match=f"^Lesson-v0: {words}"):
            pool.send(lesson(**changes))
        with pytest.raises(RuntimeError, match="would wait forever"):
            pool.recv()
        obs = pool.step(lesson())[0]
        assert obs["marks"].tolist() == [[2, 3], [1, 0], [0, 0], [0, 0]]
        assert obs["force"].tolist() == [[0, 1, 2], [3, 4, 0], [6, 7, 8], [9, 10, 0]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch_size", [1, 2])
def test_rewards_of_players_have_the_dtype_of_the_option(dtype: Any, batch_size: int) -> None:
    with parallel_pool.make(
        "Lesson-v0", num_envs=2, batch_size=batch_size, num_threads=2, reward_dtype=dtype
    ) as pool:
        pool.async_reset()
        wanted = np.zeros((2, 2), dtype)
        for word in (0, 4, 2, 6):
            for _ in range(2 // batch_size):
                _, reward, *_, info = pool.recv()
                assert reward.dtype == dtype
                ids = info["env_id"]
                np.testing.assert_array_equal(reward, wanted[ids].reshape(-1), strict=True)
            first = [word + 0.1 * 1, word + 0.1 * 2]
            wanted = np.array([[x, x * 2] for x in first]).astype(dtype)
            action = lesson(word=[word, 1, word, 2])
            if batch_size == 2:
                pool.send(action, [0, 1])
                continue
            for i in range(2):
                pool.send({name: value[2 * i : 2 * i + 2] for name, value in action.items()}, [i])


def test_players_may_take_turns() -> None:
    spec = parallel_pool.make_spec("Turns-v0")
    assert spec.players[1].action_space == spaces.Discrete(3)
    random = np.random.default_rng(0)
    with parallel_pool.make("Turns-v0", num_envs=3) as pool:
        obs, info = pool.reset()
        most = [0, 0]
        for _ in range(100):
            action = random_actions(pool.spec, random, 3, info)
            agents = info["players"]["agent"]
            for agent in range(2):
                most[agent] = max(most[agent], *action[agents == agent], 0)
            *_, info = pool.step(action)
        assert most == [4, 2]


@pytest.mark.parametrize("task_id", ["Lesson-v0", "Turns-v0"])
def test_check_draws_valid_actions(task_id: str) -> None:
    parallel_pool.check(task_id, stochastic=False)
