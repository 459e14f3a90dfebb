"""Checks of what a program gives to a pool's calls, while JAX traces the program."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from parallel_pool.jax.calls import STATE, canonical
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.options.option import suggest
from parallel_pool.python.specs.spec import Spec

_INTEGERS = ("int32", "int64")
# The engine makes them wide again without loss.
_NARROW = {"int64": "int32", "float64": "float32"}


class Arguments:
    """Turns the arguments of calls into arrays for Calls.run()."""

    def __init__(self, spec: Spec) -> None:
        """The arguments of the pools of `spec`."""
        self._task_id = spec.task_id
        self._num_envs: int = spec.config["num_envs"]
        self._arrays = spec.action_arrays

    def state(self, given: Any) -> Any:
        """The state of a call; TypeError if it is none."""
        if getattr(given, "shape", None) != STATE.shape or given.dtype != STATE.dtype:
            raise TypeError(
                f"{self._task_id}: the state is {_named(given)}; it must be what the last call "
                "returned, uint8 (8,)"
            )
        return given

    def action(self, given: Any, env_id: Any) -> tuple[list[Any], Any]:
        """The arrays of an action, and the env ids: the argument, or its entry "env_id"."""
        names = [array.name for array in self._arrays]
        if not isinstance(given, dict):
            if len(names) > 1:
                raise TypeError(
                    f"{self._task_id}: the action is {_named(given)}; it must be a dict with "
                    f"{', '.join(map(repr, names))}"
                )
            given = {names[0]: given}
        flat = _flat(given)
        if "env_id" in flat:
            if env_id is not None:
                raise ValueError(f"{self._task_id}: env_id is given twice: the action has it, too")
            env_id = flat.pop("env_id")
        for unknown in flat.keys() - set(names):
            raise ValueError(
                f"{self._task_id}: the action has an entry {unknown!r}{suggest(unknown, names)}"
            )
        for missing in set(names) - flat.keys():
            raise ValueError(f"{self._task_id}: the action has no entry {missing!r}")
        env_id = self.env_id(env_id)
        rows = self.rows(env_id)
        return [self._array(array, flat[array.name], rows) for array in self._arrays], env_id

    def rows(self, env_id: Any) -> int:
        """The number of envs of a call."""
        return self._num_envs if env_id is None else int(env_id.shape[0])

    def env_id(self, given: Any) -> Any:
        """The env ids of a call as an array; None: all envs."""
        if given is None:
            return None
        ids = self._integers("env_id", given)
        if ids.ndim != 1 or ids.shape[0] == 0:
            raise ValueError(
                f"{self._task_id}: env_id has shape {ids.shape}; it must have one dimension and at "
                "least one env"
            )
        return ids

    def seed(self, given: Any, env_id: Any) -> Any:
        """The seeds of a reset: one number, or one for each env of the call; None: none."""
        if given is None:
            return None
        seeds = self._integers("seed", given)
        rows = self.rows(env_id)
        if seeds.shape not in ((), (rows,)):
            raise ValueError(
                f"{self._task_id}: seed has shape {seeds.shape}; it must be one number, or one for "
                f"each of {rows} envs"
            )
        return seeds

    def _integers(self, what: str, given: Any) -> Any:
        """Integers as int32, or int64 as they are; the engine checks their values."""
        if not isinstance(given, jax.Array):
            given = np.asarray(given)
            if given.dtype.kind in "iu" and given.size:
                least, most = int(given.min()), int(given.max())
                limits = np.iinfo(canonical("int64"))
                if least < limits.min or most > limits.max:
                    raise ValueError(
                        f"{self._task_id}: {what} has {most if most > limits.max else least}; a "
                        f"program has integers from {limits.min} to {limits.max} (set "
                        "jax_enable_x64 for larger ones)"
                    )
                given = given.astype(canonical("int64"))
        if str(given.dtype) not in _INTEGERS:
            raise TypeError(
                f"{self._task_id}: {what} is of {given.dtype}; it must be of int32 or int64: "
                f"{what}.astype(jnp.int32)"
            )
        return jnp.asarray(given)

    def _array(self, array: ArraySpec, given: Any, rows: int) -> Any:
        """The array of an action; it must have the exact dtype, because XLA checks no values."""
        what = f"{self._task_id}: {array.name}"
        if not hasattr(given, "dtype") or not hasattr(given, "shape"):
            raise TypeError(f"{what} is {_named(given)}; it must be an array of JAX or NumPy")
        dtype = canonical(array.dtype)
        if str(given.dtype) not in (str(dtype), _NARROW.get(str(dtype))):
            raise TypeError(
                f"{what} is of {given.dtype}; it must be of {dtype}: astype(jnp.{dtype})"
            )
        shape = (rows * max(array.players, 1), *array.shape)
        if given.shape != shape:
            raise ValueError(f"{what} has shape {given.shape}; it must be {shape}")
        return jnp.asarray(given)


def _flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """The leaves of nested dicts, with the keys joined by dots."""
    leaves: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            leaves |= _flat(value, f"{prefix}{key}.")
        else:
            leaves[f"{prefix}{key}"] = value
    return leaves


def _named(given: Any) -> str:
    if hasattr(given, "dtype") and hasattr(given, "shape"):
        return f"{given.dtype} {tuple(given.shape)}"
    return f"a {type(given).__name__}"
