"""The modules of `envpool.python` for install_as_envpool().

Their classes are those of this package's pools and specs. EnvPool makes its classes at run time
from native ones, which this package does not have: the functions that do so raise an error.
"""

import keyword
import re
from collections import Counter, namedtuple
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import dm_env
import gymnasium
import numpy as np

from parallel_pool.compat import envpool_pools
from parallel_pool.compat.envpool_pools import ArraySpec
from parallel_pool.python.apis import dm_api, gymnasium_api
from parallel_pool.python.pools.pool import BasePool

_MOST_VALUES = 2**20  # of a discrete space

CLASSES: dict[str, type] = {
    "EnvPool": BasePool,
    "EnvSpec": envpool_pools.EnvSpec,
    "DMEnvPool": dm_api.Pool,
    "GymnasiumEnvPool": gymnasium_api.Pool,
}


def modules() -> dict[str, dict[str, Any]]:
    """The members of each module, by its full name."""
    to_spec, to_space = dm_spec_transform, gym_spec_transform
    data = {
        "ACTION_THRESHOLD": _MOST_VALUES,
        "to_nested_dict": to_nested_dict,
        "to_namedtuple": to_namedtuple,
        "dm_spec_transform": to_spec,
        "gym_spec_transform": to_space,
        "gymnasium_spec_transform": to_space,
        "dm_structure": _refusal("dm_structure"),
        "gym_structure": _refusal("gym_structure"),
        "gymnasium_structure": _refusal("gymnasium_structure"),
    }
    gymnasium_classes = {
        "GymnasiumEnvPoolMixin": gymnasium_api.Pool,
        "GymnasiumEnvPoolMeta": envpool_pools.GymnasiumEnvPoolMeta,
    }
    dm_classes = {
        "DMEnvPoolMixin": dm_api.Pool,
        "DMEnvPoolMeta": envpool_pools.DMEnvPoolMeta,
    }
    spec_classes = {
        "EnvSpecMixin": envpool_pools.EnvSpec,
        "EnvSpecMeta": envpool_pools.EnvSpecMeta,
    }
    members: dict[str, dict[str, Any]] = {
        "": {**CLASSES, "__all__": list(CLASSES)},
        "api": {"py_env": _refusal("py_env"), **CLASSES, **gymnasium_classes, **dm_classes},
        "data": {**data, "ArraySpec": ArraySpec},
        "dm_envpool": {**dm_classes, "EnvPoolMixin": BasePool},
        "env_spec": {**spec_classes, "ArraySpec": ArraySpec, "EnvSpec": envpool_pools.EnvSpec},
        "envpool": {"EnvPoolMixin": BasePool},
        "gymnasium_envpool": {**gymnasium_classes, "EnvPoolMixin": BasePool},
        "lax": {"XlaMixin": BasePool, "make_xla": _refusal("make_xla")},
        "protocol": {**CLASSES, "ArraySpec": ArraySpec},
        "utils": {"check_key_duplication": check_key_duplication},
        "xla_template": {"make_xla": _refusal("make_xla")},
    }
    return {f"envpool.python.{name}".rstrip("."): own for name, own in members.items()}


# The sentences that say what takes the place of EnvPool's functions for native classes.
_INSTEAD = {
    "py_env": envpool_pools.IN_CPP,
    "make_xla": "pool.xla() returns handle, recv, send and step",
    "dm_structure": "pools form their results themselves",
    "gym_structure": "pools form their results themselves",
    "gymnasium_structure": "pools form their results themselves",
}


def _refusal(name: str) -> Callable[..., NoReturn]:
    """A function of EnvPool's that only raises an error."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise envpool_pools.of_native_classes(name, _INSTEAD[name])

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def to_nested_dict(flatten_dict: dict[str, Any], generator: Callable[[], Any] = dict) -> Any:
    """{"a": {"b": 1}} of {"a.b": 1}; `generator` makes each mapping, such as a Dict space."""
    nested = generator()
    for name, value in flatten_dict.items():
        *parents, last = name.split(".")
        mapping = nested
        for parent in parents:
            if parent not in mapping.keys():  # noqa: SIM118, a Dict space is no dict
                mapping[parent] = generator()
            mapping = mapping[parent]
        mapping[last] = value
    return nested


def to_namedtuple(name: str, hdict: dict[str, Any]) -> Any:
    """A namedtuple of a nested dict; characters that no name may have are replaced by "_"."""
    seen: Counter[str] = Counter()
    names = []
    for key in hdict:
        field = _identifier(key)
        names.append(f"{field}_{seen[field]}" if seen[field] else field)
        seen[field] += 1
    values = [to_namedtuple(k, v) if isinstance(v, dict) else v for k, v in hdict.items()]
    return namedtuple(_identifier(name), names)(*values)


def _identifier(name: str) -> str:
    """The name with "_" for other characters; "n_" before it where that is no name of a field."""
    word = re.sub(r"\W", "_", name)
    is_good = word.isidentifier() and not keyword.iskeyword(word) and word[0] != "_"
    return word if is_good else f"n_{word}"


def _integers(spec: ArraySpec, spec_type: str) -> tuple[int, int] | None:
    """The lowest and the highest value if the array is one integer of a range, else None."""
    is_integer = np.issubdtype(spec.dtype, np.integer) or (spec_type == "act" and spec.is_discrete)
    bounds = [np.asarray(bound) for bound in (spec.minimum, spec.maximum)]
    if np.prod(np.abs(spec.shape)) != 1 or not is_integer or any(b.size != 1 for b in bounds):
        return None
    low, high = (float(bound.item()) for bound in bounds)
    if not (low.is_integer() and high.is_integer() and high < _MOST_VALUES):
        return None
    return int(low), int(high)


def dm_spec_transform(name: str, spec: ArraySpec, spec_type: str) -> dm_env.specs.Array:
    """The spec of dm_env for an array; spec_type is "obs" or "act"."""
    found = _integers(spec, spec_type)
    if found is not None and found[0] == 0:
        dtype = spec.dtype if np.issubdtype(spec.dtype, np.integer) else np.int32
        return dm_env.specs.DiscreteArray(found[1] + 1, dtype, name)
    shape = [size for size in spec.shape if size != -1]
    return dm_env.specs.BoundedArray(shape, spec.dtype, spec.minimum, spec.maximum, name)


def gym_spec_transform(name: str, spec: ArraySpec, spec_type: str) -> gymnasium.Space[Any]:
    """Gymnasium's space for an array; spec_type is "obs" or "act". The name is not used."""
    if (found := _integers(spec, spec_type)) is not None:
        low, high = found
        return gymnasium.spaces.Discrete(high - low + 1, start=low)
    shape = [size for size in spec.shape if size != -1]
    if np.issubdtype(spec.dtype, np.bool_):
        return gymnasium.spaces.MultiBinary(shape)
    return gymnasium.spaces.Box(spec.minimum, spec.maximum, shape, spec.dtype.type)


def check_key_duplication(cls: Any, keytype: str, keys: Iterable[str]) -> None:
    """SystemError if a key is there twice."""
    double = [key for key, count in Counter(keys).items() if count > 1]
    if double:
        raise SystemError(f"{cls}: the {keytype} keys {', '.join(double)} are there twice")
