"""`play`: a task in the terminal.

Draws render()'s pictures with characters: a window would need a library that the wheel does not,
and a terminal is available on a remote machine, too.
"""

import shutil
import sys
from typing import Any

import numpy as np

import parallel_pool
from parallel_pool.command_line import terminal
from parallel_pool.python.random_player import sample
from parallel_pool.python.registry import registry
from parallel_pool.python.spec import Spec

_KEYS = "0123456789abcdefghijklmnop"  # for actions 0, 1, 2, ...; q ends
_ARROWS = {"\x1b[D": 0, "\x1b[C": -1}  # left: the first action, right: the last


class _Player:
    """Chooses the actions of one env."""

    def __init__(self, spec: Spec, by_keys: bool, seed: Any) -> None:
        self._arrays = spec.action_arrays
        self._random = np.random.default_rng(seed)
        array = self._arrays[0]
        self.actions = 0  # number of actions that have keys; 0: random actions
        if by_keys and len(self._arrays) == 1 and array.discrete and not array.players:
            self._first = int(array.low[0])
            self.actions = int(array.high[0]) - self._first + 1
        self._chosen = 0

    def take(self, typed: str) -> None:
        """Chooses the action of the last key in `typed` that has one."""
        for arrow, action in _ARROWS.items():
            if arrow in typed and self.actions:
                self._chosen = action % self.actions
                typed = typed.replace(arrow, "")
        for key in typed:
            if key in _KEYS[: self.actions]:
                self._chosen = _KEYS.index(key)

    def action(self) -> Any:
        """The action of the one env, with a batch axis."""
        if self.actions:
            return np.array([self._first + self._chosen], self._arrays[0].dtype)
        batch = {array.name: sample(array, self._random, 1) for array in self._arrays}
        return batch if len(batch) > 1 else next(iter(batch.values()))

    def help(self) -> str:
        """The line below the picture."""
        if not self.actions:
            return "random actions; q ends"
        last = _KEYS[: self.actions][-1]
        return f"keys 0 to {last}, left and right choose an action; now {self._chosen}; q ends"


def run(task_id: str, options: dict[str, Any], by_keys: bool, fps: float, episodes: int) -> int:
    """Plays some episodes, and prints the return and the length of each."""
    if "num_envs" in options:
        raise ValueError(f"{task_id}: play plays one env; num_envs is not an option of it")
    shows = sys.stdin.isatty() and sys.stdout.isatty()
    modes = registry().find(task_id).render_modes
    # In a terminal, text is easier to read than a picture of it.
    mode = options.pop("render_mode", ("ansi" if "ansi" in modes else [*modes, None][0]))
    spec = parallel_pool.make_spec(task_id, **options, render_mode=mode)
    if any(array.players for array in (*spec.action_arrays, *spec.state_arrays)):
        raise ValueError(f"{task_id}: play plays tasks for one player only")
    player = _Player(spec, by_keys and shows, options.get("seed", 42))
    done: list[str] = []
    with parallel_pool.make(spec) as pool:
        if not shows:
            while len(done) < episodes:
                done.append(_episode(pool, player, len(done) + 1))
                print(done[-1], flush=True)
            return 0
        with terminal.screen():
            while len(done) < episodes and (line := _show(pool, player, fps, len(done) + 1)):
                done.append(line)
    print("\n".join(done))
    return 0


def _episode(pool: Any, player: _Player, number: int) -> str:
    """Plays one episode without showing it; returns its summary."""
    pool.reset()
    total, steps, ended = 0.0, 0, False
    while not ended:
        _, reward, terminated, truncated, _ = pool.step(player.action())
        total, steps = total + float(reward[0]), steps + 1
        ended = bool(terminated[0] or truncated[0])
    return f"episode {number}: return {total:g}, {steps} steps"


def _show(pool: Any, player: _Player, fps: float, number: int) -> str:
    """Plays one episode on the screen; returns its summary, empty if the player presses q."""
    pool.reset()
    total, steps, ended = 0.0, 0, False
    while not ended:
        line = f"episode {number}, step {steps}, return {total:g}"
        print(terminal.HOME_AND_CLEAR_BELOW + _picture(pool), line, player.help(), sep="\n", end="")
        sys.stdout.flush()
        typed = terminal.keys(1 / fps)
        if "q" in typed:
            return ""
        player.take(typed)
        _, reward, terminated, truncated, _ = pool.step(player.action())
        total, steps = total + float(reward[0]), steps + 1
        ended = bool(terminated[0] or truncated[0])
    return f"episode {number}: return {total:g}, {steps} steps"


def _picture(pool: Any) -> str:
    """The env's text, or its picture at the size of the terminal."""
    if pool.render_mode is None:
        return "(this task cannot be rendered)"
    frame = pool.render()[0]
    if pool.render_mode == "ansi":
        return str(frame)
    columns, lines = shutil.get_terminal_size()
    return terminal.drawn(terminal.shrunk(frame, columns, max(1, lines - 3)))
