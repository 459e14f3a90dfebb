"""The steps of envs and players that come at different times."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from parallel_pool.learner import time_lines
from parallel_pool.learner.checks import check
from parallel_pool.learner.extras import TAKEN
from parallel_pool.learner.final_rows import FinalRows
from parallel_pool.learner.saved import Received
from parallel_pool.learner.starts import TrajectoriesStart
from parallel_pool.learner.step_rows import concatenated, map_given
from parallel_pool.learner.tensors import copy_of, like, to_numpy
from parallel_pool.python.arrays.trees import leaves, map_leaves, take_rows
from parallel_pool.python.arrays.tuples import without_tuples
from parallel_pool.python.errors import EnvError

_OWN = {*TAKEN, "env_id", "player"}


class Trajectories(TrajectoriesStart):
    """The steps of an async pool, or of players that come and go, each on its own time line.

    The loop of a learner::

        trajectories = parallel_pool.Trajectories(pool, steps=128)
        for update in range(updates):
            for obs in trajectories:
                action, logprob, value = policy(obs)
                trajectories.act(action, logprob=logprob, value=value)
            trajectories.finish(gamma=0.99, gae_lambda=0.95)
            batch = trajectories.batch()

    A loop makes steps * num_envs / batch_size calls of act(), so each env is stepped `steps` times
    on average: fast envs more often. When it ends, each env is in the middle of a step, which it
    ends while the learner learns. This step is a row of the next loop's batch. So the first batch
    has num_envs rows less.

    Attributes:
        pool: the pool.
        steps: of each env in a loop, on average.
        info: the infos of the rows that the loop has given last; info["env_id"] and
            info["players"] say whose they are.
        episode_returns: of the episodes that have ended in this loop, if the pool records them
            (record_episode_statistics).
    """

    def __init__(self, pool: Any, steps: int, *, torch: bool = False, device: Any = None) -> None:
        """The first loop resets a pool that is new, and goes on with one that is not.

        Args:
            pool: a pool of the gymnasium or gym API, sync or async, whose autoreset_mode is
                "next_step" or "same_step".
            steps: of each env in a loop, on average: at least 1.
            torch: observations and batches are torch tensors.
            device: with `torch`, where they are copied to, such as "cuda".

        Raises:
            TypeError: `pool` is no such pool, or `steps` no integer.
            ValueError: the pool does not reset its envs, or has observations that are tuples or
                texts; or a wrong number.
            ImportError: `torch` without torch.
        """
        check(pool, steps, "Trajectories")
        super().__init__(pool, steps, torch, device)
        self._calls = -(-self.steps * pool.num_envs // pool.config["batch_size"])
        self._lines = lines = time_lines.TimeLines(pool.num_envs, pool._pool_spec)
        self._pending = np.full(lines.count, -1)  # each line's row without a result; -1: none
        self._has_ended = np.zeros(lines.count, bool)  # the line's next row is no step
        self._had_ended = self._has_ended.copy()  # the same, when the first loop began
        self.info: dict[str, Any] = {}
        self._given: Any = None  # the observations that wait for act()
        self._is_begun = False
        self._received = Received(pool)
        self._clear()

    def _clear(self) -> None:
        """No rows."""
        self._rows: list[dict[str, Any]] = []  # of each act(): "obs", "action" and the extras
        self._line: list[Any] = []  # of each act(): the lines of its rows
        self._final_rows = FinalRows()
        self._count = self._called = 0
        self._advantage: Any = None  # after finish(): advantage and target of each row
        self.episode_returns: list[float] = []
        room = 2 * self._lines.count
        self._reward = np.zeros(room, self.pool._pool_spec.reward_array.dtype)
        self._flags = np.zeros((3, room), bool)  # terminated, truncated, is a transition

    def __iter__(self) -> Iterator[Any]:
        """The observations of the envs that were received, shape (rows, ...)."""
        if not self._is_begun and self._moves.any():  # the first rows show the envs as they are
            ended = self.pool._native.ended
            self.pool._native.send_reset(None, None, [False] * len(self.pool))
            self._begin_anew()
            self._had_ended[:] = np.repeat(ended, self._lines.players)
        elif not self._is_begun:
            self.reset()
        if self._called >= self._calls:
            self._begin()
        while self._called < self._calls:
            if self._given is None:
                self._receive()
            yield self._sent(self._given)
            if self._given is not None:
                raise RuntimeError(f"act() was not called in step {self._called} of {self._calls}")

    def _receive(self) -> None:
        """Receives a batch; its rewards and ends are those of rows that waited for them."""
        self._check_moves()
        try:
            batch = self._received.next()
        except EnvError as error:
            self._moves.own()
            self._take(*error.result)
            raise
        self._moves.own()
        self._take(*batch)

    def _take(self, obs: Any, reward: Any, terminated: Any, truncated: Any, info: Any) -> None:
        lines = self._lines
        self._given, self.info = lines.spread_all(obs, info, "obs"), info
        line = lines.of(info)
        row = self._pending[line]
        self._pending[line] = -1
        came = row >= 0
        row = row[came]
        ends = lines.ends(terminated, truncated, info)
        self._reward[row] = lines.reward(reward, info)[came]
        self._flags[0, row], self._flags[1, row] = ends[0][came], ends[1][came]
        if self._resets_at_once:
            is_cut = ends[1][came] & ~ends[0][came]
            self._final_rows.add(np.flatnonzero(came)[is_cut], info, row[is_cut])
        else:
            self._has_ended[line] = ends[0] | ends[1] | (self._had_ended[line] & ~came)
            self._had_ended[line] = False
        if lines.has_players:
            self._end_those_that_left(info["env_id"], terminated, truncated)
        if "episode" in info:
            returns, ended = info["episode"]["r"], info["_episode"]
            if len(returns) != len(ended):
                ended = lines.spread(ended, info)
            self.episode_returns += returns[ended].tolist()

    def _end_those_that_left(self, envs: Any, terminated: Any, truncated: Any) -> None:
        """Ends the steps of players that their env no longer showed when its episode ended.

        Nothing tells what they got: 0 counts. A step of an episode that was truncated is left out.
        """
        for is_end, counts in ((terminated, True), (truncated & ~terminated, False)):
            lines = self._lines.of_envs(envs[is_end]).reshape(-1)
            left = self._pending[lines]
            left = left[left >= 0]
            self._flags[0, left] = counts
            self._flags[2, left] &= counts
            self._pending[lines] = -1

    def act(self, action: Any, **extras: Any) -> None:
        """Sends the envs that were received their actions.

        Args:
            action: as of the pool's send(), for the rows that the loop has given last. A tuple of
                an env in Python is kept as a dict with the keys "item_0", "item_1", ...
            **extras: arrays or tensors of shape (rows, ...) to keep, such as value= and logprob=.
                Each step has the same ones. finish() needs `value`.

        Raises:
            RuntimeError: it is called outside of the loop, or twice in a step.
            ValueError: an action or an extra of a wrong shape, or other extras than before; nothing
                was sent.
        """
        if self._given is None:
            raise RuntimeError(
                "act() belongs into a loop over the trajectories, once for each step"
            )
        line = self._lines.of(self.info)
        action = without_tuples(self._action_space, action)
        kept = map_given(copy_of, {"action": action, **extras})
        self._check_kept(kept, len(line))
        numbers = map_leaves(to_numpy, kept["action"])
        self.pool.send(numbers, self.info["env_id"])
        name = "" if isinstance(action, dict) else "action"
        kept["action"] = self._lines.spread_all(kept["action"], self.info, name)
        self._add(line, {"obs": self._given, **kept}, ~self._has_ended[line])
        self._given = None
        self._called += 1

    def _check_kept(self, kept: dict[str, Any], rows: int) -> None:
        for name in kept.keys() & _OWN:
            raise ValueError(f"an extra cannot have the name {name!r} of an own array")
        if self._rows and kept.keys() != self._rows[0].keys() - {"obs"}:
            raise ValueError(
                f"act() was given {', '.join(sorted(kept))}; in the steps before it was "
                f"{', '.join(sorted(self._rows[0].keys() - {'obs'}))}"
            )
        for name, part in kept.items():
            first = next(leaves(part))[1] if isinstance(part, dict) else part
            shape = tuple(first.shape)
            if name != "action" and shape[:1] != (rows,):
                raise ValueError(f"{name} has shape {shape}; it must have {rows} rows")

    def _add(self, line: Any, taken: dict[str, Any], is_transition: Any) -> None:
        """Adds rows, which wait for their results."""
        rows = np.arange(self._count, self._count + len(line))
        self._count += len(line)
        if self._count > len(self._reward):
            room = (0, 2 * self._count - len(self._reward))
            self._reward = np.pad(self._reward, room)
            self._flags = np.pad(self._flags, ((0, 0), room))
        self._flags[:, rows] = False
        self._flags[2, rows] = is_transition
        self._pending[line] = rows
        self._line.append(line)
        self._rows.append(taken)

    def _taken(self, rows: Any) -> Any:
        """Observations, actions and extras of these rows, each of shape (rows, ...)."""
        self._rows = [concatenated(self._rows)]
        return map_leaves(lambda array: array[like(array, rows)], self._rows[0])

    @property
    def final_obs(self) -> Any:
        """With same_step, the last observations of the episodes that were truncated.

        They have shape (episodes, ...); finish() needs their values. With next_step it is None.
        """
        if not self._resets_at_once:
            return None
        return self._sent(self._final_rows.obs(take_rows(self._rows[0]["obs"], slice(0))))

    def finish(
        self, final_value: Any = None, *, gamma: float = 0.99, gae_lambda: float = 0.95
    ) -> None:
        """Computes `advantage` and `target` by parallel_pool.returns.gae().

        An episode that goes on does so with the value of the row that has no result yet.

        Args:
            final_value: shape (episodes,): the values of `final_obs`, unless it is None.
            gamma: the discount of a step.
            gae_lambda: how much later errors count.

        Raises:
            RuntimeError: the loop has not ended, or act() was given no `value`.
            ValueError: another number of values than `final_obs` has rows.
        """
        self._check_whole("finish()")
        self._value(self._rows[0])
        self._rows = [concatenated(self._rows)]
        value = self._rows[0]["value"].reshape(-1)
        finals = None
        if self._resets_at_once:
            finals = self._final_rows.spread(final_value, to_numpy(value))
        self._advantage = time_lines.gae(
            np.concatenate(self._line),
            self._is_pending(),
            self._reward[: self._count],
            value,
            self._flags[0, : self._count],
            self._flags[1, : self._count],
            finals,
            self._flags[2, : self._count],
            gamma,
            gae_lambda,
        )

    def batch(self) -> dict[str, Any]:
        """The steps of episodes that have a result, as flat arrays of shape (rows, ...).

        Returns:
            "obs", "action", "reward", "terminated", "truncated", "env_id" and all extras; for tasks
            with players "player", a row's index among those of its env; after finish() "advantage"
            and "target". Rows are in the order in which their actions were sent. Rows that only
            begin an episode are left out.

        Raises:
            RuntimeError: the loop has not ended.
        """
        self._check_whole("batch()")
        rows = np.flatnonzero(self._flags[2, : self._count] & ~self._is_pending())
        line = np.concatenate(self._line)[rows]
        players = self._lines.players
        batch = self._taken(rows) | {
            "reward": self._reward[rows],
            "terminated": self._flags[0, rows],
            "truncated": self._flags[1, rows],
            "env_id": (line // players).astype(np.int32),
        }
        if self._lines.has_players:
            batch["player"] = (line % players).astype(np.int32)
        if self._advantage is not None:
            advantage, target = self._advantage
            index = like(advantage, rows)
            batch |= {"advantage": advantage[index], "target": target[index]}
        shown: dict[str, Any] = self._sent(batch)
        return shown

    def _is_pending(self) -> Any:
        """Shape (rows,), bool: rows without a result."""
        found = np.zeros(self._count, bool)
        found[self._pending[self._pending >= 0]] = True
        return found

    def _check_whole(self, what: str) -> None:
        if not self._is_begun or self._called < self._calls:
            raise RuntimeError(
                f"{what} needs a whole loop: act() was called {self._called} of {self._calls} times"
            )
