"""The memory of batches, as arrays or as tensors."""

import importlib
from typing import Any

import numpy as np


class ReplayBatch(dict[str, Any]):
    """Arrays or tensors by name, each with a row for each transition.

    Attributes:
        arrays: their memory, which sample(out=) uses again.
    """

    def __init__(self, out: "ReplayBatch | None" = None) -> None:
        """`out`: an earlier batch, whose memory this one takes over."""
        super().__init__()
        self.arrays: dict[str, Any] = {} if out is None else out.arrays


class BatchMemory:
    """Where batches are, and as what they are shown."""

    def __init__(self, task_id: str, torch: bool, device: Any) -> None:
        """`torch`: as tensors; `device`: where these are copied to."""
        if device is not None and not torch:
            raise ValueError(f"{task_id}: device is {device!r}; it needs torch=True")
        self._torch: Any = importlib.import_module("torch") if torch else None
        self._device = device

    def room(self, arrays: dict[str, Any], key: str, shape: tuple[int, ...], dtype: Any) -> Any:
        """Memory for an array of a batch: that of an earlier one, if it fits."""
        room = arrays.get(key)
        if room is None or room.shape != shape:
            room = arrays[key] = self._new(shape, dtype)
        return room

    def _new(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """New memory; page-locked for a CUDA device."""
        if self._torch is None or not str(self._device).startswith("cuda"):
            return np.empty(shape, dtype)
        kind = getattr(self._torch, np.dtype(dtype).name)
        return self._torch.empty(shape, dtype=kind, pin_memory=True).numpy()

    def shown(self, array: Any) -> Any:
        """The array, or a tensor over its memory, or a tensor on the device."""
        if self._torch is None:
            return array
        tensor = self._torch.from_numpy(array)
        return tensor if self._device is None else tensor.to(self._device, non_blocking=True)


def merged(frames: Any) -> Any:
    """Rows of frames as observations: shape (rows, frames * channels, ...)."""
    if frames.shape[1] == 1:
        return frames[:, 0]
    return frames.reshape(frames.shape[0], -1, *frames.shape[3:])


def windows(frames: Any, width: int) -> Any:
    """The observations of a sequence of frames: shape (rows, steps, width * channels, ...).

    They are views: a frame is in memory once.
    """
    if width == 1:
        return frames
    view = np.lib.stride_tricks.sliding_window_view(frames, width, axis=1, writeable=True)
    rows, steps, channels, *rest = view.shape[:-1]
    return np.moveaxis(view, -1, 2).reshape(rows, steps, width * channels, *rest)
