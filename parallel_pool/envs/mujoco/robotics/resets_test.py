"""Resets from seeds, with cells of a maze and with states of a hand equal Gymnasium-Robotics'."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import robotics


def test_a_seed_gives_the_hand_one_episode() -> None:
    env = parallel_pool.make_gymnasium("HandManipulateBlock-v1", num_envs=None)
    first = env.reset(seed=3)[0]["observation"]
    env.step(env.action_space.sample())
    assert not np.array_equal(env.reset()[0]["observation"], first)
    assert np.array_equal(env.reset(seed=3)[0]["observation"], first)


CELLS = [{"goal_cell": (1, 1)}, {"reset_cell": (3, 2)}, {"goal_cell": (3, 1), "reset_cell": (1, 3)}]


@pytest.mark.parametrize("task", ["PointMaze_UMaze-v3", "AntMaze_UMaze-v5", "AntMaze_UMaze-v3"])
@pytest.mark.parametrize("options", CELLS)
def test_resets_with_cells_equal_the_references(task: str, options: dict[str, Any]) -> None:
    reference = robotics.make(task)
    env = parallel_pool.make_gymnasium(task, num_envs=None)
    given = {key: np.array(cell) for key, cell in options.items()}
    for seed in range(5):
        obs, _ = env.reset(seed=seed, options=options)
        wanted, _ = reference.reset(seed=seed, options=given)
        assert all(np.array_equal(obs[key], wanted[key]) for key in wanted)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goal_cell": (0, 1)}, r"goal_cell is \(0, 1\), a wall; it must be a free cell"),
        ({"goal_cell": (9, 1)}, r"\(9, 1\), which is not in the maze; .* 5 rows and 5 columns"),
        ({"reset_cell": (1.5, 1)}, r"reset_cell is \(1.5, 1\), which is not in the maze"),
    ],
)
def test_a_wrong_cell_is_an_error(options: dict[str, Any], message: str) -> None:
    env = parallel_pool.make_gymnasium("PointMaze_UMaze-v3", num_envs=None)
    with pytest.raises(parallel_pool.EnvError, match=message):
        env.reset(options=options)
    env.reset()


@pytest.mark.parametrize("hand", ["Door", "Hammer", "Pen", "Relocate"])
def test_states_of_adroit(hand: str) -> None:
    """A state that is observed is one to begin in, as the reference's get_env_state() is."""
    task = f"AdroitHand{hand}-v1"
    reference: Any = robotics.make(task).unwrapped
    env = parallel_pool.make_gymnasium(task, num_envs=None, env_state=True, reward_dtype="float64")
    obs, info = env.reset(seed=1)
    reference.reset(seed=1)
    random = np.random.default_rng(0)
    for _ in range(20):
        action = random.uniform(-1, 1, env.action_space.shape).astype(np.float32)
        *_, info = env.step(action)
        reference.step(action)
    state = {key: value.copy() for key, value in info["env_state"].items()}
    wanted = reference.get_env_state()
    assert all(np.array_equal(state[key], wanted[key]) for key in state)
    for _ in range(3):
        ours = env.reset(options={"initial_state_dict": state})[0]
        theirs = reference.reset(options={"initial_state_dict": state})[0]
        assert np.array_equal(ours, theirs)
        for _ in range(5):
            action = random.uniform(-1, 1, env.action_space.shape).astype(np.float32)
            assert np.array_equal(env.step(action)[0], reference.step(action)[0])


def test_a_wrong_state_of_adroit() -> None:
    env = parallel_pool.make_gymnasium("AdroitHandDoor-v1", num_envs=None)
    state = {"qpos": np.zeros(30), "qvel": np.zeros(29), "door_body_pos": np.zeros(3)}
    with pytest.raises(parallel_pool.EnvError, match="needs 'qvel', 30 numbers"):
        env.reset(options={"initial_state_dict": state})
    del state["door_body_pos"]
    with pytest.raises(parallel_pool.EnvError, match="needs 'door_body_pos', 3 numbers"):
        env.reset(options={"initial_state_dict": state})


@pytest.mark.parametrize(
    ("maze", "message"),
    [
        ([[1, 1], [1]], "rows of 2 and of 1 cells"),
        ([[1, 0, "x"]], "maze_map has 'x' in row 0; allowed are 1 .a wall., 0 .free., r"),
        ([[1, 1]], "no cell for the goal"),
        ([[1, 0]], "one cell to begin in, which may be the goal"),
    ],
)
def test_a_wrong_map_is_an_error(maze: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parallel_pool.make_spec("PointMaze_UMaze-v3", maze_map=maze)
