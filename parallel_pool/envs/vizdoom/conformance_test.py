"""The tasks satisfy the rules of all tasks."""

import pytest

import parallel_pool
from parallel_pool.envs.vizdoom.reference import PACKAGE, STACKED_TASKS, TASKS
from parallel_pool.testing.form import by_form


@pytest.mark.parametrize(
    "task_id",
    by_form(
        ["VizdoomBasic-v1", "VizdoomDeathmatch-MultiBinary-v1", "DefendTheCenter-v1"],
        [*TASKS, *STACKED_TASKS],
    ),
)
def test_conforms(task_id: str) -> None:
    # The first 30 tics of TakeCover are the same for all seeds.
    parallel_pool.check(task_id, engine_path=str(PACKAGE), frame_skip=4)
