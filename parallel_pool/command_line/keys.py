"""The keys of `play`: which key takes which action, by the actions' names."""

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


class Keys:
    """The keys for the actions of a task, which are counted from 0 here."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        moves = {name: key for key, name in _MOVES.items()}
        moves |= {name: key for name, key in _AHEAD.items() if _MOVES[key] not in self.names}
        letters = iter(_LETTERS)
        self._actions: dict[str, int] = {}
        for i, name in enumerate(self.names):
            if name in moves:
                self._actions[moves[name]] = i
            elif key := _NUMBERS[i] if i < len(_NUMBERS) else next(letters, None):
                self._actions[key] = i
        self.help: list[str] = [
            f"{_LABELS.get(k, k)} {self.names[i]}" for k, i in self._actions.items()
        ]
        for i in range(min(len(self.names), len(_NUMBERS))):
            self._actions.setdefault(_NUMBERS[i], i)

    def action(self, key: str) -> int | None:
        """The action of the key; None if it has none."""
        return self._actions.get(_SAME.get(key, key))

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
