"""Rows of a replay buffer, wherever they come from."""

import threading
from typing import Any

import numpy as np

from parallel_pool.core import _core
from parallel_pool.learner.replay.columns import Columns, check_shape, named
from parallel_pool.learner.tensors import to_numpy

# The columns of a batch that no extra may have.
OWN = (
    *("obs", "next_obs", "action", "reward", "terminated", "truncated", "discount"),
    *("index", "weight", "is_transition", "is_learned", "info", "next_info"),
)


class Writing:
    """A lock for writing: it waits for a batch that was drawn, until its rows are copied.

    Attributes:
        copying: the future of that batch; None: there is none.
    """

    def __init__(self, lock: threading.Lock) -> None:
        """`lock`: that of those who copy."""
        self._lock = lock
        self.copying: Any = None

    def __enter__(self) -> None:
        """Takes the lock."""
        while True:
            self._lock.acquire()
            copying = self.copying
            if copying is None or copying.done():
                self.copying = None
                return
            self._lock.release()
            copying.exception()  # waits

    def __exit__(self, *exception: object) -> None:
        """Releases the lock."""
        self._lock.release()


class ReplayRows:
    """Rings of rows, one for each time line: that of an env, or of a player.

    A row has an observation, and the action, reward and ends that followed. core/learner/
    replay_rows.h draws it.

    Attributes:
        capacity: rows, which is the transitions of episodes without an end.
        lines: time lines: that of an env, or of a player, each.
    """

    def __init__(
        self,
        task_id: str,
        lines: int,
        capacity: Any,
        *,
        reward_dtype: Any,
        stack_num: int,
        checks_frames: bool,
        whole_episodes: bool,
        has_priorities: bool,
        num_threads: int,
        folder: Any,
    ) -> None:
        """Allocates what is known of each row; see ReplayBuffer for the arguments."""
        if isinstance(capacity, bool) or not isinstance(capacity, int | np.integer):
            kind = type(capacity).__name__
            raise TypeError(f"{task_id}: capacity must be an integer, not {kind}")
        least = lines * (2 * stack_num + 2)
        if not least <= capacity < 2**32 - lines:
            raise ValueError(
                f"{task_id}: capacity is {capacity}; {lines} envs or players need {least} to "
                f"{2**32 - lines - 1} rows"
            )
        self._task_id = task_id
        self.lines: int = lines
        self._length = -(-int(capacity) // lines)
        self.capacity: int = self._length * lines
        self._stack_num = stack_num
        self._has_priorities = has_priorities
        self._reward_dtype = np.dtype(reward_dtype)
        self._rows = _core.ReplayRows(
            lines,
            self._length,
            stack_num,
            checks_frames,
            whole_episodes,
            has_priorities,
            num_threads,
        )
        self._columns = Columns(self.capacity, folder)
        self._frames: dict[str, int] = {}  # of the columns of observations
        self._has_infos = False  # among them
        self._others: list[str] = []  # the columns of actions and extras
        self._names: set[str] = set()  # the same
        self._lock = threading.Lock()  # no row is replaced while it is copied
        self._writing = Writing(self._lock)

    def __len__(self) -> int:
        """The number of transitions that can be sampled."""
        return int(self._rows.size)

    @property
    def nbytes(self) -> int:
        """Bytes of all rows. The system gives them memory when they are written first."""
        of_row = 1 + 4 * 4  # what core/learner/replay_rows.h knows of it
        tree = 16 << (self.capacity - 1).bit_length() if self._has_priorities else 0
        return self._columns.nbytes + of_row * self.capacity + tree

    def _write(
        self,
        lines: Any,
        obs: dict[str, Any],
        reward: Any = None,
        terminated: Any = None,
        truncated: Any = None,
        finals: dict[str, Any] | None = None,
        has_final: Any = None,
        resets_at_once: bool = False,
    ) -> None:
        """Rows of `lines`, each another one; those without results begin episodes.

        Args:
            lines: int32, shape (rows,).
            obs: by the names of their columns, each of shape (rows, ...).
            reward: of the steps that led there, shape (rows,), as the next two.
            terminated: of these steps.
            truncated: of these steps.
            finals: with same_step autoreset, the last observations of episodes, as `obs`.
            has_final: which rows of `finals` are one.
            resets_at_once: `obs` begin the next episodes where one has ended.
        """
        if not self._frames:
            self._allocate(obs)
        rows = [lines, list(obs.values()), reward, terminated, truncated, None, has_final]
        rows.append(resets_at_once)
        if finals is not None:
            rows[5] = list(finals.values())
        with self._writing:
            if obs.keys() == self._frames.keys() and self._observe(*rows):
                return
            rows[1] = self._fitting(obs, len(lines))
            if reward is not None:
                rows[2] = np.ascontiguousarray(reward, self._reward_dtype)
            if finals is not None:
                rows[5] = self._fitting(finals, len(lines))
            self._observe(*rows)

    def _observe(self, *rows: Any) -> bool:
        try:
            return self._rows.observe(*rows)
        except ValueError as error:
            raise ValueError(
                f"{self._task_id}: {error}: they are no stack of {self._stack_num} frames, oldest "
                "first; give the buffer stack_num=1"
            ) from None

    def _fitting(self, obs: dict[str, Any], count: int) -> list[Any]:
        """The observations as contiguous arrays of the dtypes of their columns."""
        if obs.keys() != self._frames.keys():
            known = ", ".join(self._frames)
            raise ValueError(f"observations have {', '.join(obs)}; before it was {known}")
        found = []
        for name, frames in self._frames.items():
            found.append(self._columns.fitting(name, obs[name], count, frames))
        return found

    def _allocate(self, obs: dict[str, Any]) -> None:
        """The columns of observations and rewards, by the first ones."""
        for name, value in obs.items():
            shape = value.shape[1:]
            stacks = shape and shape[0] % self._stack_num == 0 and not name.startswith("info.")
            frames = self._stack_num if stacks else 1
            if frames > 1:
                shape = (shape[0] // frames, *shape[1:])
            self._columns.add(name, shape, value.dtype)
            self._frames[name] = frames
        self._columns.add("reward", (), self._reward_dtype)
        self._set_arrays()

    def _set_arrays(self) -> None:
        arrays = self._columns.arrays
        obs = [(arrays[name], frames) for name, frames in self._frames.items()]
        self._has_infos = any(name.startswith("info.") for name in self._frames)
        self._others = [name for name in arrays if name not in self._frames and name != "reward"]
        self._names = set(self._others)
        self._rows.set_arrays(obs, arrays["reward"], [arrays[name] for name in self._others])

    def _fitting_actions(self, values: dict[str, Any], count: int) -> list[Any]:
        """Actions and extras in the order of their columns; the first ones make these.

        Raises:
            ValueError: a value has not `count` rows, or is not like those before; or there are
                other extras than before.
        """
        if not self._others:
            for name, value in values.items():
                array = to_numpy(value)
                check_shape(name, array.shape, (count, *array.shape[1:]))
                self._columns.add(name, array.shape[1:], array.dtype)
            self._set_arrays()
        if values.keys() != self._names:
            raise ValueError(
                f"{self._task_id}: a step has {', '.join(values)}; before it was "
                f"{', '.join(self._others)}"
            )
        given = [values[name] for name in self._others]
        if self._rows.fits(given, count):
            return given
        return [self._columns.fitting(name, values[name], count) for name in self._others]

    def _act(self, lines: Any, values: list[Any]) -> None:
        """Writes values of _fitting_actions() to the newest rows of `lines`."""
        with self._writing:
            self._rows.act(lines, values)

    def cut_episodes(self) -> None:
        """Ends the episodes under way without a result of their last action."""
        with self._writing:
            self._rows.cut(np.arange(self.lines, dtype=np.int32))

    def add(
        self,
        obs: Any,
        action: Any,
        reward: Any,
        next_obs: Any,
        terminated: Any,
        truncated: Any,
        env_id: Any = None,
        **extras: Any,
    ) -> None:
        """Keeps transitions that come from elsewhere: one of each env or player.

        If the observation of a transition is the next one of the env's transition before, it is not
        kept twice.

        Args:
            obs: arrays or tensors of shape (rows, ...), or nested dicts of them.
            action: of these steps, shape (rows, ...).
            reward: shape (rows,).
            next_obs: the observations after these steps, also where an episode has ended.
            terminated: shape (rows,), bool: the episode has ended.
            truncated: shape (rows,), bool: the episode was left, for example at a time limit.
            env_id: shape (rows,): whose transitions they are; None: of env 0, 1, ...
            **extras: further arrays of shape (rows, ...). Each step has the same ones.

        Raises:
            ValueError: an array of another shape or dtype than before, or an unknown env_id;
                nothing was kept.
        """
        rewards = to_numpy(reward).reshape(-1)
        count = len(rewards)
        lines = np.arange(count) if env_id is None else np.asarray(env_id).reshape(-1)
        if len(lines) != count or len(set(lines.tolist())) != count:
            raise ValueError(f"{self._task_id}: env_id needs {count} different numbers")
        if count and not 0 <= lines.min() <= lines.max() < self.lines:
            raise ValueError(
                f"{self._task_id}: env_id is {lines.min()} to {lines.max()}; it must be from 0 to "
                f"{self.lines - 1}"
            )
        lines = lines.astype(np.int32)
        now, after = (
            {name: to_numpy(part) for name, part in named(tree, "obs").items()}
            for tree in (obs, next_obs)
        )
        has_ended, was_left = (
            np.array(to_numpy(flag), bool).reshape(-1) for flag in (terminated, truncated)
        )
        if not len(has_ended) == len(was_left) == count:
            raise ValueError(f"{self._task_id}: {count} rewards, and other numbers of ends")
        if not self._frames:
            self._allocate(now)
        known = self._fitting(now, count)
        self._fitting(after, count)
        values = self._fitting_actions(self._named(action, extras), count)
        begins = ~self._rows.shows(lines, known)
        if begins.any():
            self._write(lines[begins], {name: part[begins] for name, part in now.items()})
        self._act(lines, values)
        self._write(lines, after, rewards, has_ended, was_left)

    def _named(self, action: Any, extras: dict[str, Any]) -> dict[str, Any]:
        """The action and the extras by the names of their columns."""
        values = named(action, "action")
        for name, value in extras.items():
            if name in OWN:
                raise ValueError(f"{self._task_id}: {name!r} is an array of the buffer's own")
            values |= named(value, name)
        return values
