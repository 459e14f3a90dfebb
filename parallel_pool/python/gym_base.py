"""What the pools of gym and of Gymnasium share: tuples, spaces and metadata."""

from types import ModuleType
from typing import Any

from parallel_pool.python.native import Backend
from parallel_pool.python.pool import BasePool
from parallel_pool.python.spec import Spec


class GymPool(BasePool):
    """A pool whose results are (obs, reward, terminated, truncated, info)."""

    def __init__(self, spec: Spec, native: Backend, spaces: ModuleType) -> None:
        """`spaces`: gymnasium.spaces or gym.spaces, which the pool's spaces are made of."""
        super().__init__(spec, native)
        self.spec: Any = spec
        self.metadata: dict[str, Any] = {
            "render_modes": spec.task.render_modes,
            "render_fps": spec.render_fps,
        }
        self.observation_space = self.single_observation_space = spec.observation_space_of(spaces)
        self.action_space = self.single_action_space = spec.action_space_of(spaces)

    def step(
        self, action: Any, env_id: Any = None, *, out: dict[str, Any] | None = None
    ) -> tuple[Any, ...]:
        """send(action, env_id), then recv(out=out): one row for each env, or for each player."""
        if out is None:
            return self._native.step(action, env_id)
        return self._into(out, lambda: self._native.step(action, env_id))

    def recv(
        self, timeout: float | None = None, *, out: dict[str, Any] | None = None
    ) -> tuple[Any, ...]:
        """The next batch: (obs, reward, terminated, truncated, info).

        Every array has one row for each env of the batch; `info["env_id"]` says which. Arrays that
        are per player have one for each player that is there: all of the batch's first env, then
        of its second, ...; `info["players"]["env_id"]` says whose each is. Rewards are of
        make()'s reward_dtype, the flags bool. Ctrl-C ends the wait; nothing is lost.

        Args:
            timeout: seconds to wait at the most; None: as long as it takes.
            out: arrays of yours to copy into, such as {"obs": array, "reward": array}: any of the
                result's parts, nested as they are ("info": {"lives": array}). Each has the part's
                dtype and room for `batch_size` rows; what is returned are its first rows, as many
                as the batch has. So results can stand in pinned memory.

        Raises:
            ValueError, TypeError: an array of `out` is unknown, or of another shape or dtype;
                nothing was sent or received.
            RuntimeError: so few envs are in flight that no batch can ever come.
            TimeoutError: no batch in time; call again.
            EnvError: an env threw; `error.result` has the batch.
        """
        if out is None:
            return self._native.recv(timeout)
        return self._into(out, lambda: self._native.recv(timeout))
