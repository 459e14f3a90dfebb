"""CarRacing against Gymnasium's, with ==."""

import os
from typing import Any

os.environ["SDL_VIDEODRIVER"] = "dummy"  # pygame draws without a screen
import gymnasium
import numpy as np
import pytest
from gymnasium.envs.box2d.car_racing import CarRacing

import parallel_pool
from parallel_pool.testing.form import by_form, long_form
from parallel_pool.testing.gymnasium_parity import assert_same_spaces, in_a_precision
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same

TASK = "CarRacing-v3"
BLANK = np.zeros((96, 96, 3), np.uint8)

Array = np.ndarray[Any, Any]


class Blind(CarRacing):
    """CarRacing without pictures, which take a hundred times as long as its physics."""

    def _render(self, mode: str) -> Any:
        return BLANK


def drive(env: Any) -> Array:
    """Follows the track of Gymnasium's env, which shows what pictures would."""
    car, track = env.car, np.array([point[2:] for point in env.track])
    at = np.array(car.hull.position)
    nearest = int(np.argmin(((track - at) ** 2).sum(1)))
    target = track[(nearest + 6) % len(track)] - at
    angle = car.hull.angle
    right = np.array([np.cos(angle), np.sin(angle)]) @ target / np.linalg.norm(target)
    speed = float(np.linalg.norm(car.hull.linearVelocity))
    return np.array([right * 2, 0.3 if speed < 35 else 0.0, 0.05 if speed > 40 else 0.0])


def action_of(env: Any, random: np.random.Generator, style: int) -> Array:
    """Drives well (style 0), with noise (1), or at random, off the field in the end (2)."""
    if style == 2:
        steer, gas, brake = random.uniform((-1.25, -0.2, -0.3), (1.25, 1.2, 1.2))
        held = np.array([steer * 0.2, abs(gas), max(brake - 0.9, -0.1)])
        return held
    noise = random.normal(0, 0.3, 3) if style == 1 else 0
    return drive(env) + noise


def to_choice(action: Array) -> int:
    """The nearest of the five choices."""
    if abs(action[0]) > 0.25:
        return 1 if action[0] > 0 else 2
    return 3 if action[1] > 0.1 else (4 if action[2] > 0.1 else 0)


def play(
    cls: type[CarRacing],
    seed: int,
    steps: int,
    first: dict[str, Any] | None = None,
    **options: Any,
) -> dict[str, int]:
    """Plays both side by side; compares observations, rewards, flags and infos.

    Returns:
        The number of episodes that were "finished", "lost" and "truncated".
    """
    num_envs = 3
    theirs = [
        gymnasium.wrappers.TimeLimit(cls(**options), by_form(300, 1000)) for _ in range(num_envs)
    ]
    random = np.random.default_rng(seed)
    counts = {"finished": 0, "lost": 0, "truncated": 0}
    same = Same(f"{TASK} {options}", seed)
    ours = parallel_pool.make(
        TASK,
        num_envs=num_envs,
        reward_dtype="float64",
        max_episode_steps=by_form(300, 1000),
        **options,
    )
    with ours:
        obs, _ = ours.reset(seed=seed, options=first)
        for i, env in enumerate(theirs):
            wanted, _ = env.reset(seed=seed + i, options=first)
            if cls is not Blind:
                same.row("obs", obs[i], wanted, i)
        done = np.zeros(num_envs, bool)
        for same.step in range(1, steps + 1):
            actions = [action_of(env.unwrapped, random, i) for i, env in enumerate(theirs)]
            if options.get("continuous", True):
                actions = list(in_a_precision(random, np.array(actions)))
            else:
                actions = [np.array(to_choice(a)) for a in actions]
            obs, reward, terminated, truncated, info = ours.step(np.array(actions))
            for i, env in enumerate(theirs):
                ends: Any = (0, False, False)
                if done[i]:
                    wanted, _ = env.reset()
                    done[i] = False
                else:
                    action = actions[i] if actions[i].ndim else int(actions[i])
                    wanted, *ends, their_info = env.step(action)
                    ended, cut = ends[1:]
                    finished = their_info.get("lap_finished", False)
                    same.row("lap_finished", info["lap_finished"][i], finished, i)
                    has_it = "lap_finished" in their_info
                    same.row("_lap_finished", info["_lap_finished"][i], has_it, i)
                    counts["finished"] += finished
                    counts["lost"] += ended and not finished
                    counts["truncated"] += cut
                    done[i] = ended or cut
                same.row("reward", reward[i], ends[0], i)
                same.row("terminated", terminated[i], ends[1], i)
                same.row("truncated", truncated[i], ends[2], i)
                if cls is not Blind:
                    same.row("obs", obs[i], wanted, i)
    if cls is not Blind:
        played(TASK, seed, steps, num_envs)
    return counts


@pytest.mark.parametrize("seed", by_form((1,), (1, 2, 3)))
@pytest.mark.parametrize(
    "options",
    [{}, {"continuous": False}, {"lap_complete_percent": 0.2}, {"domain_randomize": True}],
)
def test_equals_gymnasium_without_pictures(options: dict[str, Any], seed: int) -> None:
    counts = play(Blind, seed, by_form(1000, 5000), **options)
    assert counts["truncated"] > 0


@pytest.mark.parametrize("options", [{}, {"domain_randomize": True, "continuous": False}])
def test_observations_equal_gymnasium(options: dict[str, Any]) -> None:
    play(CarRacing, 5, by_form(60, 700), **options)


@long_form
def test_laps_finish() -> None:
    """Also off the field, at the side of which episodes end."""
    counts = play(Blind, 11, by_form(700, 4000), lap_complete_percent=0.0)
    assert counts["lost"] + counts["finished"] > 0


@pytest.mark.parametrize("percent", [0.0, 0.95])
def test_a_single_env_has_lap_finished_where_gymnasium_has_it(percent: float) -> None:
    """At the end of a lap, or off the field: straight on, which takes longer."""
    theirs = Blind(lap_complete_percent=percent)
    env = parallel_pool.make(TASK, num_envs=None, lap_complete_percent=percent)
    theirs.reset(seed=11)
    assert "lap_finished" not in env.reset(seed=11)[1]
    for step in range(by_form(600, 3000)):
        action = np.array([0, 1, 0]) if percent else drive(theirs)
        wanted, found = theirs.step(action.astype(np.float32)), env.step(action.astype(np.float32))
        assert wanted[2:4] == found[2:4], step
        assert wanted[4] == found[4], step
        if wanted[2]:
            break
    env.close()


def frequent_colors(obs: Array) -> set[tuple[int, ...]]:
    """The colors of many pixels above the panel, of the ground and the road; black lies beyond."""
    colors, counts = np.unique(obs[:80].reshape(-1, 3), axis=0, return_counts=True)
    return {tuple(c.tolist()) for c, n in zip(colors, counts, strict=True) if n > 100 and c.any()}


def test_colors_stay_without_randomize() -> None:
    with parallel_pool.make(TASK, num_envs=1, domain_randomize=True) as env:
        first, _ = env.reset(seed=1)
        same, _ = env.reset(options={"randomize": False})
        other, _ = env.reset()
        assert frequent_colors(first[0]) & frequent_colors(same[0])
        assert not frequent_colors(same[0]) & frequent_colors(other[0])


def test_spaces() -> None:
    for options in ({}, {"continuous": False}):
        assert_same_spaces(TASK, gymnasium.make(TASK, **options), **options)
