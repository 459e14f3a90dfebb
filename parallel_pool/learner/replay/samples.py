"""Batches that are drawn from a replay buffer."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from parallel_pool.learner.replay.batch import BatchMemory, ReplayBatch, merged, windows
from parallel_pool.learner.replay.columns import tree_of
from parallel_pool.learner.replay.draws import Draws
from parallel_pool.learner.replay.hindsight import Hindsight
from parallel_pool.learner.replay.rows import ReplayRows
from parallel_pool.learner.tensors import to_numpy


class ReplaySamples(ReplayRows):
    """Rows of which batches are drawn; ReplayBuffer documents the arguments."""

    def __init__(
        self,
        task_id: str,
        lines: int,
        capacity: Any,
        *,
        seed: int | None,
        gamma: float,
        n_step: int,
        alpha: float,
        hindsight: Hindsight | None,
        torch: bool,
        device: Any,
        **rows: Any,
    ) -> None:
        """Checks the arguments; `rows` are those of ReplayRows."""
        if not 0 <= gamma <= 1:
            raise ValueError(f"{task_id}: gamma is {gamma}; it must be from 0 to 1")
        if isinstance(n_step, bool) or n_step != int(n_step) or n_step < 1:
            raise ValueError(f"{task_id}: n_step is {n_step}; it must be an integer, at least 1")
        if alpha < 0:
            raise ValueError(f"{task_id}: alpha is {alpha}; it must be 0 or more")
        if hindsight is not None and n_step > 1:
            raise ValueError(f"{task_id}: hindsight needs n_step=1, not {n_step}")
        self._memory = BatchMemory(task_id, torch, device)
        self._rooms: list[tuple[str, tuple[int, ...], Any]] = []
        self._kept: list[str] = []  # the names of actions and extras
        super().__init__(
            task_id,
            lines,
            capacity,
            whole_episodes=hindsight is not None,
            has_priorities=alpha > 0,
            **rows,
        )
        self._draws = Draws(task_id, self._rows, seed, alpha)
        self._gamma, self._n_step = gamma, int(n_step)
        self._hindsight = hindsight

    def sample(
        self,
        batch_size: int,
        *,
        replace: bool = True,
        beta: float = 0.4,
        out: ReplayBatch | None = None,
    ) -> ReplayBatch:
        """Draws transitions.

        Args:
            batch_size: their number.
            replace: whether one may be drawn several times. Draws by priority always may.
            beta: with priorities, how far "weight" corrects for them: from 0 to 1.
            out: an earlier batch, whose memory is written to.

        Returns:
            A dict of arrays or tensors with `batch_size` rows: "obs", "action", "next_obs",
            "terminated", "truncated", all extras; "reward", of up to n_step steps, and "discount",
            such that the target of a critic is reward + discount * value(next_obs); it is 0 after a
            terminal step, and not after a truncated one. "index" (int64) names the transitions for
            update_priorities(); with priorities there is "weight" (float32).

        Raises:
            RuntimeError: the buffer has no transitions yet, or fewer than `batch_size` without
                `replace`.
            ValueError: `beta` is not from 0 to 1, or `batch_size` is below 1.
        """
        with self._lock:
            drawn = self._draws.draw(batch_size, replace, beta)
            return self._batch_of(*drawn, out)

    def batches(
        self, batch_size: int, count: int | None = None, *, replace: bool = True, beta: float = 0.4
    ) -> Iterator[ReplayBatch]:
        """Batches of sample(): each is copied while the learner works with the one before.

        A batch has what the buffer held when the one before was taken, so the same seed and the
        same calls give the same batches. Its memory is written again for the next but one.

        Args:
            batch_size: as of sample().
            count: of batches; None: without end.
            replace: as of sample().
            beta: as of sample().

        Raises:
            RuntimeError, ValueError: as of sample().
        """
        rooms: list[Any] = [None, None]  # that take turns
        with ThreadPoolExecutor(1) as executor:

            def locked_batch_of(*args: Any) -> ReplayBatch:
                with self._lock:
                    return self._batch_of(*args)

            def copy_ahead(out: Any) -> Any:
                with self._lock:
                    drawn = self._draws.draw(batch_size, replace, beta)
                    self._writing.copying = executor.submit(locked_batch_of, *drawn, out)
                    return self._writing.copying

            numbers = itertools.count() if count is None else range(count)
            ahead = None
            for k in numbers:
                batch = rooms[k % 2] = (ahead or copy_ahead(None)).result()
                ahead = None if k + 1 == count else copy_ahead(rooms[(k + 1) % 2])
                yield batch

    def index(self) -> Any:
        """The numbers of all transitions, one env or player after another, in the order of time.

        A transition of line `number % lines` that begins where the one before has led has the
        number before it plus `lines`.
        """
        index = self._rows.ids(np.arange(len(self)))
        return index[np.lexsort((index // self.lines, index % self.lines))]

    def transitions(self, index: Any = None) -> ReplayBatch:
        """The transitions with these numbers, or all of them.

        Args:
            index: of batches, shape (rows,); None: that of index().

        Returns:
            As sample(). Goals are those of the env.

        Raises:
            ValueError: a transition was replaced meanwhile.
        """
        if index is None:
            index = self.index()
        ids = np.ascontiguousarray(to_numpy(index), np.int64)
        with self._lock:
            if not self._rows.has_all(ids):
                raise ValueError(f"{self._task_id}: a transition was replaced meanwhile")
            return self._batch_of(ids, None, None, relabels=False)

    def _batch_of(
        self, ids: Any, weight: Any, out: ReplayBatch | None, relabels: bool = True
    ) -> ReplayBatch:
        batch = ReplayBatch(out)
        self._fill(batch, ids, relabels)
        self._add_draw(batch, ids, weight)
        return batch

    def _add_draw(self, batch: ReplayBatch, ids: Any, weight: Any) -> None:
        batch["index"] = self._memory.shown(ids)
        if weight is not None:
            batch["weight"] = self._memory.shown(weight)

    def _fill(self, batch: ReplayBatch, ids: Any, relabels: bool) -> None:
        """Writes the transitions to the batch; `relabels`: some with goals in hindsight."""
        rooms, count = batch.arrays, len(ids)
        for key, shape, dtype in self._rooms:
            self._memory.room(rooms, key, (count, *shape), dtype)
        obs = [rooms[name] for name in self._frames]
        others = [rooms[name] for name in self._others]
        following = None
        if self._n_step > 1:
            following = [rooms[f"next_{name}"] for name in self._frames]
        reward, discount, terminated, truncated, _ = self._rows.fill(
            ids, self._n_step, self._gamma, obs, following, others
        )
        before, after = {}, {}
        for k, name in enumerate(self._frames):
            # If one observation follows the other, both are views of frames that were copied once.
            if following is None:
                before[name], after[name] = merged(obs[k][:, :-1]), merged(obs[k][:, 1:])
            else:
                before[name], after[name] = merged(obs[k]), merged(following[k])
        if relabels and self._hindsight is not None:
            achieved, random = self._columns.arrays["obs.achieved_goal"], self._draws.random
            lines = self.lines
            self._hindsight.relabel(self._rows, achieved, ids, lines, random, before, after, reward)
        self._show(batch, "obs", before)
        self._show(batch, "obs", after, "next_")
        if self._has_infos:
            self._show(batch, "info", before)
            self._show(batch, "info", after, "next_")
        shown = self._memory.shown
        batch["reward"], batch["discount"] = shown(reward), shown(discount)
        batch["terminated"], batch["truncated"] = shown(terminated), shown(truncated)
        for name in self._kept:
            self._show(batch, name, rooms)

    def _set_arrays(self) -> None:
        """Also the memory that a batch needs: the name, shape of a row, and dtype of each array."""
        super()._set_arrays()
        self._rooms = []
        is_one = self._n_step == 1
        for name, column in self._columns.arrays.items():
            shape, dtype = column.shape[1:], column.dtype
            if name in self._others:
                self._rooms.append((name, shape, dtype))
            elif name in self._frames:
                frames = self._frames[name] + is_one
                self._rooms.append((name, (frames, *shape), dtype))
                if not is_one:
                    self._rooms.append((f"next_{name}", (frames, *shape), dtype))
        self._kept = list(dict.fromkeys(name.partition(".")[0] for name in self._others))

    def _show(
        self, batch: ReplayBatch, name: str, columns: dict[str, Any], prefix: str = ""
    ) -> None:
        """Shows the columns of this name as a tree."""
        shown = self._memory.shown
        if name in columns:
            batch[prefix + name] = shown(columns[name])
        else:
            own = {k: shown(v) for k, v in columns.items() if k.startswith(f"{name}.")}
            batch[prefix + name] = tree_of(own, name)

    def sample_sequences(
        self,
        batch_size: int,
        length: int,
        burn_in: int = 0,
        *,
        beta: float = 0.4,
        out: ReplayBatch | None = None,
    ) -> ReplayBatch:
        """Draws transitions with those around them, for a policy with a memory.

        Each sequence has the drawn transition, up to `burn_in` steps of its episode before it, and
        the `length` - 1 steps after it, as far as they are there. Missing steps are at the end, and
        0. A recurrent state that was kept as an extra is that of the first step: state[:, 0].

        Args:
            batch_size: number of sequences.
            length: steps from the drawn one on, at least 1.
            burn_in: most steps before it.
            beta: as of sample().
            out: as of sample().

        Returns:
            Arrays or tensors of shape (batch_size, burn_in + length, ...): "action", "reward",
            "terminated", "truncated" and the extras; "is_transition" (bool) is False where there is
            no step, "is_learned" is True from the drawn step on. "obs" has a row more in its second
            axis: the observation after the last step. "index" and "weight" are as of sample().

        Raises:
            RuntimeError: the buffer has no transitions yet.
            ValueError: `length`, `burn_in` or `batch_size` is too small, or a sequence is longer
                than the rows of an env.
        """
        steps = length + burn_in
        if length < 1 or burn_in < 0:
            raise ValueError(
                f"{self._task_id}: length is {length} and burn_in {burn_in}; they must be at least "
                "1 and 0"
            )
        if steps + self._stack_num > self._length:
            raise ValueError(
                f"{self._task_id}: sequences of {steps} steps; an env or player has {self._length} "
                "rows: give the buffer a larger capacity"
            )
        batch = ReplayBatch(out)
        with self._lock:
            ids, weight = self._draws.draw(batch_size, True, beta)
            self._fill_sequences(batch, ids, length, burn_in)
        self._add_draw(batch, ids, weight)
        return batch

    def _fill_sequences(self, batch: ReplayBatch, ids: Any, length: int, burn_in: int) -> None:
        steps = burn_in + length
        first, rows, learned, is_transition, terminated, truncated = self._rows.sequences(
            ids, burn_in, length
        )
        found: dict[str, Any] = {}
        for name, column in self._columns.arrays.items():
            frames = self._frames.get(name, 0)  # 0: it is no observation
            before = max(frames - 1, 0)
            shape = (len(ids), steps + frames, *column.shape[1:])
            room = self._memory.room(batch.arrays, f"sequence {name}", shape, column.dtype)
            begin = first - before * self.lines
            self._rows.gather(column, begin, rows + frames - 1, steps + frames, room)
            found[name] = windows(room, max(frames, 1))
        for name in dict.fromkeys(name.partition(".")[0] for name in found):
            self._show(batch, name, found)
        is_learned = is_transition & (np.arange(steps) >= learned[:, None])
        for name, mask in (
            ("is_transition", is_transition),
            ("is_learned", is_learned),
            ("terminated", terminated),
            ("truncated", truncated),
        ):
            batch[name] = self._memory.shown(mask)

    def update_priorities(self, index: Any, error: Any) -> None:
        """Priorities of transitions, by the errors of their values.

        A priority is (abs(error) + 1e-6) ** alpha. New transitions have the highest so far.

        Args:
            index: of a batch, shape (rows,). Those that were replaced meanwhile are left out.
            error: shape (rows,): such as the TD error.

        Raises:
            RuntimeError: the buffer has no priorities.
            ValueError: other numbers of rows, or an error is not finite.
        """
        with self._lock:
            self._draws.update(np.ascontiguousarray(to_numpy(index), np.int64), to_numpy(error))
