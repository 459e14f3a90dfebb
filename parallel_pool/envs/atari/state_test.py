"""save() and load() of Atari pools: every option, other pools and processes, many branches."""

import multiprocessing
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.results import same

Options = dict[str, Any]


def make(task: str = "Breakout-v5", num_envs: int = 2, **options: Any) -> Any:
    return parallel_pool.make(task, num_envs=num_envs, **options)


def play(pool: Any, steps: int, seed: int) -> list[Any]:
    """All results of the pool for random actions."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(steps):
        if pool.config["continuous"]:
            action: Any = rng.random((len(pool), 3), np.float32) * [1, 6, 1]
        else:
            action = rng.integers(pool.action_space.n, size=len(pool))
        *row, info = pool.step(action)
        rows.append([*row, *(info[k] for k in info if k != "players")])
    return rows


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"episodic_life": True, "repeat_action_probability": 0.25, "frame_skip": (2, 6)},
        {"sound_obs": True, "repeat_action_probability": 0.5},
        {"obs_type": "rgb", "stack_num": 2},
        {"obs_type": "ram", "continuous": True},
        {"preset": "gymnasium", "episodic_life": True},
        {"preset": "ale_vector", "episodic_life": True, "max_episode_steps": 60},
        {"mode": 8, "difficulty": 1},
    ],
    ids=str,
)
def test_goes_on(options: Options) -> None:
    with make(**options) as pool, make(seed=99, **options) as other, make(**options) as new:
        pool.reset()
        play(pool, 60, 0)
        state = pool.save()
        wanted = play(pool, 150, 1)
        assert any((row[2] | row[3]).any() for row in wanted), "no end of an episode is tested"
        other.reset()
        play(other, 20, 2)
        for pool_or_other in (pool, other, new):
            pool_or_other.load(state)
            assert pool_or_other.save() == state
            same(play(pool_or_other, 150, 1), wanted)


def test_before_the_first_reset() -> None:
    with make() as pool:
        state = pool.save()
        wanted = play(pool, 10, 0)
        pool.load(state)
        same(play(pool, 10, 0), wanted)


def goes_on(state: bytes) -> list[Any]:
    with make() as pool:
        pool.load(state)
        return play(pool, 60, 1)


def test_in_another_process() -> None:
    with make() as pool:
        pool.reset()
        play(pool, 30, 0)
        with multiprocessing.get_context("spawn").Pool(1) as processes:
            same(processes.apply(goes_on, (pool.save(),)), play(pool, 60, 1))


def test_64_branches() -> None:
    """64 envs that load one state equal one env that plays the branches one after another."""
    branches, steps = 64, 40
    options: Options = {"repeat_action_probability": 0.25, "seed": 5}
    actions = np.random.default_rng(0).integers(9, size=(steps, branches))
    with make("MsPacman-v5", 1, **options) as one, make("MsPacman-v5", branches, **options) as many:
        one.reset()
        play(one, 50, 3)
        state = one.save()
        for branch in range(branches):
            many.load(state, [branch])
        rows = [many.step(action) for action in actions]
        for branch in range(branches):
            one.load(state)
            for action, (obs, reward, terminated, _, info) in zip(actions, rows, strict=True):
                wanted = one.step(action[[branch]])
                np.testing.assert_array_equal(wanted[0][0], obs[branch])
                np.testing.assert_array_equal(wanted[4]["ram"][0], info["ram"][branch])
                assert wanted[1][0] == reward[branch]
                assert wanted[2][0] == terminated[branch]
        assert len({rows[-1][0][branch].tobytes() for branch in range(branches)}) > 32


def test_size() -> None:
    with make("Pong-v5", 1) as pool:
        pool.reset()
        assert 100_000 < len(pool.save()) < 125_000


def test_refuses_states_of_other_options_and_games() -> None:
    with make("Pong-v5") as pong, make() as breakout, make(frame_skip=(2, 5)) as skips:
        states = [pool.save() for pool in (pong, skips)]
        for state, words in zip(states, ["is of Pong-v5", r"frame_skip=\[2, 5\]"], strict=True):
            with pytest.raises(ValueError, match=words):
                breakout.load(state)
