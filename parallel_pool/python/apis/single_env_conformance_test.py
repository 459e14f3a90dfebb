"""Every task as a single env: Gymnasium's own check, and equality with Gymnasium's env."""

import warnings
from typing import Any

import dm_env
import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import parallel_pool
from parallel_pool.python.specs.gymnasium_ids import gymnasium_id
from parallel_pool.python.specs.registry import registry
from parallel_pool.testing import tasks
from parallel_pool.testing.form import by_form

TASKS = tasks.with_one_player()
STEPS = by_form(120, 1500)
# The short form renders one task of each suite.
RENDERED = by_form({registry().suite(task_id): task_id for task_id in TASKS}.values(), TASKS)


@pytest.mark.parametrize("task_id", TASKS)
def test_gymnasiums_check(task_id: str) -> None:
    env = gymnasium.make(gymnasium_id(task_id)).unwrapped
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env, skip_render_check=task_id not in RENDERED)
    # These are about bounds that the tasks do not have, and, in MetaWorld, about goals in a plane.
    known = ["infinity", "[-1, 1]"]
    if registry().suite(task_id) == "metaworld":
        known.append("observation space maximum and minimum values are equal")
    texts = [str(warning.message) for warning in caught]
    assert [text for text in texts if not any(words in text for words in known)] == []


def validate(spec: Any, value: Any) -> None:
    """Checks an observation, whose numbers also have a dtype."""
    if isinstance(spec, dict):
        assert set(spec) == set(value)
        for name in spec:
            validate(spec[name], value[name])
    elif isinstance(spec, dm_env.specs.StringArray):
        assert isinstance(value, str)
    else:
        spec.validate(value)
        assert value.dtype == spec.dtype


@pytest.mark.parametrize("task_id", TASKS)
def test_dm_envs_specs(task_id: str) -> None:
    with parallel_pool.make_dm(task_id, num_envs=None, **tasks.OPTIONS.get(task_id, {})) as env:
        validate(env.observation_spec(), env.reset(seed=1).observation)
        spec = env.action_spec()
        parts = spec if isinstance(spec, dict) else {"": spec}
        action = {name: part.generate_value() for name, part in parts.items()}
        step = env.step(action if isinstance(spec, dict) else action[""])
        validate(env.observation_spec(), step.observation)
        assert type(step.reward) is type(step.discount) is float


def gymnasiums(task_id: str) -> Any:
    """Gymnasium's own env, or None if there is none with its present dependencies."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old versions
            return gymnasium.make(task_id)
    except (gymnasium.error.Error, ImportError):
        return None


def assert_same(ours: Any, theirs: Any) -> None:
    """Equal values, whatever NumPy's types of scalars are."""
    if isinstance(theirs, dict):
        assert set(ours) >= set(theirs)
        for key, value in theirs.items():
            assert_same(ours[key], value)
    else:
        np.testing.assert_array_equal(ours, theirs)
        assert np.shape(ours) == np.shape(theirs)


@pytest.mark.parametrize("task_id", [t for t in TASKS if gymnasiums(t) is not None])
def test_equals_gymnasium(task_id: str) -> None:
    ours: Any = gymnasium.make(f"parallel_pool/{task_id}")
    theirs = gymnasiums(task_id)
    theirs.action_space.seed(5)
    for mine, other in zip(ours.reset(seed=5), theirs.reset(seed=5), strict=True):
        assert_same(mine, other)
    for _ in range(STEPS):
        action = theirs.action_space.sample()
        result, other = ours.step(action), theirs.step(action)
        for part, of_other in zip(result, other, strict=True):
            assert_same(part, of_other)
        if result[2] or result[3]:
            for mine, other in zip(ours.reset(), theirs.reset(), strict=True):
                assert_same(mine, other)
    ours.close()
    theirs.close()


def test_most_tasks_are_compared() -> None:
    assert sum(gymnasiums(task_id) is not None for task_id in TASKS) >= by_form(10, 25)
