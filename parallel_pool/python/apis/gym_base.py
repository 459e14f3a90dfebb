"""Common parts of the pools of gym and of Gymnasium: tuples, spaces and metadata."""

from types import ModuleType
from typing import Any

from parallel_pool.python.backend import Backend
from parallel_pool.python.pools.pool import BasePool
from parallel_pool.python.pools.random_actions import RandomActions
from parallel_pool.python.pools.results import Batch
from parallel_pool.python.specs.spec import Spec


class GymApi(BasePool):
    """A pool whose results are (obs, reward, terminated, truncated, info)."""

    def __init__(self, spec: Spec, native: Backend, spaces: ModuleType) -> None:
        """`spaces`: gymnasium.spaces or gym.spaces, the module of the pool's spaces."""
        super().__init__(spec, native)
        self.spec: Any = spec
        self.metadata: dict[str, Any] = {
            "render_modes": list(spec.source.render_modes),
            "render_fps": spec.render_fps,
        }
        self.single_observation_space: Any = spec.observation_space_of(spaces, self.texts_are_str)
        self.observation_space: Any = self.single_observation_space
        self.single_action_space: Any = spec.action_space_of(spaces)
        self.action_space: Any = self.single_action_space
        self._random_actions: RandomActions | None = None

    def step(self, action: Any, env_id: Any = None, *, out: dict[str, Any] | None = None) -> Batch:
        """send(action, env_id), then recv(out=out): one row for each env, or for each player."""
        if out is None:
            return self._native.step(action, env_id)
        return self._into(out, lambda: self._native.step(action, env_id))

    def sample_actions(self, info: dict[str, Any] | None = None) -> Any:
        """Random actions, drawn in C++; legal ones where the task says which are.

        Args:
            info: the infos of a batch. The actions are for its envs, or its players, in its order.
                With info["action_mask"], shape (rows, actions), only actions whose number is not 0
                are drawn, unless all are 0. None: for all envs, legal or not; not for tasks with
                arrays that are per player.

        Returns:
            An action for step() and send(): an array with a row for each env, or for each player;
            a dict of such arrays if there are several. As in Gymnasium, numbers are uniform between
            their bounds, normal without bounds. Pools with the same seed draw the same actions.

        Raises:
            ValueError: a mask of a wrong shape or dtype, or no `info` where players need it.
        """
        return self._sampler().draw(info)

    def _sampler(self) -> RandomActions:
        if self._random_actions is None:
            self._random_actions = RandomActions(
                self._pool_spec, self._pool_spec.action_space, len(self)
            )
        return self._random_actions

    def _save_random_actions(self) -> bytes:
        return self._sampler().save()

    def _load_random_actions(self, saved: bytes) -> None:
        self._sampler().load(saved)

    def recv(
        self,
        timeout: float | None = None,
        *,
        partial: bool = False,
        out: dict[str, Any] | None = None,
    ) -> Batch:
        """The next batch: (obs, reward, terminated, truncated, info).

        Every array has one row for each env of the batch, in the order of `info["env_id"]`. Arrays
        that are per player have one row for each player: those of the batch's first env, then of
        its second, ...; `info["players"]["env_id"]` is the env of each. Rewards have make()'s
        reward_dtype, terminated and truncated bool. Ctrl-C ends the wait; no result is lost.

        Args:
            timeout: the longest wait in seconds; None: no limit.
            partial: of an async pool: if fewer than `batch_size` envs are in flight, the batch has
                these, after all of them have finished. Nothing may be sent meanwhile.
            out: the caller's arrays to copy into, such as {"obs": array, "reward": array}: any of
                the result's parts, nested as they are ("info": {"lives": array}). Each has the
                part's dtype and room for `batch_size` rows. The call returns views of their first
                rows, as many as the batch has. So results can be in pinned memory.

        Raises:
            ValueError, TypeError: an array of `out` is unknown, or of another shape or dtype;
                nothing was sent or received.
            RuntimeError: too few envs are in flight to ever fill a batch; with `partial`, none is.
            TimeoutError: no batch within `timeout`; call again.
            EnvError: an env threw; `error.result` has the batch.
        """
        if out is None:
            return self._native.recv(timeout, partial)
        return self._into(out, lambda: self._native.recv(timeout, partial))
