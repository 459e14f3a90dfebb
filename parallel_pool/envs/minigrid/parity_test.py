"""From the same seed, all tasks have the worlds, missions and steps of minigrid 3.2.0, by ==."""

import inspect
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.minigrid import reference
from parallel_pool.testing.form import IS_LONG, some
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same

RESETS, EPISODES = (200, 20) if IS_LONG else (8, 2)
ENDS = ("reward", "terminated", "truncated")
MOST_STEPS = 5000 if IS_LONG else 250  # of one agent


def test_tasks_are_those_of_the_reference() -> None:
    tasks = [t for t in parallel_pool.list_all_envs() if t.startswith(("MiniGrid-", "BabyAI-"))]
    assert sorted(tasks) == reference.TASKS


def equal(
    same: Same,
    obs: dict[str, Any],
    info: dict[str, Any],
    row: int,
    wanted: dict[str, Any],
    env: Any,
) -> None:
    """Asserts that a row of a batch is the reference's observation, and the agent in its place."""
    same.row("image", obs["image"][row], wanted["image"], row)
    same.row("direction", obs["direction"][row], wanted["direction"], row)
    same.row("mission", parallel_pool.decode_text(obs["mission"][row]), wanted["mission"], row)
    same.row("agent_pos", info["agent_pos"][row], [int(x) for x in env.agent_pos], row)


@pytest.mark.parametrize("task_id", reference.TASKS)
def test_worlds(task_id: str) -> None:
    env = reference.make(task_id)
    with parallel_pool.make(task_id, num_envs=RESETS, seed=1000, obs_type="full") as pool:
        obs, info = pool.reset()
        for i in range(RESETS):
            wanted, _ = env.reset(seed=1000 + i)
            full = env.grid.encode()
            if env.carrying:  # the observation of a reset shows the object where it was
                full[env.carrying.init_pos] = env.carrying.encode()
            full[env.agent_pos[0], env.agent_pos[1]] = (10, 0, env.agent_dir)
            equal(Same(task_id, 1000), obs, info, i, {**wanted, "image": full}, env)
        played(task_id, 1000, 0, RESETS)
        missions = set(zip(info["mission_id"].tolist(), map(bytes, obs["mission"]), strict=True))
    if task_id.startswith("BabyAI-"):
        assert {number for number, _ in missions} == {-1}
    else:  # a number for each mission
        assert len(missions) == len({n for n, _ in missions}) == len({m for _, m in missions})


def test_numbers_of_missions() -> None:
    """The last word varies fastest; colors and kinds are in the order of their numbers."""
    with parallel_pool.make("MiniGrid-Fetch-5x5-N2-v0", num_envs=500) as pool:
        obs, info = pool.reset()
        missions = dict(zip(info["mission_id"].tolist(), map(bytes, obs["mission"]), strict=True))
        orders = ("get a", "go get a", "fetch a", "go fetch a", "you must fetch a")
        colors = ("red", "green", "blue", "purple", "yellow", "grey")
        words = [f"{o} {c} {k}" for o in orders for c in colors for k in ("key", "ball")]
        assert sorted(missions) == list(range(len(words)))
        for number, mission in missions.items():
            assert parallel_pool.decode_mission(np.frombuffer(mission, np.uint8)) == words[number]


def play(task_id: str, agent: Any, seed: int, **options: Any) -> int:
    """Plays one env and the reference with an agent's actions; returns the number of successes."""
    names = inspect.signature(parallel_pool.make).parameters
    env = reference.make(task_id, **{k: v for k, v in options.items() if k not in names})
    episodes, successes, is_over = 0, 0, False
    with parallel_pool.make(
        task_id, num_envs=1, seed=seed, reward_dtype="float64", **options
    ) as pool:
        obs, info = pool.reset()
        wanted, _ = env.reset(seed=seed)
        same = Same(f"{task_id} {options}", seed)
        equal(same, obs, info, 0, wanted, env)
        agent.begin(env)
        for same.step in range(1, MOST_STEPS + 1):
            action = reference.DONE if is_over else agent.act(env)
            action = min(action, env.action_space.n - 1)
            obs, reward, terminated, truncated, info = pool.step(np.array([action], np.int32))
            if is_over:
                wanted, _ = env.reset()
                agent.begin(env)
                ends = (0.0, False, False)
            else:
                wanted, wanted_reward, *flags, _ = env.step(action)
                ends = (float(wanted_reward), *flags)
            equal(same, obs, info, 0, wanted, env)
            for name, found, end in zip(ENDS, (reward, terminated, truncated), ends, strict=True):
                same.row(name, found[0], end)
            is_over = ends[1] or ends[2]
            episodes += is_over
            successes += ends[0] > 0
            if episodes == EPISODES:
                break
    played(task_id, seed, same.step)
    return successes


@pytest.mark.parametrize("task_id", some(reference.TASKS, 2))
def test_random_actions(task_id: str) -> None:
    play(task_id, reference.Wanderer(0), seed=0)


@pytest.mark.parametrize("task_id", some(reference.TASKS[1:], 2))
def test_actions_that_seek(task_id: str) -> None:
    play(task_id, reference.Seeker(1), seed=2**32 + 7)


# The bot does not solve these: it says so of the first two, some keys are locked up, and it opens
# doors that it must not open. In UnlockToUnlock it makes plans without end.
UNSOLVED = ("Carrying", "KeyInBox", "ImpUnlock", "BabyAI-Unlock-", "Debug")
MISSIONS = [t for t in reference.TASKS if t.startswith("BabyAI-") and "ToUnlock" not in t]


@pytest.mark.parametrize("task_id", MISSIONS)
def test_missions_that_are_fulfilled(task_id: str) -> None:
    successes = play(task_id, reference.Solver(2), seed=77)
    assert successes > 0 or any(name in task_id for name in UNSOLVED)
