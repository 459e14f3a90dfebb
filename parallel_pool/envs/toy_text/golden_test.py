"""Episodes of all tasks of this family equal those of golden/."""

import pytest

from parallel_pool.testing import golden, golden_pictures


@pytest.mark.parametrize("task_id", golden.tasks("toy_text"))
def test_is_as_it_was(task_id: str) -> None:
    golden.check("toy_text", task_id)


def test_looks_as_it_did() -> None:
    golden_pictures.check("toy_text")
