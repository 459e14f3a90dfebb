"""What the tests of the libraries over torch share."""

import sys

import gymnasium
import pytest
import torch

import parallel_pool

# Libraries look for envpool when they are imported. torchrl also wants a module named gym, of which
# there is no wheel; Gymnasium does as well.
parallel_pool.install_as_envpool()
sys.modules.setdefault("gym", gymnasium)
sys.modules.setdefault("gym.spaces", gymnasium.spaces)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """The nets are small, and more threads slow them down tenfold; rl_games asks for some."""
    torch.set_num_threads(1)
