"""The keys of `play`: which key takes which action, by the actions' names."""

import re
from collections.abc import Sequence

LEFT, RIGHT, UP, DOWN = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"  # as terminals send the arrows
_LABELS = {LEFT: "←", RIGHT: "→", UP: "↑", DOWN: "↓", " ": "space"}

# A terminal sends one key at a time, so the directions of ALE's names that need two keys have
# letters: those of vi and of Rogue, in upper case with FIRE.
_MOVES = {
    LEFT: "LEFT",
    RIGHT: "RIGHT",
    UP: "UP",
    DOWN: "DOWN",
    " ": "FIRE",
    "y": "UPLEFT",
    "u": "UPRIGHT",
    "b": "DOWNLEFT",
    "n": "DOWNRIGHT",
    "H": "LEFTFIRE",
    "J": "DOWNFIRE",
    "K": "UPFIRE",
    "L": "RIGHTFIRE",
    "Y": "UPLEFTFIRE",
    "U": "UPRIGHTFIRE",
    "B": "DOWNLEFTFIRE",
    "N": "DOWNRIGHTFIRE",
}
# Agents that turn, as those of MiniGrid, go ahead with the key for up.
_AHEAD = {"FORWARD": UP, "TOGGLE": " "}
# Other keys for the same: letters for keyboards without arrows, and arrows together with Shift.
_SAME = {
    "h": LEFT,
    "j": DOWN,
    "k": UP,
    "l": RIGHT,
    "\x1b[1;2D": "H",
    "\x1b[1;2B": "J",
    "\x1b[1;2A": "K",
    "\x1b[1;2C": "L",
}
_PARTS = ("UP", "DOWN", "LEFT", "RIGHT", "FIRE")  # of a name, in ALE's order
_NUMBERS = tuple("0123456789")  # keys for the first actions
_LETTERS = "acdefgimostvwxz"  # for later ones without a move; p, q and r are commands

# The keys of each command; "=" is + without Shift.
COMMANDS = {"faster": "+=", "slower": "-", "pause": "p", "reset": "r", "quit": "q"}
# Where actions have keys of their own, letters are not free: Ctrl and F, S, P, N, Q.
_CONTROL_COMMANDS = {
    "faster": "\x06",
    "slower": "\x13",
    "pause": "\x10",
    "reset": "\x0e",
    "quit": "\x11",
}
_OWN_KEY = re.compile(r"(.+) \((\^|M-)?(.)\)", re.DOTALL)  # "KICK (^D)", "PRAY (M-p)", "WAIT (.)"
_COMPASS = {"NORTH": UP, "EAST": RIGHT, "SOUTH": DOWN, "WEST": LEFT}
_MOST_NAMES = 12  # of actions that help lists, if their keys are in the names


def label(key: str) -> str:
    """The key as people write it: ^X for Ctrl and X."""
    return f"^{chr(ord(key) ^ 0x40)}" if len(key) == 1 and key < " " else _LABELS.get(key, key)


def _sent(modifier: str | None, letter: str) -> list[str]:
    """The input that a key sends, which may have the modifier ^ (Ctrl) or M- (Alt)."""
    if modifier == "^":
        control = chr(ord(letter.upper()) ^ 0x40)
        return [control, "\n"] if control == "\r" else [control]  # the Enter key may be either
    if modifier == "M-":
        return [f"\x1b{letter}", chr(ord(letter) | 0x80)]  # some set the eighth bit
    return [letter]


class Keys:
    """The keys for the actions of a task, which are counted from 0 here.

    Attributes:
        names: of the actions.
        commands: the keys of each command: "faster", "slower", "pause", "reset" and "quit".
        help: what the keys do, a line for each.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self._actions: dict[str, int] = {}
        self.help: list[str] = []
        own = [found for name in names if (found := _OWN_KEY.fullmatch(name))]
        self._has_own = len(own) == len(names)
        if self._has_own:
            self._take_own(own)
        else:
            self._choose()
        self.commands: dict[str, str] = _CONTROL_COMMANDS if self._has_own else COMMANDS

    def _take_own(self, own: Sequence[re.Match[str]]) -> None:
        """Takes the keys that the names end with; of two actions with one key, the first has it."""
        for i, found in enumerate(own):
            name, modifier, letter = found.groups()
            more = [_COMPASS[name]] if name in _COMPASS else []
            for key in [*_sent(modifier, letter), *more]:
                self._actions.setdefault(key, i)
        is_short = len(self.names) <= _MOST_NAMES
        told = self.names if is_short else [f"{len(self.names)} actions: `info` names their keys"]
        self.help += [*told, "^ is Ctrl"]
        self.help += ["M- is Alt"] if any(found[2] == "M-" for found in own) else []

    def _choose(self) -> None:
        """Finds keys by the names, or by the numbers of the actions."""
        moves = {name: key for key, name in _MOVES.items()}
        moves |= {name: key for name, key in _AHEAD.items() if _MOVES[key] not in self.names}
        letters = iter(_LETTERS)
        for i, name in enumerate(self.names):
            if name in moves:
                self._actions[moves[name]] = i
            elif key := _NUMBERS[i] if i < len(_NUMBERS) else next(letters, None):
                self._actions[key] = i
        self.help += [f"{label(key)} {self.names[i]}" for key, i in self._actions.items()]
        for i in range(min(len(self.names), len(_NUMBERS))):
            self._actions.setdefault(_NUMBERS[i], i)

    def action(self, key: str) -> int | None:
        """The action of the key; None if it has none."""
        return self._actions.get(key if self._has_own else _SAME.get(key, key))

    def together(self, typed: Sequence[str]) -> int | None:
        """The action of all keys that were typed within one step; of the last one if none fits.

        Up and right are UPRIGHT if the task has such an action.
        """
        actions = [action for key in typed if (action := self.action(key)) is not None]
        names = {self.names[action] for action in actions} & set(_MOVES.values())
        joint = "".join(part for part in _PARTS if any(part in name for name in names))
        if len(names) > 1 and joint in self.names:
            return self.names.index(joint)
        return actions[-1] if actions else None
