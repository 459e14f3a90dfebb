"""The reference: nle's envs in a process whose clock stands still.

NetHack looks at the clock: the moon, the hour and the second at which a game begins change it. So
nle runs with fixed_clock.so before the C library, and is told the same time as the pool's envs.
"""

import contextlib
import importlib
import multiprocessing
import multiprocessing.connection
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from nle import nethack
from nle.env import base, tasks

PLAIN_DAY = 946728000  # the default of the option `clock`
TASKS = (
    "NetHack-v0",
    "NetHackChallenge-v0",
    "NetHackEat-v0",
    "NetHackGold-v0",
    "NetHackOracle-v0",
    "NetHackScore-v0",
    "NetHackScout-v0",
    "NetHackStaircase-v0",
    "NetHackStaircasePet-v0",
)
_LIBRARY = pathlib.Path(__file__).with_name("fixed_clock.so")
_EMPTY_FILES = ("perm", "record", "logfile", "xlogfile")

Result = tuple[dict[str, Any], float, bool, bool, dict[str, Any]]


class NleEnv:
    """One env of nle with the seeds, the limit and the autoreset of a pool's env.

    Differences of nle's and minihack's are taken out: over the end of an episode they keep the
    steps without a turn, the last action and a list of high scores; they quit a game that they
    truncate, and call that terminated.
    """

    def __init__(self, task_id: str, seed: int, limit: int | None, **options: Any) -> None:
        """`limit`: the time limit in steps; None: the task's."""
        self.env = make(task_id, **options)
        self.limit = limit or {"NetHackChallenge-v0": 1_000_000}.get(task_id, 5000)
        self.lgen = options.get("lgen")
        self.random = np.random.default_rng(seed)
        self.is_over = False
        self.result = self.reset()

    def reset(self) -> Result:
        """Begins an episode."""
        env: Any = self.env
        core, disp = (int(seed) for seed in self.random.integers(2**63, size=2))
        # NetHackChallenge refuses seeds by functions that hide nle's.
        type(env.nethack).set_initial_seeds(env.nethack, core, disp, False, self.lgen)
        folder = pathlib.Path(env.nethack._vardir)
        for file in folder.iterdir():
            if file.name in _EMPTY_FILES:
                file.write_bytes(b"")
            elif file.is_file() and file.name != "nhdat":
                file.unlink()
        env._frozen_steps = 0
        env._previous_action = None
        obs, info = env.reset()
        self.steps, self.is_over = 0, False
        self.result = _copied(obs), 0.0, False, False, info
        return self.result

    def step(self, action: int) -> Result:
        """Plays a step, or begins the next episode after an end."""
        if self.is_over:
            return self.reset()
        obs, reward, is_over, _, info = self.env.step(action)
        self.steps += 1
        is_stuck = info["end_status"] == base.NLE.StepStatus.ABORTED
        terminated, truncated = is_over and not is_stuck, is_stuck or self.steps >= self.limit
        self.is_over = terminated or truncated
        self.result = _copied(obs), reward, terminated, truncated, info
        return self.result


def make(task_id: str, **options: Any) -> Any:
    """Nle's env, without a limit of its own."""
    kind: Any = class_of(task_id)

    class Env(kind):  # type: ignore[misc]
        def _quit_game(self, observation: Any, done: bool) -> None:
            if not self._check_abort_again():
                super()._quit_game(observation, done)

        def _check_abort_again(self) -> bool:
            timeout = getattr(self, "no_progress_timeout", None)
            return timeout is not None and self._no_progress_count >= timeout

    options.pop("lgen", None)
    return Env(max_episode_steps=2**62, render_mode="ansi", **options)


def class_of(task_id: str) -> Any:
    """The class of nle or minihack."""
    if task_id.startswith("MiniHack"):
        importlib.import_module("minihack")
        module, _, name = str(gymnasium.registry[task_id].entry_point).partition(":")
        return getattr(importlib.import_module(module), name)
    name = task_id.removesuffix("-v0")
    return base.NLE if name == "NetHack" else getattr(tasks, name)


def _copied(obs: dict[str, Any]) -> dict[str, Any]:
    return {name: array.copy() for name, array in obs.items()}


def _serve(pipe: multiprocessing.connection.Connection, kwargs: list[dict[str, Any]]) -> None:
    envs = [NleEnv(**own) for own in kwargs]
    pipe.send((envs[0].env.observation_space, [env.result for env in envs]))
    while (actions := pipe.recv()) is not None:
        pipe.send([env.step(action) for env, action in zip(envs, actions, strict=True)])


class Reference:
    """Envs of nle in another process."""

    def __init__(self, kwargs: list[dict[str, Any]], clock: int = PLAIN_DAY) -> None:
        """`kwargs`: those of NleEnv for each env."""
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, kwargs), daemon=True)
        with _environment(LD_PRELOAD=str(_LIBRARY), FIXED_CLOCK=str(clock), TZ="UTC"):
            self._process.start()
        theirs.close()
        self.observation_space: Any  # of the first env
        self.first: list[Result]
        self.observation_space, self.first = self._pipe.recv()

    def step(self, actions: Any) -> list[Result]:
        """The results of a step of each env."""
        self._pipe.send([int(action) for action in actions])
        results: list[Result] = self._pipe.recv()
        return results

    def __enter__(self) -> "Reference":
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the process."""
        self._pipe.send(None)
        self._process.join()


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def keys_of(task_id: str) -> list[int]:
    """Nle's actions of a task, as codes of keys."""
    env = gymnasium.make(task_id, disable_env_checker=True)
    keys: Any = env.unwrapped.actions  # type: ignore[attr-defined]
    env.close()
    return [int(key) for key in keys]


assert nethack.MAX_GLYPH == 5976
