"""dm_control's own tests of its suite, on this family's tasks as single envs."""

import sys
import unittest
from typing import Any
from unittest import mock

import pytest
from dm_control import suite

import parallel_pool
from parallel_pool.testing.dm_control_suite import id_of
from parallel_pool.testing.form import IS_LONG, some

sys.modules.setdefault("mock", mock)  # the package that the file imports is the standard library's
from dm_control.suite import suite_test  # noqa: E402

# They look at dm_control's own objects: env.physics, env.task, the lists of tasks.
OF_DM_CONTROL = (
    "test_components_have_names",
    "test_constants",
    "test_model_has_at_least_2_cameras",
    "test_visualize_reward",
)
# 2,000 steps of each task.
LONG = ("test_observations_dont_contain_constant_elements",)

TESTS = [
    name
    for name in unittest.defaultTestLoader.getTestCaseNames(suite_test.SuiteTest)
    if not name.startswith(OF_DM_CONTROL if IS_LONG else OF_DM_CONTROL + LONG)
]


def load(
    domain: str,
    task: str,
    task_kwargs: dict[str, int] | None = None,
    environment_kwargs: dict[str, Any] | None = None,
) -> Any:
    """The task as suite.load() would make it."""
    seed = (task_kwargs or {}).get("random")
    return parallel_pool.make_dm(
        id_of(domain, task), num_envs=None, seed=seed, **environment_kwargs or {}
    )


@pytest.mark.parametrize("name", some(TESTS, 4))
def test_passes_the_tests_of_dm_control(name: str) -> None:
    result = unittest.TestResult()
    with mock.patch.object(suite, "load", load):
        suite_test.SuiteTest(name).run(result)
    assert result.testsRun == 1
    assert [text for _, text in (*result.errors, *result.failures)] == []


def test_all_are_run() -> None:
    assert len(TESTS) >= 5 * len(suite.ALL_TASKS)
