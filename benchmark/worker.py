"""Plays one job in its own process: rounds.py calls main() there and sends it rounds.

The first line of its output, in JSON, says that the envs are built and warm. It has the seconds
that it took to make and reset them, and the bytes that they added to the process. Each line of
input is the seconds of a round. The answer is a line of JSON: env steps, wall seconds, CPU
seconds.
"""

import contextlib
import copy
import dataclasses
import importlib
import itertools
import json
import os
import pathlib
import re
import runpy
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmark import python_peers

ACTIONS = 64  # different random batches of actions, drawn before the clock starts
WARM_UP_CALLS = 200

Step = Callable[[], object]


@dataclasses.dataclass(frozen=True)
class Job:
    """The job of a process: a peer, a task and its options."""

    peer: str
    task: str
    num_envs: int
    batch_size: int  # async if it is less than num_envs
    options: dict[str, Any] = dataclasses.field(default_factory=dict)  # more for a pool's make()
    library: str = ""  # a library of envs for parallel_pool.load()
    cpus: tuple[int, ...] = ()  # processors that the process may use; none: all
    warm_up: float = 3.0  # seconds, at most; 0: none
    single: bool = False  # a single env of gymnasium.make(), without a batch axis


def _in_turn(space: Any, batch_size: int) -> Iterator[npt.NDArray[Any]]:
    """Yields batches of random actions of a Discrete or a Box without end; draws them at first."""
    rng = np.random.default_rng(0)
    if hasattr(space, "n"):
        yield from itertools.cycle(rng.integers(space.n, size=(ACTIONS, batch_size)))
    shape = (ACTIONS, batch_size, *space.shape)
    low, high = np.clip((space.low, space.high), -10, 10)  # an lqr has bounds of 1e10: it explodes
    yield from itertools.cycle(rng.uniform(low, high, shape).astype(space.dtype))


def _sync(env: Any, num_envs: int, space: Any) -> Step:
    actions = _in_turn(space, num_envs)
    env.reset()
    return lambda: env.step(next(actions))


def _pool(library: types.ModuleType, job: Job) -> Step:
    env = library.make(
        job.task,
        env_type="gymnasium",
        num_envs=job.num_envs,
        batch_size=job.batch_size,
        **job.options,
    )
    if getattr(env.spec, "players", ()):
        has_turns = env.spec.source.turn_based
        return _turns(env) if has_turns else _players(env, job.num_envs)
    if job.batch_size == job.num_envs:
        return _sync(env, job.num_envs, env.action_space)
    actions = _in_turn(env.action_space, job.batch_size)
    env.async_reset()
    return lambda: env.send(next(actions), env.recv()[4]["env_id"])


def _players(env: Any, num_envs: int) -> Step:
    """A sync pool of this project whose players have spaces of their own."""
    from parallel_pool.python.check.random_player import random_actions

    rng = np.random.default_rng(0)
    actions = itertools.cycle([random_actions(env.spec, rng, num_envs) for _ in range(ACTIONS)])
    env.reset()
    return lambda: env.step(next(actions))


def _turns(env: Any) -> Step:
    """A sync pool of this project whose players take turns: random legal moves."""
    obs, _ = env.reset()
    moves = obs["action_mask"].shape[1]
    numbers = itertools.cycle(np.random.default_rng(0).random((ACTIONS, 2 * env.num_envs, moves)))

    def step() -> None:
        nonlocal obs
        mask = obs["action_mask"]
        obs = env.step(np.argmax(next(numbers)[: len(mask)] * mask, axis=1))[0]

    return step


def _vector(job: Job, mode: str) -> Step:
    import gymnasium

    env: Any = gymnasium.make_vec(job.task, num_envs=job.num_envs, vectorization_mode=mode)
    return _sync(env, job.num_envs, env.single_action_space)


def _single(env: Any) -> Step:
    """A plain loop over one env, which is reset when its episode ends; ACTIONS steps a call."""
    actions = [batch[0] for batch in itertools.islice(_in_turn(env.action_space, 1), ACTIONS)]
    env.reset()

    def steps() -> None:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return steps


def _python(job: Job) -> Step:
    """Envs that are written in Python."""
    make = python_peers.TASKS[job.task]
    env = python_peers.PEERS[job.peer](make, job.num_envs, job.options["num_workers"])
    return _sync(env, job.num_envs, make().action_space)


def python_loop(job: Job) -> Step:
    """A plain loop over envs that are written in Python."""
    return _python(job)


def python_batches(job: Job) -> Step:
    """A loop over envs that are written in Python, which stacks its rows."""
    return _python(job)


def sb3_subproc(job: Job) -> Step:
    """Stable-Baselines3's SubprocVecEnv."""
    return _python(job)


def tianshou_shmem(job: Job) -> Step:
    """Tianshou's ShmemVectorEnv."""
    return _python(job)


def pufferlib(job: Job) -> Step:
    """PufferLib's Multiprocessing."""
    return _python(job)


def parallel_pool(job: Job) -> Step:
    """This project."""
    import parallel_pool as library

    if job.task in python_peers.TASKS:
        return _python(job)
    if job.library:
        library.load(job.library)
    if not job.single:
        return _pool(library, job)
    import gymnasium

    return _single(gymnasium.make(f"parallel_pool/{job.task}", **job.options))


def envpool(job: Job) -> Step:
    """EnvPool."""
    import envpool as library

    return _pool(library, job)


def ale_vector(job: Job) -> Step:
    """AtariVectorEnv of ale-py, with the preprocessing of the other two."""
    from ale_py.vector_env import AtariVectorEnv

    game = re.sub("(?<!^)(?=[A-Z])", "_", job.task.removesuffix("-v5")).lower()
    env = AtariVectorEnv(
        game, num_envs=job.num_envs, batch_size=job.batch_size, reward_clipping=False
    )
    if job.batch_size == job.num_envs:
        return _sync(env, job.num_envs, env.single_action_space)
    actions = _in_turn(env.single_action_space, job.batch_size)
    env.reset()  # receives the first batch; send() goes to the envs of the last batch
    return lambda: (env.send(next(actions)), env.recv())


def gymnasium_make(job: Job) -> Step:
    """One env of gymnasium.make in a plain loop; of Atari with the wrappers of our preset."""
    import gymnasium

    if job.options.get("preset") != "gymnasium":
        return _single(gymnasium.make(job.task))
    import ale_py

    gymnasium.register_envs(ale_py)
    env: Any = gymnasium.make(f"ALE/{job.task}", frameskip=1)
    env = gymnasium.wrappers.AtariPreprocessing(env, noop_max=30, frame_skip=4)
    return _single(gymnasium.wrappers.FrameStackObservation(env, 4))


def gymnasium_sync(job: Job) -> Step:
    """Gymnasium's SyncVectorEnv: a loop in Python."""
    return _vector(job, "sync")


def _robotics() -> dict[str, Any]:
    """The functions that make Gymnasium-Robotics' envs."""
    root = pathlib.Path(__file__).resolve().parents[1]
    return runpy.run_path(str(root / "parallel_pool/testing/robotics.py"))


def gymnasium_robotics(job: Job) -> Step:
    """Gymnasium-Robotics in Gymnasium's SyncVectorEnv."""
    import gymnasium

    make = _robotics()["make"]
    env = gymnasium.vector.SyncVectorEnv([lambda: make(job.task)] * job.num_envs)
    return _sync(env, job.num_envs, env.single_action_space)


def gymnasium_async(job: Job) -> Step:
    """Gymnasium's AsyncVectorEnv: a process for each env."""
    if job.task in python_peers.TASKS:
        return _python(job)
    return _vector(job, "async")


def gymnasium_vector(job: Job) -> Step:
    """Gymnasium's own vector CartPole: NumPy over all envs."""
    return _vector(job, "vector_entry_point")


def vizdoom(job: Job) -> Step:
    """The Gymnasium envs of the package vizdoom in Gymnasium's SyncVectorEnv."""
    import gymnasium

    importlib.import_module("vizdoom.gymnasium_wrapper")
    env = gymnasium.make_vec(
        job.task, num_envs=job.num_envs, vectorization_mode="sync", **job.options
    )
    return _sync(env, job.num_envs, env.single_action_space)


def mpe2(job: Job) -> Step:
    """The parallel envs of the package mpe2 in a plain loop."""
    name = re.sub("(?<!^)(?=[A-Z])", "_", job.task).lower().replace("-", "_")
    library = importlib.import_module(f"mpe2.{name}")
    return _parallel([library.parallel_env(**job.options) for _ in range(job.num_envs)])


def mamujoco(job: Job) -> Step:
    """The parallel envs of Gymnasium-Robotics' mamujoco_v1 in a plain loop."""
    make = _robotics()["multi_agent"]
    robot = job.task.removeprefix("MaMuJoCo").removesuffix("-v1")
    return _parallel([make(robot, job.options["agent_conf"]) for _ in range(job.num_envs)])


def _parallel(envs: list[Any]) -> Step:
    """PettingZoo's parallel envs in a plain loop."""
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    spaces = {agent: envs[0].action_space(agent) for agent in envs[0].possible_agents}
    actions = {agent: _in_turn(space, len(envs)) for agent, space in spaces.items()}

    def step() -> None:
        batches = {agent: next(own) for agent, own in actions.items()}
        drawn = {agent: b.tolist() if b.ndim == 1 else b for agent, b in batches.items()}  # int
        for i, env in enumerate(envs):
            env.step({agent: own[i] for agent, own in drawn.items()})
            if not env.agents:  # the episode has ended
                env.reset()

    return step


def pettingzoo(job: Job) -> Step:
    """The games of PettingZoo in a plain loop, with random legal moves."""
    name = {"TicTacToe-v0": "tictactoe", "ConnectFour-v0": "connect_four"}[job.task]
    library = importlib.import_module(f"pettingzoo.classic.{name}.{name}")
    envs = [library.env() for _ in range(job.num_envs)]
    for env in envs:
        env.reset()
    moves = envs[0].action_space(envs[0].agents[0]).n
    numbers = itertools.cycle(np.random.default_rng(0).random((ACTIONS, job.num_envs, moves)))

    def step() -> None:
        for env, row in zip(envs, next(numbers), strict=True):
            obs, _, terminated, _, _ = env.last()
            if terminated:  # a step that resets is one of the pool's, too
                env.reset()
            else:
                env.step(int(np.argmax(row * obs["action_mask"])))

    return step


def mj_step(job: Job) -> Step:
    """MuJoCo's step in a plain loop over worlds: no observations, rewards or episodes."""
    import gymnasium
    import mujoco

    env: Any = gymnasium.make(job.task).unwrapped
    worlds = []
    for seed in range(job.num_envs):
        env.reset(seed=seed)
        worlds.append(copy.copy(env.data))
    actions = _in_turn(env.action_space, job.num_envs)

    def step() -> None:
        for world, control in zip(worlds, next(actions), strict=True):
            world.ctrl[:] = control
            mujoco.mj_step(env.model, world, env.frame_skip)

    return step


PEERS = {
    f.__name__: f
    for f in (
        parallel_pool,
        envpool,
        ale_vector,
        gymnasium_make,
        gymnasium_sync,
        gymnasium_robotics,
        gymnasium_async,
        gymnasium_vector,
        mj_step,
        mpe2,
        mamujoco,
        pettingzoo,
        vizdoom,
        python_loop,
        python_batches,
        sb3_subproc,
        tianshou_shmem,
        pufferlib,
    )
}
# The module that has a peer, where it is not Gymnasium.
MODULES = {
    "parallel_pool": "parallel_pool",
    "envpool": "envpool",
    "ale_vector": "ale_py",
    "gymnasium_robotics": "gymnasium_robotics",
    "mj_step": "mujoco",
    "mpe2": "mpe2",
    "mamujoco": "gymnasium_robotics",
    "pettingzoo": "pettingzoo",
    "vizdoom": "vizdoom",
    "sb3_subproc": "stable_baselines3",
    "tianshou_shmem": "tianshou",
    "pufferlib": "pufferlib",
}
# Their processes use the cores even between steps: they are stopped between rounds.
_RESTLESS = ("pufferlib",)


def steps_of_a_call(job: Job) -> int:
    """The env steps of a call of the peer's step."""
    return ACTIONS if job.single or job.peer == "gymnasium_make" else job.batch_size


def play(step: Step, seconds: float, calls: int = sys.maxsize) -> int:
    """Calls step() for `seconds`, at most `calls` times; returns the number of calls."""
    end = time.perf_counter() + seconds
    done = 0
    while done < calls and time.perf_counter() < end:
        step()
        done += 1
    return done


def _descendants() -> list[int]:
    """The processes that this one has started, and those that these have started."""
    parents = {}
    for file in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parents[int(file.parent.name)] = int(file.read_text().rpartition(")")[2].split()[1])
    found = [os.getpid()]
    for ancestor in found:  # grows meanwhile
        found += [pid for pid, parent in parents.items() if parent == ancestor]
    return found[1:]


def cpu_seconds() -> float:
    """CPU time of this process and of the processes that it has started."""
    seconds = time.process_time()
    for pid in _descendants():
        with contextlib.suppress(OSError):  # it has ended
            # The id of another process's clock, as of clock_getcpuclockid.
            seconds += time.clock_gettime(~pid << 3 | 2)
    return seconds


def _signal_descendants(number: int) -> None:
    for pid in _descendants():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def resident_bytes() -> int:
    """The physical memory of this process."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def start(job: Job) -> tuple[Step, dict[str, float]]:
    """Makes and resets the envs of a job; the time and the memory that they took."""
    importlib.import_module(MODULES.get(job.peer, "gymnasium"))  # an import is not measured
    memory, began = resident_bytes(), time.perf_counter()
    step = PEERS[job.peer](job)
    seconds = time.perf_counter() - began
    return step, {"seconds": seconds, "bytes": resident_bytes() - memory}


def main() -> None:
    """Serves rounds; the argument of the process is a Job in JSON."""
    job = Job(**json.loads(sys.argv[-1]))
    if job.cpus:
        os.sched_setaffinity(0, job.cpus)  # before any thread or process starts
    out = sys.stdout
    sys.stdout = sys.stderr  # output of libraries must not mix with the answers
    step, start_up = start(job)
    play(step, job.warm_up, WARM_UP_CALLS)
    is_restless = job.peer in _RESTLESS
    if is_restless:
        _signal_descendants(signal.SIGSTOP)
    print(json.dumps(start_up), file=out, flush=True)
    for line in sys.stdin:
        if is_restless:
            _signal_descendants(signal.SIGCONT)
        wall, cpu = time.perf_counter(), cpu_seconds()
        calls = play(step, float(line))
        wall = time.perf_counter() - wall
        answer = {"steps": calls * steps_of_a_call(job), "wall": wall, "cpu": cpu_seconds() - cpu}
        if is_restless:
            _signal_descendants(signal.SIGSTOP)
        print(json.dumps(answer), file=out, flush=True)
