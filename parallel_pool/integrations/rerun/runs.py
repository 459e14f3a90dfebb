"""Recorded runs as recordings of Rerun."""

import math
import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import rerun as rr

from parallel_pool.integrations.rerun.env_log import EnvLog
from parallel_pool.integrations.rerun.episodes import Episode, as_choice, choose, find_episodes
from parallel_pool.integrations.rerun.layout import Panel, blueprint
from parallel_pool.integrations.rerun.parting import log_parting
from parallel_pool.integrations.rerun.pictures import Pictures
from parallel_pool.integrations.rerun.rows import Rows
from parallel_pool.python.options.option import as_int
from parallel_pool.replays.difference import difference
from parallel_pool.replays.replay import Replay, replay

_FEW_ENVS = 4  # that are shown unless some are chosen
_MOST_RESULTS = 10_000  # of a run that are shown unless some are chosen
_MOST_PICTURES = 200  # in all, unless their distance is given
_BEFORE_PARTING = 1000  # results of two runs that are shown before they part, and behind

File = str | os.PathLike[str]


@dataclass(frozen=True)
class Choice:
    """The part of a run that is shown; see to_rerun()."""

    envs: tuple[int, ...] | None = None
    episode: Any = None
    steps: tuple[int, int] | None = None
    pictures: int | None = None

    @classmethod
    def of(cls, envs: Any, episode: Any, steps: Any, pictures: Any) -> "Choice":
        """The choice of arguments of to_rerun().

        Raises:
            TypeError, ValueError: one is not allowed.
        """
        if envs is not None:
            several = [envs] if np.ndim(envs) == 0 else envs
            envs = tuple(as_int("envs", env) for env in several)
        if steps is not None:
            if np.shape(steps) != (2,):
                raise ValueError(f"steps is {steps!r}; it must be (first, end), as in (100, 300)")
            steps = as_int("steps", steps[0]), as_int("steps", steps[1])
        if pictures is not None and as_int("pictures", pictures) < 0:
            raise ValueError(f"pictures is {pictures}; it must not be negative")
        return cls(envs, as_choice(episode), steps, pictures)


@dataclass(frozen=True)
class _Part:
    """Results first to end - 1 of an env; `episode` if they are one."""

    env: int
    first: int
    end: int
    episode: Episode | None = None


def to_rerun(
    run: File | Sequence[File],
    path: File | None = None,
    *,
    envs: int | Sequence[int] | None = None,
    episode: str | int | None = None,
    steps: tuple[int, int] | None = None,
    pictures: int | None = None,
    env: Any = None,
) -> rr.RecordingStream:
    """Writes a recorded run for the viewer Rerun: all arrays of its envs, by a replay.

    Args:
        run: the file of pool.record(), or two of them, which are shown side by side; a text says
            where they part.
        path: the .rrd file to write; None: the stream holds everything, for its notebook_show().
        envs: the env to show, or several; None: the first four, of two runs the env that parts, or,
            with `episode`, all.
        episode: "best", "median" or "worst" of the episodes that have ended in `envs`, by their
            returns, or the number of the episode to show of each env, from 0 on; None: all results
            in `steps`.
        steps: the numbers of the first result and of the one behind the last; None: (0, 10000), of
            two runs 1,000 around the place where they part.
        pictures: what render() draws after each of so many results; 0: none; None: at most 200
            pictures in all, if the task and this machine can draw.
        env: as of replay().

    Returns:
        The rerun.RecordingStream.

    Raises:
        OSError, RuntimeError: those of replay(); or this machine cannot draw the `pictures`.
        TypeError: an argument has another type.
        ValueError: those of replay(); there is no such env, episode or result; or the task draws no
            pictures.
    """
    choice = Choice.of(envs, episode, steps, pictures)
    stream = new_stream()
    if path is None:
        write(stream, run, choice, env)
    else:
        save(stream, path, run, choice, env)
    return stream


def new_stream(file: File | None = None) -> rr.RecordingStream:
    """A stream of this project, with the name of a recording."""
    stream = rr.RecordingStream("parallel_pool")
    stream.set_log_time_enabled(False)  # when it was written says nothing of the run
    if file is not None:
        stream.send_recording_name(pathlib.Path(file).name)
    return stream


def save(
    stream: rr.RecordingStream, path: File, run: File | Sequence[File], choice: Choice, env: Any
) -> list[str]:
    """Writes one run or two to a new file, which replaces `path` when it is whole."""
    part = pathlib.Path(f"{os.fspath(path)}.{os.getpid()}.part")
    try:
        part.touch()  # of a file that cannot be written, Rerun only warns
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    try:
        stream.save(part)
        lines = write(stream, run, choice, env)
        stream.disconnect()
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return lines


def write(
    stream: rr.RecordingStream, run: File | Sequence[File], choice: Choice, env: Any = None
) -> list[str]:
    """Writes one run or two; returns lines for people that say what was written."""
    files = [run] if isinstance(run, str | os.PathLike) else list(run)
    if len(files) not in (1, 2):
        raise ValueError(f"there are {len(files)} runs; a view shows one run, or two side by side")
    lines: list[str] = []
    panels: list[Panel] = []
    parting = None
    if len(files) == 2:
        parting = difference(files[0], files[1], env=env)
        lines.append("the runs are equal" if parting is None else str(parting))
        choice = _around(parting, choice)
    for number, file in enumerate(files):
        root = "" if len(files) == 1 else f"run_{number + 1}/"
        with replay(file, env=env) as played:
            lines += _write_run(stream, played, root, choice, panels, env)
    stream.send_recording_name(" and ".join(pathlib.Path(file).name for file in files))
    if len(files) == 2:
        log_parting(stream, files, parting)
    stream.send_blueprint(blueprint(panels, is_comparison=len(files) == 2))
    return lines


def _around(parting: Any, choice: Choice) -> Choice:
    """The choice, with the env and the results where two runs part in the place of nothing."""
    if parting is None or parting.step < 0 or choice.episode is not None:
        return choice
    first = max(0, parting.step - _BEFORE_PARTING)
    steps = choice.steps or (first, parting.step + _BEFORE_PARTING)
    envs = choice.envs or ((parting.env_id,) if parting.env_id >= 0 else None)
    return Choice(envs, None, steps, choice.pictures)


def _write_run(
    stream: rr.RecordingStream,
    played: Replay,
    root: str,
    choice: Choice,
    panels: list[Panel],
    env: Any,
) -> list[str]:
    """Writes the parts of a run; `played` is at its beginning."""
    parts = _parts(played, choice, env)
    lines = []
    nth = _distance(played, choice, parts)
    for part in parts:
        panel = Panel(f"{root}env_{part.env}", _title(played, part), played.fps)
        lines.append(f"{played.path}: {panel.title}")
        is_asked = choice.pictures is not None
        problem = _write_part(stream, played, part, panel, nth, is_asked, env)
        if problem:
            lines.append(f"there are no pictures of it: {problem}")
        panels.append(panel)
    shown = max(part.end for part in parts)
    if choice.steps is None and choice.episode is None and shown < played.results:
        lines.append(
            f"{played.path} has {played.results:,} results; the first {shown:,} are shown, others "
            "with steps"
        )
    if played.check():
        lines.append(f"{played.path}: {played.damage}. Its results up to there are shown.")
    return lines


def _title(played: Replay, part: _Part) -> str:
    what = f"env {part.env} of {played.header['task']}"
    if part.episode is not None:
        what += f", episode {part.episode.number} (return {part.episode.total:g})"
    return f"{what}, results {part.first} to {part.end - 1}"


def _parts(played: Replay, choice: Choice, env: Any) -> list[_Part]:
    """The envs to show, and which of their results."""
    for number in choice.envs or ():
        if not 0 <= number < played.num_envs:
            last = played.num_envs - 1
            raise ValueError(f"env is {number}; {played.path} has the envs 0 to {last}")
    if choice.episode is not None:
        found = []
        if choice.envs is None:
            found = find_episodes(Rows(played))
        for number in choice.envs or ():
            with replay(played.path, env_id=number, env=env) as one:
                found += find_episodes(Rows(one))
        chosen = choose(found, choice.episode)
        return [_Part(e.env, e.first, e.last + 1, e) for e in chosen]
    first, end = _steps(played, choice.steps)
    envs = choice.envs or range(min(_FEW_ENVS, played.num_envs))
    return [_Part(number, first, end) for number in envs]


def _steps(played: Replay, steps: tuple[int, int] | None) -> tuple[int, int]:
    if steps is None:
        return 0, min(_MOST_RESULTS, max(1, played.results))
    first, end = steps
    if not 0 <= first < end or first >= played.results:
        raise ValueError(
            f"steps is {first}:{end}; the results of {played.path} are 0 to {played.results - 1}, "
            "and the second number is that of the result behind the last"
        )
    return first, min(end, played.results)


def _distance(played: Replay, choice: Choice, parts: list[_Part]) -> int:
    """The number of results from one picture to the next; 0: there are none."""
    draws = "rgb_array" in played.pool._pool_spec.source.render_modes
    if choice.pictures and not draws:
        raise ValueError(f"{played.header['task']} draws no pictures; give pictures 0")
    if choice.pictures is not None or not draws:
        return choice.pictures or 0
    return math.ceil(sum(part.end - part.first for part in parts) / _MOST_PICTURES)


def _write_part(
    stream: rr.RecordingStream,
    shown: Replay,
    part: _Part,
    panel: Panel,
    nth: int,
    are_needed: bool,
    env: Any,
) -> str:
    """Writes a part, and a picture of each nth row; returns why there are none, if so."""
    render_mode = "rgb_array" if nth else None
    with replay(shown.path, env_id=part.env, env=env, render_mode=render_mode) as played:
        number = 0
        if part.episode is not None:
            played.seek(part.first)
            number = part.episode.number
        rows = Rows(played, follows_end=number > 0)
        log = EnvLog(stream, panel.root, played.pool, rows.texts, first_episode=number)
        pictures = Pictures(played, are_needed=are_needed)
        count = 0
        for row in rows:
            if row.step >= part.end:
                break
            if row.step < part.first:
                log.skip(row)
                continue
            draws = nth and count % nth == 0 and not row.error
            log.add(row, pictures.take() if draws else None)
            count += 1
        log.flush()
        panel.names = log.names
        return pictures.problem
