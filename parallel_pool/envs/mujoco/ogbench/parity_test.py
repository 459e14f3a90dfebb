"""Each maze, also with options, equals OGBench's on the same MuJoCo, step for step."""

import functools
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.mujoco.ogbench import reference
from parallel_pool.testing.form import by_form, some
from parallel_pool.testing.gymnasium_parity import assert_same_spaces, compare

TASKS = reference.mazes()
MAZES = [task for task in TASKS if "singletask" not in task]
INFOS = ("xy", "prev_qpos", "prev_qvel", "qpos", "qvel", "goal", "success")
NUM_ENVS = 2
WALKERS = ("pointmaze-", "antmaze-", "humanoidmaze-", "antsoccer-")
# Short plays have a time limit of their own, to see the ends of episodes.
LIMIT: dict[str, Any] = by_form({"max_episode_steps": 20}, {})


def play(task: str, seed: int, steps: int, first_reset: Any = None, **options: Any) -> Any:
    return compare(
        task,
        functools.partial(reference.make, task, **options),
        seed,
        first_reset=first_reset,
        steps=steps,
        num_envs=NUM_ENVS,
        infos=INFOS,
        **options,
    )


def test_all_are_there() -> None:
    ours = {task for task in parallel_pool.list_all_envs() if task.startswith(WALKERS)}
    assert sorted(ours) == TASKS


@pytest.mark.parametrize("task", some(TASKS, 6))
@pytest.mark.parametrize("seed", by_form((7,), (0, 42, 2**40 + 3)))
def test_equals_the_reference(task: str, seed: int) -> None:
    whole = 3 * (parallel_pool.make_spec(task).max_episode_steps + 1)
    assert play(task, seed, by_form(50, whole), **LIMIT)["truncated"] > 0


@pytest.mark.parametrize(
    "options",
    [
        {"use_oracle_rep": True, "add_noise_to_goal": False},
        {"terminate_at_goal": False, "success_timing": "pre"},
        {"maze_unit": 3.7, "maze_height": 0.4},
        {"reward_task_id": 3, "add_noise_to_goal": True},
        {"reset_noise_scale": 0.02},
    ],
)
@pytest.mark.parametrize("task", MAZES)
def test_options_equal_the_references(task: str, options: dict[str, Any]) -> None:
    if "reset_noise_scale" not in options or task.startswith("ant"):
        play(task, 3, by_form(30, 200), max_episode_steps=12, **options)


@pytest.mark.parametrize("task", MAZES)
def test_a_reset_chooses_the_task(task: str) -> None:
    play(task, 5, 10, first_reset={"task_id": 4})


# The goal is next to the walker, or to the ball.
NEAR = {
    "pointmaze-medium-v0": {"init_ij": (1, 1), "goal_ij": (1, 1)},
    "antmaze-large-v0": {"init_ij": (3, 4), "goal_ij": (3, 4)},
    "humanoidmaze-medium-v0": {"init_ij": (1, 1), "goal_ij": (1, 1)},
    "antsoccer-arena-v0": {"agent_init_ij": (5, 5), "ball_init_ij": (2, 2), "goal_ij": (2, 2)},
}


@pytest.mark.parametrize("terminates", [True, False])
@pytest.mark.parametrize("timing", ["post", "pre"])
@pytest.mark.parametrize("task", NEAR)
def test_success_equals_the_references(task: str, timing: str, terminates: bool) -> None:
    options: Any = {"success_timing": timing, "terminate_at_goal": terminates}
    reached = 0
    for seed in range(by_form(4, 20)):
        found = play(task, seed, 6, first_reset=NEAR[task], **options)
        reached += found["terminated"]
        if not terminates:
            with parallel_pool.make(task, num_envs=NUM_ENVS, seed=seed, **options) as pool:
                pool.reset(options=NEAR[task])
                rewards = [pool.step(pool.sample_actions())[1].max() for _ in range(6)]
                reached += max(rewards) == 1
    assert reached > 0, "a success must be compared"


@pytest.mark.parametrize("task", ["pointmaze-teleport-v0", "antmaze-teleport-singletask-v0"])
def test_teleports_equal_the_references(task: str) -> None:
    cells = {"init_ij": (4, 6), "goal_ij": (1, 1)}
    options: Any = {"reward_task_id": -1}
    play(task, 1, by_form(40, 400), first_reset=cells, max_episode_steps=15, **options)
    with parallel_pool.make(task, num_envs=1, seed=1, **options) as pool:
        pool.reset(options=cells)
        before = pool.step(pool.sample_actions())[0]  # observes the place that it leaves
        after = pool.step(pool.sample_actions())[0]
        assert np.linalg.norm(before[0, :2] - after[0, :2]) > 4


@pytest.mark.parametrize("task", MAZES)
def test_task_facts(task: str) -> None:
    assert_same_spaces(task, reference.make(task))


def test_errors_name_what_is_allowed() -> None:
    with parallel_pool.make("antmaze-medium-v0", num_envs=1) as pool:
        for cells, message in (
            ({"init_ij": (0, 0), "goal_ij": (1, 1)}, r"init_ij is \(0, 0\), a wall"),
            ({"init_ij": (1, 1), "goal_ij": (9, 1)}, r"goal_ij is \(9, 1\), which is not in"),
            ({"goal_ij": (1, 1)}, "cells of a task go together"),
            ({"task_id": 6}, "task_id"),
        ):
            with pytest.raises((ValueError, parallel_pool.EnvError), match=message):
                pool.reset(options=cells)
        assert pool.reset(options={"task_id": 5})[1]["success"] == 0


def test_a_seeded_reset_begins_all_streams_again() -> None:
    with parallel_pool.make("antmaze-teleport-v0", num_envs=2, seed=3) as pool:
        first = pool.reset()
        for _ in range(30):
            pool.step(pool.sample_actions())
        again = pool.reset(seed=3)
        np.testing.assert_array_equal(first[0], again[0])
        np.testing.assert_array_equal(first[1]["goal"], again[1]["goal"])
        assert (pool.reset()[1]["goal"] != first[1]["goal"]).any()
