"""What the tests of the libraries over torch share."""

import sys

import gymnasium
import torch

import parallel_pool

torch.set_num_threads(1)  # the nets are small, and the envs want the cores
# Libraries look for envpool when they are imported. torchrl also wants a module named gym, which has
# no wheel; Gymnasium does as well.
parallel_pool.install_as_envpool()
sys.modules.setdefault("gym", gymnasium)
sys.modules.setdefault("gym.spaces", gymnasium.spaces)
