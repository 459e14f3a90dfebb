"""Each task equals dm_control's on the same MuJoCo, step for step, by ==.

Bazel runs it twice: with NumPy as it is for this processor, and with NumPy at its baseline.
"""

from typing import Any

import dm_env
import mujoco
import numpy as np
import pytest
from dm_control.rl import control

import parallel_pool
from parallel_pool.testing.dm_control_suite import ALL, TASKS, load
from parallel_pool.testing.form import by_form

SEEDS = by_form((42,), (0, 2**32 - 9))
NUM_ENVS = by_form(2, 3)
# Short plays have short episodes, so that they also compare endings and resets.
EPISODE = by_form(80, 1000)
STEPS = 2 * EPISODE + by_form(40, 100)
OPTION_STEPS = 50


class Play:
    """A pool and dm_control's environments, which take the same actions."""

    def __init__(self, task_id: str, seed: int, num_envs: int, **options: Any) -> None:
        """Makes both. The options are those of control.Environment, except time limits."""
        self.theirs = [load(task_id, seed + i, **options) for i in range(num_envs)]
        self.ours = parallel_pool.make_dm(
            task_id,
            num_envs=num_envs,
            num_threads=2,
            seed=seed,
            reward_dtype="float64",
            **options,
        )
        self.random = np.random.default_rng(seed)
        spec = self.theirs[0].action_spec()
        self.low, self.high = 1.25 * spec.minimum, 1.25 * spec.maximum  # also out of bounds

    def compare(self, steps: int) -> list[int]:
        """Compares a reset and `steps` steps; returns how many there were of each step type."""
        counts = [0, 0, 0]
        self._same(self.ours.reset(), [env.reset() for env in self.theirs], "after the reset")
        for step in range(steps):
            action = self.random.uniform(self.low, self.high, (len(self.theirs), len(self.low)))
            wanted = [env.step(row) for env, row in zip(self.theirs, action, strict=True)]
            self._same(self.ours.step(action), wanted, f"at step {step}")
            for one in wanted:
                counts[one.step_type] += 1
        return counts

    @staticmethod
    def _same(ours: dm_env.TimeStep, theirs: list[dm_env.TimeStep], where: str) -> None:
        for i, wanted in enumerate(theirs):
            assert ours.step_type[i] == wanted.step_type, (where, i)
            assert ours.reward[i] == (wanted.reward or 0), (where, i, ours.reward[i], wanted.reward)
            assert ours.discount[i] == (1 if wanted.discount is None else wanted.discount), where
            for key, value in wanted.observation.items():
                found = getattr(ours.observation, key)
                assert found.dtype == np.float64
                assert found[i].shape == np.shape(value), (where, key)
                assert np.array_equal(found[i], value), (where, i, key, found[i], value)


def time_limit(env: control.Environment) -> float:
    return float(env.control_timestep() * EPISODE)


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_dm_control(task_id: str, seed: int) -> None:
    assert mujoco.__version__ == "3.17.0"
    limit = by_form({"time_limit": time_limit(load(task_id, 0))}, {})
    counts = Play(task_id, seed, NUM_ENVS, **limit).compare(STEPS)
    assert counts[dm_env.StepType.LAST] >= 2 * NUM_ENVS, "two endings must have been compared"


@pytest.mark.parametrize("task_id", TASKS)
def test_options_equal_dm_controls(task_id: str) -> None:
    own = load(task_id, 0)
    limit = 20 * own.control_timestep()
    Play(task_id, 1, 2, n_sub_steps=3, time_limit=limit).compare(OPTION_STEPS)
    Play(task_id, 2, 2, flat_observation=True, time_limit=limit).compare(OPTION_STEPS)
    Play(task_id, 3, 2, legacy_step=False, time_limit=limit).compare(OPTION_STEPS)


def test_missing_tasks() -> None:
    domains = {ALL[task_id][0] for task_id in set(ALL) - set(TASKS)}
    assert domains == {
        "dog",
        "fish",
        "humanoid",
        "humanoid_CMU",
        "lqr",
        "manipulator",
        "quadruped",
        "stacker",
        "swimmer",
    }
