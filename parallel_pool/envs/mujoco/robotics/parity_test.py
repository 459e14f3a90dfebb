"""Each task, also with options, equals Gymnasium-Robotics' on the same MuJoCo, step for step."""

import functools
import inspect
import pathlib
from typing import Any

import numpy as np
import pytest
from gymnasium.envs.mujoco.ant_v5 import AntEnv

import parallel_pool
from parallel_pool.testing import robotics
from parallel_pool.testing.form import by_form, some
from parallel_pool.testing.gymnasium_parity import (
    Array,
    Policy,
    compare,
    in_a_precision,
    uniform_policy,
)

SEEDS = by_form((42,), (0, 42, 1234567))
NUM_ENVS = by_form(2, 3)
STEPS = 150  # of the short form; the long one plays four whole episodes
# Short plays have a time limit of their own, to see the ends of episodes.
LIMIT: dict[str, Any] = by_form({"max_episode_steps": 60}, {})

_PLACE = "x_position y_position distance_from_origin x_velocity y_velocity"
_ANT = f"{_PLACE} reward_forward reward_ctrl reward_survive"
INFOS = {
    "AntMaze-v5": f"{_ANT} reward_contact success",
    "AntMaze-v4": f"{_ANT} forward_reward success",
    "AntMaze-v3": f"{_ANT} forward_reward",
    "PointMaze-v3": "success",
    "Fetch-v4": "is_success",
    "Hand-v1": "is_success",
    "AdroitHand-v1": "success",
}
TASKS = [task for task in robotics.ids() if task != "FrankaKitchen-v1"]
MAP = [[1, 1, 1, 1, 1, 1], [1, "r", 0, "g", 0, 1], [1, "c", 1, 1, "g", 1], [1, 1, 1, 1, 1, 1]]

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("PointMaze_UMaze-v3", {"continuing_task": False}),
    ("PointMaze_Open-v3", {"reset_target": True}),
    ("PointMaze_OpenDense-v3", {"reset_target": True, "maze_map": MAP}),
    ("PointMaze_UMaze-v3", {"reward_type": "dense", "maze_map": [[1, 0, 0, 0, 0, 1]]}),
    ("AntMaze_UMaze-v5", {"maze_map": MAP, "reset_target": True, "xml_file": "ant.xml"}),
    ("AntMaze_UMaze-v5", {"continuing_task": False, "include_cfrc_ext_in_observation": False}),
    ("AntMaze_Open-v5", {"ctrl_cost_weight": 0.3, "healthy_z_range": (0.5, 0.6), "frame_skip": 3}),
    ("AntMaze_Open-v4", {"use_contact_forces": True, "reward_type": "dense"}),
    ("AntMaze_Open-v3", {"continuing_task": False, "maze_map": MAP}),
    ("FetchPush-v4", {"reward_type": "dense"}),
    ("AdroitHandDoor-v1", {"reward_type": "sparse"}),
    ("HandReach-v3", {"reward_type": "dense", "distance_threshold": 0.2}),
    ("HandReach-v3", {"initial_qpos": {"robot0:WRJ0": -0.3, "robot0:FFJ2": 0.9}}),
    (
        "HandManipulateBlock_BooleanTouchSensors-v1",
        {"touch_get_obs": "log", "target_position": "fixed", "reward_type": "dense"},
    ),
    (
        "HandManipulateEgg-v1",
        {"target_rotation": "z", "target_position": "ignore", "rotation_threshold": 2.0},
    ),
    (
        "HandManipulateEgg-v1",
        {
            "target_rotation": "parallel",
            "randomize_initial_position": False,
            "randomize_initial_rotation": False,
            "distance_threshold": 0.05,
            "ignore_z_target_rotation": True,
        },
    ),
]


def family(task: str) -> str:
    """PointMaze-v3 of PointMaze_UMazeDense-v3."""
    name, version = task.split("-")
    if task.startswith("Hand"):
        return "Hand-v1"
    for robot in ("Fetch", "AdroitHand"):
        if name.startswith(robot):
            return f"{robot}-{version}"
    return name.split("_")[0] + "-" + version


def rows(obs: Any) -> Array:
    """The arrays of the dict side by side, as flatten_observation has them."""
    if not isinstance(obs, dict):
        obs = {"obs": obs}
    return np.concatenate([obs[key] for key in sorted(obs)], axis=-1)


class Seeker:
    """Moves what must be moved straight to the goal, with some noise, and counts arrivals."""

    def __init__(self, size: int, actions: int, speed: float, near: float) -> None:
        """For goals of `size` numbers; an action is `speed` times the way."""
        self.size, self.actions, self.speed, self.near = size, actions, speed, near
        self.precisions = np.random.default_rng(0)
        self.arrivals = 0

    def __call__(self, random: np.random.Generator, obs: Array) -> Array:
        """The actions."""
        way = obs[:, self.size : 2 * self.size] - obs[:, : self.size]
        self.arrivals += int((np.linalg.norm(way, axis=-1) < self.near).sum())
        action = random.normal(size=(len(obs), self.actions))
        action[:, : self.size] = 0.3 * action[:, : self.size] + self.speed * way
        return in_a_precision(self.precisions, action)


def play(task: str, seed: int, policy: Policy | None, steps: int, **options: Any) -> dict[str, int]:
    reference = functools.partial(robotics.make, task, **options)
    if options.get("xml_file") == "ant.xml":
        file = pathlib.Path(inspect.getfile(AntEnv)).with_name("assets") / "ant.xml"
        reference = functools.partial(robotics.make, task, **options | {"xml_file": str(file)})
    space = parallel_pool.make_spec(task).action_space
    return compare(
        task,
        reference,
        seed,
        policy=policy or uniform_policy(space),
        as_array=rows,
        steps=steps,
        num_envs=NUM_ENVS,
        infos=tuple(INFOS[family(task)].split()),
        flatten_observation=True,
        **options,
    )


@pytest.mark.parametrize("task", some(TASKS, 5))
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_the_reference(task: str, seed: int) -> None:
    whole = 4 * (parallel_pool.make_spec(task).max_episode_steps + 1)
    counts = play(task, seed, None, by_form(STEPS, whole), **LIMIT)
    assert sum(counts.values()) > 0, "an end must be compared"


@pytest.mark.parametrize(("task", "options"), OPTIONS)
def test_options_equal_the_references(task: str, options: dict[str, Any]) -> None:
    limit = {"max_episode_steps": 30}
    assert play(task, 7, None, by_form(100, 300), **options, **limit)["truncated"] > 0


@pytest.mark.parametrize(
    ("task", "options", "arrivals"),
    [
        ("PointMaze_Open-v3", {"reset_target": True}, 5),
        ("PointMaze_UMaze-v3", {"continuing_task": False, "maze_map": MAP}, 5),
        ("PointMaze_Open_Diverse_GRDense-v3", {}, 50),
        ("FetchReach-v4", {}, 50),
        ("FetchReachDense-v4", {}, 50),
    ],
)
def test_players_that_reach_goals(task: str, options: dict[str, Any], arrivals: int) -> None:
    is_fetch = task.startswith("Fetch")
    seeker = Seeker(3, 4, 10, 0.05) if is_fetch else Seeker(2, 2, 5, 0.45)
    play(task, 3, seeker, by_form(300, 2000), **options)
    assert seeker.arrivals >= arrivals


@pytest.mark.parametrize("task", TASKS)
def test_task_facts(task: str) -> None:
    reference = robotics.make(task)
    spec = parallel_pool.make_spec(task)
    assert spec.observation_space == reference.observation_space
    assert spec.action_space == reference.action_space
    assert reference.spec is not None
    assert spec.max_episode_steps == reference.spec.max_episode_steps
    assert spec.reward_threshold is reference.spec.reward_threshold is None


GOALS = [
    "FetchPush-v4",
    "FetchPushDense-v4",
    "AntMaze_UMazeDense-v5",
    "HandReachDense-v3",
    "HandManipulateBlock-v1",
    "HandManipulateEggRotateDense-v1",
]


def random_goals(size: int, count: int) -> tuple[Array, Array]:
    """Pairs of goals: near ones, far ones, and some at a threshold (m) of a task, on either side.

    The last four of seven numbers are a quaternion, which is the same in the pairs at a threshold.
    """
    random = np.random.default_rng(0)
    achieved = random.normal(size=(count, size))
    if size == 7:
        achieved[:, 3:] /= np.linalg.norm(achieved[:, 3:], axis=1, keepdims=True)
    way = random.normal(size=(count, size))
    way *= np.where(random.random((count, 1)) < 0.5, 0.004, 0.6)
    edges = np.array([0.01, 0.05, 0.45])[:, None] * (1 + np.array([-1e-9, 1e-9]))
    at_edge = way[: edges.size, : 3 if size == 7 else size]
    at_edge *= edges.reshape(-1, 1) / np.linalg.norm(at_edge, axis=1, keepdims=True)
    desired = achieved + way
    if size == 7:
        desired[: edges.size, 3:] = achieved[: edges.size, 3:]
        desired[:, 3:] /= np.linalg.norm(desired[:, 3:], axis=1, keepdims=True)
    return achieved, desired


@pytest.mark.parametrize("task", GOALS)
def test_rewards_of_goals_equal_the_references(task: str) -> None:
    reference: Any = robotics.make(task).unwrapped
    spec = parallel_pool.make_spec(task, reward_dtype="float64")
    achieved, desired = random_goals(spec.setup.goal_size, 1000)
    reward = spec.compute_reward(achieved, desired)
    assert np.array_equal(reward, reference.compute_reward(achieved, desired, None))
    assert len(set(reward.tolist())) > 1, "near and far goals must have been compared"
    assert not spec.compute_terminated(achieved, desired).any()
    assert not spec.compute_truncated(achieved, desired).any()


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("PointMaze_Medium-v3", {"continuing_task": False}),
        ("HandManipulatePenDense-v1", {}),
        ("HandManipulatePenRotate-v1", {}),
    ],
)
def test_goals_that_the_reference_takes_one_by_one(task: str, options: dict[str, Any]) -> None:
    reference: Any = robotics.make(task, **options).unwrapped
    pool = parallel_pool.make(task, num_envs=2, reward_dtype="float64", **options)
    achieved, desired = random_goals(pool.spec.setup.goal_size, 300)
    pairs = list(zip(achieved, desired, strict=True))
    rewards = [reference.compute_reward(a, d, None) for a, d in pairs]
    assert np.array_equal(pool.compute_reward(achieved, desired, [{}] * 300), rewards)
    ends = [reference.compute_terminated(a, d, None) for a, d in pairs]
    assert np.array_equal(pool.compute_terminated(achieved, desired), ends)
    assert any(ends) == (task == "PointMaze_Medium-v3")
    one = pool.compute_reward(achieved[7], desired[7])
    assert one == rewards[7] and one.shape == ()
    grid = pool.compute_reward(achieved.reshape(3, 100, -1), desired.reshape(3, 100, -1))
    assert np.array_equal(grid, np.reshape(rewards, (3, 100)))


def test_a_step_has_the_reward_of_its_goals() -> None:
    env = parallel_pool.make_gymnasium("FetchReachDense-v4", num_envs=None)
    env.reset(seed=0)
    for _ in range(5):
        obs, reward, *_ = env.step(env.action_space.sample())
        assert reward == env.compute_reward(obs["achieved_goal"], obs["desired_goal"], {})
    assert env.compute_reward(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize(
    ("task", "options", "goals", "message"),
    [
        ("Ant-v5", {}, ((2,), (2,)), "Ant-v5: compute_reward.*: the task has no goals"),
        ("FetchPush-v4", {}, ((5, 3), (4, 3)), r"shape \(5, 3\) and desired_goal \(4, 3\)"),
        ("FetchPush-v4", {}, ((5, 2), (5, 2)), r"both must be \(..., 3\)"),
        ("FetchPush-v4", {"normalize_observation": True}, ((3,), (3,)), "leave it out"),
    ],
)
def test_wrong_goals(task: str, options: dict[str, Any], goals: Any, message: str) -> None:
    spec = parallel_pool.make_spec(task, **options)
    with pytest.raises(ValueError, match=message):
        spec.compute_reward(*map(np.zeros, goals))


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
