"""A replay buffer that a pool fills."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from parallel_pool.learner.checks import check_pool
from parallel_pool.learner.replay.file import read, write
from parallel_pool.learner.replay.hindsight import Hindsight
from parallel_pool.learner.replay.pool_rows import PoolRows
from parallel_pool.learner.replay.samples import ReplaySamples
from parallel_pool.learner.saved import Moves
from parallel_pool.python.errors import EnvError


class ReplayBuffer(ReplaySamples):
    """A buffer of the last transitions of a pool's envs, for learners such as DQN, SAC and TD3.

    The loop of a learner::

        buffer = parallel_pool.ReplayBuffer(pool, capacity=1_000_000)
        obs, info = buffer.reset()
        for step in range(steps):
            obs, reward, terminated, truncated, info = buffer.step(policy(obs))
            batch = buffer.sample(256)
            target = batch["reward"] + batch["discount"] * value_of(batch["next_obs"])

    step() is the pool's, and keeps each transition once, whatever the pool's autoreset_mode is: no
    row that only resets an env becomes one, and the last observation of an episode is the next one
    of its last transition. A sample's "discount" is 0 after a terminal step, and not after a
    truncated one.

    An observation is kept once: the next observations of a transition are in the next row. A row
    has only the newest frame of a stack. Each env, or player, has an equal share of the rows, and
    its oldest ones are replaced. An episode of T steps takes T + 1 rows, and with a stack of k
    frames k - 1 more.

    Draws depend on nothing but the seed and the calls.

    Attributes:
        pool: the pool.
        capacity: rows of all envs: a multiple of their number, at least what was asked for.
        lines: envs, or all envs' players, each of which has an equal share of the rows.
        nbytes: bytes of all rows. The system gives a row its memory when it is first written.
    """

    def __init__(
        self,
        pool: Any,
        capacity: int,
        *,
        seed: int | None = 0,
        gamma: float = 0.99,
        n_step: int = 1,
        alpha: float = 0.0,
        hindsight: str | None = None,
        hindsight_ratio: float = 0.8,
        compute_reward: Callable[..., Any] | None = None,
        infos: Sequence[str] = (),
        stack_num: int | None = None,
        folder: Any = None,
        torch: bool = False,
        device: Any = None,
    ) -> None:
        """Rows are allocated when the first ones come.

        Args:
            pool: of the gymnasium or gym API, sync or async, of any autoreset_mode.
            capacity: rows that are kept.
            seed: of the draws; None: of the system.
            gamma: the discount of a step.
            n_step: most steps whose rewards a sample adds up (Sutton 1988).
            alpha: how much priorities count in draws (Schaul et al. 2016), such as 0.6; 0: not.
            hindsight: the first rows of a sample get a goal that their episode has reached
                (Andrychowicz et al. 2017): in a "future" step, in the "final" one, or in any step
                of the "episode". Only whole episodes are sampled then. None: goals stay.
            hindsight_ratio: the share of these rows.
            compute_reward: of (achieved goals, desired goals, {}), each of shape (rows, ...); None:
                the pool's.
            infos: names of infos to keep with observations, such as "action_mask"; a sample has
                them as "info" and "next_info".
            stack_num: frames in an observation along its first axis, oldest first; 1: there is no
                stack. None: the pool's own.
            folder: where rows are files of NumPy's format, so that they may be more than memory
                holds. Files that are there are replaced. None: rows are in memory.
            torch: batches are torch tensors.
            device: with `torch`, where batches are copied to, such as "cuda".

        Raises:
            TypeError: `pool` is no such pool, or `capacity` no integer.
            ValueError: a number out of its range, hindsight without goals, or a capacity that is
                too small: for hindsight, an env's longest episode must have room.
            ImportError: `torch` without torch.
        """
        check_pool(pool, "ReplayBuffer")
        spec = pool._pool_spec
        relabels = None
        if hindsight is not None:
            if compute_reward is None and spec.setup.goal_size == 0:
                raise ValueError(
                    f"{spec.task_id}: hindsight needs a task with goals, or compute_reward="
                )
            compute_reward = compute_reward or pool.compute_reward
            relabels = Hindsight(spec.task_id, hindsight, hindsight_ratio, compute_reward)
        rows = PoolRows(pool, infos)
        own_stack = int(spec.config.get("stack_num") or spec.config.get("frame_stack") or 1)
        super().__init__(
            spec.task_id,
            rows.lines,
            capacity,
            seed=seed,
            gamma=gamma,
            n_step=n_step,
            alpha=alpha,
            hindsight=relabels,
            reward_dtype=spec.reward_array.dtype,
            stack_num=own_stack if stack_num is None else stack_num,
            checks_frames=stack_num is not None and stack_num > 1,  # the engine's need no check
            num_threads=spec.config.get("num_threads", 1),
            folder=folder,
            torch=torch,
            device=device,
        )
        limit = spec.config.get("max_episode_steps")
        if hindsight is not None and limit is not None and self._length < limit + self._stack_num:
            raise ValueError(
                f"{spec.task_id}: capacity is {capacity}: {self._length} rows for each env or "
                f"player; hindsight needs room for an episode of {limit} steps"
            )
        self.pool: Any = pool
        self._pool_rows = rows
        self._moves = Moves(pool)

    def reset(
        self, env_id: Any = None, *, seed: Any = None, options: Any = None
    ) -> tuple[Any, Any]:
        """Resets envs of the pool: episodes under way end without a result of their last action.

        Returns:
            (obs, info) of the envs that were reset.
        """
        result = self.pool.reset(env_id, seed=seed, options=options)
        self._moves.own()
        obs, info = result if isinstance(result, tuple) else (result, self._infos_of(env_id))
        self._write(*self._pool_rows.of_reset(obs, info))
        return obs, info

    def _infos_of(self, env_id: Any) -> dict[str, Any]:
        """The infos of a reset that does not return any."""
        ids = np.arange(self.pool.num_envs) if env_id is None else np.atleast_1d(env_id)
        return {"env_id": ids.astype(np.int32)}

    def step(self, action: Any, env_id: Any = None, **extras: Any) -> tuple[Any, ...]:
        """Steps the pool, and keeps the transitions.

        Args:
            action: as of the pool's step().
            env_id: as of the pool's step().
            **extras: arrays or tensors of shape (rows, ...) to keep with the step, such as
                state= of a policy with a memory. Each step has the same ones.

        Returns:
            (obs, reward, terminated, truncated, info), as the pool.

        Raises:
            RuntimeError: others have stepped, reset or loaded the pool: call resume() or reset().
            ValueError: an action or an extra of a wrong shape; no env was stepped.
            EnvError: an env threw; its last transition is left out.
        """
        lines, kept = self._prepared(action, env_id, extras)
        try:
            batch = self.pool.step(action, env_id)
        except EnvError as error:
            self._made(lines, kept, error.result, error.env_ids)
            raise
        self._made(lines, kept, batch)
        return batch  # type: ignore[no-any-return]

    def _made(
        self, lines: Any, kept: list[Any] | None, batch: Any, failed: Sequence[int] = ()
    ) -> None:
        if kept is not None:
            self._act(lines, kept)
        self._receive(batch, failed)

    def _receive(self, batch: Any, failed: Sequence[int] = ()) -> None:
        """Writes a batch; the steps of envs that have failed have no result."""
        self._moves.own()
        if len(failed):
            with self._writing:
                self._rows.cut(self._pool_rows.of_envs(failed))
        self._write(*self._pool_rows.of_step(batch))
        for lines, is_end in self._pool_rows.left(batch):
            end = self._rows.end_unseen if is_end else self._rows.cut
            with self._writing:
                end(lines)

    def send(self, action: Any, env_id: Any = None, **extras: Any) -> None:
        """Sends the pool actions; the arguments are those of step()."""
        lines, kept = self._prepared(action, env_id, extras)
        self.pool.send(action, env_id)
        self._moves.own()
        if kept is not None:
            self._act(lines, kept)

    def recv(self, timeout: float | None = None) -> tuple[Any, ...]:
        """Receives a batch of the pool, and keeps its rows: (obs, reward, terminated, ...).

        Raises:
            TimeoutError: no batch within `timeout` seconds; call again.
            EnvError: an env threw; its last transition is left out.
        """
        try:
            batch = self.pool.recv(timeout)
        except EnvError as error:
            self._receive(error.result, error.env_ids)
            raise
        self._receive(batch)
        return batch  # type: ignore[no-any-return]

    def async_reset(self) -> None:
        """Sends every env of the pool a reset: recv() returns the first observations."""
        self.pool.async_reset()
        self.resume()

    def resume(self) -> None:
        """Goes on after others have stepped, reset or loaded the pool.

        The episodes under way end here without a result of their last action; those of the pool go
        on, as new ones of the buffer.
        """
        self.cut_episodes()
        self._moves.own()

    def save(self, path: Any) -> None:
        """Writes all rows, the state of the draws, and the pool's state, to a file.

        Args:
            path: of the file, such as "run.replay". One that is there is replaced when the new one
                is whole.

        Raises:
            ValueError: the task cannot save, or an env is in flight.
            OSError: the file cannot be written.
        """
        players = [lines.tolist() for lines in self._pool_rows.players]
        with self._lock:
            write(self, path, self.pool.save(), {"players": players})

    def load(self, path: Any, *, pool: bool = True) -> None:
        """Goes on where the buffer and the pool of save() would have.

        Args:
            path: a file of save(), of a buffer with the same task, number of envs and capacity.
            pool: False: only the rows are loaded. The pool stays as it is; its episodes go on as
                new ones of the buffer.

        Raises:
            ValueError: the file is damaged (the error names the part), or is of another buffer or
                pool. Nothing was changed.
            OSError: the file cannot be read.
        """
        load_pool = self.pool.load if pool else _leave
        with self._writing:
            more = read(self, path, load_pool)
        self._pool_rows.players = [np.array(lines, np.int32) for lines in more["players"]]
        self._moves.own()
        if not pool:
            self.resume()

    def _prepared(
        self, action: Any, env_id: Any, extras: dict[str, Any]
    ) -> tuple[Any, list[Any] | None]:
        """The lines of an action, and what to write there; None: nothing was observed yet."""
        self._moves.check("call resume() of the buffer to go on with what they show, or reset()")
        if not self._frames:
            return None, None
        lines, action = self._pool_rows.of_action(action, env_id)
        return lines, self._fitting_actions(self._named(action, extras), len(lines))

    def __repr__(self) -> str:
        """The call that makes such a buffer, and how full it is."""
        return (
            f"ReplayBuffer({self.pool!r}, capacity={self.capacity}): {len(self):,} transitions, "
            f"{self.nbytes / 2**20:,.1f} MiB"
        )


def _leave(saved: bytes) -> None:
    """The pool of a file is not loaded."""
