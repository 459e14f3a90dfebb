"""Specs and pools with the members that only EnvPool's have, for install_as_envpool()."""

import abc
import dataclasses
import warnings
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from parallel_pool.python.apis import dm_api, gym_api, gymnasium_api
from parallel_pool.python.apis.gym_base import GymApi
from parallel_pool.python.arrays import array_spec
from parallel_pool.python.backend import Backend
from parallel_pool.python.pools.base import Base
from parallel_pool.python.specs.registry import spec_again as _spec_again  # noqa: F401, of older pickles
from parallel_pool.python.specs.spec import Spec

IN_CPP = "an env in C++ is a library here: parallel_pool.load(), then make()"


def of_native_classes(name: str, instead: str) -> NotImplementedError:
    """The error of a member of EnvPool's that needs EnvPool's native classes.

    Args:
        name: of the member.
        instead: a sentence that says what takes its place.
    """
    return NotImplementedError(
        f"{name}() is for native classes of EnvPool, which ParallelPool does not have: {instead}"
    )


class _Metaclass(abc.ABCMeta):
    """A metaclass that makes classes of this package's classes only."""

    def __new__(
        mcs, name: str, bases: tuple[type, ...], members: dict[str, Any], **options: Any
    ) -> Any:
        is_here = members.get("__module__") == __name__
        if not is_here and not any(isinstance(base, mcs) for base in bases):
            raise of_native_classes(mcs.__name__, IN_CPP)
        return super().__new__(mcs, name, bases, members, **options)


class EnvSpecMeta(_Metaclass):
    """The class of EnvSpec."""


class DMEnvPoolMeta(_Metaclass):
    """The class of DMEnvPool."""


class GymnasiumEnvPoolMeta(_Metaclass):
    """The class of GymnasiumEnvPool."""


class ArraySpec:
    """One array of an env, as EnvPool describes it.

    Attributes:
        dtype: of the elements.
        shape: a list; of an array with a row for each player, the first size is -1.
        minimum: the lower bound: a number, or an array of one for each element.
        maximum: the upper bound, likewise.
        is_discrete: whether it is one integer out of a range.
    """

    def __init__(self, array: array_spec.ArraySpec) -> None:
        """The spec of `array`."""
        if not array.low and not array.high:
            array = array._replace(low=[-np.inf], high=[np.inf])
        low, high = array.bounds()
        self.dtype: np.dtype[Any] = np.dtype(array.dtype)
        self.shape: list[int] = [*([-1] if array.players else []), *array.shape]
        self.minimum: Any = low.flat[0] if low.size and (low == low.flat[0]).all() else low
        self.maximum: Any = high.flat[0] if high.size and (high == high.flat[0]).all() else high
        self.is_discrete: bool = array.kind == "discrete"

    def __repr__(self) -> str:
        """The attributes in one line."""
        fields = (f"{name}={value}" for name, value in vars(self).items())
        return f"ArraySpec({', '.join(fields)})"


class Config(dict[str, Any]):
    """A spec's options, which are also attributes: `config.num_envs`."""

    def __getattr__(self, name: str) -> Any:
        """The value of an option."""
        if name in self:
            return self[name]
        raise AttributeError(f"there is no option {name!r}; there are {', '.join(self)}")


class EnvSpec(metaclass=EnvSpecMeta):
    """A spec with EnvPool's members in addition to its own.

    Attributes:
        spec: the spec.
        config: its options.
        id: the task id; programs may set it.
    """

    def __init__(self, spec: Spec) -> None:
        """EnvPool's members of `spec`."""
        self.spec = spec
        self.config: Config = Config(spec.config)
        self.id: str = spec.task_id

    if not TYPE_CHECKING:  # for a type checker every attribute would exist

        def __getattr__(self, name: str) -> Any:
            """The members of the spec."""
            if name == "spec":  # of an object that is not made yet, such as by copy.copy()
                raise AttributeError(name)
            return getattr(self.spec, name)

    def __repr__(self) -> str:
        """The call of make_spec() that makes such a spec."""
        return repr(self.spec)

    def __str__(self) -> str:
        """The spaces, infos and options as text for people."""
        return str(self.spec)

    @property
    def state_array_spec(self) -> dict[str, ArraySpec]:
        """The arrays of a batch by EnvPool's names, such as "obs", "info:lives" and "reward"."""
        engine = {a.name: a for a in self.spec.engine_info}
        own = {a.name: a for a in self._renamed() if a.name != "reward"}
        step = array_spec.ArraySpec("elapsed_step", "int32", (), "box", [], [])
        flag = array_spec.ArraySpec("done", "bool", (), "box", [0.0], [1.0])
        common = {
            "info:env_id": engine["info:env_id"],
            "info:players.env_id": engine["info:players.env_id"],
            "elapsed_step": step,
            "done": flag,
            "reward": self.spec.reward_array,
            "discount": flag._replace(dtype="float32"),
            "step_type": step._replace(low=[0.0], high=[2.0]),
            "trunc": flag,
        }
        return {name: ArraySpec(array) for name, array in (common | own).items()}

    @property
    def action_array_spec(self) -> dict[str, ArraySpec]:
        """The arrays of an action by EnvPool's names: env_id, players.env_id, action."""
        ids = array_spec.ArraySpec("env_id", "int32", (), "box", [], [])
        arrays = {"env_id": ids, "players.env_id": ids._replace(players=1)}
        arrays |= {array.name: array for array in self.spec.action_arrays}
        return {name: ArraySpec(array) for name, array in arrays.items()}

    def _renamed(self) -> tuple[array_spec.ArraySpec, ...]:
        """The arrays that an env writes; EnvPool calls all observed pictures of MuJoCo "pixels"."""
        if not self.config.get("from_pixels"):
            return self.spec.state_arrays
        names = {"obs": "obs:pixels"}
        return tuple(a._replace(name=names.get(a.name, a.name)) for a in self.spec.state_arrays)

    def observation_spec(self) -> Any:
        """dm_env specs of one env's observation and the infos, as a namedtuple."""
        return dataclasses.replace(self.spec, state_arrays=self._renamed()).observation_spec()

    def observation_space_of(self, spaces: Any, texts_are_str: bool = False) -> Any:
        """One env's observation space. A single array is no Dict of one, whatever its name."""
        space = self.spec.observation_space_of(spaces, texts_are_str)
        while isinstance(space, spaces.Dict) and len(space.spaces) == 1:
            (space,) = space.spaces.values()
        return space

    @property
    def observation_space(self) -> gymnasium.spaces.Space[Any]:
        """One env's observation space."""
        space: gymnasium.spaces.Space[Any] = self.observation_space_of(gymnasium.spaces)
        return space

    @property
    def gymnasium_observation_space(self) -> gymnasium.spaces.Space[Any]:
        """One env's observation space."""
        return self.observation_space

    @property
    def gymnasium_action_space(self) -> gymnasium.spaces.Space[Any]:
        """One env's action space."""
        return self.spec.action_space


class _EnvPool(Base):
    """The calls that only EnvPool's pools have."""

    def __init__(self, spec: Spec, native: Backend, **own: Any) -> None:
        """See open_envs()."""
        members: Any = EnvSpec(spec)
        super().__init__(members, native, **own)

    def seed(self, seed: Any = None) -> None:
        """Does nothing but warn, as EnvPool's."""
        warnings.warn(
            f"{self._pool_spec.task_id}: seed({seed!r}) does nothing, as in EnvPool: give the seed "
            "to make(seed=...) or to reset(seed=...)",
            stacklevel=2,
        )


class DMEnvPool(_EnvPool, dm_api.Pool, metaclass=DMEnvPoolMeta):
    """A pool of env_type="dm"."""

    def __init__(self, spec: Spec, native: Backend) -> None:
        """See open_envs()."""
        super().__init__(spec, native)
        shape = self._shape
        if spec.config.get("from_pixels") and spec.state_arrays[0].name == "obs":
            self._shape = lambda obs, *others: shape({"pixels": obs}, *others)

    def recv(  # type: ignore[override]
        self, reset: Any = None, return_info: bool = True, **own: Any
    ) -> Any:
        """The next batch. `reset` and `return_info` say nothing here; `own` are those of Pool."""
        return super().recv(**_timeout(reset), **own)


class _GymPool(_EnvPool, GymApi):
    """A pool of env_type="gym" or "gymnasium"."""

    is_vector_env = True  # what gym's wrappers ask for

    def step(self, action: Any, env_id: Any = None, **own: Any) -> Any:
        """send(action, env_id), then recv()."""
        return _plain(super().step(action, env_id, **own))

    def recv(  # type: ignore[override]
        self, reset: Any = None, return_info: bool = True, **own: Any
    ) -> Any:
        """The next batch; with `reset` that of reset(). `own` are those of Pool."""
        batch = _plain(super().recv(**_timeout(reset), **own))
        if reset is not True:
            return batch
        return (batch[0], batch[-1]) if return_info else batch[0]


class GymEnvPool(_GymPool, gym_api.Pool):
    """A pool of env_type="gym" whose reset() returns no infos, as EnvPool's before gym 0.26."""

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        """Begins new episodes: obs."""
        return _plain((super().reset(*args, **kwargs),))[0]


class GymnasiumEnvPool(  # type: ignore[misc, override]
    _GymPool, gymnasium_api.Pool, gymnasium.Env[Any, Any], metaclass=GymnasiumEnvPoolMeta
):
    """A pool of env_type="gymnasium" or "gym": a VectorEnv that gymnasium.Wrapper takes, too."""

    def __str__(self) -> str:
        """The call of make() that makes such a pool."""
        return repr(self)

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        """Begins new episodes: (obs, info)."""
        return _plain(super().reset(*args, **kwargs))


def _timeout(reset: Any) -> dict[str, Any]:
    """recv(5.0) has a timeout, as everywhere in this package."""
    return {} if reset is None or isinstance(reset, bool) else {"timeout": reset}


def _plain(batch: tuple[Any, ...]) -> Any:
    """The batch; an observation that is a single array is no dict of one, as in the space."""
    obs = batch[0]
    while isinstance(obs, dict) and len(obs) == 1:
        (obs,) = obs.values()
    return obs, *batch[1:]
