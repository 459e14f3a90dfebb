"""The names of the actions equal ALE's, for all games and both action spaces."""

import ale_py.roms
import pytest
from ale_py.env import AtariEnv

import parallel_pool
from parallel_pool.testing.form import some
from parallel_pool.testing.golden import tasks

ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)

_ROMS = {rom.replace("_", ""): rom for rom in ale_py.roms.get_all_rom_ids()}


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("task_id", some((t for t in tasks("atari") if t.endswith("-v5")), 5))
def test_equal_ales(task_id: str, full: bool) -> None:
    env = AtariEnv(_ROMS[task_id.removesuffix("-v5").lower()], full_action_space=full)
    with parallel_pool.make(task_id, num_envs=1, full_action_space=full) as pool:
        assert pool.get_action_meanings() == env.get_action_meanings()
        assert len(pool.spec.action_meanings) == pool.action_space.n


def test_a_continuous_action_has_none() -> None:
    assert parallel_pool.make_spec("Pong-v5", continuous=True).action_meanings is None
