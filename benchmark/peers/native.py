"""The peers of `throughput` and `start_up`: how each makes its envs, and the call of its step."""

import copy
import importlib.util
import itertools
import pathlib
import re
import runpy
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmark.frame.rounds import Job
from benchmark.frame.steps import (
    ACTIONS,
    Step,
    in_turn,
    loop,
    parallel,
    players,
    single,
    sync,
    together,
    turns,
)
from benchmark.peers import python

_ROBOTICS = "parallel_pool/testing/robotics.py"


_NATIVE: dict[str, Callable[[Job], Step]] = {}
# The module that each peer needs.
MODULES = {
    "sb3_subproc": "stable_baselines3",
    "tianshou_shmem": "tianshou",
    "pufferlib": "pufferlib",
}


def _peer(module: str) -> Callable[[Callable[[Job], Step]], Callable[[Job], Step]]:
    """Adds a function to the peers; it needs `module`."""

    def add(function: Callable[[Job], Step]) -> Callable[[Job], Step]:
        _NATIVE[function.__name__], MODULES[function.__name__] = function, module
        return function

    return add


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
        return turns(env) if has_turns else players(env, job.num_envs)
    if job.batch_size == job.num_envs:
        return sync(env, job.num_envs, env.action_space)
    actions = in_turn(env.action_space, job.batch_size)
    env.async_reset()
    return lambda: env.send(next(actions), env.recv()[4]["env_id"])


def _vector(job: Job, mode: str) -> Step:
    import gymnasium

    options: Any = {"vectorization_mode": mode, **job.options}
    env: Any = gymnasium.make_vec(job.task, num_envs=job.num_envs, **options)
    return sync(env, job.num_envs, env.single_action_space)


@_peer("parallel_pool")
def parallel_pool(job: Job) -> Step:
    """This project."""
    import parallel_pool as library

    if job.library:
        library.load(job.library)
    if not job.single:
        return _pool(library, job)
    import gymnasium

    return single(gymnasium.make(f"parallel_pool/{job.task}", **job.options))


@_peer("envpool")
def envpool(job: Job) -> Step:
    """EnvPool."""
    import envpool as library

    return _pool(library, job)


@_peer("ale_py")
def ale_vector(job: Job) -> Step:
    """AtariVectorEnv of ale-py, with the preprocessing of the other two."""
    from ale_py.vector_env import AtariVectorEnv

    game = re.sub("(?<!^)(?=[A-Z])", "_", job.task.removesuffix("-v5")).lower()
    env = AtariVectorEnv(
        game, num_envs=job.num_envs, batch_size=job.batch_size, reward_clipping=False
    )
    if job.batch_size == job.num_envs:
        return sync(env, job.num_envs, env.single_action_space)
    actions = in_turn(env.single_action_space, job.batch_size)
    env.reset()  # receives the first batch; send() goes to the envs of the last batch
    return lambda: (env.send(next(actions)), env.recv())


@_peer("gymnasium")
def gymnasium_make(job: Job) -> Step:
    """One env of gymnasium.make in a plain loop; of Atari with the wrappers of our preset."""
    import gymnasium

    if job.options.get("preset") != "gymnasium":
        return single(gymnasium.make(job.task))
    import ale_py

    gymnasium.register_envs(ale_py)
    env: Any = gymnasium.make(f"ALE/{job.task}", frameskip=1)
    env = gymnasium.wrappers.AtariPreprocessing(env, noop_max=30, frame_skip=4)
    return single(gymnasium.wrappers.FrameStackObservation(env, 4))


@_peer("gymnasium")
def gymnasium_sync(job: Job) -> Step:
    """Gymnasium's SyncVectorEnv: a loop in Python."""
    return _vector(job, "sync")


def _of_checkout(path: str) -> dict[str, Any]:
    """The names of a file that no wheel has, such as a reference of the tests."""
    return runpy.run_path(str(pathlib.Path(__file__).resolve().parents[2] / path))


@_peer("gymnasium_robotics")
def gymnasium_robotics(job: Job) -> Step:
    """Gymnasium-Robotics in Gymnasium's SyncVectorEnv."""
    import gymnasium

    make = _of_checkout(_ROBOTICS)["make"]
    env = gymnasium.vector.SyncVectorEnv([lambda: make(job.task)] * job.num_envs)
    return sync(env, job.num_envs, env.single_action_space)


@_peer("ogbench")
def ogbench(job: Job) -> Step:
    """OGBench in Gymnasium's SyncVectorEnv."""
    importlib.import_module("ogbench")
    return _vector(job, "sync")


@_peer("gymnasium")
def gymnasium_async(job: Job) -> Step:
    """Gymnasium's AsyncVectorEnv: a process for each env."""
    return _vector(job, "async")


@_peer("gymnasium")
def gymnasium_vector(job: Job) -> Step:
    """Gymnasium's own vector CartPole: NumPy over all envs."""
    return _vector(job, "vector_entry_point")


@_peer("vizdoom")
def vizdoom(job: Job) -> Step:
    """The Gymnasium envs of the package vizdoom in Gymnasium's SyncVectorEnv."""
    importlib.import_module("vizdoom.gymnasium_wrapper")
    return _vector(job, "sync")


@_peer("nle")
def nle(job: Job) -> Step:
    """The envs of the package nle, without Gymnasium's wrappers, in a plain loop."""
    return loop(_unwrapped("nle", job))


@_peer("nle")
def nle_async(job: Job) -> Step:
    """The envs of the package nle in Gymnasium's AsyncVectorEnv, a process for each."""
    importlib.import_module("nle")
    return _vector(job, "async")


@_peer("mpe2")
def mpe2(job: Job) -> Step:
    """The parallel envs of the package mpe2 in a plain loop."""
    name = re.sub("(?<!^)(?=[A-Z])", "_", job.task).lower().replace("-", "_")
    library = importlib.import_module(f"mpe2.{name}")
    return parallel([library.parallel_env(**job.options) for _ in range(job.num_envs)])


@_peer("lbforaging")
def lbforaging(job: Job) -> Step:
    """The envs of the package lbforaging in a plain loop."""
    return together(_unwrapped("lbforaging", job))


@_peer("rware")
def rware(job: Job) -> Step:
    """The envs of the package rware in a plain loop."""
    return together(_unwrapped("rware", job))


def _unwrapped(package: str, job: Job) -> list[Any]:
    """Envs that a package registers, without Gymnasium's wrappers."""
    import gymnasium

    importlib.import_module(package)
    return [gymnasium.make(job.task, **job.options).unwrapped for _ in range(job.num_envs)]


@_peer("gymnasium_robotics")
def mamujoco(job: Job) -> Step:
    """The parallel envs of Gymnasium-Robotics' mamujoco_v1 in a plain loop."""
    make = _of_checkout(_ROBOTICS)["multi_agent"]
    robot = job.task.removeprefix("MaMuJoCo").removesuffix("-v1")
    return parallel([make(robot, job.options["agent_conf"]) for _ in range(job.num_envs)])


@_peer("metaworld")
def metaworld(job: Job) -> Step:
    """A benchmark of several tasks of MetaWorld in Gymnasium's SyncVectorEnv."""
    reference = _of_checkout("parallel_pool/envs/mujoco/metaworld/reference.py")
    env = reference["make_vector"](job.task.removeprefix("MetaWorld/"), use_one_hot=True)
    return sync(env, job.num_envs, env.single_action_space)


@_peer("pettingzoo")
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


@_peer("mujoco")
def mj_step(job: Job) -> Step:
    """MuJoCo's step in a plain loop over worlds: no observations, rewards or episodes."""
    import gymnasium
    import mujoco

    env: Any = gymnasium.make(job.task).unwrapped
    worlds = []
    for seed in range(job.num_envs):
        env.reset(seed=seed)
        worlds.append(copy.copy(env.data))
    actions = in_turn(env.action_space, job.num_envs)

    def step() -> None:
        for world, control in zip(worlds, next(actions), strict=True):
            world.ctrl[:] = control
            mujoco.mj_step(env.model, world, env.frame_skip)

    return step


PEERS = tuple(dict.fromkeys((*_NATIVE, *python.PEERS)))  # the names of all


def step_of(job: Job) -> Step:
    """Makes and resets the envs of a job; the call of their step."""
    module, _, name = job.peer.rpartition(":")
    if module:
        step: Step = getattr(importlib.import_module(module), name)(job)
        return step
    if job.task in python.TASKS:
        make = python.TASKS[job.task]
        env = python.PEERS[name](make, job.num_envs, job.options["num_workers"])
        return sync(env, job.num_envs, make().action_space)
    return _NATIVE[name](job)


def without_missing(peers: Sequence[str]) -> list[str]:
    """The peers that are installed; prints a line for each of the others."""
    missing = [p for p in peers if p in MODULES and not importlib.util.find_spec(MODULES[p])]
    for peer in missing:
        print(f"{peer} is skipped: {MODULES[peer]} is not installed", flush=True)
    return [peer for peer in peers if peer not in missing]


def steps_of_a_call(job: Job) -> int:
    """The env steps of a call of the peer's step."""
    return ACTIONS if job.single or job.peer == "gymnasium_make" else job.batch_size
