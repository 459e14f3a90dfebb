"""The rules of dm_env's test_utils for an environment, row by row, on every task."""

from typing import Any

import dm_env
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import tasks

ENVS = 2
LIMIT = 4
STEPS = 3 * (LIMIT + 1)


def validate(spec: Any, value: Any) -> None:
    """Checks that every row satisfies the spec, and that both trees have the same names."""
    if hasattr(spec, "_fields"):
        assert type(spec).__name__ == type(value).__name__
        assert spec._fields == value._fields
        for one, rows in zip(spec, value, strict=True):
            validate(one, rows)
        return
    assert isinstance(value, np.ndarray)
    for row in value:
        # A row of a vector is a scalar, which validate() cannot check: make it an array.
        np.testing.assert_array_equal(spec.validate(np.asarray(row)), row)


def draw(spec: Any, random: np.random.Generator) -> Any:
    """A random action for each env."""
    if isinstance(spec, dict):
        return {name: draw(part, random) for name, part in spec.items()}
    if np.issubdtype(spec.dtype, np.integer) and hasattr(spec, "minimum"):
        shape = (ENVS, *spec.shape)
        return random.integers(spec.minimum, spec.maximum, shape, spec.dtype, endpoint=True)
    low = np.clip(getattr(spec, "minimum", -1), -1, 1)
    high = np.clip(getattr(spec, "maximum", 1), -1, 1)
    return random.uniform(low, high, (ENVS, *spec.shape)).astype(spec.dtype)


def check(pool: Any, step: dm_env.TimeStep, before: Any) -> None:
    """Checks one TimeStep, and that it may follow the one before."""
    assert isinstance(step, dm_env.TimeStep)
    validate(pool.observation_spec(), step.observation)
    validate(pool.reward_spec(), step.reward)
    validate(pool.discount_spec(), step.discount)
    assert step.step_type.dtype == np.int32
    after_last = before is not None and (before == dm_env.StepType.LAST)
    expected_first = np.ones(ENVS, bool) if before is None else after_last
    np.testing.assert_array_equal(step.step_type == dm_env.StepType.FIRST, expected_first)
    first = step.step_type == dm_env.StepType.FIRST
    assert (step.reward[first] == 0).all()
    assert (step.discount[first] == 1).all()


@pytest.mark.parametrize("task_id", tasks.with_one_player())
def test_conforms(task_id: str) -> None:
    random = np.random.default_rng(1)
    with parallel_pool.make_dm(task_id, num_envs=ENVS, max_episode_steps=LIMIT) as pool:
        assert isinstance(pool, dm_env.Environment)
        action = pool.action_spec()
        # A step before any reset is a reset.
        step = pool.step(draw(action, random))
        check(pool, step, None)
        ends = 0
        for _ in range(STEPS):
            before = step.step_type
            step = pool.step(draw(action, random))
            check(pool, step, before)
            last = step.step_type == dm_env.StepType.LAST
            at_limit = last & (step.observation.elapsed_step == LIMIT)
            ends += int(last.sum())
            # The discount is 0 after a termination, not after a truncation by the time limit.
            assert set(step.discount[last & ~at_limit]) <= {0.0}
        assert ends > 0
        check(pool, pool.reset(), None)


def test_a_time_limit_keeps_the_discount() -> None:
    for task_id in ("Pendulum-v1", "MountainCar-v0", "HalfCheetah-v5"):  # only time limits end them
        with parallel_pool.make_dm(task_id, num_envs=ENVS, max_episode_steps=LIMIT) as pool:
            pool.reset()
            spec = pool.action_spec()
            steps = [pool.step(np.zeros((ENVS, *spec.shape), spec.dtype)) for _ in range(LIMIT)]
            assert (steps[-1].step_type == dm_env.StepType.LAST).all()
            assert (steps[-1].discount == 1).all()
