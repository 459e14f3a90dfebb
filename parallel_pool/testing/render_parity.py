"""Plays a task and Gymnasium's own env side by side and compares the results of render()."""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import gymnasium
import numpy as np

import parallel_pool
from parallel_pool.testing.gymnasium_parity import NUM_ENVS, Array, Policy, uniform_policy

os.environ["SDL_VIDEODRIVER"] = "dummy"  # pygame draws without a screen


class Difference(NamedTuple):
    """Mean absolute differences of pixels, which are 0 to 255."""

    worst: float  # of the frame that differs most
    stale: float  # the average difference of our frames to Gymnasium's one step later


def compare_words(task_id: str, policy: Policy | None = None, **options: Any) -> None:
    """Asserts that render() in mode "ansi" returns Gymnasium's text, for 200 steps of NUM_ENVS."""
    for ours, theirs in _side_by_side(task_id, "ansi", policy, 200, options):
        assert list(ours) == theirs


def picture_difference(
    task_id: str, policy: Policy | None = None, steps: int = 30, **options: Any
) -> Difference:
    """Compares pictures of NUM_ENVS envs over `steps` steps; sizes and dtypes are equal.

    Args:
        task_id: the id of both tasks.
        policy: the actions; None: uniform_policy.
        steps: the number of calls of step().
        **options: the options of both.
    """
    worst = 0.0
    stale = []
    before: Array | None = None
    for ours, theirs in _side_by_side(task_id, "rgb_array", policy, steps, options):
        wanted = np.stack(theirs)
        assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape)
        worst = max(worst, *(_mean_gap(*pair) for pair in zip(ours, wanted, strict=True)))
        if len(ours) < NUM_ENVS:  # the ends of a few envs
            continue
        if before is not None:
            stale.append(_mean_gap(before, wanted))
        before = ours
    return Difference(worst, float(np.mean(stale)))


def assert_saved_looks_the_same(task_id: str) -> None:
    """Parts of a picture that are not in the state, such as the last action, are saved, too."""
    with parallel_pool.make(task_id, num_envs=NUM_ENVS, render_mode="rgb_array") as pool:
        pool.reset()
        random = np.random.default_rng(0)
        choose = uniform_policy(pool.single_action_space)
        for _ in range(5):
            pool.step(choose(random, pool.render()))
        before, data = pool.render(), pool.save()
        pool.step(choose(random, before))
        assert (pool.render() != before).any()
        pool.load(data)
        np.testing.assert_array_equal(pool.render(), before)


def _mean_gap(ours: Array, theirs: Array) -> float:
    return float(np.abs(ours.astype(np.int16) - theirs).mean())


def _side_by_side(
    task_id: str, mode: str, policy: Policy | None, steps: int, options: dict[str, Any]
) -> Iterator[tuple[Any, list[Any]]]:
    """Both pictures after each step: of all envs, then of those that ended, before their reset."""
    theirs = [gymnasium.make(task_id, render_mode=mode, **options) for _ in range(NUM_ENVS)]
    random = np.random.default_rng(0)
    with parallel_pool.make(
        task_id, num_envs=NUM_ENVS, render_mode=mode, autoreset_mode="disabled", **options
    ) as ours:
        choose = policy or uniform_policy(ours.single_action_space)
        obs = np.array([ours.reset([i], seed=i)[0][0] for i in range(NUM_ENVS)])
        for i, env in enumerate(theirs):
            env.reset(seed=i)
        for _ in range(steps):
            yield ours.render(), [env.render() for env in theirs]
            action = choose(random, obs)
            obs, _, terminated, truncated, _ = ours.step(action)
            for env, one in zip(theirs, action, strict=True):
                env.step(one)
            ended = np.flatnonzero(terminated | truncated)
            if len(ended):
                yield ours.render(ended), [theirs[i].render() for i in ended]
                obs[ended] = ours.reset(ended)[0]
                for k in ended:
                    theirs[k].reset()
    for env in theirs:
        env.close()
