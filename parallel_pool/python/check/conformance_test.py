"""Every task of this package satisfies the rules of all tasks."""

import pytest

import parallel_pool
from parallel_pool.testing import tasks


@pytest.mark.parametrize("task_id", tasks.played())
def test_conforms(task_id: str) -> None:
    parallel_pool.check(task_id, **tasks.OPTIONS.get(task_id, {}))


@pytest.mark.parametrize("task_id", tasks.described())
def test_the_text_of_every_task(task_id: str) -> None:
    """Also where options are dicts, such as ViZDoom's."""
    spec = parallel_pool.make_spec(task_id)
    text = str(spec)
    for option in spec.options:
        assert f"  option       {option.name}=" in text
    assert repr(spec).startswith(f"make_spec({task_id!r}")
