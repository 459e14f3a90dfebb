"""Every task of this package satisfies the rules of all tasks."""

import pytest

import parallel_pool
from parallel_pool.testing import tasks

# Tasks whose seeds change nothing. Procgen's mode exploration has one level for each game.
DETERMINISTIC = (
    "CliffWalking-v0",
    "CliffWalking-v1",
    "ConnectFour-v0",
    "MiniGrid-DistShift1-v0",
    "MiniGrid-DistShift2-v0",
    "MiniGrid-Empty-16x16-v0",
    "MiniGrid-Empty-5x5-v0",
    "MiniGrid-Empty-6x6-v0",
    "MiniGrid-Empty-8x8-v0",
    "MuJoCo-v0",
    "TicTacToe-v0",
)
ONE_LEVEL = "Exploration-v0"


@pytest.mark.parametrize("task_id", tasks.played())
def test_conforms(task_id: str) -> None:
    options = tasks.OPTIONS.get(task_id, {})
    is_stochastic = task_id not in DETERMINISTIC and not task_id.endswith(ONE_LEVEL)
    parallel_pool.check(task_id, stochastic=is_stochastic, **options)


@pytest.mark.parametrize("task_id", tasks.described())
def test_the_text_of_every_task(task_id: str) -> None:
    """Also where options are dicts, such as ViZDoom's."""
    spec = parallel_pool.make_spec(task_id)
    text = str(spec)
    for option in spec.options:
        assert f"  option       {option.name}=" in text
    assert repr(spec).startswith(f"make_spec({task_id!r}")
