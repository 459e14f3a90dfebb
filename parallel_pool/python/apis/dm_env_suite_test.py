"""dm_env's own tests of an environment, on every task as a single env."""

import unittest
from collections.abc import Iterator
from typing import Any

import pytest
from absl.testing import absltest
from dm_env import test_utils

import parallel_pool
from parallel_pool.testing import tasks

LIMIT = 3  # steps of an episode, so that its end is tested, too


def suite(task_id: str) -> type[Any]:
    """The tests of a task, as a class."""

    class Suite(test_utils.EnvironmentTestMixin, absltest.TestCase):  # type: ignore[misc]
        def make_object_under_test(self) -> Any:
            options = tasks.OPTIONS.get(task_id, {})
            return parallel_pool.make_dm(task_id, num_envs=None, max_episode_steps=LIMIT, **options)

        def make_action_sequence(self) -> Iterator[Any]:
            spec = self.environment.action_spec()
            for _ in range(3 * LIMIT):
                if isinstance(spec, dict):
                    yield {name: part.generate_value() for name, part in spec.items()}
                else:
                    yield spec.generate_value()

    return Suite


@pytest.mark.parametrize("task_id", tasks.with_one_player())
def test_passes_the_tests_of_dm_env(task_id: str) -> None:
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(suite(task_id)).run(result)
    assert result.testsRun == 4
    assert [text for _, text in (*result.errors, *result.failures)] == []
