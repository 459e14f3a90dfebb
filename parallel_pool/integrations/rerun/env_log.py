"""Writes the rows of one env to a recording of Rerun.

ENV/reward                     number of each step; of each player
ENV/observation..., ENV/action..., ENV/info...
                               plots of up to 32 numbers, bars of longer vectors, tensors of arrays
                               with more axes, and texts
ENV/episode                    the state "episode 3", from its first result on
ENV/episode/return, ENV/episode/length
                               numbers, at the episode's end
ENV/picture                    what render() draws, as PNG
ENV/bodies                     the bodies of MuJoCo's models
ENV/error                      texts: what the env threw

The time line "step" is the number of the result in the run; "episode" counts the env's episodes.
"""

import io
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import rerun as rr

from parallel_pool.integrations.rerun.bodies import BODIES, Bodies
from parallel_pool.integrations.rerun.rows import Row
from parallel_pool.python.arrays.text import decode_text

STEP = "step"
EPISODE = "episode"

_MOST_LINES = 32  # of one plot
_AT_ONCE = 4096  # rows in memory
# Infos that every row has: the env's number, and those of players.
_LEFT_OUT = ("env_id", "players/env_id")


class EnvLog:
    """The entities of one env. Ends with flush().

    Attributes:
        is_between: whether the next row begins an episode.
        names: how each array is shown, by its name: "plot", "bars", "tensor" or "text"; and
            "picture", and the path of the body to look at as "bodies", if there are any.
    """

    def __init__(
        self,
        stream: rr.RecordingStream,
        root: str,
        pool: Any,
        texts: set[str],
        *,
        first_episode: int = 0,
    ) -> None:
        """Begins without rows.

        Args:
            stream: where to write.
            root: the path of the env's entity, such as "env_17".
            pool: the pool that plays.
            texts: the names of arrays that are texts: ASCII characters, and zeros.
            first_episode: the number of the episode of the first row.
        """
        self._stream = stream
        self._root = root
        self._pool = pool
        self._bodies: Bodies | None = None
        self._texts = texts
        self._steps: dict[str, list[int]] = defaultdict(list)
        self._values: dict[str, list[Any]] = defaultdict(list)
        self.names: dict[str, str] = {}
        self._rows = 0
        self._last_step = -1
        # The number of the next row's episode; None: unknown, because results were left out.
        self._episode: int | None = first_episode
        self._return, self._length = 0.0, 0
        self.is_between: bool = True

    def add(self, row: Row, picture: Any = None) -> None:
        """Adds a row of the env, and its picture after it: (height, width, 3), or None."""
        if self.is_between:
            self.is_between = False
            number = f"from {row.step}" if self._episode is None else self._episode
            self._log(EPISODE, row.step, rr.StateChange(state=f"{EPISODE} {number}"))
        for name, value in row.values().items():
            if name.partition("/")[2] not in _LEFT_OUT and not (row.is_reset and _acts(name)):
                self._steps[name].append(row.step)
                self._values[name].append(value)
        if not row.is_reset:
            self._return += row.reward
            self._length += 1
        if not row.error:
            self._look_at_bodies(row)
        else:
            self._log("error", row.step, rr.TextLog(row.error, level=rr.TextLogLevel.ERROR))
        if picture is not None:
            self.add_picture(row.step, picture)
        if row.is_end:
            self._end(row.step)
        self._last_step = row.step
        self._rows += 1
        if self._rows % _AT_ONCE == 0:
            self.flush()

    def _look_at_bodies(self, row: Row) -> None:
        if self._bodies is None:
            self._bodies = Bodies(self._stream, self._root, self._pool, row.env)
            if self._bodies.paths:
                self.names[BODIES] = self._bodies.paths[:2][-1]  # the first is the world
        self._bodies.look(row.step)

    def add_picture(self, step: int, picture: Any) -> None:
        """Writes the picture of the env after a result: (height, width, 3), uint8."""
        image = rr.EncodedImage(contents=_png(picture), media_type="image/png")
        self._log("picture", step, image)
        self.names["picture"] = "picture"

    def leave_out(self) -> None:
        """Marks a gap between two episodes: some are not written."""
        self._log(EPISODE, self._last_step + 1, rr.StateChange(state="left out"))
        self._episode = None

    def skip(self, row: Row) -> None:
        """Counts the episodes of a row that is not shown."""
        if self._episode is not None:
            self._episode += row.is_end

    def _log(self, name: str, step: int, what: Any) -> None:
        self._stream.reset_time()
        self._stream.set_time(STEP, sequence=step)
        self._stream.log(f"{self._root}/{name}", what)

    def _end(self, step: int) -> None:
        """Writes the return and the length of the episode."""
        self._stream.reset_time()
        self._stream.set_time(STEP, sequence=step)
        if self._episode is not None:
            self._stream.set_time(EPISODE, sequence=self._episode)
            self._episode += 1
        for name, value in (("return", self._return), ("length", self._length)):
            self._stream.log(f"{self._root}/{EPISODE}/{name}", rr.Scalars(value))
        self._return, self._length, self.is_between = 0.0, 0, True

    def flush(self) -> None:
        """Sends the rows that are in memory."""
        for name, values in self._values.items():
            self.names[name] = kind = _kind(name in self._texts, values)
            if kind in _COLUMNS:
                index = rr.TimeColumn(STEP, sequence=self._steps[name])
                columns = _COLUMNS[kind](values)
                self._stream.send_columns(f"{self._root}/{name}", [index], columns)
                continue
            # Columns of Rerun hold no arrays: findings/rerun_tensor_columns.sh
            for step, value in zip(self._steps[name], values, strict=True):
                self._log(name, step, _ARRAYS[kind](value))
        self._steps.clear()
        self._values.clear()
        if self._bodies is not None:
            self._bodies.flush(STEP)


def _acts(name: str) -> bool:
    return name == "action" or name.startswith("action/")


def _kind(is_text: bool, values: list[Any]) -> str:
    """How values are shown, by the first of them."""
    first = np.asarray(values[0])
    if first.dtype.kind in "US" or (is_text and first.ndim == 1):
        return "text"
    has_one_shape = all(np.shape(value) == first.shape for value in values)
    if first.ndim <= 1 and first.size <= _MOST_LINES and has_one_shape:
        return "plot"
    return "bars" if first.ndim == 1 else "tensor"


def _texts(values: list[Any]) -> Any:
    return rr.TextLog.columns(
        text=[decode_text(v) if np.ndim(v) else str(v) for v in values]  # an array of characters
    )


def _plots(values: list[Any]) -> Any:
    return rr.Scalars.columns(scalars=np.asarray(values, np.float64))


def _numbers(value: Any) -> Any:
    return value.astype(np.uint8) if value.dtype == np.bool_ else value


_COLUMNS: dict[str, Callable[[list[Any]], Any]] = {"text": _texts, "plot": _plots}
_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "bars": lambda value: rr.BarChart(_numbers(value)),
    "tensor": lambda value: rr.Tensor(_numbers(value)),
}


def _png(picture: Any) -> bytes:
    from PIL import Image  # comes with rerun-sdk

    file = io.BytesIO()
    Image.fromarray(picture).save(file, "png", compress_level=1)
    return file.getvalue()
