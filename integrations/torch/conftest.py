"""What the tests of the libraries over torch share."""

import torch

torch.set_num_threads(1)  # the nets are small, and the envs want the cores
