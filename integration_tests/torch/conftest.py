"""Fixtures of the tests of libraries that use torch."""

import sys

import gymnasium
import pytest
import torch

import parallel_pool

# Libraries look for envpool when they are imported. torchrl also needs a module named gym, which
# has no wheel; Gymnasium replaces it.
parallel_pool.install_as_envpool()
sys.modules.setdefault("gym", gymnasium)
sys.modules.setdefault("gym.spaces", gymnasium.spaces)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Sets one thread: more threads slow the small nets down tenfold, and rl_games sets some."""
    torch.set_num_threads(1)
