"""The tasks, shapes of pools and peers that `throughput` compares."""

import dataclasses
import pathlib
import runpy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmark.frame.rounds import Job, Peer

_ROOT = pathlib.Path(__file__).parents[2]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# The small tasks in addition to CartPole.
_CLASSIC = _words("MountainCar-v0 MountainCarContinuous-v0 Pendulum-v1 Acrobot-v1")
_TOY = _words(
    "Blackjack-v1 CliffWalking-v1 FrozenLake-v1 FrozenLake8x8-v1 Catch-v0 NChain-v0 Taxi-v3"
)
_NOT_IN_GYMNASIUM = _words("Catch-v0 NChain-v0 Taxi-v3")
_GAMES = _words("Pong-v5 Breakout-v5 MsPacman-v5 SpaceInvaders-v5 Seaquest-v5 Qbert-v5")
ROBOTS = _words(
    "Ant-v5 HalfCheetah-v5 Hopper-v5 Humanoid-v5 HumanoidStandup-v5 InvertedDoublePendulum-v5 "
    "InvertedPendulum-v5 Pusher-v5 Reacher-v5 Swimmer-v5 Walker2d-v5"
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
_ROBOTICS = _words(
    "FetchReach-v4 FetchPush-v4 FetchSlide-v4 FetchPickAndPlace-v4 HandReach-v3 "
    "HandManipulateBlock-v1 HandManipulateEgg-v1 HandManipulatePen-v1 "
    "HandManipulateBlock_ContinuousTouchSensors-v1 AdroitHandDoor-v1 AdroitHandHammer-v1 "
    "AdroitHandPen-v1 AdroitHandRelocate-v1 PointMaze_UMaze-v3 PointMaze_Large-v3"
)
_ANT_MAZES = _words("AntMaze_UMaze-v5 AntMaze_Large-v5")
_OGBENCH = _words("pointmaze-medium-v0 antmaze-medium-v0 humanoidmaze-medium-v0 antsoccer-arena-v0")
# OGBench takes a second and 100 MB to make one of these.
_OGBENCH_ARMS = _words("cube-single-v0 scene-v0 puzzle-3x3-v0")
# Robots that several agents share.
_SHARED_ROBOTS = {
    "MaMuJoCoAnt-v1": "2x4",
    "MaMuJoCoHalfCheetah-v1": "6x1",
    "MaMuJoCoHumanoid-v1": "9|8",
    "MaMuJoCoManySegmentAnt-v1": "2x3",
}
_BOX2D = _words(
    "LunarLander-v3 LunarLanderContinuous-v3 BipedalWalker-v3 BipedalWalkerHardcore-v3 CarRacing-v3"
)
_GRIDS = _words(
    "MiniGrid-Empty-8x8-v0 MiniGrid-DoorKey-8x8-v0 MiniGrid-FourRooms-v0 "
    "MiniGrid-KeyCorridorS3R3-v0 MiniGrid-Dynamic-Obstacles-8x8-v0 MiniGrid-MultiRoom-N6-v0 "
    "MiniGrid-ObstructedMaze-Full-v1 BabyAI-GoToLocal-v0 BabyAI-GoTo-v0 BabyAI-BossLevel-v0"
)
_ROADS = _words("highway-v0 highway-fast-v0 intersection-v0 parking-v0 racetrack-v0 roundabout-v0")
# EnvPool's tasks, and those of the package vizdoom.
_DOOM = _words("Basic-v1 HealthGathering-v1 DeadlyCorridor-v1 Deathmatch-v1")
_VIZDOOM = _words("VizdoomBasic-v1 VizdoomHealthGathering-v1 VizdoomDeadlyCorridor-v1")
# The arrays of nle's tasks without the largest, the texts that describe each glyph.
_NETHACK_ARRAYS = _words(
    "blstats chars colors glyphs inv_glyphs inv_letters inv_oclasses inv_strs message specials "
    "tty_chars tty_colors tty_cursor"
)
_FORAGING = _words("Foraging-8x8-2p-2f-coop-v3 Foraging-2s-10x10-3p-3f-v3 Foraging-15x15-4p-3f-v3")
_WAREHOUSES = _words("rware-tiny-2ag-easy-v2 rware-small-4ag-v2 rware-medium-6ag-hard-v2")
_SHARED_GAMES = _words("pong-v3 boxing-v2 surround-v2")
_SMALL_FRAMES = {
    **{"obs_type": "grayscale_image", "frame_skip": 4, "stack_num": 4},
    **{"img_height": 84, "img_width": 84},
}
_PARTICLES = _words("SimpleSpread-v3 SimpleTag-v3 SimpleSpeakerListener-v4")
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
_PROCESSES = _words(
    "parallel_pool python_loop gymnasium_async sb3_subproc tianshou_shmem pufferlib"
)
# Tasks whose episodes random actions do not end early: mj_step, which never resets, is comparable.
_ENDLESS = _words("HalfCheetah-v5 HumanoidStandup-v5 Pusher-v5 Reacher-v5 Swimmer-v5")
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

        PythonImage:64 w2 has 2 worker processes, NetHackScore-v0:64 a13 has 13 arrays,
        pong-v3:16 84x84 has frames of that size.
        """
        if self.single:
            return f"{self.task}:single"
        batch = "" if self.batch_size == self.num_envs else f"/{self.batch_size}"
        threads = "" if self.num_threads is None else f" t{self.num_threads}"
        given = dict(self.options)
        workers = f" w{given['num_workers']}" if "num_workers" in given else ""
        arrays = f" a{len(given['observation_keys'])}" if "observation_keys" in given else ""
        size = f" {given['img_height']}x{given['img_width']}" if "img_height" in given else ""
        return f"{self.task}:{self.num_envs}{batch}{threads}{workers}{arrays}{size}"

    def peer(self, name: str) -> Peer:
        """The workload as a job of the peer `name`."""
        options: dict[str, Any] = dict(self.options)
        if self.num_threads is not None:
            options["num_threads"] = self.num_threads
        if self.single and self.task in _GAMES:
            options["preset"] = "gymnasium"
        job = Job(name, self.task, self.num_envs, self.batch_size, options, single=self.single)
        return Peer(name, (job,))


def _shapes(
    family: str, task: str, shapes: Mapping[str, Sequence[str]], frames: int = 1, **options: Any
) -> Iterator[Workload]:
    """Workloads of a task from the peers of each shape, such as "32/8"."""
    for shape, peers in shapes.items():
        num_envs, _, batch_size = shape.partition("/")
        sizes, more = (int(num_envs), int(batch_size or num_envs)), tuple(options.items())
        yield Workload(task, *sizes, tuple(peers), family, frames, options=more)


def _small() -> Iterator[Workload]:
    loops = (*POOLS, "gymnasium_sync", "gymnasium_vector")
    own: dict[str, tuple[str, ...]] = {
        "1": (*loops, "gymnasium_make"),
        "8": (*loops, "gymnasium_async"),
    }
    own |= {"64": own["8"], "1024": loops, "4096/1024": POOLS}
    yield from _shapes("Classic control", "CartPole-v1", own)
    for family, tasks in (("Classic control", _CLASSIC), ("Toy text", _TOY)):
        for task in tasks:
            peers = POOLS if task in _NOT_IN_GYMNASIUM else (*POOLS, "gymnasium_sync")
            yield from _shapes(family, task, {"1024": peers})
    for task in _GAMES:
        shapes = dict.fromkeys(("1", "16", "32/8"), (*POOLS, "ale_vector"))
        yield from _shapes("Atari", task, shapes, 4)


def _robots() -> Iterator[Workload]:
    sizes = dict.fromkeys(("16", "32/8", "64", "128/32"), POOLS)
    for task in ROBOTS:
        bare = ("mj_step",) if task in _ENDLESS else ()
        yield from _shapes("MuJoCo", task, {**sizes, "16": (*POOLS, "gymnasium_sync", *bare)})
    for task in (f"{domain}{task}-v1" for domain, of in _SUITE.items() for task in of.split()):
        yield from _shapes("Control suite", task, sizes)
    for task in _ROBOTICS:
        yield from _shapes("Robotics", task, {"16": (*POOLS, "gymnasium_robotics"), "32/8": POOLS})
    for task in _ANT_MAZES:
        yield from _shapes("Robotics", task, {"16": ("parallel_pool", "gymnasium_robotics")})
    for task, agents in _SHARED_ROBOTS.items():
        shapes = dict.fromkeys(("16", "64"), ("parallel_pool", "mamujoco"))
        yield from _shapes("Robotics", task, shapes, agent_conf=agents)
    for task in _OGBENCH:
        yield from _shapes(
            "OGBench", task, dict.fromkeys(("16", "64"), ("parallel_pool", "ogbench"))
        )
    for task in _OGBENCH_ARMS:
        yield from _shapes("OGBench", task, {"16": ("parallel_pool", "ogbench")})
    from parallel_pool.envs.mujoco.names import MT10, MT50

    for name in ("".join(word.capitalize() for word in task.split("-")) for task in MT50):
        yield from _shapes("MetaWorld", f"MetaWorld/{name}-v3", {"16": POOLS})
    for name, of in {"MT10": MT10, "MT50": MT50}.items():
        shapes = {str(len(of)): ("parallel_pool", "metaworld")}
        yield from _shapes("MetaWorld", f"MetaWorld/{name}", shapes)


def _worlds() -> Iterator[Workload]:
    for task in _BOX2D:
        shapes = {"16": (*POOLS, "gymnasium_sync"), "1024": POOLS, "64/16": POOLS}
        yield from _shapes("Box2D", task, shapes)
    games = runpy.run_path(str(_ROOT / "parallel_pool/envs/procgen/reference.py"))["GAMES"]
    for task in (f"{game.capitalize()}{mode}-v0" for game in games for mode in ("Easy", "Hard")):
        yield from _shapes("Procgen", task, dict.fromkeys(("64", "64/16"), POOLS))
    for task in _GRIDS:
        yield from _shapes("MiniGrid", task, dict.fromkeys(("1024", "64/16"), POOLS))
    for task in _ROADS:
        yield from _shapes("Highway", task, {"16": (*POOLS, "highway_env"), "256": POOLS})
    for task in _DOOM:
        shapes = dict.fromkeys(("1", "8", "16/4"), POOLS)
        yield from _shapes("ViZDoom", task, shapes, 4, use_combined_action=True)
    for task in _VIZDOOM:
        shapes = dict.fromkeys(("1", "8"), ("parallel_pool", "vizdoom"))
        yield from _shapes("ViZDoom", task, shapes, 4, frame_skip=4)
    dungeon = {"64": ("parallel_pool", "nle", "nle_async")}
    yield from _shapes("NetHack", "NetHackScore-v0", dungeon)
    yield from _shapes("NetHack", "NetHackScore-v0", dungeon, observation_keys=_NETHACK_ARRAYS)


def _players() -> Iterator[Workload]:
    boards = ("TicTacToe-v0", "ConnectFour-v0")
    tasks = {"mpe2": ("MPE", _PARTICLES), "lbforaging": ("Foraging", _FORAGING)}
    tasks |= {"rware": ("RWARE", _WAREHOUSES), "pettingzoo": ("Board games", boards)}
    for peer, (family, names) in tasks.items():
        for task in names:
            yield from _shapes(family, task, {"256": ("parallel_pool", peer)})
    of_atari = {"16": ("parallel_pool", "pettingzoo_atari")}
    for task in _SHARED_GAMES:
        yield from _shapes("Atari for several players", task, of_atari)
        yield from _shapes("Atari for several players", task, of_atari, 4, **_SMALL_FRAMES)


def _in_python() -> Iterator[Workload]:
    for task, num_envs, workers in _PYTHON:
        peers: tuple[str, ...] = ("parallel_pool", "python_loop", "python_batches")
        if workers > 0:
            peers = _PROCESSES if workers < num_envs else _PROCESSES[:-1]  # PufferLib never sleeps
        yield from _shapes("Python envs", task, {str(num_envs): peers}, num_workers=workers)


def _single() -> Iterator[Workload]:
    for task in ("CartPole-v1", *_GAMES, *ROBOTS, *_BOX2D):
        peers = ("parallel_pool", "gymnasium_make")
        skip = 4 if task in _GAMES else 1
        yield Workload(task, 1, 1, peers, "Single env", skip, single=True)


def all_workloads() -> list[Workload]:
    """All workloads, in the order of the tables."""
    parts = (_small, _robots, _worlds, _players, _in_python, _single)
    return [load for part in parts for load in part()]


def with_threads(load: Workload, threads: Sequence[int]) -> list[Workload]:
    """The workload with each number of threads, for the peers that have this option."""
    if load.single:
        return []
    peers = tuple(peer for peer in load.peers if peer in _THREADED)
    return [dataclasses.replace(load, peers=peers, num_threads=n) for n in threads]
