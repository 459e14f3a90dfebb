"""python -m parallel_pool play, in a terminal and without one."""

import pathlib
import re

import numpy as np
import pytest

import parallel_pool
from parallel_pool.command_line import terminal
from parallel_pool.command_line.parser import main
from parallel_pool.testing import pseudo_terminal

LEFT, RIGHT, UP, DOWN = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"


def test_without_a_terminal_it_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "CartPole-v1", "seed=3", "--episodes", "2"]) == 0
    shown = capsys.readouterr()
    first, second = shown.out.splitlines()
    assert re.fullmatch(r"episode 1: return (\d+), \1 steps", first)
    assert re.fullmatch(r"episode 2: return (\d+), \1 steps", second)
    assert "this is no terminal, so the actions are random" in shown.err
    assert "python -m parallel_pool film CartPole-v1" in shown.err
    assert main(["play", "CartPole-v1", "--random"]) == 0
    assert capsys.readouterr().err == ""


def test_a_task_of_turns_waits_for_a_key() -> None:
    """Up, right 11 times and down is the way along the cliff: 13 steps, a return of -13."""
    keys = [UP, *[RIGHT] * 11, DOWN]
    typed = [(f"step {i}, return {-i}, ", key) for i, key in enumerate(keys)]
    shown, code = pseudo_terminal.run(
        ["play", "CliffWalking-v1", "--fps", "1000", "--episodes", "1"], typed
    )
    assert code == 0, shown
    assert "↑ UP  → RIGHT  ↓ DOWN  ← LEFT  r reset  q quit" in shown
    assert "faster" not in shown
    assert shown.rstrip().endswith("episode 1: return -13, 13 steps")


def test_the_mission_is_shown() -> None:
    typed = [("step 0", UP), ("step 1", "q")]
    shown, code = pseudo_terminal.run(["play", "MiniGrid-DoorKey-5x5-v0"], typed, columns=99)
    assert code == 0, shown
    assert "mission: use the key to open the door and then get to the goal" in shown
    assert "step 1, return 0, FORWARD" in shown
    assert "WGWGWGWGWG" in shown


def test_keys_of_the_actions_names() -> None:
    """NetHack's keys, such as q and Alt-p, leave Control to the commands."""
    typed = [
        ("step 0", "q"),
        ("step 1, return -0.01, QUAFF (q)", "\x1b"),
        ("step 2, return -0.02, ESC (^[)", "\x1bp"),
        ("step 3, return -0.03, PRAY (M-p)", "\x0e"),
        ("step 0", "\x11"),
    ]
    keys = ["q", "^[", "M-p"]
    shown, code = pseudo_terminal.run(["play", "NetHackScore-v0", f"actions={keys}"], typed, 99, 30)
    assert code == 0, shown
    assert "QUAFF (q)  ESC (^[)  PRAY (M-p)  ^ is Ctrl  M- is Alt  ^N reset  ^Q quit" in shown


def test_in_a_terminal_of_24_lines_blank_lines_of_the_text_are_left_out() -> None:
    typed = [("step 0", "."), ("step 1,", "\x11")]
    shown, code = pseudo_terminal.run(["play", "NetHackScore-v0"], typed, 80, 24)
    assert code == 0, shown
    for screen in re.findall(r"\x1b\[H(.*?)\x1b\[J", shown, re.DOTALL):
        assert screen.count("\n") == 23
        assert "Dlvl:1" in screen.splitlines()[-3]
        assert "23 actions: `info` names their keys  ^ is Ctrl  ^N reset  ^Q quit" in screen


def test_an_episode_of_turns_ends_with_its_last_picture() -> None:
    typed = [("step 0", "0"), ("over: r plays again", "r"), ("episode 2, step 0", "q")]
    shown, code = pseudo_terminal.run(["play", "Blackjack-v1"], typed)
    assert code == 0, shown
    assert "0 STICK  1 HIT  r reset  q quit" in shown
    assert re.search(r"episode 1: return -?\d, 1 steps", shown)


def test_speed_pause_and_reset() -> None:
    typed = [
        ("NOOP, 100 steps/s", "+"),
        ("150 steps/s", "--"),
        ("66.7 steps/s", "p"),
        ("paused: p goes on", "p"),
        ("66.7 steps/s", RIGHT),
        ("RIGHT, 66.7 steps/s", "r"),
        ("step 1,", "q"),
    ]
    shown, code = pseudo_terminal.run(["play", "MountainCar-v0", "--fps", "100"], typed)
    assert code == 0, shown
    for words in ("← LEFT", "1 NOOP", "→ RIGHT", "+ faster", "- slower", "p pause", "q quit"):
        assert words in shown, words
    assert shown.rstrip().endswith("\x1b[?1049l"), "the terminal's own screen is back"


def test_a_key_is_held_for_half_a_second() -> None:
    typed = [("NOOP, 20 steps/s", LEFT), ("LEFT, 20 steps/s", ""), ("NOOP, 20 steps/s", "q")]
    shown, code = pseudo_terminal.run(["play", "MountainCar-v0", "--fps", "20"], typed)
    assert code == 0, shown
    held = {int(n) for n in re.findall(r"step (\d+), return \S+, LEFT,", shown)}
    assert len(held) == 10


def test_pictures_in_a_terminal() -> None:
    shown, code = pseudo_terminal.run(["play", "CartPole-v1", "--fps", "200", "--random"], [])
    assert code == 0, shown
    assert "\u2580" in shown
    assert re.search(r"episode 1: return (\d+), \1 steps", shown)


@pytest.mark.parametrize(("columns", "lines"), [(20, 5), (7, 2), (1, 1)])
@pytest.mark.parametrize("task", ["Pong-v5", "FrozenLake-v1"])
def test_a_small_terminal_does_not_scroll(task: str, columns: int, lines: int) -> None:
    wait = "\x1b[J"
    shown, code = pseudo_terminal.run(["play", task], [(wait, "q")], columns, lines)
    assert code == 0, shown
    screens = re.findall(r"\x1b\[H(.*?)\x1b\[J", shown, re.DOTALL)
    assert screens
    for screen in screens:
        assert screen.count("\n") < lines
        if lines > 2:  # half of it is the picture
            assert "episode 1" in screen.splitlines()[lines - lines // 2]


@pytest.mark.parametrize(
    ("task", "typed", "words"),
    [
        ("Herd-v0", [("observation 0", "3"), ("action 2", "")], "0 action -1  1 action 0  2 acti"),
        ("Echo-v0", [("observation.motor.force [0. 0. 0.]", "")], "random actions, 1e+03 steps/s"),
    ],
)
def test_a_task_without_pictures_shows_its_observation(
    task: str, typed: list[tuple[str, str]], words: str
) -> None:
    library = pathlib.Path(parallel_pool.__file__).parent / "core/testing/_family.so"
    command = ["--load", str(library), "play", task, "--episodes", "1", "--fps", "1000"]
    shown, code = pseudo_terminal.run(command, typed)
    assert code == 0, shown
    assert words in shown
    assert re.search(r"episode 1: return \S+, \d+ steps\r\n$", shown)


def test_a_task_of_which_no_action_does_nothing_begins_with_a_key() -> None:
    typed = [("a key begins", RIGHT), ("RIGHT, 50 steps/s", "r"), ("step 0, return 0, a key", "q")]
    shown, code = pseudo_terminal.run(["play", "CartPole-v1", "--fps", "50"], typed)
    assert code == 0, shown
    assert "LEFT, 50" not in shown


def test_ctrl_c_restores_the_terminal() -> None:
    shown, code = pseudo_terminal.run(["play", "MountainCar-v0"], [("step 1,", "\x03")])
    assert code == 130, shown
    assert "\x1b[?7h\x1b[?25h\x1b[?1049l" in shown
    assert "Traceback" not in shown


def test_pictures_keep_their_shape_and_colors() -> None:
    frame = np.zeros((210, 160, 3), np.uint8)
    frame[:105] = 200, 100, 50
    small = terminal.shrunk(frame, 40, 20)
    assert small.shape == (40, 30, 3)
    assert small[0, 0].tolist() == [200, 100, 50]
    assert not small[-1].any()
    assert terminal.shrunk(frame, 1000, 1000).shape == frame.shape
    text = terminal.drawn(small)
    assert text.count("\n") == 19
    assert text.count("\u2580") == 30 * 20
    assert text.startswith("\x1b[38;2;200;100;50;48;2;200;100;50m\u2580")
