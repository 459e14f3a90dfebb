"""The results that `selftest` expects are those of this build.

A change of an env that is meant changes them. This command plays the tasks and writes them again:
tools/bazel.sh run //parallel_pool/command_line:selftest_results_test
"""

import os
import pathlib

import pytest

from parallel_pool.command_line import selftest
from parallel_pool.python.check import expected_results
from parallel_pool.python.check.expected_results import ExpectedResults, Group

_PICTURES = {"render_mode": "rgb_array"}
_REWRITE = "tools/bazel.sh run //parallel_pool/command_line:selftest_results_test writes it again"
_MOST_BYTES = 200_000

# The kinds of tasks that a family has, each with its pictures where no OpenGL draws them.
GROUPS = {
    "atari": Group(
        "atari",
        {
            "Breakout-v5": {"obs_type": "ram"},
            "MsPacman-v5": {"gray_scale": False},
            "Pong-v5": {},
            "Seaquest-v5": {"img_height": 100, "img_width": 72},
            "boxing-v2": {"frame_skip": 4},
            "maze_craze-v3": {"obs_type": "ram", "frame_skip": 4},
        },
    ),
    "board_games": Group("board_games", {"ConnectFour-v0": _PICTURES, "TicTacToe-v0": _PICTURES}),
    "box2d": Group(
        "box2d",
        {
            "BipedalWalkerHardcore-v3": _PICTURES,
            "CarRacing-v3": {},
            "LunarLander-v3": _PICTURES,
            "LunarLanderContinuous-v3": {},
        },
    ),
    "classic_control": Group(
        "classic_control",
        {
            "Acrobot-v1": _PICTURES,
            "CartPole-v1": _PICTURES,
            "MountainCarContinuous-v0": _PICTURES,
            "Pendulum-v1": _PICTURES,
        },
    ),
    "foraging": Group("foraging", {"Foraging-v3": _PICTURES}),
    "highway": Group(
        "highway",
        {
            "highway-fast-v0": _PICTURES,
            "intersection-multi-agent-v1": {},
            "parking-parked-v0": _PICTURES,
            "racetrack-v0": {},
            "roundabout-v0": {},
        },
    ),
    "metaworld": Group(
        "mujoco",
        # Not a task with a puck: the last bits of its contact with the table turn it.
        {"MetaWorld/DoorOpen-v3": {}, "hammer-v3": {}},
        "metaworld",
        "pip install --no-deps metaworld==3.1.1",
    ),
    "minigrid": Group(
        "minigrid",
        {
            "BabyAI-GoToSeq-v0": {},
            "MiniGrid-DoorKey-8x8-v0": _PICTURES,
            "MiniGrid-MultiRoom-N6-v0": {},
        },
    ),
    "minihack": Group(
        "nethack",
        {"MiniHack-Quest-Hard-v0": {}, "MiniHack-Room-5x5-v0": {}},
        "minihack",
        "pip install parallel_pool[minihack]",
    ),
    "mpe": Group("mpe", {"SimpleSpread-v3": _PICTURES, "SimpleTag-v3": {}, "SimpleCrypto-v3": {}}),
    "mujoco": Group(
        "mujoco",
        {
            "AdroitHandDoor-v1": {},
            "CheetahRun-v1": {},
            "FetchPush-v4": {},
            "FishSwim-v1": {},
            "HalfCheetah-v5": {},
            "Hopper-v5": {},
            "MaMuJoCoReacher-v1": {},
            "WalkerWalk-v1": {},
        },
    ),
    "nethack": Group(
        "nethack",
        {"NetHackChallenge-v0": {}, "NetHackScore-v0": _PICTURES},
        "nle",
        "pip install parallel_pool[nethack]",
    ),
    "procgen": Group(
        "procgen", {"BigfishEasy-v0": {}, "CoinrunHard-v0": _PICTURES, "procgen-maze-v0": {}}
    ),
    "rware": Group("rware", {"rware-v2": _PICTURES}),
    "toy_text": Group(
        "toy_text",
        {
            "Blackjack-v1": _PICTURES,
            "Catch-v0": _PICTURES,
            "CliffWalkingSlippery-v1": _PICTURES,
            "FrozenLake-v1": _PICTURES,
            "Taxi-v3": _PICTURES,
        },
    ),
    "vizdoom": Group(
        "vizdoom",
        {"Basic-v1": {}, "VizdoomDefendCenter-MultiBinary-v1": {}},
        "vizdoom",
        "pip install parallel_pool[vizdoom]",
    ),
}


@pytest.fixture(scope="module")
def expected() -> ExpectedResults:
    """The committed results; `bazel run` writes them first."""
    file = selftest.FILE
    if source := os.environ.get("BUILD_WORKSPACE_DIRECTORY"):  # only `bazel run` sets it
        file = pathlib.Path(source, "parallel_pool/python/check", file.name)
        expected_results.save(file, GROUPS)
        print(f"{file}: {file.stat().st_size:,} bytes")
    assert file.stat().st_size < _MOST_BYTES
    return ExpectedResults(file)


def test_the_file_has_the_tasks(expected: ExpectedResults) -> None:
    assert expected.groups == GROUPS, _REWRITE


@pytest.mark.parametrize("name", GROUPS)
def test_this_build_has_the_expected_results(name: str, expected: ExpectedResults) -> None:
    """With NumPy's functions for all processors, as in the file."""
    try:
        largest = expected.compare(name)
    except AssertionError as error:
        raise AssertionError(f"{error}\nIf that is meant: {_REWRITE}") from None
    assert largest == 0, f"{name} differs by {largest} ulps. If that is meant: {_REWRITE}"
