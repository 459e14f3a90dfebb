"""`replay` and `diff`: recorded runs again, as films, numbers or a check."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from parallel_pool.command_line import film_file
from parallel_pool.python.errors import EnvError, ReplayError
from parallel_pool.python.pools.window import tile
from parallel_pool.replays.difference import difference
from parallel_pool.replays.replay import Replay, replay

_DEFAULT_FPS = 30.0  # of a task that people watch as fast as possible


def run(
    file: str,
    env: int | None = None,
    step: int | None = None,
    steps: int = 200,
    out: str | None = None,
    fps: float | None = None,
    verify: bool = False,
) -> int:
    """Plays a run again; returns the exit code: 1 if the file is damaged.

    Args:
        file: of pool.record().
        env: the env to play; None: all.
        step: the number of the first result to show; None: 0.
        steps: the number of results of a film.
        out: the file of the film, or of the picture of `step`; None: neither.
        fps: results per second of the film; None: those of the task, or fewer if the film would
            last less than a second.
        verify: plays the whole run and compares its digests.
    """
    if out is not None:
        film_file.check(out)
    with replay(file, env_id=env, render_mode="rgb_array" if out else None) as played:
        if verify:
            return _verify(played)
        if step is not None:
            played.seek(step)
        if out is None:
            _show(played, step)
            return _tell_damage(played)
        count = 1 if out.endswith(".png") else min(steps, played.results - (step or 0))
        rate = fps or film_file.speed(count, played.fps or _DEFAULT_FPS)
        film_file.write(out, map(tile, itertools.islice(played.frames(), count)), rate)
        of_env = f"env {env}" if env is not None else f"{played.num_envs} envs"
        shown = f"results {step or 0} to {played.step}, {rate:g} per second"
        if out.endswith(".png"):
            shown = f"result {played.step}"
        print(f"{out}: {of_env} of {played.header['task']}, {shown}")
        return _tell_damage(played)


def _tell_damage(played: Replay) -> int:
    """Prints what is wrong with the file; returns the exit code."""
    if not played.check():
        return 0
    print(f"{played.path}: {played.damage}. Its results up to there can be replayed.")
    return 1


def _verify(played: Replay) -> int:
    try:
        for _ in _results(played):
            pass
    except ReplayError as error:
        print(error)
        return 1
    rest = " as far as it can be read" if played.damage else ""
    print(
        f"{played.path} holds{rest}: {played.step + 1:,} results of {played.num_envs} envs of "
        f"{played.header['task']} were played; {played.verified:,} digests are equal"
    )
    return 1 if played.damage else 0


def _results(played: Replay) -> Iterator[Any]:
    while True:
        try:
            yield next(played)
        except StopIteration:
            return
        except EnvError as error:
            yield error.result


def _show(played: Replay, step: int | None) -> None:
    """Prints what was recorded, or one result."""
    header = played.header
    if step is None:
        config = header["config"]
        known = "results" if not played.check() else "results by its last part that can be read"
        print(f"{header['task']}: {played.num_envs} envs, {played.results:,} {known}")
        print(f"  ParallelPool {header['version']}, {header['env_type']} API")
        shown = {n: v for n, v in config.items() if n not in ("per_env", "tasks")}
        print("  " + ", ".join(f"{name}={_brief(value)}" for name, value in shown.items()))
        return
    result = next(_results(played), None)
    if result is None:
        print(f"{played.path}: result {step} cannot be read")
        return
    print(f"result {played.step} of {header['task']}, envs {played.env_id.tolist()}")
    print(f"action: {played.action}")
    print(result)


def _brief(value: Any) -> str:
    return f"array of shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)


def diff(file: str, other: str) -> int:
    """Prints where two runs part; returns the exit code: 0 if they are equal."""
    found = difference(file, other)
    print("the runs are equal" if found is None else found)
    return 0 if found is None else 1
