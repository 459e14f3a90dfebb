"""NumPy arrays and torch tensors that share their memory. Nothing here imports torch."""

import sys
from typing import Any

import numpy as np


def is_tensor(value: Any) -> bool:
    """Whether the value is a tensor of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def to_numpy(value: Any) -> Any:
    """The value as an array: a tensor's own memory, or a copy if it is on another device."""
    if type(value) is np.ndarray:
        return value
    if is_tensor(value):
        return value.detach().cpu().numpy()
    return np.asarray(value)


def copy_of(value: Any) -> Any:
    """A copy of a tensor, without its gradient, or an array of the value."""
    return value.detach().clone() if is_tensor(value) else np.array(value)


def like(value: Any, array: Any) -> Any:
    """The array; or a tensor over its memory if `value` is a tensor, on the device of `value`."""
    if not is_tensor(value):
        return array
    return sys.modules["torch"].from_numpy(array).to(value.device)
