"""From the same seed, all tasks have the worlds, missions and steps of minigrid 3.2.0, by ==."""

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.minigrid import reference
from parallel_pool.envs.minigrid.play_reference import Game, play
from parallel_pool.testing.form import IS_LONG, some
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same
from parallel_pool.testing.side_by_side import compare

RESETS, EPISODES = (200, 20) if IS_LONG else (8, 2)
MOST_STEPS = 5000 if IS_LONG else 250  # of one agent


def test_tasks_are_those_of_the_reference() -> None:
    tasks = [t for t in parallel_pool.list_all_envs() if t.startswith(("MiniGrid-", "BabyAI-"))]
    assert sorted(tasks) == reference.TASKS


@pytest.mark.parametrize("task_id", reference.TASKS)
def test_worlds(task_id: str) -> None:
    env = reference.make(task_id)
    with parallel_pool.make(task_id, num_envs=RESETS, seed=1000, obs_type="full") as pool:
        obs, info = pool.reset()
        game = Game(obs.keys(), env, reference.Wanderer(0))
        worlds = []
        for i in range(RESETS):
            wanted, place = game.reset(1000 + i)
            full = env.grid.encode()
            if env.carrying:  # the observation of a reset shows the object where it was
                full[env.carrying.init_pos] = env.carrying.encode()
            full[env.agent_pos[0], env.agent_pos[1]] = (10, 0, env.agent_dir)
            worlds.append(({**wanted, "image": full}, place))
        compare(Same(task_id, 1000), (obs, info), worlds)
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


def play_episodes(task_id: str, agent: reference.Wanderer, seed: int) -> int:
    """Plays EPISODES, or MOST_STEPS of them; returns the number of successes."""
    env = reference.make(task_id)
    return play(task_id, env, agent, seed, MOST_STEPS, episodes=EPISODES)


@pytest.mark.parametrize("task_id", some(reference.TASKS, 2))
def test_random_actions(task_id: str) -> None:
    play_episodes(task_id, reference.Wanderer(0), seed=0)


@pytest.mark.parametrize("task_id", some(reference.TASKS[1:], 2))
def test_actions_that_seek(task_id: str) -> None:
    play_episodes(task_id, reference.Seeker(1), seed=2**32 + 7)


# The bot does not solve these: it says so of the first two, some keys are locked up, and it opens
# doors that it must not open. In UnlockToUnlock it makes plans without end.
UNSOLVED = ("Carrying", "KeyInBox", "ImpUnlock", "BabyAI-Unlock-", "Debug")
MISSIONS = [t for t in reference.TASKS if t.startswith("BabyAI-") and "ToUnlock" not in t]


@pytest.mark.parametrize("task_id", MISSIONS)
def test_missions_that_are_fulfilled(task_id: str) -> None:
    successes = play_episodes(task_id, reference.Solver(2), seed=77)
    assert successes > 0 or any(name in task_id for name in UNSOLVED)
