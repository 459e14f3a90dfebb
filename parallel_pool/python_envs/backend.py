"""Worker processes as the backend of a pool."""

from __future__ import annotations

import os
import warnings
import weakref
from typing import Any

from parallel_pool.core import _core
from parallel_pool.python.arrays.tuples import has_tuples, without_tuples
from parallel_pool.python.errors import EnvError, closed_because
from parallel_pool.python.options.pool_options import of_engine
from parallel_pool.python.options.seeds import seeds_of
from parallel_pool.python.specs.source import Kind
from parallel_pool.python.specs.spec import Spec
from parallel_pool.python_envs import infos
from parallel_pool.python_envs.local_envs import LocalEnvs
from parallel_pool.python_envs.spaces import converter
from parallel_pool.python_envs.worker_group import WorkerGroup

_WAKE_SECONDS = 50e-6  # a worker that sleeps needs so long to begin a step
_FEW_STEPS = 2000  # of all envs, after which their mean time is known


def _end(native: _core.Pool, group: WorkerGroup | LocalEnvs) -> None:
    """Ends the envs. It refers to no pool, so that a pool which is collected can call it."""
    native.close()
    group.close()


def _infos_of_pools(spec: Spec) -> set[str]:
    """The infos that a pool has itself, and their masks."""
    names = {"env_id", "elapsed_step"}
    if spec.config["autoreset_mode"] == "same_step":
        names |= {"final_obs", "_final_obs", "final_info", "_final_info"}
    if spec.config["record_episode_statistics"]:
        names |= {"episode", "_episode"}
    return names | {"players"} if spec.players else names


class PythonEnvs:
    """Envs in Python; a parallel_pool.python.backend.Backend.

    After an EnvError of a worker that has ended, the worker was started again. If that happens too
    often, the pool is closed, and each call raises a RuntimeError with the reason.
    """

    def __init__(self, spec: Spec, kind: Kind, group: WorkerGroup | LocalEnvs) -> None:
        """Opens the pool of a group.

        Args:
            spec: of the envs; its source is a PythonTask.
            kind: the class of the pool.
            group: what has built the envs.
        """
        config = self._config = spec.config
        num_envs = config["num_envs"]
        seeds = seeds_of(spec.task_id, config["seed"], num_envs)
        self._group = group
        self._task_id = spec.task_id
        self._closed_because = ""
        self._convert = (
            None if spec.players else converter(spec.observation_space, kind.texts_are_str)
        )
        self._action_space = spec.action_space
        self._act_tuples = has_tuples(self._action_space)
        self._own_infos = _infos_of_pools(spec)
        self._left_out: set[str] = set()  # infos of the envs, of which a warning has told
        # Whether a warning may name num_workers=0: the user has not chosen.
        self._may_advise = spec.given.get("num_workers") is None and config["num_workers"] > 0
        self._pid = os.getpid()
        options = of_engine(config) | {"max_episode_steps": spec.max_episode_steps}
        try:
            self._host: Any = group.host(spec.setup, weakref.proxy(group))
            self._native = _core.Pool(
                spec.setup,
                options,
                seeds,
                spec.envs.native(),
                with_timing=kind.with_timing,
                unbatched=False,
                texts_are_str=kind.texts_are_str,
                host=self._host,
            )
            # Not __del__: of a cycle of references, the group's own objects may be finalized first.
            self._end = weakref.finalize(self, _end, self._native, group)
            source: Any = spec.source
            group.picture = source.description.picture
            group.start(source.fields, options)
        except BaseException:
            self._group.close()
            raise

    def send(self, action: Any, env_id: Any) -> None:
        """See Backend."""
        self._check_open()
        self._native.send(self._action(action), env_id)

    def recv(self, timeout: float | None, partial: bool = False) -> tuple[Any, ...]:
        """See Backend."""
        self._check_open()
        try:
            return self.finish(self._native.recv(timeout, partial))
        except EnvError as error:
            self._fail(error)
            raise

    def step(self, action: Any, env_id: Any) -> tuple[Any, ...]:
        """See Backend."""
        self._check_open()
        try:
            return self.finish(self._native.step(self._action(action), env_id))
        except EnvError as error:
            self._fail(error)
            raise

    def reset(
        self,
        env_id: Any,
        seeds: list[int] | None,
        mask: list[bool] | None,
        options: list[Any],
        env_options: list[tuple[_core.Setup, int]],
    ) -> tuple[Any, ...]:
        """See Backend."""
        self._check_open()
        try:
            return self.finish(self._native.reset(env_id, seeds, mask, options, env_options))
        except EnvError as error:
            self._fail(error)
            raise

    def queue(
        self,
        env_id: Any,
        seeds: list[int] | None,
        options: list[Any],
        env_options: list[tuple[_core.Setup, int]],
    ) -> None:
        """See Backend."""
        self._check_open()
        self._native.queue(env_id, seeds, options, env_options)

    def send_reset(
        self, env_id: Any, seeds: list[int] | None, mask: list[bool] | None = None
    ) -> None:
        """See Backend."""
        self._check_open()
        self._native.send_reset(env_id, seeds, mask)

    @property
    def ended(self) -> list[bool]:
        """See Backend."""
        return self._native.ended

    @property
    def in_flight(self) -> int:
        """See Backend."""
        return self._native.in_flight

    @property
    def moves(self) -> int:
        """See Backend."""
        return self._native.moves

    def save(self, env_id: Any) -> list[bytes]:
        """See Backend."""
        self._check_open()
        return self._native.save(env_id)

    def load(
        self, states: list[bytes], env_id: Any, env_options: list[tuple[_core.Setup, int]]
    ) -> None:
        """See Backend."""
        self._check_open()
        self._native.load(states, env_id, env_options)

    def save_queued(self, env_id: Any) -> list[bytes]:
        """See Backend."""
        self._check_open()
        return self._native.save_queued(env_id)

    def load_queued(
        self, queued: list[bytes], env_id: Any, env_options: list[tuple[_core.Setup, int]]
    ) -> None:
        """See Backend."""
        self._check_open()
        self._native.load_queued(queued, env_id, env_options)

    def statistics(self) -> list[tuple[str, Any, Any, float]]:
        """See Backend."""
        return self._native.statistics()

    def load_statistics(self, statistics: list[tuple[str, Any, Any, float]]) -> None:
        """See Backend."""
        self._native.load_statistics(statistics)

    @property
    def env_options(self) -> list[tuple[_core.Setup, int]]:
        """See Backend."""
        return self._native.env_options

    def render(self, env_id: Any) -> Any:
        """See Backend."""
        self._check_open()
        return self._native.render(env_id)

    def render_text(self, env_id: Any) -> tuple[str, ...]:
        """See Backend."""
        self._check_open()
        return self._native.render_text(env_id)

    def stats(self) -> dict[str, int]:
        """See Backend."""
        return self._native.stats()

    def request(self, envs: list[int], name: str, *args: Any) -> list[Any]:
        """Sends each env a message (worker._Envs) and returns the replies.

        An env in flight answers after its step.

        Raises:
            RuntimeError: an env threw, or its process has ended.
            ValueError: the env refuses.
        """
        return [self._group.request(env, name, *args) for env in envs]

    def close(self) -> None:
        """Ends the envs and their processes; may be called again."""
        if os.getpid() == self._pid:  # else a fork: they are the parent's
            self._end()

    @property
    def closed(self) -> bool:
        """See Backend."""
        return self._native.closed

    def check_usable(self) -> None:
        """Before request(): RuntimeError if the pool is closed, or another process's."""
        self._check_open()
        self._native.check_usable()

    @property
    def core_pool(self) -> _core.Pool:
        """The engine's pool, whose calls are recorded and replayed."""
        return self._native

    @property
    def host(self) -> _core.PoolHost:
        """Where the envs are, which knows their times."""
        host: _core.PoolHost = self._host
        return host

    def _check_open(self) -> None:
        if self._closed_because:
            raise closed_because(self._task_id, self._closed_because)

    def _action(self, action: Any) -> Any:
        return without_tuples(self._action_space, action) if self._act_tuples else action

    def _fail(self, error: EnvError) -> None:
        """Completes the error of a call; starts workers that have ended, or closes the pool."""
        error.result = self.finish(error.result)
        error.__cause__ = self._group.raised(error.env_ids[0])
        why = self._group.restart()
        if why is not None:
            self._closed_because = why
            self.close()

    def finish(self, batch: tuple[Any, ...]) -> tuple[Any, ...]:
        """The batch of a call, as the user shall see it."""
        info = batch[4]
        if self._may_advise:
            self._advise()
        if "python" in info:
            self._add(info, infos.decode(info.pop("python")))
        final = info.get("final_info")
        if final is not None and "python" in final:
            self._add(final, infos.decode(final.pop("python")))
        if self._convert is None:
            return batch
        if "final_obs" in info:
            info["final_obs"] = self._convert(info["final_obs"])
        return (self._convert(batch[0]), *batch[1:])

    def _add(self, info: dict[str, Any], of_envs: dict[str, Any]) -> None:
        """Adds the infos of the envs, without those whose names have a meaning in every pool."""
        for name in list(of_envs):  # each before its mask
            if name not in self._own_infos or name not in of_envs:
                continue
            del of_envs[name]
            of_envs.pop(f"_{name}", None)
            if name not in self._left_out:
                self._left_out.add(name)
                warnings.warn(
                    f"{self._task_id}: the envs' info {name!r} is left out, because pools have an "
                    "info of that name: give it another name in the env",
                    stacklevel=2,
                )
        info |= of_envs

    def _advise(self) -> None:
        """Says once if waking the workers takes longer than all steps."""
        steps, step_ns, resets, reset_ns = self._host.times().sum(axis=0).tolist()
        if steps + resets < _FEW_STEPS:
            return
        self._may_advise = False
        num_envs, workers = self._config["num_envs"], self._config["num_workers"]
        together = num_envs * (step_ns + reset_ns) * 1e-9 / (steps + resets)
        if together * (1 - 1 / workers) < _WAKE_SECONDS:
            warnings.warn(
                f"{self._task_id}: a step of all {num_envs} envs takes {together * 1e6:.0f} us, "
                f"less than waking worker processes (about {_WAKE_SECONDS * 1e6:.0f} us): "
                "num_workers=0 steps them in this process and is faster",
                stacklevel=2,
            )
