"""`bench`: the speed of a task, next to a loop over Gymnasium's env of the same id, or EnvPool."""

import importlib
import importlib.util
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

import parallel_pool
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.python.specs.registry import registry
from parallel_pool.python.specs.spec import Spec

_ACTIONS = 64  # different batches of random actions, drawn before the clock starts
_WARM_UP = 0.2  # seconds

Step = Callable[[], int]  # plays one batch and returns its number of env steps


@dataclass
class _Side:
    name: str
    step: Step
    speeds: list[float] = field(default_factory=list)  # env steps per second
    costs: list[float] = field(default_factory=list)  # CPU microseconds per env step

    def play(self, seconds: float) -> None:
        """Plays one round."""
        steps, wall, cpu = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - wall < seconds:
            steps += self.step()
        self.speeds.append(steps / (time.perf_counter() - wall))
        self.costs.append((time.process_time() - cpu) / steps * 1e6)

    def row(self, frame_skip: int, slowest: float) -> str:
        """Its line of the table."""
        speed = statistics.median(self.speeds)
        frames = f"{speed * frame_skip:14,.0f}" if frame_skip > 1 else f"{'':14}"
        return (
            f"  {self.name:<20}{speed:14,.0f}{frames}{statistics.median(self.costs):14,.2f}"
            f"{'x' + format(speed / slowest, '.1f'):>10}"
        )


PEERS = ("gymnasium", "envpool")


def run(
    task_id: str,
    options: dict[str, Any],
    rounds: int,
    seconds: float,
    peer: str = "gymnasium",
    with_profile: bool = False,
) -> int:
    """Plays the task and its peer in turns and prints the medians; returns the exit code.

    Args:
        task_id: the task.
        options: of make().
        rounds: the number of rounds of each.
        seconds: of a round.
        peer: one of PEERS: a loop over Gymnasium's env, or a pool of EnvPool with the same envs,
            batches and threads.
        with_profile: whether to play one more round of the pool, and print where its time goes.
    """
    options = {"num_envs": 64, **options}
    with parallel_pool.make(task_id, **options) as pool:
        spec = pool.spec
        sides = [_Side("parallel_pool", _pool_step(pool, spec, _actions(spec)))]
        try:
            sides.append(_PEERS[peer](spec, options))
        except gymnasium.error.Error as error:
            print(f"no {peer} to compare with: {error}")
        for side in sides:
            side.play(_WARM_UP)
            side.speeds.clear()
            side.costs.clear()
        for _ in range(rounds):
            for side in sides:
                side.play(seconds)
        _print(spec, sides, rounds, seconds)
        if with_profile:
            with pool.profile() as profile:
                sides[0].play(seconds)
            print(profile)
    return 0


def _print(spec: Spec, sides: list[_Side], rounds: int, seconds: float) -> None:
    config = spec.config
    skip = config.get("frame_skip", 1)
    print(
        f"{spec.task_id}: {config['num_envs']} envs in batches of {config['batch_size']}, "
        f"{config['num_threads']} threads on {os.cpu_count()} processors; "
        f"medians of {rounds} rounds of {seconds:g} s"
    )
    head = "frames/s" if skip > 1 else ""
    print(f"  {'':<20}{'steps/s':>14}{head:>14}{'CPU us/step':>14}{'':>10}")
    slowest = statistics.median(sides[-1].speeds)
    for side in sides:
        print(side.row(skip, slowest))


def _pool_step(pool: Any, spec: Spec, actions: list[Any]) -> Step:
    """A step of a pool of this library, or of EnvPool, which has the same calls."""
    size: int = spec.config["batch_size"]
    is_async = size < spec.config["num_envs"]
    turn = 0
    if is_async:
        pool.async_reset()
    else:
        pool.reset()

    def step() -> int:
        nonlocal turn
        turn += 1
        action = actions[turn % _ACTIONS]
        if is_async:
            pool.send(action, pool.recv()[4]["env_id"])
        else:
            pool.step(action)
        return size

    return step


def _actions(spec: Spec) -> list[Any]:
    """Batches of random actions."""
    rows = spec.config["batch_size"]
    random = np.random.default_rng(0)
    if any(array.players for array in spec.action_arrays) and not spec.setup.has_constant_players:
        raise ValueError(f"{spec.task_id}: bench plays no tasks whose players come and go")
    return [random_actions(spec, random, rows) for _ in range(_ACTIONS)]


def _gymnasium_side(spec: Spec, options: dict[str, Any]) -> _Side:
    return _Side("gymnasium.make loop", _loop_step(gymnasium_env(spec, options)))


def _envpool_side(spec: Spec, options: dict[str, Any]) -> _Side:
    """EnvPool's pool of the task.

    Raises:
        gymnasium.error.Error: EnvPool is not installed, or has no such task or option.
    """
    try:
        envpool = importlib.import_module("envpool")
    except ImportError:
        raise gymnasium.error.DependencyNotInstalled("pip install envpool") from None
    sizes = {name: spec.config[name] for name in ("num_envs", "batch_size", "num_threads")}
    try:
        pool = envpool.make_gymnasium(spec.task_id, **{**options, **sizes})
    except (AssertionError, TypeError, ValueError) as error:
        raise gymnasium.error.Error(f"{type(error).__name__}: {error}") from error
    actions = [np.asarray(a).astype(pool.action_space.dtype) for a in _actions(spec)]
    return _Side(f"envpool {envpool.__version__}", _pool_step(pool, spec, actions))


def _loop_step(env: gymnasium.Env[Any, Any]) -> Step:
    actions = [env.action_space.sample() for _ in range(_ACTIONS)]
    turn = 0
    env.reset(seed=0)

    def step() -> int:
        nonlocal turn
        turn += 1
        _, _, terminated, truncated, _ = env.step(actions[turn % _ACTIONS])
        if terminated or truncated:
            env.reset()
        return 1

    return step


def gymnasium_env(spec: Spec, options: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    """Gymnasium's env of the task, with the same options where it has them.

    It has the task's id, unless the family makes it: in a file gymnasium_env.py, by `make(spec)`.

    Raises:
        gymnasium.error.Error: there is none, or a package that it needs is not installed.
    """
    pools = {"num_envs", "batch_size", "num_threads", "thread_affinity_offset", "seed"}
    given = {name: value for name, value in options.items() if name not in pools}
    try:
        family = registry().family(spec.task_id)  # empty: of a library of load()
        module = f"parallel_pool.envs.{family}.gymnasium_env"
        if family and importlib.util.find_spec(module):
            env: gymnasium.Env[Any, Any] = importlib.import_module(module).make(spec)
            return env
        return gymnasium.make(spec.task_id, **given)
    except ImportError as error:
        raise gymnasium.error.DependencyNotInstalled(str(error)) from None
    except TypeError as error:
        raise gymnasium.error.Error(str(error)) from None


_PEERS = {"gymnasium": _gymnasium_side, "envpool": _envpool_side}
