"""Replay buffers for Tianshou: its collectors and algorithms use them as they are.

Collector(algorithm, envs, VectorReplayBuffer(1_000_000, buffer_num=64))
"""

from typing import Any

import numpy as np

from parallel_pool.learner.replay.file import packed, unpack
from parallel_pool.learner.replay.samples import ReplaySamples

try:
    from tianshou.data import Batch, ReplayBufferManager
except ImportError as _error:
    raise ImportError(
        "parallel_pool.integrations.tianshou_replay needs Tianshou 2: pip install tianshou "
        f"({_error})"
    ) from _error

_NAME = "replay buffer"
_TRANSITION, _ENDS = 1, 6  # bits of ReplayRows.flags: a transition; it terminates, is truncated


class VectorReplayBuffer(ReplayBufferManager):  # type: ignore[misc]
    """A parallel_pool.ReplayBuffer in the form of Tianshou's VectorReplayBuffer.

    An observation is kept once, and of stacked frames the newest (`stack_num`). Indices, and the
    arrays `rew`, `done`, `terminated` and `truncated`, have a row for each row of each env in turn;
    an episode of T steps takes T + 1 of them, and stack_num - 1 more. Infos are not kept.
    """

    _alpha = 0.0  # how much priorities count

    def __init__(
        self,
        total_size: int,
        buffer_num: int,
        *,
        stack_num: int = 1,
        ignore_obs_next: bool = False,
        save_only_last_obs: bool = False,
        sample_avail: bool = False,
        random_seed: int | None = 42,
        folder: Any = None,
    ) -> None:
        """The arguments are those of Tianshou's, and a folder.

        Args:
            total_size: rows of all envs.
            buffer_num: number of envs.
            stack_num: frames in an observation that the envs give, along its first axis.
            ignore_obs_next: nothing; an observation is kept once in any case.
            save_only_last_obs: nothing; of a stack a frame is kept in any case.
            sample_avail: nothing; a transition has all its frames in any case.
            random_seed: of the draws; None: of the system.
            folder: where rows are files; None: they are in memory.
        """
        del ignore_obs_next, save_only_last_obs, sample_avail
        self._arguments = {
            "capacity": max(total_size, buffer_num * (2 * stack_num + 2)),
            "stack_num": stack_num,
            "seed": random_seed,
            "folder": folder,
            "alpha": self._alpha,
        }
        self.options: dict[str, Any] = {"stack_num": 1}  # samples have whole stacks
        self.stack_num = 1
        self.buffer_num = buffer_num
        self.reset()
        self.maxsize: int = self._rows.capacity
        self._length = self.maxsize // buffer_num

    def _make_rows(self) -> ReplaySamples:
        return ReplaySamples(
            _NAME,
            self.buffer_num,
            gamma=1.0,
            n_step=1,
            hindsight=None,
            torch=False,
            device=None,
            reward_dtype=np.float64,
            checks_frames=self._arguments["stack_num"] > 1,
            num_threads=2,
            **self._arguments,
        )

    def reset(self, keep_statistics: bool = False) -> None:
        """Forgets all transitions; with `keep_statistics`, not the returns of episodes."""
        self._rows = self._make_rows()
        if not keep_statistics:
            self._returns = np.zeros(self.buffer_num)
            self._lengths = np.zeros(self.buffer_num, int)
        self._begins = np.zeros(self.buffer_num, int)

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return self._rows.nbytes

    @property
    def subbuffer_edges(self) -> Any:
        """The first rows of envs, and the number of all rows: shape (envs + 1,)."""
        return np.arange(self.buffer_num + 1) * self._length

    @property
    def last_index(self) -> Any:
        """The indices of the envs' newest transitions, shape (envs,)."""
        return self._index_of(self._newest(np.arange(self.buffer_num)))

    def __len__(self) -> int:
        """The number of transitions."""
        return len(self._rows)

    def __repr__(self) -> str:
        """The call that makes such a buffer, and how full it is."""
        return f"{type(self).__name__}({self.maxsize}, {self.buffer_num}): {len(self)} transitions"

    def __getattr__(self, key: str) -> Any:
        """The arrays of all rows, shape (rows, ...): `rew`, `done`, `act` and others."""
        rows = self.__dict__.get("_rows")
        if rows is None:
            raise AttributeError(key)
        bits = {"done": _ENDS, "terminated": 2, "truncated": 4}.get(key)
        if bits is not None:
            return rows._rows.flags & bits != 0
        column = rows._columns.arrays.get({"rew": "reward", "act": "action"}.get(key, ""))
        if column is None:
            raise AttributeError(
                f"{type(self).__name__} has no array {key!r} of all rows; buffer[index].{key} has "
                "those of an index"
            )
        return column

    def _newest(self, lines: Any) -> Any:
        """The ids of the newest transitions, shape (lines,)."""
        return self._rows._rows.newest(lines) - self.buffer_num

    def _index_of(self, ids: Any) -> Any:
        """Where the rows with these ids are."""
        return ids % self.buffer_num * self._length + ids // self.buffer_num % self._length

    def _ids_of(self, index: Any) -> Any:
        """The ids of the rows at these places; IndexError: they are no transitions."""
        flags = self._rows._rows.flags
        if len(index) and not (-self.maxsize <= index.min() <= index.max() < self.maxsize):
            raise IndexError(f"indices are {index.min()} to {index.max()} of {self.maxsize} rows")
        index = index % self.maxsize
        wrong = index[flags[index] & _TRANSITION == 0]
        if len(wrong):
            raise IndexError(f"row {wrong[0]} is no transition; sample_indices(0) has all")
        lines, slots = np.divmod(index, self._length)
        newest = self._rows._rows.newest(np.arange(self.buffer_num))[lines] // self.buffer_num
        return (newest - (newest - slots) % self._length) * self.buffer_num + lines

    def add(self, batch: Any, buffer_ids: Any = None) -> tuple[Any, Any, Any, Any]:
        """Keeps a step of the envs `buffer_ids`.

        Args:
            batch: "obs", "act", "rew", "terminated", "truncated", "obs_next" and "policy", each of
                shape (envs, ...).
            buffer_ids: shape (envs,); None: all.

        Returns:
            The indices; returns and lengths of episodes that have ended, 0 for others; the indices
            of their first steps: each of shape (envs,).

        Raises:
            ValueError: an array of another shape or dtype than before; nothing was kept.
        """
        lines = np.arange(self.buffer_num) if buffer_ids is None else np.asarray(buffer_ids)
        extras = _tree(batch.policy) if "policy" in batch else {}
        self._rows.add(
            _tree(batch.obs),
            _tree(batch.act),
            batch.rew,
            _tree(batch.obs_next),
            batch.terminated,
            batch.truncated,
            lines,
            **({"policy": extras} if extras else {}),
        )
        index = self._index_of(self._newest(lines))
        begins = self.prev(index) == index  # also where envs were reset in the middle of an episode
        self._begins[lines[begins]] = index[begins]
        self._returns[lines[begins]] = self._lengths[lines[begins]] = 0
        self._returns[lines] += batch.rew
        self._lengths[lines] += 1
        done = np.logical_or(batch.terminated, batch.truncated)
        returns = np.where(done, self._returns[lines], 0.0)
        return index, returns, np.where(done, self._lengths[lines], 0), self._begins[lines]

    def sample_indices(self, batch_size: int | None) -> Any:
        """Draws indices; 0: all in the order of time, env by env; None: all in any order."""
        if batch_size is not None and batch_size < 0:
            return np.array([], int)
        if not batch_size:
            return self._index_of(self._rows.index())
        with self._rows._lock:
            return self._index_of(self._rows._draws.draw(batch_size, True, 0.0)[0])

    def sample(self, batch_size: int | None) -> tuple[Any, Any]:
        """Draws transitions: (Batch, indices); 0 or None: all of them."""
        if not batch_size:
            indices = self.sample_indices(batch_size)
            return self[indices], indices
        batch = self._rows.sample(batch_size, **self._weighting())
        return _shown(batch, (batch_size,)), self._index_of(batch["index"])

    def _weighting(self) -> dict[str, Any]:
        """The arguments of a draw."""
        return {}

    def __getitem__(self, index: Any) -> Any:
        """The transitions at an index: a number, a list, an array of any shape, or a slice."""
        if isinstance(index, slice):
            index = self.sample_indices(0)[index]
        index = np.asarray(index, int)
        return _shown(self._rows.transitions(self._ids_of(index.reshape(-1))), index.shape)

    def get(self, index: Any, key: str, default_value: Any = None, stack_num: Any = None) -> Any:
        """An array of the transitions at an index; `default_value`, if there is none."""
        if stack_num not in (None, 1):
            raise ValueError(f"stack_num is {stack_num}; samples have the stacks of the envs")
        batch = self[index]
        return batch[key] if key in batch or default_value is None else default_value

    def next(self, index: Any) -> Any:
        """The indices of the next transitions; where there is none, these themselves."""
        return self._beside(np.asarray(index), 1)

    def prev(self, index: Any) -> Any:
        """The indices of the transitions before; where there is none, these themselves."""
        return self._beside(np.asarray(index), -1)

    def _beside(self, index: Any, offset: int) -> Any:
        """Rows of the same episode: between two episodes is a row that is no transition."""
        row = index // self._length * self._length + (index + offset) % self._length
        return np.where(self._rows._rows.flags[row] & _TRANSITION == 0, index, row)

    def unfinished_index(self) -> Any:
        """The newest transitions of the episodes under way."""
        ids = self._newest(np.arange(self.buffer_num))
        index = self._index_of(ids[ids >= 0])
        return index[self._rows._rows.flags[index] & (_TRANSITION | _ENDS) == _TRANSITION]

    def set_batch(self, batch: Any) -> None:
        """Not offered: rows come by add()."""
        raise NotImplementedError(f"{type(self).__name__} takes rows by add() only")

    def set_array_at_key(self, *args: Any, **kwargs: Any) -> None:
        """Not offered: rows come by add()."""
        self.set_batch(None)

    def save_hdf5(self, path: str, compression: str | None = None) -> None:
        """Not offered: pickle the buffer."""
        raise NotImplementedError(f"{type(self).__name__} is saved by pickle")

    def __getstate__(self) -> dict[str, Any]:
        """For pickle."""
        return {**self.__dict__, "_rows": packed(self._rows)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Makes the rows again."""
        saved = state.pop("_rows")
        self.__dict__.update(state)
        self._rows = self._make_rows()
        unpack(self._rows, saved)


class PrioritizedVectorReplayBuffer(VectorReplayBuffer):
    """VectorReplayBuffer with draws by priority, as Tianshou's PrioritizedVectorReplayBuffer.

    "weight" of a sample is divided by its highest one.
    """

    def __init__(
        self,
        total_size: int,
        buffer_num: int,
        *,
        alpha: float,
        beta: float,
        **options: Any,
    ) -> None:
        """The arguments are those of VectorReplayBuffer and of priorities.

        Args:
            total_size: rows of all envs.
            buffer_num: number of envs.
            alpha: how much priorities count, above 0.
            beta: how far weights correct for them, from 0 to 1.
            **options: those of VectorReplayBuffer.

        Raises:
            ValueError: `alpha` or `beta` is out of its range.
        """
        if alpha <= 0:
            raise ValueError(f"alpha is {alpha}; it must be above 0")
        self.set_beta(beta)
        self._alpha = alpha
        super().__init__(total_size, buffer_num, **options)

    def set_beta(self, beta: float) -> None:
        """Sets how far weights correct for priorities: from 0 to 1."""
        if not 0 <= beta <= 1:
            raise ValueError(f"beta is {beta}; it must be from 0 to 1")
        self._beta = beta

    def _weighting(self) -> dict[str, Any]:
        return {"beta": self._beta}

    def update_weight(self, index: Any, new_weight: Any) -> None:
        """Sets the priorities of transitions by the errors of their values, shape (rows,)."""
        self._rows.update_priorities(self._ids_of(np.asarray(index).reshape(-1)), new_weight)


def _tree(value: Any) -> Any:
    """A Batch as a dict, so that its arrays have names."""
    return value.to_dict() if isinstance(value, Batch) else value


def _shown(batch: Any, shape: tuple[int, ...]) -> Any:
    """Transitions by Tianshou's names, each array of shape (*shape, ...)."""
    found = {
        "obs": batch["obs"],
        "act": batch["action"],
        "rew": batch["reward"],
        "terminated": batch["terminated"],
        "truncated": batch["truncated"],
        "done": batch["terminated"] | batch["truncated"],
        "obs_next": batch["next_obs"],
        "info": {},
        "policy": batch.get("policy", {}),
    }
    if "weight" in batch:
        found["weight"] = batch["weight"]
    return Batch(_reshaped(found, shape))


def _reshaped(value: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(value, dict):
        return {key: _reshaped(part, shape) for key, part in value.items()}
    return value if len(shape) == 1 else value.reshape((*shape, *value.shape[1:]))
