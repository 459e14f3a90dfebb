"""Pictures of the tasks for the documentation, played by the installed wheel.

`make docs` draws those of the site. `make film` draws the one of README.md: gallery.py FILE.gif
"""

import pathlib
import sys
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from parallel_pool._build_info import FAMILIES
from PIL import Image

import parallel_pool
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.python.specs.registry import registry
from tools.docs import tables

_SEED = 3
_STEPS = 60  # random steps before a still picture
_COLORS = 64  # of a still picture: its file is small

# The tasks that stand for a family, in this order; of other families, the first ones that draw.
_FACES = {
    "atari": ("Pong-v5", "Breakout-v5", "MsPacman-v5", "Seaquest-v5", "Qbert-v5", "Frostbite-v5"),
    "mujoco": ("Ant-v5", "HalfCheetah-v5", "Humanoid-v5", "Walker2d-v5", "Hopper-v5", "Swimmer-v5"),
    "classic_control": ("CartPole-v1", "Acrobot-v1", "Pendulum-v1", "MountainCar-v0"),
    "box2d": ("LunarLander-v3", "BipedalWalker-v3", "BipedalWalkerHardcore-v3", "CarRacing-v3"),
    "procgen": ("CoinrunEasy-v0", "StarpilotEasy-v0", "CaveflyerEasy-v0", "BigfishEasy-v0"),
    "vizdoom": (
        "VizdoomDefendLine-v1",
        "VizdoomHealthGathering-v1",
        "VizdoomDeathmatch-v1",
        "VizdoomMyWayHome-v1",
    ),
    "board_games": ("ConnectFour-v0", "TicTacToe-v0"),
    "minigrid": (
        "MiniGrid-DoorKey-8x8-v0",
        "MiniGrid-LavaCrossingS9N2-v0",
        "MiniGrid-KeyCorridorS4R3-v0",
        "BabyAI-GoToLocal-v0",
    ),
    "foraging": ("Foraging-v3",),
    "highway": ("highway-fast-v0", "intersection-v0", "parking-parked-v0", "racetrack-v0"),
    "nethack": ("NetHackScore-v0", "NetHackChallenge-v0", "MiniHack-v0"),
    "rware": ("rware-v2",),
    "mpe": ("SimpleSpread-v3", "SimpleTag-v3", "SimpleWorldComm-v3", "SimpleSpeakerListener-v4"),
    "toy_text": ("Taxi-v4", "FrozenLake8x8-v1", "Blackjack-v1", "CliffWalking-v1"),
}
# One task of each kind of level. The others of a kind differ in sizes and numbers.
_LEVELS = tuple(
    [
        f"MiniGrid-{name}"
        for name in (
            "Empty-8x8-v0",
            "DoorKey-8x8-v0",
            "DistShift1-v0",
            "LavaGapS7-v0",
            "LavaCrossingS9N2-v0",
            "SimpleCrossingS11N5-v0",
            "Dynamic-Obstacles-8x8-v0",
            "FourRooms-v0",
            "MultiRoom-N6-v0",
            "Fetch-8x8-N3-v0",
            "GoToDoor-8x8-v0",
            "GoToObject-8x8-N2-v0",
            "PutNear-8x8-N3-v0",
            "RedBlueDoors-8x8-v0",
            "LockedRoom-v0",
            "MemoryS13-v0",
            "Playground-v0",
            "Unlock-v0",
            "UnlockPickup-v0",
            "BlockedUnlockPickup-v0",
            "KeyCorridorS6R3-v0",
            "ObstructedMaze-1Dlhb-v0",
            "ObstructedMaze-2Dl-v0",
            "ObstructedMaze-Full-v1",
        )
    ]
    + [
        f"BabyAI-{name}-v0"
        for name in (
            "GoToRedBall",
            "GoToRedBallGrey",
            "GoToRedBallNoDists",
            "GoToRedBlueBall",
            "GoToObj",
            "GoToLocal",
            "GoTo",
            "GoToOpen",
            "GoToObjMaze",
            "GoToImpUnlock",
            "GoToSeq",
            "GoToDoor",
            "GoToObjDoor",
            "Open",
            "OpenRedDoor",
            "OpenDoor",
            "OpenTwoDoors",
            "OpenDoorsOrderN4",
            "Pickup",
            "UnblockPickup",
            "PickupLoc",
            "PickupDist",
            "PickupAbove",
            "FindObjS5",
            "OneRoomS8",
            "KeyCorridor",
            "PutNextLocal",
            "PutNextS7N4",
            "MoveTwoAcrossS8N9",
            "Unlock",
            "UnlockLocal",
            "KeyInBox",
            "UnlockPickup",
            "BlockedUnlockPickup",
            "UnlockToUnlock",
            "ActionObjDoor",
            "Synth",
            "SynthLoc",
            "SynthSeq",
            "MiniBossLevel",
            "BossLevel",
            "BossLevelNoUnlock",
        )
    ]
)
# The tasks that stand for the domains of the DeepMind Control Suite.
SUITE = {
    f"{task}-v1": domain
    for task, domain in {
        "AcrobotSwingup": "acrobot",
        "BallInCupCatch": "ball_in_cup",
        "CartpoleSwingup": "cartpole",
        "CheetahRun": "cheetah",
        "DogRun": "dog",
        "FingerTurnEasy": "finger",
        "FishSwim": "fish",
        "HopperHop": "hopper",
        "HumanoidRun": "humanoid",
        "HumanoidCMURun": "humanoid_CMU",
        "LqrLqr62": "lqr",
        "ManipulatorBringBall": "manipulator",
        "PendulumSwingup": "pendulum",
        "PointMassEasy": "point_mass",
        "QuadrupedEscape": "quadruped",
        "ReacherEasy": "reacher",
        "StackerStack4": "stacker",
        "SwimmerSwimmer6": "swimmer",
        "WalkerRun": "walker",
    }.items()
}
# Galleries of tasks that stand for a suite.
GALLERIES = {
    "robotics": (
        "FetchReach-v4",
        "FetchPush-v4",
        "FetchSlide-v4",
        "FetchPickAndPlace-v4",
        "HandReach-v3",
        "HandManipulateBlock-v1",
        "HandManipulateEgg-v1",
        "HandManipulatePen-v1",
        "AdroitHandDoor-v1",
        "AdroitHandHammer-v1",
        "AdroitHandPen-v1",
        "AdroitHandRelocate-v1",
        "PointMaze_UMaze-v3",
        "PointMaze_Large-v3",
        "AntMaze_UMaze-v5",
        "AntMaze_Medium-v5",
        "FrankaKitchen-v1",
        "MaMuJoCoCoupledHalfCheetah-v1",
        "MaMuJoCoManySegmentAnt-v1",
        "MaMuJoCoManySegmentSwimmer-v1",
    ),
    "metaworld": (  # MT10
        "reach-v3",
        "push-v3",
        "pick-place-v3",
        "door-open-v3",
        "drawer-open-v3",
        "drawer-close-v3",
        "button-press-topdown-v3",
        "peg-insert-side-v3",
        "window-open-v3",
        "window-close-v3",
    ),
    "ogbench": (
        "pointmaze-medium-v0",
        "antmaze-large-v0",
        "antmaze-giant-v0",
        "antmaze-teleport-v0",
        "humanoidmaze-medium-v0",
        "antsoccer-arena-v0",
        "cube-quadruple-v0",
        "scene-v0",
        "puzzle-4x5-v0",
    ),
    "pettingzoo": tables.of_suite("pettingzoo"),
}
# The film: pictures side by side, each a square of this many pixels.
_COLUMNS = 6
_TILE = 120
_GAP = 4
_FRAMES = 48
_MILLISECONDS = 80  # of a frame
_FILM_COLORS = 96
_FILM = (
    *_FACES["atari"],
    *_FACES["mujoco"],
    *_FACES["classic_control"][:3],
    *_FACES["toy_text"][:3],
)

Frame = npt.NDArray[np.uint8]


def tasks(family: str) -> list[str]:
    """The tasks of the family that draw, without the older versions of each.

    Suites with a gallery of their own are left out.
    """
    if family == "minigrid":
        return list(_LEVELS)
    newest: dict[str, str] = {}
    for task in tables.shown(family):  # sorted, so the newest version comes last
        has_own = registry().suite(task) in (*GALLERIES, "dm_control")
        if not has_own and task not in tables.OF_FILES and _can_draw(task):
            newest[task.rpartition("-v")[0]] = task
    return list(newest.values())


def faces(family: str, count: int) -> list[str]:
    """At most `count` tasks that stand for the family."""
    return list(_FACES.get(family, tasks(family))[:count])


def _can_draw(task: str) -> bool:
    return "rgb_array" in registry().find(task).render_modes


def play(task: str, skip: int = 0, **options: Any) -> Generator[Frame, None, None]:
    """Pictures of an env that random actions move, without end; the first after `skip` steps."""
    with parallel_pool.make_gymnasium(task, seed=_SEED, render_mode="rgb_array", **options) as pool:
        random = np.random.default_rng(_SEED)
        _, info = pool.reset()
        for step in range(sys.maxsize):
            if step >= skip:
                yield pool.render()[0]
            info = pool.step(random_actions(pool.spec, random, 1, info))[-1]


def still(task: str, file: pathlib.Path) -> None:
    """Writes one picture of the task, at most 320 pixels wide and high."""
    options = {"camera_id": 0} if task in SUITE else {}  # the free camera is far away there
    picture = Image.fromarray(next(play(task, _STEPS, **options)))
    picture.thumbnail((320, 320))
    picture.quantize(_COLORS, dither=Image.Dither.NONE).save(file, optimize=True)


def _tile(frame: Frame) -> Image.Image:
    """The picture as a square: the middle of a wide one, all of a high one (an Atari screen)."""
    picture = Image.fromarray(frame)
    left = max(0, picture.width - picture.height) // 2
    return picture.crop((left, 0, picture.width - left, picture.height)).resize((_TILE, _TILE))


def sheet(tiles: Sequence[Image.Image], columns: int) -> Image.Image:
    """Tiles in lines of equal length."""
    step = _TILE + _GAP
    lines = -(-len(tiles) // columns)
    image = Image.new("RGB", (columns * step - _GAP, lines * step - _GAP), "white")
    for k, tile in enumerate(tiles):
        image.paste(tile, (k % columns * step, k // columns * step))
    return image


def film(file: pathlib.Path) -> None:
    """Writes a GIF in which tasks of several families run."""
    players = [play(task, 20) for task in _FILM]
    sheets = [sheet([_tile(next(each)) for each in players], _COLUMNS) for _ in range(_FRAMES)]
    for player in players:
        player.close()  # closes its pool
    # One palette for all, so that what does not move is the same in the next frame.
    palette = sheets[0].quantize(_FILM_COLORS)
    first, *others = (each.quantize(palette=palette, dither=Image.Dither.NONE) for each in sheets)
    first.save(
        file, save_all=True, append_images=others, duration=_MILLISECONDS, loop=0, optimize=True
    )


def write(folder: pathlib.Path) -> None:
    """Writes TASK.png for each task that a page shows, and FAMILY.png with four of each family."""
    folder.mkdir(parents=True, exist_ok=True)
    for task in [
        *SUITE,
        *(task for tasks_of_suite in GALLERIES.values() for task in tasks_of_suite),
        *(task for family in FAMILIES for task in tasks(family)),
    ]:
        still(task, folder / f"{task}.png")
    for family in FAMILIES:
        if chosen := faces(family, 4):
            tiles = [_tile(next(play(task, _STEPS))) for task in chosen]
            image = sheet(tiles, columns=2).quantize(_COLORS, dither=Image.Dither.NONE)
            image.save(folder / f"{family}.png", optimize=True)


if __name__ == "__main__":
    film(pathlib.Path(sys.argv[1]))
