"""`play`: a task in the terminal.

Draws render()'s pictures with characters: a window needs a library that the wheel does not, and a
terminal is available on a remote machine, too. With render_mode=human there is a window, too.
"""

import math
import shutil
import sys
import textwrap
import time
from functools import reduce
from operator import getitem
from typing import Any

import numpy as np

import parallel_pool
from parallel_pool.command_line import terminal
from parallel_pool.command_line.keys import COMMANDS, Keys, label
from parallel_pool.python.arrays.trees import flatten
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.python.specs.spec import Spec

_HOLD = 0.5  # seconds for which a key holds: longer than a terminal waits before it repeats one
_FASTER = {"faster": 1.5, "slower": 1 / 1.5}
_LOWEST_FPS, _HIGHEST_FPS = 1.0, 1000.0


class _Player:
    """Chooses the actions of one env."""

    def __init__(self, spec: Spec, by_keys: bool, seed: Any) -> None:
        self._spec = spec
        self._random = np.random.default_rng(seed)
        array = spec.action_arrays[0]
        self.keys: Keys | None = None  # None: random actions
        if by_keys and len(spec.action_arrays) == 1 and array.kind == "discrete":
            self._first = int(array.low[0])
            values = range(self._first, int(array.high[0]) + 1)
            names = spec.action_meanings or [f"action {value}" for value in values]
            self.keys = Keys(names)
            self._idle = names.index("NOOP") if "NOOP" in names else None
            self.begin()

    def begin(self) -> None:
        """Forgets the action that was chosen."""
        if self.keys:
            self._chosen = self._idle
            self._held = 0  # steps for which the chosen action is still held

    @property
    def is_ready(self) -> bool:
        """Whether there is an action, without another key."""
        return self.keys is None or self._chosen is not None

    @property
    def shown(self) -> str:
        """The name of the last action."""
        if not self.keys:
            return "random actions"
        return "a key begins" if self._chosen is None else self.keys.names[self._chosen]

    def choose(self, action: int | None, steps: int) -> None:
        """Holds the action for `steps`; None: goes on, or does nothing if there is such an action.

        A terminal reports no release of a key, so an action ends by itself.
        """
        if action is not None:
            self._chosen, self._held = action, steps
        elif self._held == 0 and self._idle is not None:
            self._chosen = self._idle
        self._held = max(0, self._held - 1)

    def action(self) -> Any:
        """The action of the one env, with a batch axis."""
        if self.keys and self._chosen is not None:
            return np.array([self._first + self._chosen], self._spec.action_arrays[0].dtype)
        return random_actions(self._spec, self._random, 1)


class _Game:
    """One env, its episodes and its screen."""

    def __init__(self, pool: Any, player: _Player, fps: float, episodes: float) -> None:
        self.done: list[str] = []  # the summary of each episode that ended
        self._pool, self._player, self._fps, self._episodes = pool, player, fps, episodes
        self._by_turns = bool(player.keys) and pool.spec.source.turn_based
        commands = player.keys.commands if player.keys else COMMANDS
        self._commands = {key: command for command, keys in commands.items() for key in keys}
        self._labels = {command: label(keys[0]) for command, keys in commands.items()}
        self._paused = False
        self._begin()

    def _begin(self) -> None:
        self._player.begin()
        self._obs, _ = self._pool.reset()
        self._return, self._steps, self._over = 0.0, 0, False

    def step(self) -> bool:
        """Plays one step, the first of a new episode after an end; False after the last one."""
        if self._over:
            self._begin()
        self._obs, reward, terminated, truncated, _ = self._pool.step(self._player.action())
        self._return, self._steps = self._return + float(reward[0]), self._steps + 1
        if terminated[0] or truncated[0]:
            self._over = True
            number = len(self.done) + 1
            self.done.append(f"episode {number}: return {self._return:g}, {self._steps} steps")
        return len(self.done) < self._episodes

    def show(self) -> None:
        """Plays on the screen until the player quits or all episodes have ended."""
        going, due = True, time.monotonic()
        while going:
            self._draw()
            due = max(due + 1 / self._fps, time.monotonic())
            going = self._take(terminal.keys(None if self._waits() else due - time.monotonic()))

    def _waits(self) -> bool:
        """Whether nothing happens until a key is typed."""
        over = self._over and self._player.keys is not None
        return self._by_turns or self._paused or over or not self._player.is_ready

    def _take(self, typed: list[str]) -> bool:
        """Does what the keys say; False if that ends the game."""
        for key in typed:
            command = self._commands.get(key)
            if command == "quit" or key == terminal.END:
                return False
            if command == "reset":
                self._begin()
            elif self._by_turns:
                if not self._turn(key):
                    return False
            elif command == "pause":
                self._paused = not self._paused
            elif command in _FASTER:
                fps = self._fps * _FASTER[command]
                self._fps = min(max(fps, _LOWEST_FPS), _HIGHEST_FPS)
        if self._player.keys and not self._by_turns and not self._over:
            action = self._player.keys.together(typed)
            self._player.choose(action, math.ceil(_HOLD * self._fps))
        return self._waits() or self.step()

    def _turn(self, key: str) -> bool:
        """Plays the step of a key that has an action; False after the last episode."""
        action = self._player.keys.action(key) if self._player.keys else None
        if action is None or self._over:
            return True
        self._player.choose(action, 1)
        return self.step()

    def _draw(self) -> None:
        columns, lines = shutil.get_terminal_size()
        below = self._below(columns)[: max(1, lines // 2)]  # in a small terminal, not all keys
        height = max(1, lines - len(below))
        picture = _fitting(self._picture(columns, height).splitlines(), height)
        terminal.show([*picture[: lines - len(below)], *below])

    def _below(self, columns: int) -> list[str]:
        """The lines below the picture: the game, then the keys."""
        state = f"episode {len(self.done) + (not self._over)}, step {self._steps}"
        state += f", return {self._return:g}, {self._player.shown}"
        if self._over:
            state += f"; over: {self._labels['reset']} plays again"
        elif self._paused:
            state += f"; paused: {self._labels['pause']} goes on"
        elif not self._by_turns:
            state += f", {self._fps:.3g} steps/s"
        keys = [*self._player.keys.help] if self._player.keys else []
        unused = ("faster", "slower", "pause") if self._by_turns else ()
        keys += [f"{key} {name}" for name, key in self._labels.items() if name not in unused]
        # A key and its action stay on one line.
        text = "  ".join(key.replace(" ", "\xa0") for key in keys)
        wrapped = (line.replace("\xa0", " ") for line in textwrap.wrap(text, columns))
        return [*self._texts(columns), state, *wrapped]

    def _texts(self, columns: int) -> list[str]:
        """The lines of the observation's texts, such as a mission; none if it is shown itself."""
        lines: list[str] = []
        for array in self._pool.spec.state_arrays if self._pool.render_mode else ():
            if array.kind == "text" and array.name.startswith("obs:"):
                path = array.name.removeprefix("obs:").split(".")
                if text := parallel_pool.decode_text(reduce(getitem, path, self._obs)[0]):
                    lines += textwrap.wrap(f"{path[-1]}: {text}", columns)
        return lines

    def _picture(self, columns: int, lines: int) -> str:
        """The env's text, its picture at the size of the terminal, or its observation."""
        if self._pool.render_mode is None:
            return _text(self._obs)
        shown = self._pool.render()
        if shown is None:  # render_mode="human": its window has the picture
            return ""
        frame = shown[0]
        if self._pool.render_mode == "ansi":
            return str(frame)
        return terminal.drawn(terminal.shrunk(frame, columns, lines))


def _fitting(lines: list[str], height: int) -> list[str]:
    """The lines without as many blank ones as are too much; the first, for messages, stays."""
    blank = [i for i, line in enumerate(lines) if i > 0 and not line.strip()]
    left_out = blank[: max(0, len(lines) - height)]
    return [line for i, line in enumerate(lines) if i not in left_out]


def _text(obs: Any) -> str:
    """The observation of a task that cannot be rendered, as numbers."""
    return "\n".join(
        f"{name} {np.array2string(array[0], precision=3, threshold=100)}"
        for name, array in flatten(obs, "observation").items()
    )


def run(
    task_id: str, options: dict[str, Any], by_keys: bool, fps: float, episodes: int | None
) -> int:
    """Plays some episodes, and prints the return and the length of each.

    Args:
        task_id: the task.
        options: options of make().
        by_keys: whether a player's keys choose the actions.
        fps: steps per second of a task that does not wait for the player.
        episodes: the number of episodes; None: one, or with keys until the player quits.
    """
    if "num_envs" in options:
        raise ValueError(f"{task_id}: play plays one env; num_envs is not an option of it")
    shows = sys.stdin.isatty() and sys.stdout.isatty()
    modes = parallel_pool.make_spec(task_id, **options).source.render_modes
    # In a terminal, text is easier to read than a picture of it.
    mode = options.pop("render_mode", ("ansi" if "ansi" in modes else [*modes, None][0]))
    spec = parallel_pool.make_spec(task_id, **options, render_mode=mode)
    if any(array.players for array in (*spec.action_arrays, *spec.state_arrays)):
        raise ValueError(f"{task_id}: play plays tasks for one player only")
    if by_keys and not shows:
        print(
            "play: this is no terminal, so the actions are random. Run it in one to play by keys "
            f"(ssh -t, docker run -it), or write a film: python -m parallel_pool film {task_id}",
            file=sys.stderr,
        )
    player = _Player(spec, by_keys and shows, options.get("seed", 42))
    with parallel_pool.make(spec) as pool:
        game = _Game(pool, player, fps, episodes or (math.inf if player.keys else 1))
        if shows:
            with terminal.screen():
                game.show()
        else:
            while game.step():
                pass
    print(*game.done, sep="\n", end="\n" if game.done else "")
    return 0
