"""The peers of tasks with several players."""

import importlib
import itertools
import pathlib
import re
from typing import Any

import numpy as np

from benchmark.frame.rounds import Job
from benchmark.frame.steps import ACTIONS, Step, parallel, together
from benchmark.peers.registry import ROBOTICS, of_checkout, peer, unwrapped


@peer("mpe2")
def mpe2(job: Job) -> Step:
    """The parallel envs of the package mpe2 in a plain loop."""
    name = re.sub("(?<!^)(?=[A-Z])", "_", job.task).lower().replace("-", "_")
    library = importlib.import_module(f"mpe2.{name}")
    return parallel([library.parallel_env(**job.options) for _ in range(job.num_envs)])


@peer("lbforaging")
def lbforaging(job: Job) -> Step:
    """The envs of the package lbforaging in a plain loop."""
    return together(unwrapped("lbforaging", job))


@peer("rware")
def rware(job: Job) -> Step:
    """The envs of the package rware in a plain loop."""
    return together(unwrapped("rware", job))


@peer("gymnasium_robotics")
def mamujoco(job: Job) -> Step:
    """The parallel envs of Gymnasium-Robotics' mamujoco_v1 in a plain loop."""
    make = of_checkout(ROBOTICS)["multi_agent"]
    robot = job.task.removeprefix("MaMuJoCo").removesuffix("-v1")
    return parallel([make(robot, job.options["agent_conf"]) for _ in range(job.num_envs)])


@peer("pettingzoo")
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


@peer("multi_agent_ale_py")
def pettingzoo_atari(job: Job) -> Step:
    """PettingZoo's Atari games in a plain loop; SuperSuit's wrappers where frames are skipped."""
    import ale_py.roms

    own = {name: job.options[name] for name in ("obs_type",) if name in job.options}
    roms = pathlib.Path(ale_py.roms.get_rom_path("pong")).parent
    library = importlib.import_module(f"pettingzoo.atari.{job.task.replace('-', '_')}")

    def make() -> Any:
        env = library.parallel_env(auto_rom_install_path=str(roms), **own)
        return _wrapped(env, job.options) if "frame_skip" in job.options else env

    return parallel([make() for _ in range(job.num_envs)])


def _wrapped(env: Any, options: dict[str, Any]) -> Any:
    import supersuit

    env = supersuit.max_observation_v0(env, 2)
    env = supersuit.frame_skip_v0(env, options["frame_skip"])
    env = supersuit.resize_v1(env, options["img_width"], options["img_height"])
    return supersuit.frame_stack_v2(env, options["stack_num"])
