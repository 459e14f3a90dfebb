"""How the loops of a Rollout and of Trajectories begin: reset(), save() and load()."""

from typing import Any

import numpy as np

from parallel_pool.learner.loop import Loop
from parallel_pool.learner.saved import Received, pack, shown_now, unpack
from parallel_pool.python.arrays.trees import put_rows, take_rows


class RolloutStart(Loop):
    """The part of a Rollout that knows what its next loop begins with."""

    info: dict[str, Any]
    _native: Any
    _obs: Any
    _terminated: Any
    _truncated: Any
    _begins: Any
    _row: int
    _is_open: bool

    def reset(self, seed: Any = None) -> None:
        """Resets the pool; the next loop begins with these observations.

        Call it after a Ctrl-C in act().

        Args:
            seed: as of the pool's reset().
        """
        obs, self.info = self.pool.reset(seed=seed)
        self._begin_at(obs, False)

    def _observe(self) -> None:
        """A new loop begins with what the envs of a pool show that others have moved."""
        begins = np.array(self._native.ended)
        obs, *_, self.info = shown_now(self.pool)
        self._begin_at(obs, begins)

    def _begin_at(self, obs: Any, begins: Any) -> None:
        """The next loop begins with these observations; `begins` as the attribute."""
        self._row = 0
        self._is_open = False
        self._begins[:] = begins
        put_rows(self._obs, 0, obs)
        self._moves.own()

    def save(self) -> bytes:
        """The bytes of the pool and of the rows with which the next loop begins.

        The steps of a loop that has not ended are not part of it.

        Raises:
            ValueError: the task cannot save.
        """
        if self._row < 0 or self._moves.any():
            return pack(self, begins=None)
        begins = self._begins
        if self._row > 0:
            begins = np.zeros_like(begins) if self._resets_at_once else self._ends(self._row - 1)
        obs = take_rows(self._obs, max(self._row, 0))
        return pack(self, obs=obs, begins=begins, info=self.info)

    def load(self, data: bytes) -> None:
        """The next loop goes on where the one of save() would have.

        Args:
            data: the result of save(), of a Rollout over a pool of the same task and options; the
                number of steps may be another.

        Raises:
            ValueError: as of the pool's load(). Nothing was changed.
        """
        tree = unpack(self, data)
        self._row = -1
        if tree["begins"] is not None:
            self.info = tree["info"]
            self._begin_at(tree["obs"], tree["begins"])

    def _ends(self, row: int) -> Any:
        return self._terminated[row] | self._truncated[row]

    def _begin(self) -> None:
        """The observations that were received last are the first ones of a new loop."""
        if self._row > 0:
            row = self._row - 1
            if not self._resets_at_once:
                self._begins[:] = self._ends(row)
            put_rows(self._obs, 0, take_rows(self._obs, self._row))
        self._row = 0


class TrajectoriesStart(Loop):
    """The part of Trajectories that knows what their next loop begins with."""

    info: dict[str, Any]
    _received: Received
    _rows: list[dict[str, Any]]
    _flags: Any
    _pending: Any
    _has_ended: Any
    _had_ended: Any
    _given: Any
    _is_begun: bool

    def _clear(self) -> None:
        raise NotImplementedError

    def _add(self, line: Any, taken: dict[str, Any], is_transition: Any) -> None:
        raise NotImplementedError

    def _taken(self, rows: Any) -> dict[str, Any]:
        raise NotImplementedError

    def reset(self, seed: int | None = None) -> None:
        """Begins new episodes of all envs; drops what is in flight, and rows without a result.

        Args:
            seed: env i restarts its random numbers from seed + i; None: they go on.
        """
        seeds = None if seed is None else [seed + env for env in range(len(self.pool))]
        self.pool._native.send_reset(None, seeds)
        self._begin_anew()

    def _begin_anew(self) -> None:
        """No row waits for a result, and no batch for its turn."""
        self._received.put([])
        self._pending[:] = -1
        self._has_ended[:] = self._had_ended[:] = False
        self._given = None
        self._clear()
        self._is_begun = True
        self._moves.own()

    def save(self) -> bytes:
        """The bytes of the pool and of the rows that have no result yet.

        It waits for the envs in flight; their rows keep their turn. The rows of a loop that has not
        ended are not part of it, if they have a result.

        Raises:
            RuntimeError: others have moved the pool.
            ValueError: the task cannot save.
        """
        if not self._is_begun:
            return pack(self, lines=None)
        self._check_moves()
        received = self._received.all()
        self._moves.own()
        lines, rows = self._waiting()
        return pack(
            self,
            lines=lines,
            rows=self._taken(rows) if self._rows else {},
            is_transition=self._flags[2, rows],
            has_ended=self._has_ended,
            given=self._given,
            info=self.info,
            received=received,
        )

    def load(self, data: bytes) -> None:
        """The next loop goes on where the one after save() would have.

        Args:
            data: the result of save(), of Trajectories over a pool of the same task and options.

        Raises:
            ValueError: as of the pool's load(). Nothing was changed.
        """
        if self.pool.in_flight:
            self._received.all()
        tree = unpack(self, data)
        self._begin_anew()
        if tree["lines"] is None:
            self._is_begun = False
            return
        if tree["rows"]:
            self._add(tree["lines"], tree["rows"], tree["is_transition"])
        self._has_ended, self._given, self.info = tree["has_ended"], tree["given"], tree["info"]
        self._received.put(tree["received"])

    def _check_moves(self) -> None:
        self._moves.check("call reset() of the trajectories")

    def _begin(self) -> None:
        """A new loop, whose first rows are those that have no result yet."""
        waiting, rows = self._waiting()
        first = self._taken(rows)
        is_transition = self._flags[2, rows]
        self._clear()
        self._add(waiting, first, is_transition)

    def _waiting(self) -> tuple[Any, Any]:
        """The lines that wait for a result, and their rows, in the order of the rows."""
        waiting = np.flatnonzero(self._pending >= 0)
        rows = self._pending[waiting]
        order = np.argsort(rows)
        return waiting[order], rows[order]
