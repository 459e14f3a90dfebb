"""The options that give observations and actions another form: their arrays, and what they refuse.

The engine changes the rows, in this order: channel_last, stack_num, flatten_observation, obs_dtype,
time_aware (core/engine/wrapped.h; time_aware and action_repeat: runner.h).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parallel_pool.core import _core
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.options.pool_options import MAX_EPISODE_STEPS
from parallel_pool.python.specs.source import Arrays, Source

_OF_OBSERVATIONS = ("channel_last", "stack_num", "flatten_observation", "obs_dtype", "time_aware")
_OF_ACTIONS = ("clip_action", "rescale_action")
_DEFAULTS = {"stack_num": 1}  # others: False or None
# An option of tasks that may observe pictures, with the same meaning as stack_num. They stack their
# pictures themselves.
_FRAME_STACK = "frame_stack"


class _Part(NamedTuple):
    """The members of C++ WrappedPart."""

    source: int
    target: int
    first: int
    frames: int
    channel_last: bool
    one_hot: bool


@dataclass
class _Observation:
    """An observation on its way to the user; `array` has the form so far."""

    source: int
    array: ArraySpec
    frames: int = 1
    channel_last: bool = False
    one_hot: bool = False

    def part(self, target: int, first: int) -> _Part:
        return _Part(self.source, target, first, self.frames, self.channel_last, self.one_hot)


def _is_on(config: dict[str, Any], name: str) -> bool:
    default = _DEFAULTS.get(name)
    return bool(config.get(name)) and config[name] != default


def _stacks_numbers(config: dict[str, Any]) -> bool:
    """Whether the task's own frame_stack is the pool's stack_num."""
    return config.get("from_pixels") is False and config.get(_FRAME_STACK, 1) > 1


def changes_observation(config: dict[str, Any]) -> bool:
    """Whether observations have another form than the task's."""
    return _stacks_numbers(config) or any(_is_on(config, name) for name in _OF_OBSERVATIONS)


def changes_action(config: dict[str, Any]) -> bool:
    """The same for actions."""
    return any(_is_on(config, name) for name in _OF_ACTIONS)


def wrap(
    source: Source, config: dict[str, Any], setup: _core.Setup, own: tuple[Arrays, Arrays]
) -> tuple[_core.Setup, Arrays, Arrays]:
    """The setup with these options, the arrays that users send, and those that they receive.

    Args:
        source: what the envs are made of.
        config: every option with its value.
        setup: the task with its own options set.
        own: the arrays that users would send and receive without these options.

    Raises:
        ValueError: an option that envs with such arrays cannot have.
    """
    action, state = own
    hidden_by_task = {option.name for option in source.options}
    frames = config[_FRAME_STACK] if _stacks_numbers(config) else 1
    config = {name: value for name, value in config.items() if name not in hidden_by_task}
    if frames > 1:
        if _is_on(config, "stack_num"):
            raise ValueError(
                f"{source.id}: frame_stack is {frames} and stack_num is {config['stack_num']}; "
                "they mean the same: give one of them"
            )
        config["stack_num"] = frames
    _check(source, config, action, state)
    wrapped = wrapped_setup(source.id, config, setup)
    if changes_action(config):
        action = tuple(ArraySpec(*fields) for fields in wrapped.action_arrays)
    if changes_observation(config):
        # Those of envs in Python have a hidden array, too.
        hidden = {fields[0] for fields in setup.state_arrays} - {array.name for array in state}
        arrays = (ArraySpec(*fields) for fields in wrapped.state_arrays)
        state = tuple(array for array in arrays if array.name not in hidden)
    return wrapped, action, state


def wrapped_setup(task_id: str, config: dict[str, Any], setup: _core.Setup) -> _core.Setup:
    """The setup with these options, of which envs with its arrays can have each."""
    if not changes_observation(config) and not changes_action(config):
        return setup
    sent = [_sent(config, ArraySpec(*fields)) for fields in setup.action_arrays]
    received, parts = _received(
        task_id, config, [ArraySpec(*fields) for fields in setup.state_arrays]
    )
    return _core.wrap(
        setup,
        [(tuple(a), low, high, gradient, intercept) for a, low, high, gradient, intercept in sent],
        [tuple(array) for array in received],
        [(*part,) for part in parts],
    )


def _is_observation(array: ArraySpec) -> bool:
    return array.name == "obs" or array.name.startswith("obs:")


def _is_float(array: ArraySpec) -> bool:
    return array.kind == "box" and array.dtype in ("float32", "float64")


def _is_picture(array: ArraySpec) -> bool:
    """Whether its axes are channels, height and width."""
    if array.dtype != "uint8" or len(array.shape) != 3:
        return False
    return array.shape[0] < min(array.shape[1:])


def _shown(arrays: Sequence[ArraySpec]) -> str:
    kinds = ("" if a.kind == "box" else f" ({a.kind})" for a in arrays)
    return ", ".join(f"{a.name} {a}{kind}" for a, kind in zip(arrays, kinds, strict=True))


def _check(source: Source, config: dict[str, Any], action: Arrays, state: Arrays) -> None:
    obs = [array for array in state if _is_observation(array)]
    names = [array.name for array in state]

    def refuse_if(wrong: bool, name: str, reason: str) -> None:
        if _is_on(config, name) and wrong:
            raise ValueError(f"{source.id}: {name} is {config[name]!r}; {reason}")

    for name in _OF_OBSERVATIONS:
        reason = "observations with a row for each player cannot have another form"
        refuse_if(any(array.players for array in obs), name, reason)
    refuse_if(
        not any(map(_is_picture, obs)),
        "channel_last",
        f"no observation is a picture whose first axis is that of channels: {_shown(obs)}",
    )
    for name in ("flatten_observation", "stack_num"):
        reason = f"texts have no numbers: {_shown(obs)}"
        refuse_if(any(array.kind == "text" for array in obs), name, reason)
    for name in _OF_ACTIONS:
        reason = f"it is for actions of floats, and this task has {_shown(action)}"
        refuse_if(not all(map(_is_float, action)), name, reason)
        reason = "actions of each player cannot have another form"
        refuse_if(any(array.players for array in action), name, reason)
    finite = all(np.isfinite([*array.low, *array.high]).all() for array in action)
    refuse_if(not finite, "rescale_action", f"the actions have no bounds: {_shown(action)}")
    if config.get("action_repeat", 1) > 1:
        what = f"{source.id}: action_repeat is {config['action_repeat']}"
        if "reward" in names:
            raise ValueError(f"{what}; rewards of each player cannot be added up")
        if "info:reward" in names:
            raise ValueError(
                f"{what}; info['reward'] would be that of the last step only: use frame_skip"
            )
    refuse_if(bool(source.specs), "time_aware", "each task has a time limit of its own")
    refuse_if(
        config.get("max_episode_steps") == MAX_EPISODE_STEPS,
        "time_aware",
        "this task has no time limit: give max_episode_steps",
    )


def _received(
    task_id: str, config: dict[str, Any], arrays: Sequence[ArraySpec]
) -> tuple[list[ArraySpec], list[_Part]]:
    """The arrays that users receive, and of what they are made."""
    frames = config.get("stack_num", 1)
    flat = bool(config.get("flatten_observation"))
    dtype = config.get("obs_dtype")
    received: list[ArraySpec] = []
    parts: list[_Part] = []
    pieces: list[_Observation] = []  # of the flat observation
    place = 0  # and where it is
    for k, array in enumerate(arrays):
        if not _is_observation(array):
            parts.append(_Part(k, len(received), 0, 1, False, False))
            received.append(array)
            continue
        own = _Observation(k, array)
        if config.get("channel_last") and _is_picture(array):
            own.array, own.channel_last = _reordered(array), True
        if flat and array.kind in ("discrete", "multi_discrete"):
            own.array, own.one_hot = _one_hot(array), True
        if frames > 1:
            own.array, own.frames = _stacked(own.array, frames), frames
        if flat:
            if not pieces:
                place = len(received)
                received.append(array)  # replaced below
            pieces.append(own)
            continue
        if dtype and own.array.kind == "box":
            own.array = own.array._replace(dtype=dtype)
        parts.append(own.part(len(received), 0))
        received.append(own.array)
    if flat:
        received[place] = _concatenated([piece.array for piece in pieces], dtype)
        first = 0
        for piece in pieces:
            parts.append(piece.part(place, first))
            first += math.prod(piece.array.shape)
    if config.get("time_aware"):
        _add_time(task_id, received)
    return received, parts


def _add_time(task_id: str, received: list[ArraySpec]) -> None:
    obs = [array for array in received if _is_observation(array)]
    array = obs[0]
    if len(obs) > 1 or array.name != "obs" or len(array.shape) != 1 or not _is_float(array):
        raise ValueError(
            f"{task_id}: time_aware is True; it adds an element to observations that are one "
            f"vector of floats, and these are {_shown(obs)}: flatten_observation=True or "
            "obs_dtype='float32' makes them so"
        )
    low, high = (_each(bounds, array.shape) for bounds in (array.low, array.high))
    received[received.index(array)] = array._replace(
        shape=(array.shape[0] + 1,), low=[*low, 0.0], high=[*high, 1.0]
    )


def _each(bounds: Sequence[float], shape: tuple[int, ...]) -> list[float]:
    """A bound for each element."""
    return list(bounds) if len(bounds) != 1 else [bounds[0]] * math.prod(shape)


def _with_bounds(array: ArraySpec, change: Callable[[Any], Any]) -> ArraySpec:
    """The array with other bounds; `change` gets them as arrays of its shape."""

    def changed(bounds: list[float]) -> list[float]:
        if len(bounds) <= 1:
            return bounds
        numbers: list[float] = change(np.reshape(bounds, array.shape)).ravel().tolist()
        return numbers

    return array._replace(low=changed(array.low), high=changed(array.high))


def _reordered(array: ArraySpec) -> ArraySpec:
    channels, height, width = array.shape
    bounded = _with_bounds(array, lambda bounds: np.moveaxis(bounds, 0, -1))
    return bounded._replace(shape=(height, width, channels))


def _stacked(array: ArraySpec, frames: int) -> ArraySpec:
    """The array with an axis of the last observations; integers become a box of integers."""
    if array.kind == "multi_discrete":
        array = array._replace(low=[0.0])
    elif array.kind == "multi_binary":
        array = array._replace(low=[0.0], high=[1.0])
    bounded = _with_bounds(array, lambda bounds: np.stack([bounds] * frames))
    return bounded._replace(shape=(frames, *array.shape), kind="box", meanings=())


def _one_hot(array: ArraySpec) -> ArraySpec:
    low = array.low if array.kind == "discrete" else [0.0]
    counts = np.subtract(_each(array.high, array.shape), low).astype(int) + 1
    return array._replace(
        shape=(int(counts.sum()),), kind="box", low=[0.0], high=[1.0], meanings=()
    )


def _concatenated(arrays: Sequence[ArraySpec], dtype: str | None) -> ArraySpec:
    """One vector of all elements."""
    size = sum(math.prod(array.shape) for array in arrays)

    def bounds(name: str, missing: float) -> list[float]:
        if all(array.kind == "multi_binary" for array in arrays):
            return [0.0 if missing < 0 else 1.0]
        each = [_each(getattr(a, name) or [missing], a.shape) for a in arrays]
        joined = [bound for of_array in each for bound in of_array]
        return joined[:1] if len(set(joined)) == 1 else joined

    common = dtype or np.result_type(*(array.dtype for array in arrays)).name
    low, high = bounds("low", -math.inf), bounds("high", math.inf)
    return ArraySpec("obs", common, (size,), "box", low, high)


def _sent(
    config: dict[str, Any], array: ArraySpec
) -> tuple[ArraySpec, list[float], list[float], list[float], list[float]]:
    """The array that users send, and the numbers of C++ WrappedAction."""
    low, high, gradient, intercept = [], [], [], []
    fixed: list[int] = []  # the elements whose bounds are equal: they always are these
    sent = array
    if config.get("rescale_action"):
        # The arithmetic of gymnasium.wrappers.RescaleAction, whose numbers are of the array's
        # dtype but for the difference of the bounds.
        lows, highs = (
            np.array(_each(bounds, array.shape), array.dtype) for bounds in (array.low, array.high)
        )
        width = highs.astype(np.longdouble) - lows.astype(np.longdouble)
        fixed = np.flatnonzero(width == 0).tolist()
        width[fixed] = 2
        slope = (2 / width).astype(array.dtype)
        offset = (slope * -lows - 1).astype(array.dtype)
        offset[fixed] = -lows[fixed]
        gradient, intercept = slope.tolist(), offset.tolist()
        sent = array._replace(low=[-1.0], high=[1.0])
    if config.get("clip_action"):
        low, high = _each(sent.low, array.shape), _each(sent.high, array.shape)
        sent = sent._replace(low=[-math.inf], high=[math.inf])
    elif fixed:
        low, high = [-math.inf] * len(gradient), [math.inf] * len(gradient)
    for i in fixed:  # what is sent is clipped to 0, then (0 - -low) / 1
        low[i] = high[i] = 0.0
    return sent, low, high, gradient, intercept
