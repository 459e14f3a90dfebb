"""The states of Python envs, as bytes."""

from __future__ import annotations

import io
import pickle
from typing import Any

import cloudpickle
import gymnasium
from gymnasium.utils import EzPickle


def chain_of(env: Any) -> list[Any]:
    """The env's wrappers, outermost first, and the env itself."""
    chain = [env]
    while isinstance(chain[-1], gymnasium.Wrapper):
        chain.append(chain[-1].env)
    return chain


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Refuses objects of which only the constructor's arguments would be saved."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, EzPickle) and type(obj).__getstate__ is EzPickle.__getstate__:
            raise TypeError(
                f"{type(obj).__name__} pickles only its constructor's arguments (EzPickle); give "
                "it get_state() and set_state(state)"
            )
        return super().reducer_override(obj)


def _pickled(state: Any) -> bytes:
    file = io.BytesIO()
    _Pickler(file).dump(state)
    return file.getvalue()


def state_of(env: Any) -> bytes:
    """The state of an env, random numbers included.

    It is get_state() of the env itself, if it has that, and all attributes of its wrappers; else
    the env is pickled as a whole.

    Raises:
        ValueError: it cannot be saved; the message has the reason.
    """
    *wrappers, inner = chain_of(env)
    try:
        if hasattr(inner, "get_state") and hasattr(inner, "set_state"):
            own = [{n: v for n, v in vars(w).items() if n != "env"} for w in wrappers]
            return _pickled(("states", inner.get_state(), own))
        return _pickled(("env", env))
    except Exception as error:
        raise ValueError(f"its env cannot be saved: {error}") from error


def with_state(env: Any, state: bytes) -> Any:
    """The env in a state of state_of(): `env` itself or another object."""
    kind, *parts = pickle.loads(state)
    if kind == "env":
        return parts[0]
    *wrappers, inner = chain_of(env)
    inner.set_state(parts[0])
    for wrapper, own in zip(wrappers, parts[1], strict=True):
        vars(wrapper).update(own)
    return env
