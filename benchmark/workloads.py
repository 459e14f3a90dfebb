"""The tasks, shapes of pools and peers that throughput.py compares."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from benchmark.peers import Job
from benchmark.rounds import Peer

# The small tasks in addition to CartPole.
_CLASSIC = ("MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1", "Acrobot-v1")
_TOY = (
    "Blackjack-v1",
    "CliffWalking-v1",
    "FrozenLake-v1",
    "FrozenLake8x8-v1",
    "Catch-v0",
    "NChain-v0",
    "Taxi-v3",
)
_NOT_IN_GYMNASIUM = ("Catch-v0", "NChain-v0", "Taxi-v3")
_GAMES = ("Pong-v5", "Breakout-v5", "MsPacman-v5", "SpaceInvaders-v5", "Seaquest-v5", "Qbert-v5")
ROBOTS = (
    "Ant-v5",
    "HalfCheetah-v5",
    "Hopper-v5",
    "Humanoid-v5",
    "HumanoidStandup-v5",
    "InvertedDoublePendulum-v5",
    "InvertedPendulum-v5",
    "Pusher-v5",
    "Reacher-v5",
    "Swimmer-v5",
    "Walker2d-v5",
)
# The domains of the DeepMind Control Suite, and the tasks of each.
_SUITE = {
    "Acrobot": "Swingup SwingupSparse",
    "BallInCup": "Catch",
    "Cartpole": "Balance BalanceSparse Swingup SwingupSparse ThreePoles TwoPoles",
    "Cheetah": "Run",
    "Dog": "Fetch Run Stand Trot Walk",
    "Finger": "Spin TurnEasy TurnHard",
    "Fish": "Swim Upright",
    "Hopper": "Hop Stand",
    "HumanoidCMU": "Run Stand Walk",
    "Humanoid": "Run RunPureState Stand Walk",
    "Lqr": "Lqr21 Lqr62",
    "Manipulator": "BringBall BringPeg InsertBall InsertPeg",
    "Pendulum": "Swingup",
    "PointMass": "Easy Hard",
    "Quadruped": "Escape Fetch Run Walk",
    "Reacher": "Easy Hard",
    "Stacker": "Stack2 Stack4",
    "Swimmer": "Swimmer15 Swimmer6",
    "Walker": "Run Stand Walk",
}
# Tasks of Gymnasium-Robotics; EnvPool has no AntMaze.
_ROBOTICS = (
    "FetchReach-v4",
    "FetchPush-v4",
    "FetchSlide-v4",
    "FetchPickAndPlace-v4",
    "HandReach-v3",
    "HandManipulateBlock-v1",
    "HandManipulateEgg-v1",
    "HandManipulatePen-v1",
    "HandManipulateBlock_ContinuousTouchSensors-v1",
    "AdroitHandDoor-v1",
    "AdroitHandHammer-v1",
    "AdroitHandPen-v1",
    "AdroitHandRelocate-v1",
    "PointMaze_UMaze-v3",
    "PointMaze_Large-v3",
)
# Robots that several agents share.
_SHARED_ROBOTS = {
    "MaMuJoCoAnt-v1": "2x4",
    "MaMuJoCoHalfCheetah-v1": "6x1",
    "MaMuJoCoHumanoid-v1": "9|8",
    "MaMuJoCoManySegmentAnt-v1": "2x3",
}
_ANT_MAZES = ("AntMaze_UMaze-v5", "AntMaze_Large-v5")
# The 50 tasks of MetaWorld, and two of its benchmarks.
_METAWORLD = [
    "Assembly",
    "Basketball",
    "BinPicking",
    "BoxClose",
    "ButtonPressTopdown",
    "ButtonPressTopdownWall",
    "ButtonPress",
    "ButtonPressWall",
    "CoffeeButton",
    "CoffeePull",
    "CoffeePush",
    "DialTurn",
    "Disassemble",
    "DoorClose",
    "DoorLock",
    "DoorOpen",
    "DoorUnlock",
    "HandInsert",
    "DrawerClose",
    "DrawerOpen",
    "FaucetOpen",
    "FaucetClose",
    "Hammer",
    "HandlePressSide",
    "HandlePress",
    "HandlePullSide",
    "HandlePull",
    "LeverPull",
    "PickPlaceWall",
    "PickOutOfHole",
    "PickPlace",
    "PlateSlide",
    "PlateSlideSide",
    "PlateSlideBack",
    "PlateSlideBackSide",
    "PegInsertSide",
    "PegUnplugSide",
    "Soccer",
    "StickPush",
    "StickPull",
    "Push",
    "PushWall",
    "PushBack",
    "Reach",
    "ReachWall",
    "ShelfPlace",
    "SweepInto",
    "Sweep",
    "WindowOpen",
    "WindowClose",
]
_METAWORLD_BENCHMARKS = {"MT10": 10, "MT50": 50}
_BOX2D = (
    "LunarLander-v3",
    "LunarLanderContinuous-v3",
    "BipedalWalker-v3",
    "BipedalWalkerHardcore-v3",
    "CarRacing-v3",
)
_PROCGEN = [
    "bigfish",
    "bossfight",
    "caveflyer",
    "chaser",
    "climber",
    "coinrun",
    "dodgeball",
    "fruitbot",
    "heist",
    "jumper",
    "leaper",
    "maze",
    "miner",
    "ninja",
    "plunder",
    "starpilot",
]
_GRIDS = (
    "MiniGrid-Empty-8x8-v0",
    "MiniGrid-DoorKey-8x8-v0",
    "MiniGrid-FourRooms-v0",
    "MiniGrid-KeyCorridorS3R3-v0",
    "MiniGrid-Dynamic-Obstacles-8x8-v0",
    "MiniGrid-MultiRoom-N6-v0",
    "MiniGrid-ObstructedMaze-Full-v1",
    "BabyAI-GoToLocal-v0",
    "BabyAI-GoTo-v0",
    "BabyAI-BossLevel-v0",
)
# EnvPool's tasks, and those of the package vizdoom.
_DOOM = ("Basic-v1", "HealthGathering-v1", "DeadlyCorridor-v1", "Deathmatch-v1")
_VIZDOOM = ("VizdoomBasic-v1", "VizdoomHealthGathering-v1", "VizdoomDeadlyCorridor-v1")
# The arrays of nle's tasks without the largest, the texts that describe each glyph.
_NETHACK_ARRAYS = (
    "blstats",
    "chars",
    "colors",
    "glyphs",
    "inv_glyphs",
    "inv_letters",
    "inv_oclasses",
    "inv_strs",
    "message",
    "specials",
    "tty_chars",
    "tty_colors",
    "tty_cursor",
)
_FORAGING = (
    "Foraging-8x8-2p-2f-coop-v3",
    "Foraging-2s-10x10-3p-3f-v3",
    "Foraging-15x15-4p-3f-v3",
)
_WAREHOUSES = ("rware-tiny-2ag-easy-v2", "rware-small-4ag-v2", "rware-medium-6ag-hard-v2")
_PARTICLES = ("SimpleSpread-v3", "SimpleTag-v3", "SimpleSpeakerListener-v4")
# Envs in Python: the task, the envs and the worker processes of those peers that have that choice.
_PYTHON = [
    *(
        (f"Python{task}", n, k)
        for task in ("CartPole", "Image")
        for n in (8, 64)
        for k in (0, 1, 2)
    ),
    ("PythonBusy", 64, 2),
    ("PythonWaits", 64, 64),
]
_PROCESSES = (
    "parallel_pool",
    "python_loop",
    "gymnasium_async",
    "sb3_subproc",
    "tianshou_shmem",
    "pufferlib",
)
# Tasks whose episodes random actions do not end early: mj_step, which never resets, is comparable.
_ENDLESS = ("HalfCheetah-v5", "HumanoidStandup-v5", "Pusher-v5", "Reacher-v5", "Swimmer-v5")
POOLS = ("parallel_pool", "envpool")  # their make() has num_threads
_THREADED = (*POOLS, "mj_step")  # the peers of --threads; mj_step always has one thread


@dataclasses.dataclass(frozen=True)
class Workload:
    """One task with one shape of pool; async if batch_size is not num_envs."""

    task: str
    num_envs: int
    batch_size: int
    peers: tuple[str, ...]
    family: str
    frame_skip: int = 1
    num_threads: int | None = None  # None: each peer's default
    single: bool = False  # a single env, without a batch axis
    options: tuple[tuple[str, Any], ...] = ()  # of every peer

    @property
    def name(self) -> str:
        """Such as Pong-v5:32/8 t2 (32 envs, batches of 8, 2 threads), Ant-v5:16, Ant-v5:single.

        PythonImage:64 w2 has 2 worker processes, NetHackScore-v0:64 a13 has 13 arrays.
        """
        if self.single:
            return f"{self.task}:single"
        batch = "" if self.batch_size == self.num_envs else f"/{self.batch_size}"
        threads = "" if self.num_threads is None else f" t{self.num_threads}"
        given = dict(self.options)
        workers = f" w{given['num_workers']}" if "num_workers" in given else ""
        arrays = f" a{len(given['observation_keys'])}" if "observation_keys" in given else ""
        return f"{self.task}:{self.num_envs}{batch}{threads}{workers}{arrays}"

    def peer(self, name: str) -> Peer:
        """The workload as a job of the peer `name`."""
        options: dict[str, Any] = dict(self.options)
        if self.num_threads is not None:
            options["num_threads"] = self.num_threads
        if self.single and self.task in _GAMES:
            options["preset"] = "gymnasium"
        job = Job(name, self.task, self.num_envs, self.batch_size, options, single=self.single)
        return Peer(name, (job,))


def workloads() -> list[Workload]:
    """All workloads, in the order of the tables."""
    found = []
    for num_envs in (1, 8, 64, 1024):
        peers = [*POOLS, "gymnasium_sync", "gymnasium_vector"]
        if num_envs == 1:
            peers.append("gymnasium_make")
        if num_envs in (8, 64):
            peers.append("gymnasium_async")
        found.append(Workload("CartPole-v1", num_envs, num_envs, tuple(peers), "Classic control"))
    found.append(Workload("CartPole-v1", 4096, 1024, POOLS, "Classic control"))
    for family, tasks in (("Classic control", _CLASSIC), ("Toy text", _TOY)):
        for task in tasks:
            peers = [*POOLS] if task in _NOT_IN_GYMNASIUM else [*POOLS, "gymnasium_sync"]
            found.append(Workload(task, 1024, 1024, tuple(peers), family))
    for task in _GAMES:
        peers = [*POOLS, "ale_vector"]
        for num_envs, batch_size in ((1, 1), (16, 16), (32, 8)):
            found.append(Workload(task, num_envs, batch_size, tuple(peers), "Atari", 4))
    for task in ROBOTS:
        bare = ("mj_step",) if task in _ENDLESS else ()
        found.append(Workload(task, 16, 16, (*POOLS, "gymnasium_sync", *bare), "MuJoCo"))
        for num_envs, batch_size in ((32, 8), (64, 64), (128, 32)):
            found.append(Workload(task, num_envs, batch_size, POOLS, "MuJoCo"))
    for task in (domain + task for domain, tasks in _SUITE.items() for task in tasks.split()):
        for num_envs, batch_size in ((16, 16), (32, 8), (64, 64), (128, 32)):
            found.append(Workload(f"{task}-v1", num_envs, batch_size, POOLS, "Control suite"))
    for task in _ROBOTICS:
        found.append(Workload(task, 16, 16, (*POOLS, "gymnasium_robotics"), "Robotics"))
        found.append(Workload(task, 32, 8, POOLS, "Robotics"))
    for task in _ANT_MAZES:
        found.append(Workload(task, 16, 16, ("parallel_pool", "gymnasium_robotics"), "Robotics"))
    for task, agent_conf in _SHARED_ROBOTS.items():
        for num_envs in (16, 64):
            peers, options = ["parallel_pool", "mamujoco"], (("agent_conf", agent_conf),)
            load = Workload(task, num_envs, num_envs, tuple(peers), "Robotics", options=options)
            found.append(load)
    for task in _METAWORLD:
        found.append(Workload(f"MetaWorld/{task}-v3", 16, 16, POOLS, "MetaWorld"))
    for task, num_envs in _METAWORLD_BENCHMARKS.items():
        peers = ["parallel_pool", "metaworld"]
        load = Workload(f"MetaWorld/{task}", num_envs, num_envs, tuple(peers), "MetaWorld")
        found.append(load)
    for task in _BOX2D:
        for num_envs, batch_size in ((16, 16), (1024, 1024), (64, 16)):
            loop = ("gymnasium_sync",) if num_envs == 16 else ()
            found.append(Workload(task, num_envs, batch_size, (*POOLS, *loop), "Box2D"))
    for task in (game.capitalize() + mode for game in _PROCGEN for mode in ("Easy", "Hard")):
        for num_envs, batch_size in ((64, 64), (64, 16)):
            found.append(Workload(f"{task}-v0", num_envs, batch_size, POOLS, "Procgen"))
    for task in _GRIDS:
        for num_envs, batch_size in ((1024, 1024), (64, 16)):
            found.append(Workload(task, num_envs, batch_size, POOLS, "MiniGrid"))
    for task in _DOOM:
        for num_envs, batch_size in ((1, 1), (8, 8), (16, 4)):
            combined = (("use_combined_action", True),)
            load = Workload(task, num_envs, batch_size, POOLS, "ViZDoom", 4, options=combined)
            found.append(load)
    for task in _VIZDOOM:
        for num_envs in (1, 8):
            tics = (("frame_skip", 4),)
            peers = ["parallel_pool", "vizdoom"]
            load = Workload(task, num_envs, num_envs, tuple(peers), "ViZDoom", 4, options=tics)
            found.append(load)
    for arrays in (), (("observation_keys", _NETHACK_ARRAYS),):
        loops = ("parallel_pool", "nle", "nle_async")
        found.append(Workload("NetHackScore-v0", 64, 64, loops, "NetHack", options=arrays))
    for task in _PARTICLES:
        found.append(Workload(task, 256, 256, ("parallel_pool", "mpe2"), "MPE"))
    for task in _FORAGING:
        found.append(Workload(task, 256, 256, ("parallel_pool", "lbforaging"), "Foraging"))
    for task in _WAREHOUSES:
        found.append(Workload(task, 256, 256, ("parallel_pool", "rware"), "RWARE"))
    for task in ("TicTacToe-v0", "ConnectFour-v0"):
        found.append(Workload(task, 256, 256, ("parallel_pool", "pettingzoo"), "Board games"))
    for task, num_envs, workers in _PYTHON:
        each: tuple[str, ...] = ("parallel_pool", "python_loop", "python_batches")
        if workers > 0:
            each = _PROCESSES if workers < num_envs else _PROCESSES[:-1]  # PufferLib never sleeps
        own = (("num_workers", workers),)
        found.append(Workload(task, num_envs, num_envs, each, "Python envs", options=own))
    for task in ("CartPole-v1", *_GAMES, *ROBOTS, *_BOX2D):
        peers = ["parallel_pool", "gymnasium_make"]
        skip = 4 if task in _GAMES else 1
        found.append(Workload(task, 1, 1, tuple(peers), "Single env", skip, single=True))
    return found


def with_threads(load: Workload, threads: Sequence[int]) -> list[Workload]:
    """The workload with each number of threads, for the peers that have this option."""
    if load.single:
        return []
    peers = tuple(peer for peer in load.peers if peer in _THREADED)
    return [dataclasses.replace(load, peers=peers, num_threads=n) for n in threads]
