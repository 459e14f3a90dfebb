"""The peers of `throughput` and `start_up`: how each makes its envs, and the call of its step."""

import copy
import importlib.util
import re
import types
from collections.abc import Sequence
from typing import Any

import benchmark.peers.players  # noqa: F401 - adds its peers
from benchmark.frame.rounds import Job
from benchmark.frame.steps import (
    ACTIONS,
    Step,
    in_turn,
    loop,
    players,
    single,
    sync,
    turns,
)
from benchmark.peers import python
from benchmark.peers.registry import MODULES, NATIVE, ROBOTICS, of_checkout, peer, unwrapped


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


@peer("parallel_pool")
def parallel_pool(job: Job) -> Step:
    """This project."""
    import parallel_pool as library

    if job.library:
        library.load(job.library)
    if not job.single:
        return _pool(library, job)
    import gymnasium

    return single(gymnasium.make(f"parallel_pool/{job.task}", **job.options))


@peer("envpool")
def envpool(job: Job) -> Step:
    """EnvPool."""
    import envpool as library

    return _pool(library, job)


@peer("ale_py")
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


@peer("gymnasium")
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


@peer("gymnasium")
def gymnasium_sync(job: Job) -> Step:
    """Gymnasium's SyncVectorEnv: a loop in Python."""
    return _vector(job, "sync")


@peer("gymnasium_robotics")
def gymnasium_robotics(job: Job) -> Step:
    """Gymnasium-Robotics in Gymnasium's SyncVectorEnv."""
    import gymnasium

    make = of_checkout(ROBOTICS)["make"]
    env = gymnasium.vector.SyncVectorEnv([lambda: make(job.task)] * job.num_envs)
    return sync(env, job.num_envs, env.single_action_space)


@peer("ogbench")
def ogbench(job: Job) -> Step:
    """OGBench in Gymnasium's SyncVectorEnv."""
    importlib.import_module("ogbench")
    return _vector(job, "sync")


@peer("highway_env")
def highway_env(job: Job) -> Step:
    """highway-env in Gymnasium's SyncVectorEnv."""
    importlib.import_module("highway_env")
    return _vector(job, "sync")


@peer("gymnasium")
def gymnasium_async(job: Job) -> Step:
    """Gymnasium's AsyncVectorEnv: a process for each env."""
    return _vector(job, "async")


@peer("gymnasium")
def gymnasium_vector(job: Job) -> Step:
    """Gymnasium's own vector CartPole: NumPy over all envs."""
    return _vector(job, "vector_entry_point")


@peer("vizdoom")
def vizdoom(job: Job) -> Step:
    """The Gymnasium envs of the package vizdoom in Gymnasium's SyncVectorEnv."""
    importlib.import_module("vizdoom.gymnasium_wrapper")
    return _vector(job, "sync")


@peer("nle")
def nle(job: Job) -> Step:
    """The envs of the package nle, without Gymnasium's wrappers, in a plain loop."""
    return loop(unwrapped("nle", job))


@peer("nle")
def nle_async(job: Job) -> Step:
    """The envs of the package nle in Gymnasium's AsyncVectorEnv, a process for each."""
    importlib.import_module("nle")
    return _vector(job, "async")


@peer("metaworld")
def metaworld(job: Job) -> Step:
    """A benchmark of several tasks of MetaWorld in Gymnasium's SyncVectorEnv."""
    reference = of_checkout("parallel_pool/envs/mujoco/metaworld/reference.py")
    env = reference["make_vector"](job.task.removeprefix("MetaWorld/"), use_one_hot=True)
    return sync(env, job.num_envs, env.single_action_space)


@peer("mujoco")
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


PEERS = tuple(dict.fromkeys((*NATIVE, *python.PEERS)))  # the names of all


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
    return NATIVE[name](job)


def without_missing(peers: Sequence[str]) -> list[str]:
    """The peers that are installed; prints a line for each of the others."""
    missing = [p for p in peers if p in MODULES and not importlib.util.find_spec(MODULES[p])]
    for name in missing:
        print(f"{name} is skipped: {MODULES[name]} is not installed", flush=True)
    return [name for name in peers if name not in missing]


def steps_of_a_call(job: Job) -> int:
    """The env steps of a call of the peer's step."""
    return ACTIONS if job.single or job.peer == "gymnasium_make" else job.batch_size
