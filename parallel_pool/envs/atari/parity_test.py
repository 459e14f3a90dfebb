"""Pools of Atari envs equal reference.py by ==, frame for frame, for every option."""

from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.atari.reference import AtariReference, Options
from parallel_pool.testing.form import some
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same
from parallel_pool.testing.side_by_side import compare as compare_rows

# Games with and without lives, FIRE, paddles and more than 210 lines. Qbert ends frames early,
# Video Chess and Tic-Tac-Toe think for longer than a frame, Berzerk draws random numbers at resets.
GAMES = {
    "Pong": "pong",
    "Breakout": "breakout",
    "MsPacman": "ms_pacman",
    "Qbert": "qbert",
    "VideoChess": "video_chess",
    "TicTacToe3d": "tic_tac_toe_3d",
    "Adventure": "adventure",
    "Berzerk": "berzerk",
}

# Each option away from its default, and some of them together.
OPTIONS: list[dict[str, Any]] = [
    {},
    {"stack_num": 1},
    {"stack_num": 3},
    {"frame_skip": 1},
    {"frame_skip": 7},
    {"noop_max": 0},
    {"noop_max": 1},
    {"zero_discount_on_life_loss": True},
    {"episodic_life": True},
    {"reward_clip": True},
    {"use_fire_reset": False},
    {"img_height": 110, "img_width": 80},
    {"img_height": 210, "img_width": 160},
    {"img_height": 230, "img_width": 200},
    {"difficulty": 1},
    {"full_action_space": True},
    {"repeat_action_probability": 0.25},
    {"use_inter_area_resize": False},
    {"gray_scale": False},
    {"max_episode_steps": 30},
    {"episodic_life": True, "max_episode_steps": 60, "reward_clip": True, "frame_skip": 8},
    {"gray_scale": False, "use_inter_area_resize": False, "repeat_action_probability": 0.5},
    {"frame_skip": (2, 5)},
    {"life_loss_info": True, "frame_skip": 8},
    {"obs_type": "ram"},
    {"obs_type": "ram", "stack_num": 1, "episodic_life": True},
    {"sound_obs": True},
    {"sound_obs": True, "frame_skip": (1, 4), "noop_max": 0},
    {"continuous": True},
    {"continuous": True, "continuous_action_threshold": 0.2, "repeat_action_probability": 0.25},
]

NUM_ENVS = 2


def compare(task: str, seed: int, steps: int, options: dict[str, Any]) -> int:
    """Steps a pool and its reference with random actions; the number of episodes that ended."""
    envs = [AtariReference(GAMES[task], seed + i, Options(**options)) for i in range(NUM_ENVS)]
    rng = np.random.default_rng(seed)
    same = Same(f"{task}-v5 {options}", seed)
    ends = 0
    with parallel_pool.make(
        f"{task}-v5", env_type="gymnasium", num_envs=NUM_ENVS, seed=seed, **options
    ) as pool:
        compare_rows(same, pool.reset(), [env.reset() for env in envs])
        for same.step in range(1, steps + 1):
            actions = draw_actions(rng, envs[0])
            ours = pool.step(actions)
            rows = [env.step(action) for env, action in zip(envs, actions, strict=True)]
            compare_rows(same, ours, rows)
            ends += int(np.count_nonzero(ours[2] | ours[3]))
    played(f"{task}-v5", seed, steps, NUM_ENVS)
    return ends


def draw_actions(rng: np.random.Generator, env: AtariReference) -> Any:
    """One for each env; shape (NUM_ENVS,), or (NUM_ENVS, 3) if continuous."""
    if not env.options.continuous:
        return rng.integers(len(env.actions), size=NUM_ENVS, dtype=np.int32)
    return rng.uniform([0, -np.pi, 0], [1, np.pi, 1], (NUM_ENVS, 3)).astype(np.float32)


@pytest.mark.parametrize("options", some(OPTIONS, 2), ids=str)
def test_options(options: dict[str, Any]) -> None:
    """Each option on three games, in turn, so that each game has options of all kinds."""
    games = ["Pong", "Breakout", "Qbert"] if "difficulty" in options else list(GAMES)
    first = 3 * OPTIONS.index(options)
    for k in range(first, first + 3):
        compare(games[k % len(games)], 7, 40, options)


@pytest.mark.parametrize("task", GAMES)
def test_defaults(task: str) -> None:
    compare(task, 8, 60, {})


@pytest.mark.parametrize("task", ["Breakout", "Qbert"])
def test_long(task: str) -> None:
    """Long enough for games to end."""
    assert compare(task, 2**33 + 1, 700, {"frame_skip": 6}) > 0
    assert compare(task, 11, 500, {"episodic_life": True, "noop_max": 60}) > 4


@pytest.mark.parametrize(
    ("task", "mode", "difficulty"), [("Breakout", 8, 1), ("Pong", 1, 3), ("Berzerk", 16, 0)]
)
def test_modes(task: str, mode: int, difficulty: int) -> None:
    options = {"mode": mode, "difficulty": difficulty, "repeat_action_probability": 0.25}
    compare(task, 5, 100, options)


@pytest.mark.parametrize("task", GAMES)
def test_render(task: str) -> None:
    env = AtariReference(GAMES[task], 42, Options())
    env.reset()
    with parallel_pool.make(f"{task}-v5", render_mode="rgb_array") as pool:
        pool.reset()
        for step in range(60):
            frames = pool.render()
            assert frames.shape == (1, *env.render().shape)
            assert np.array_equal(frames[0], env.render()), f"{task} step {step}"
            pool.step([step % 3])
            env.step(step % 3)


def test_discount() -> None:
    options: dict[str, Any] = {"zero_discount_on_life_loss": True, "frame_skip": 8}
    env = AtariReference("breakout", 3, Options(**options))
    env.reset()
    with parallel_pool.make("Breakout-v5", env_type="dm", num_envs=1, seed=3, **options) as pool:
        pool.reset()
        lost = 0
        for _ in range(80):
            discount = pool.step(np.zeros(1, np.int32)).discount
            env.step(0)
            assert discount.tolist() == [env.discount if not env.terminated else 0.0]
            lost += int(env.discount == 0.0)
            if env.terminated:
                break
        assert lost > 0


def test_seed_again() -> None:
    """After reset(seed=), a pool equals a new one, whatever its earlier episodes."""
    with parallel_pool.make("Qbert-v5", env_type="gymnasium", num_envs=2, seed=1) as pool:
        pool.reset()
        for _ in range(20):
            pool.step(np.ones(2, np.int32))
        rows = [AtariReference("qbert", 9 + i, Options()).reset() for i in range(2)]
        compare_rows(Same("Qbert-v5", 9), pool.reset(seed=9), rows)
