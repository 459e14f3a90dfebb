"""The keys of `play`."""

import importlib
import sys
import types

import pytest

from parallel_pool.command_line.keys import COMMANDS, DOWN, LEFT, RIGHT, UP, Keys, label

ALE = [
    "NOOP",
    "FIRE",
    "UP",
    "RIGHT",
    "LEFT",
    "DOWN",
    "UPRIGHT",
    "UPLEFT",
    "DOWNRIGHT",
    "DOWNLEFT",
    "UPFIRE",
    "RIGHTFIRE",
    "LEFTFIRE",
    "DOWNFIRE",
    "UPRIGHTFIRE",
    "UPLEFTFIRE",
    "DOWNRIGHTFIRE",
    "DOWNLEFTFIRE",
]


def test_arrows_go_where_they_point() -> None:
    for names in (["LEFT", "DOWN", "RIGHT", "UP"], ["UP", "RIGHT", "DOWN", "LEFT"], ALE):
        keys = Keys(names)
        for arrow, name in ((LEFT, "LEFT"), (RIGHT, "RIGHT"), (UP, "UP"), (DOWN, "DOWN")):
            action = keys.action(arrow)
            assert action is not None
            assert names[action] == name


def test_an_arrow_without_an_action_does_nothing() -> None:
    keys = Keys(["LEFT", "RIGHT"])
    assert keys.action(UP) is None
    assert keys.action("5") is None
    assert keys.help == ["← LEFT", "→ RIGHT"]


def test_every_action_has_a_key_of_its_own() -> None:
    keys = Keys(ALE)
    assert len(keys.help) == len(ALE)
    shown = [line.split()[0] for line in keys.help]
    assert len(set(shown)) == len(ALE)
    assert not {"p", "q", "r", "+", "-", "="} & set(shown)
    by_key = {line.split()[0]: line.split()[1] for line in keys.help}
    assert by_key["space"] == "FIRE"
    assert by_key["0"] == "NOOP"
    for key, name in by_key.items():
        if len(key) == 1 and key.isascii():
            assert keys.action(key) == ALE.index(name)


def test_other_actions_have_their_number() -> None:
    keys = Keys(["DOWN", "UP", "RIGHT", "LEFT", "PICKUP", "DROPOFF"])
    assert keys.help == ["↓ DOWN", "↑ UP", "→ RIGHT", "← LEFT", "4 PICKUP", "5 DROPOFF"]
    assert keys.action("5") == 5
    assert keys.action("2") == 2


def test_agents_that_turn_go_ahead_with_up() -> None:
    names = ["LEFT", "RIGHT", "FORWARD", "PICKUP", "TOGGLE"]
    keys = Keys(names)
    assert keys.help == ["← LEFT", "→ RIGHT", "↑ FORWARD", "3 PICKUP", "space TOGGLE"]
    assert keys.action(UP) == keys.action("2") == 2
    both = Keys(["UP", "FORWARD"])
    assert both.help == ["↑ UP", "1 FORWARD"]


def test_as_many_actions_as_a_discrete_may_have() -> None:
    keys = Keys([f"action {i}" for i in range(500)])
    assert keys.help[11] == "c action 11"
    assert len(keys.help) == 25
    assert keys.action("z") == 24


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ([UP, RIGHT], "UPRIGHT"),
        ([RIGHT, UP], "UPRIGHT"),
        ([" ", LEFT], "LEFTFIRE"),
        (["h", " "], "LEFTFIRE"),
        (["u", " "], "UPRIGHTFIRE"),
        ([UP, UP], "UP"),
        ([UP, DOWN], "DOWN"),  # no action is both
        (["0", UP], "UP"),
        (["\x1b[1;2A"], "UPFIRE"),
        (["K"], "UPFIRE"),
        ([UP, "r"], "UP"),
    ],
)
def test_keys_within_one_step_go_together(typed: list[str], name: str) -> None:
    action = Keys(ALE).together(typed)
    assert action is not None
    assert ALE[action] == name


def test_keys_go_together_only_if_the_task_has_the_action() -> None:
    keys = Keys(["NOOP", "FIRE", "RIGHT", "LEFT"])
    assert keys.together([" ", LEFT]) == 3
    assert keys.together(["x"]) is None
    assert keys.together([]) is None


def test_keys_at_the_end_of_all_names_are_the_keys() -> None:
    names = ["MORE (^M)", "NORTH (k)", "QUAFF (q)", "KICK (^D)", "PRAY (M-p)", "PUTON (P)"]
    names += ["SEETOOLS (()", "SEEWEAPON ())", "SEETRAP (^)", "SPACE ( )", "ESC (^[)"]
    keys = Keys(names)
    typed = ["\r", "k", "q", "\x04", "\x1bp", "P", "(", ")", "^", " ", "\x1b"]
    assert [keys.action(key) for key in typed] == list(range(len(names)))
    assert keys.action("\n") == 0  # Enter
    assert keys.action("\xf0") == 4  # Alt and p, as some terminals send it
    assert keys.action(UP) == 1
    assert keys.action(DOWN) is keys.action("h") is keys.action("p") is None
    assert keys.help == [*names, "^ is Ctrl", "M- is Alt"]
    assert keys.together(["k", "P"]) == 5


def test_two_actions_with_one_key() -> None:
    keys = Keys(["SEEGOLD ($)", "DOLLAR ($)", "NORTH (k)"])
    assert keys.action("$") == 0
    assert keys.help[-1] == "^ is Ctrl"


def test_many_actions_with_own_keys_do_not_fill_the_screen() -> None:
    keys = Keys([f"DO ({chr(code)})" for code in range(ord("!"), ord("~"))])
    assert keys.help == ["93 actions: `info` names their keys", "^ is Ctrl"]


def test_own_keys_leave_control_to_the_commands() -> None:
    keys = Keys([f"DO ({key})" for key in "qrp+-="])
    assert [keys.action(key) for key in "qrp+-="] == [0, 1, 2, 3, 4, 5]
    assert keys.commands.keys() == COMMANDS.keys()
    shown = [label(key) for key in keys.commands.values()]
    assert shown == ["^F", "^S", "^P", "^N", "^Q"]
    assert all(keys.action(key) is None for key in keys.commands.values())
    assert Keys(["KICK (^D)", "WALK"]).commands == COMMANDS  # not all names have a key


def test_keys_of_a_windows_console(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = list("a\r\xe0H\xe0M\x00;\x04\xe0")  # the last one is a letter
    fake = types.SimpleNamespace(kbhit=lambda: len(codes) > 0, getwch=lambda: codes.pop(0))
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    monkeypatch.setattr(sys, "platform", "win32")
    name = "parallel_pool.command_line.windows_console"
    monkeypatch.delitem(sys.modules, name, raising=False)
    console = importlib.import_module(name)
    typed = [console.typed(0) for _ in range(8)]
    assert typed == ["a", "\n", UP, RIGHT, "\x00", "\x04", "\xe0", ""]
    codes.append("\x03")
    with pytest.raises(KeyboardInterrupt):
        console.typed(0)
