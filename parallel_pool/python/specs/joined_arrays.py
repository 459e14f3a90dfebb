"""The arrays of a pool of several tasks, made of those of the tasks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.specs.spec import Spec

# A native array: its fields, what it contains, and for "shape" of which array (engine/joined.h).
_Native = tuple[tuple[Any, ...], str, int]


@dataclasses.dataclass
class JoinedArrays:
    """The arrays of the pool, and for each task the places of its own arrays among them."""

    action: list[_Native]
    state: list[_Native]
    action_places: list[list[int]]
    state_places: list[list[int]]


@dataclasses.dataclass
class _Owned:
    """An array of one task, with its name in the pool."""

    task: int
    place: int  # in the task's own list
    name: str
    array: ArraySpec


def join_arrays(
    name: str,
    specs: Sequence[Spec],
    *,
    action_padding: bool,
    observation_padding: bool,
    separate_spaces: bool,
) -> JoinedArrays:
    """The arrays of the pool; ValueError with all differences of the tasks that are not resolved.

    Args:
        name: the pool's, for errors.
        specs: the tasks.
        action_padding: actions of several sizes become one, of the largest.
        observation_padding: the same for observations.
        separate_spaces: each task has observations and actions of its own.
    """
    actions, observations, infos = _named(specs, separate_spaces)
    differences: list[str] = []
    full = all("full_action_space" in spec.config for spec in specs)
    also = " or full_action_space=True" if full else ""
    joined_actions = _join_group(
        specs,
        actions,
        separate_spaces or action_padding,
        f"action_padding=True{also}",
        "action",
        differences,
    )
    joined_observations = _join_group(
        specs,
        observations,
        separate_spaces or observation_padding,
        "observation_padding=True",
        "observation",
        differences,
    )
    if differences:
        raise ValueError(
            f"{name}: the tasks differ, and a pool has one observation and one action for all:\n"
            + "\n".join(f"- {difference}" for difference in differences)
            + "\nWhat no padding resolves, separate_spaces=True does: each task then has an entry "
            "of its own in a dict of observations, and in one of actions"
        )
    joined_infos = _join_group(specs, infos, True, "", "info", differences)
    state = {**joined_observations, **joined_infos}
    mask = _mask(specs, joined_actions, joined_infos)
    if mask is not None:
        state[mask.name] = mask
    native: list[_Native] = [
        (_fields(array), "mask" if array is mask else "parts", -1) for array in state.values()
    ]
    names = list(state)
    for padded in _padded(specs, observations, joined_observations) if not separate_spaces else []:
        whole = state[padded].shape
        shape = (len(whole),) if len(whole) > 1 else ()
        size = ArraySpec(
            _size_name(padded), "int32", shape, "box", [0.0], [float(max(whole, default=1))]
        )
        native.append((_fields(size), "shape", names.index(padded)))
    task_id = ArraySpec("info:task_id", "int32", (), "discrete", [0.0], [len(specs) - 1.0])
    native.append((_fields(task_id), "task", -1))
    return JoinedArrays(
        [(_fields(array), "parts", -1) for array in joined_actions.values()],
        native,
        _places(specs, actions, list(joined_actions), lambda spec: spec.action_arrays),
        _places(specs, [*observations, *infos], names, lambda spec: spec.state_arrays),
    )


def _mask(
    specs: Sequence[Spec], actions: dict[str, ArraySpec], infos: dict[str, ArraySpec]
) -> ArraySpec | None:
    """The mask of legal actions, where a task has one or the tasks have several numbers of them."""
    name = "info:action_mask"
    if list(actions) != ["action"] or actions["action"].kind != "discrete":
        return None
    whole = actions["action"]
    if name not in infos and all(spec.action_arrays[0].high == whole.high for spec in specs):
        return None
    size = int(whole.high[0] - whole.low[0]) + 1
    return ArraySpec(name, "int8", (size,), "box", [0.0], [1.0])


def _named(
    specs: Sequence[Spec], separate_spaces: bool
) -> tuple[list[_Owned], list[_Owned], list[_Owned]]:
    """The actions, observations and infos of all tasks, with their names in the pool."""
    keys = _keys(specs)
    actions: list[_Owned] = []
    observations: list[_Owned] = []
    infos: list[_Owned] = []
    for task, spec in enumerate(specs):
        for place, array in enumerate(spec.state_arrays):
            (infos if array.name.startswith("info:") else observations).append(
                _Owned(task, place, array.name, array)
            )
        alone = len(spec.action_arrays) == 1
        for place, array in enumerate(spec.action_arrays):
            actions.append(_Owned(task, place, "action" if alone else array.name, array))
    if separate_spaces:
        for own in observations:
            own.name = _under(keys[own.task], own.name)
        for own in actions:
            key = keys[own.task]
            own.name = key if own.name == "action" else f"{key}.{own.name}"
    for own in infos:
        of_name = [other.array for other in infos if other.array.name == own.array.name]
        if not all(_fit(own.array, array) for array in of_name):
            own.name = f"info:{keys[own.task]}.{own.array.name.removeprefix('info:')}"
    return actions, observations, infos


def _keys(specs: Sequence[Spec]) -> list[str]:
    """The entry of each task with separate spaces: its id; "id/2" if another of the id differs."""
    keys: list[str] = []
    for i, spec in enumerate(specs):
        key = spec.task_id.replace(".", "_")
        same = [
            other
            for other in specs[:i]
            if other.task_id == spec.task_id
            and other.state_arrays == spec.state_arrays
            and other.action_arrays == spec.action_arrays
        ]
        if same:
            keys.append(keys[specs.index(same[0])])
            continue
        number = 1 + sum(k == key or k.startswith(f"{key}/") for k in dict.fromkeys(keys))
        keys.append(key if number == 1 else f"{key}/{number}")
    return keys


def _under(key: str, name: str) -> str:
    return f"obs:{key}" if name == "obs" else f"obs:{key}.{name.removeprefix('obs:')}"


def _size_name(name: str) -> str:
    inner = name.removeprefix("obs").removeprefix(":")
    return f"info:observation_size.{inner}" if inner else "info:observation_size"


def _join_group(
    specs: Sequence[Spec],
    owned: list[_Owned],
    padding: bool,
    remedy: str,
    what: str,
    differences: list[str],
) -> dict[str, ArraySpec]:
    """One array for all of the same name; adds what cannot become one to `differences`."""
    joined: dict[str, ArraySpec] = {}
    for name in dict.fromkeys(own.name for own in owned):
        group = [own for own in owned if own.name == name]
        shown = what if name in ("action", "obs") else f"{what} {_plain(name)!r}"
        texts = "; ".join(
            f"{text} of {', '.join(dict.fromkeys(tasks))}"
            for text, tasks in _by_text(specs, group).items()
        )
        first = group[0].array
        if not all(_fit(first, own.array, what == "action") for own in group):
            differences.append(f"{shown}: {texts}")
            continue
        lacking = [spec.task_id for i, spec in enumerate(specs) if i not in {o.task for o in group}]
        same = all(own.array[2:6] == first[2:6] for own in group)
        if not padding and (lacking or not same):
            texts += "" if ";" in texts or lacking else ", with other bounds"
            lack = f"; none of {', '.join(dict.fromkeys(lacking))}" if lacking else ""
            differences.append(f"{shown}: {texts}{lack} ({remedy} resolves it)")
        joined[name] = _union(name, [own.array for own in group])
    return joined


def _plain(name: str) -> str:
    return name.removeprefix("obs:").removeprefix("info:")


def _by_text(specs: Sequence[Spec], group: list[_Owned]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for own in group:
        texts.setdefault(_text(own.array), []).append(specs[own.task].task_id)
    return texts


def _text(array: ArraySpec) -> str:
    if array.kind == "discrete":
        return f"Discrete({int(array.high[0] - array.low[0]) + 1})"
    bounds = "" if len({*array.low}) > 1 or len({*array.high}) > 1 else _bounds(array)
    return f"{array}{bounds}" if array.kind == "box" else f"{array.kind} {array}"


def _bounds(array: ArraySpec) -> str:
    if not array.low or not np.isfinite([array.low[0], array.high[0]]).all():
        return ""
    return f" {array.low[0]:g} .. {array.high[0]:g}"


def _fit(a: ArraySpec, b: ArraySpec, is_action: bool = False) -> bool:
    """Whether padding makes them one array. The engine converts actions that are one integer."""
    if a.kind != b.kind or len(a.shape) != len(b.shape):
        return False
    if a.kind == "discrete" and a.low != b.low:
        return False
    return a.dtype == b.dtype or (is_action and a.kind == "discrete")


def _union(name: str, arrays: list[ArraySpec]) -> ArraySpec:
    """An array with room for all of them; its bounds allow zeros where one is shorter."""
    first = arrays[0]
    shape = tuple(max(sizes) for sizes in zip(*(a.shape for a in arrays), strict=True))
    meanings = first.meanings if all(a.meanings == first.meanings for a in arrays) else ()
    same = all(a.dtype == first.dtype for a in arrays)
    dtype = first.dtype if same else "int64"
    if all(a[2:6] == first[2:6] for a in arrays):
        return ArraySpec(name, dtype, shape, first.kind, first.low, first.high, 0, meanings)
    if first.kind == "discrete":
        high = [max(a.high[0] for a in arrays)]
        return ArraySpec(name, dtype, (), "discrete", first.low, high, 0, meanings)
    lows, highs = zip(*(_padded_bounds(a, shape) for a in arrays), strict=True)
    low, high = np.min(lows, axis=0), np.max(highs, axis=0)
    return ArraySpec(name, dtype, shape, first.kind, _brief(low), _brief(high))


def _padded_bounds(array: ArraySpec, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """The bounds of each element of a larger array: 0 where there is only padding."""
    bounds = []
    for numbers in (array.low, array.high):
        own = np.broadcast_to(
            np.reshape(numbers, array.shape if len(numbers) > 1 else ()), array.shape
        )
        bounds.append(
            np.pad(own, [(0, n - own_n) for n, own_n in zip(shape, array.shape, strict=True)])
        )
    return bounds[0], bounds[1]


def _brief(numbers: Any) -> list[float]:
    """One number if all are the same."""
    flat = [float(number) for number in np.ravel(numbers)]
    return flat[:1] if len(set(flat)) <= 1 else flat


def _padded(specs: Sequence[Spec], owned: list[_Owned], joined: dict[str, ArraySpec]) -> list[str]:
    """The observations that some task has in another size, or lacks."""
    names = []
    for name, array in joined.items():
        group = [own for own in owned if own.name == name]
        lacks = len({own.task for own in group}) < len(specs)
        if lacks or any(own.array.shape != array.shape for own in group):
            names.append(name)
    return names


def _places(
    specs: Sequence[Spec],
    owned: list[_Owned],
    names: list[str],
    arrays_of: Callable[[Spec], tuple[ArraySpec, ...]],
) -> list[list[int]]:
    """For each task the places of its own arrays in the pool's list."""
    places = [[0] * len(arrays_of(spec)) for spec in specs]
    for own in owned:
        places[own.task][own.place] = names.index(own.name)
    return places


def _fields(array: ArraySpec) -> tuple[Any, ...]:
    return (*array[:6], 0, list(array.meanings))
