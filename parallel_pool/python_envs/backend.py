"""Worker processes as the backend of a pool."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import Any

from parallel_pool.core import _core
from parallel_pool.python.config import AUTORESET_MODES, seeds_of
from parallel_pool.python.errors import EnvError
from parallel_pool.python.spec import Spec
from parallel_pool.python_envs import infos
from parallel_pool.python_envs.crew import Crew
from parallel_pool.python_envs.spaces import has_tuples, with_tuples, without_tuples


class PythonEnvs:
    """The envs of a PythonSpec; a parallel_pool.python.native.Backend.

    After an EnvError of a worker that has ended, the worker was started again. If that happens too
    often, the pool is closed, and each call raises a RuntimeError with the reason.
    """

    def __init__(self, spec: Spec, env_type: str, crew: Crew, description: tuple[Any, ...]) -> None:
        """Opens the pool of a crew.

        Args:
            spec: of the envs.
            env_type: the API: "gymnasium", "gym" or "dm".
            crew: workers that have built the envs.
            description: the arguments of _core.describe().
        """
        config = spec.config
        num_envs = config["num_envs"]
        seeds = seeds_of(spec.task_id, config["seed"], num_envs)
        self._crew = crew
        self._task_id = spec.task_id
        self._closed_because = ""
        self._obs_space = spec.observation_space
        self._has_tuples = env_type == "gymnasium" and has_tuples(self._obs_space)
        self._action_space = spec.action_space
        self._act_tuples = has_tuples(self._action_space)
        self._pid = os.getpid()
        autoreset = AUTORESET_MODES.index(config["autoreset_mode"])
        common = {
            "num_envs": num_envs,
            "batch_size": config["batch_size"],
            "autoreset": autoreset,
            "float64_rewards": config["reward_dtype"] == "float64",
            "record_episodes": config["record_episode_statistics"],
        }
        try:
            processes = _core.Processes(
                num_envs, config["num_workers"], config["step_timeout"], weakref.proxy(self._crew)
            )
            self._processes = processes
            self._native = _core.Pool(
                spec.setup,
                num_threads=1,
                max_episode_steps=spec.max_episode_steps,
                thread_affinity_offset=-1,
                seeds=seeds,
                env_options=spec.envs.native(),
                with_timing=env_type == "dm",
                unbatched=False,
                texts_are_str=False,
                pin_memory=config["pin_memory"],
                processes=processes,
                **common,
            )
            self._crew.start(description, common, processes)
        except BaseException:
            self._crew.close()
            raise

    def send(self, action: Any, env_id: Any) -> None:
        """See Backend."""
        self._check_open()
        self._native.send(self._action(action), env_id)

    def recv(self, timeout: float | None) -> tuple[Any, ...]:
        """See Backend."""
        self._check_open()
        return self._shown(lambda: self._native.recv(timeout))

    def step(self, action: Any, env_id: Any) -> tuple[Any, ...]:
        """See Backend."""
        self._check_open()
        return self._shown(lambda: self._native.step(self._action(action), env_id))

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
        return self._shown(lambda: self._native.reset(env_id, seeds, mask, options, env_options))

    def send_reset(self, env_id: Any, seeds: list[int] | None) -> None:
        """See Backend."""
        self._check_open()
        self._native.send_reset(env_id, seeds)

    def save(self, env_id: Any) -> list[bytes]:
        """See Backend."""
        states: list[bytes] = self._asked(lambda: self._native.save(env_id))
        return states

    def load(
        self, states: list[bytes], env_id: Any, env_options: list[tuple[_core.Setup, int]]
    ) -> None:
        """See Backend."""
        self._asked(lambda: self._native.load(states, env_id, env_options))

    @property
    def env_options(self) -> list[tuple[_core.Setup, int]]:
        """See Backend."""
        return self._native.env_options

    def render(self, env_id: Any) -> Any:
        """See Backend."""
        return self._asked(lambda: self._native.render(env_id))

    def render_text(self, env_id: Any) -> tuple[str, ...]:
        """See Backend."""
        texts: tuple[str, ...] = self._asked(lambda: self._native.render_text(env_id))
        return texts

    def ask(self, envs: list[int], name: str, *args: Any) -> list[Any]:
        """Sends each env a message (worker._Envs) and returns the replies.

        An env in flight answers after its step.

        Raises:
            RuntimeError: the pool is closed or another process's, or an env threw.
            ValueError: the env refuses.
        """
        self._check_open()
        if os.getpid() != self._pid:
            raise RuntimeError("this pool was made before a fork(): make the pool in the child")
        if self.closed:
            raise RuntimeError("the pool is closed")
        return [self._crew.ask(env, name, *args) for env in envs]

    def close(self) -> None:
        """Ends the envs and their processes; may be called again."""
        if os.getpid() != self._pid:
            return  # a fork: they are the parent's
        self._native.close()
        self._crew.close()
        self._processes.close_files()

    def __del__(self) -> None:
        """Closes the pool."""
        if hasattr(self, "_native"):
            self.close()

    @property
    def closed(self) -> bool:
        """See Backend."""
        return self._native.closed

    def _check_open(self) -> None:
        if self._closed_because:
            raise RuntimeError(f"{self._task_id}: the pool was closed: {self._closed_because}")

    def _action(self, action: Any) -> Any:
        return without_tuples(self._action_space, action) if self._act_tuples else action

    def _asked(self, call: Callable[[], Any]) -> Any:
        """The result of a call that sends messages; a refusal is a ValueError."""
        self._check_open()
        self._crew.refusal = None
        try:
            return call()
        except RuntimeError as error:
            if self._crew.refusal is None:
                raise
            raise ValueError(str(error)) from None

    def _shown(self, receive: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        """The batch of a call, as the user shall see it."""
        try:
            batch = receive()
        except EnvError as error:
            error.result = self._finish(error.result)
            why = self._crew.restart()
            if why is not None:
                self._closed_because = why
                self.close()
            raise
        return self._finish(batch)

    def _finish(self, batch: tuple[Any, ...]) -> tuple[Any, ...]:
        obs, *flags, info = batch[:5]
        if "python" in info:
            info |= infos.decode(info.pop("python"))
        final = info.get("final_info")
        if final is not None and "python" in final:
            final |= infos.decode(final.pop("python"))
        if not self._has_tuples:
            return batch
        if "final_obs" in info:
            info["final_obs"] = with_tuples(self._obs_space, info["final_obs"])
        return (with_tuples(self._obs_space, obs), *flags, info, *batch[5:])
