"""Arrays of the last steps of all envs of a pool, which the pool fills in place."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from parallel_pool.core import _core
from parallel_pool.learner import returns
from parallel_pool.learner.checks import check_for_rollout
from parallel_pool.learner.extras import Extras
from parallel_pool.learner.final_rows import FinalRows
from parallel_pool.learner.player_rows import PlayerRows
from parallel_pool.learner.starts import RolloutStart
from parallel_pool.learner.step_rows import map_given, tree_of
from parallel_pool.learner.tensors import like, to_numpy
from parallel_pool.python.arrays.trees import map_leaves, take_rows
from parallel_pool.python.arrays.tuples import without_tuples
from parallel_pool.python.errors import EnvError


class Rollout(RolloutStart):
    """`steps` steps of all envs of a sync pool, in arrays that are allocated once.

    The loop of a learner::

        rollout = parallel_pool.Rollout(pool, steps=128)
        for update in range(updates):
            for obs in rollout:
                action, logprob, value = policy(obs)
                rollout.act(action, logprob=logprob, value=value)
            rollout.finish(value_of(rollout.last_obs), gamma=0.99, gae_lambda=0.95)
            batch = rollout.batch()

    The pool's threads write each row where it stays: nothing is copied, except by pools whose envs
    are in other processes. The next loop goes on where the last one ended, and writes to the same
    arrays. A loop begins with what the envs show: also after one that was left early, and after
    others have stepped, reset or loaded the pool.

    save() and load() continue a training: the pool's state is part of theirs.

    Where each env always has the same players, arrays that are per player have a row for each.

    Attributes:
        pool: the pool.
        steps: of a loop.
        obs: shape (steps + 1, num_envs, ...), or a nested dict of such arrays. obs[t] is what the
            step t was made in, obs[t + 1] what it returned.
        reward: shape (steps, num_envs), of the pool's reward_dtype.
        terminated: shape (steps, num_envs), bool.
        truncated: shape (steps, num_envs), bool.
        info: the infos of the last step.
        episode_returns: of the episodes that have ended in this loop, if the pool records them
            (record_episode_statistics).
        advantage: shape (steps, num_envs), after finish().
        target: advantage + value, after finish(): what the critic learns.
    """

    def __init__(self, pool: Any, steps: int, *, torch: bool = False, device: Any = None) -> None:
        """Allocates the arrays; the first loop resets a pool that is new.

        Args:
            pool: a sync pool of the gymnasium or gym API, whose autoreset_mode is "next_step" or
                "same_step".
            steps: of a loop, at least 1.
            torch: all arrays are torch tensors over the memory that the pool writes to.
            device: with `torch`, where the observations of the loop and the batch are copied to,
                such as "cuda"; None: they stay where they are. For a CUDA device, the memory is
                page-locked.

        Raises:
            TypeError: `pool` is no such pool, or `steps` no integer.
            ValueError: the pool is async, has players that come and go, does not reset its envs, or
                has observations that are tuples or texts; or a wrong number.
            ImportError: `torch` without torch.
        """
        check_for_rollout(pool, steps)
        super().__init__(pool, steps, torch, device)
        spec = pool._pool_spec
        rows = (self.steps, pool.num_envs)
        self._rows = of = PlayerRows(pool.num_envs, spec.setup.most_players)
        named = {
            array.name: self._allocate(
                (self.steps + 1, of.count(array.players), *array.shape), array.dtype
            )
            for array in spec.state_arrays
            if array.name.startswith("obs")
        }
        self._obs = tree_of(named)
        reward = spec.reward_array
        self._reward = self._allocate((self.steps, of.count(reward.players)), reward.dtype)
        self._terminated = self._allocate(rows, "bool")
        self._truncated = self._allocate(rows, "bool")
        self.obs: Any = self._shown(self._obs)
        self.reward: Any = self._shown(self._reward)
        self.terminated: Any = self._shown(self._terminated)
        self.truncated: Any = self._shown(self._truncated)
        self.info: dict[str, Any] = {}
        self.episode_returns: list[float] = []
        self.advantage: Any = None
        self.target: Any = None
        self._extras = Extras(self.steps, self._torch)
        self._begins = np.zeros(pool.num_envs, bool)  # which envs begin an episode in step 0
        self._row = -1  # steps of this loop that are made; -1: there was no loop yet
        self._is_open = False  # the loop has given observations and waits for act()
        self._arrays: Any = None
        self._native = native = pool._native
        in_place = isinstance(native, _core.Pool) and native.can_step_into
        if in_place and spec.setup.most_players == 0:
            flags = {"terminated": self._terminated, "truncated": self._truncated}
            places = {name: array[1:] for name, array in named.items()}
            self._arrays = native.step_arrays({**places, "reward": self._reward, **flags})

    def __iter__(self) -> Iterator[Any]:
        """The observations of each step, shape (num_envs, ...); call act() once for each."""
        if self._moves.any():
            self._observe()
        elif self._row < 0:
            self.reset()
        else:
            self._begin()
        self._clear()
        for step in range(self.steps):
            self._is_open = True
            yield self._obs_of(step)
            if self._is_open:
                raise RuntimeError(f"act() was not called in step {step} of the rollout")

    def _clear(self) -> None:
        """Nothing is known of a new loop yet."""
        self._final_rows = FinalRows()
        self.episode_returns = []
        self.advantage = self.target = None

    def act(self, action: Any, **extras: Any) -> dict[str, Any]:
        """Steps all envs; returns the infos.

        Args:
            action: as of the pool's step(): arrays, tensors, or a dict of them. A tuple of an env
                in Python is kept as a dict with the keys "item_0", "item_1", ...
            **extras: arrays or tensors of shape (num_envs, ...) to keep for this step, such as
                value= and logprob=. Each step has the same ones. finish() needs `value`.

        Raises:
            RuntimeError: it is called outside of the loop, or twice in a step, or others have moved
                the pool since the last one.
            ValueError: an action or an extra of a wrong shape, or other extras than before; no env
                was stepped.
            EnvError: an env threw. The step is made; the next loop goes on after it.
        """
        if not self._is_open:
            raise RuntimeError("act() belongs into a loop over the rollout, once for each step")
        self._moves.check("leave the loop; the next one begins with what the envs show")
        action = without_tuples(self._action_space, action)
        step, is_first = self._row, not self._extras.shown
        extras["action"] = action
        self._extras.write(step, extras)
        numbers = map_given(to_numpy, action)
        try:
            if self._arrays is not None:
                info = self._native.step_into(numbers, self._arrays, step)[4]
            else:
                info = self.pool.step(numbers, out=self._out(step))[4]
        except EnvError as error:
            self._made(step, error.result[-1])
            # Parts that were written in place are valid as long as these arrays only.
            flags = self.terminated[step], self.truncated[step]
            error.result = (take_rows(self.obs, step + 1), self.reward[step], *flags, self.info)
            raise
        except (TypeError, ValueError):
            if is_first:  # the next call may have others
                self._extras = Extras(self.steps, self._torch)
            raise
        self._made(step, info)
        return self.info

    def _out(self, step: int) -> dict[str, Any]:
        """The arrays of a step, into which pools copy that cannot write in place."""
        return {
            "obs": take_rows(self._obs, step + 1),
            "reward": self._reward[step],
            "terminated": self._terminated[step],
            "truncated": self._truncated[step],
        }

    def _made(self, step: int, info: dict[str, Any]) -> None:
        self.info = info
        self._row = step + 1
        self._is_open = False
        self._moves.own()
        if "episode" in info:
            self.episode_returns += self._rows.returns(info)
        if self._resets_at_once:
            envs = np.flatnonzero(self._truncated[step] & ~self._terminated[step])
            self._final_rows.add(envs, info, (step, envs))

    @property
    def extras(self) -> dict[str, Any]:
        """The action and all that act() was given: by name, of shape (steps, num_envs, ...)."""
        return self._extras.shown

    @property
    def last_obs(self) -> Any:
        """The observations after the last step, shape (num_envs, ...)."""
        return self._obs_of(max(self._row, 0))

    @property
    def final_obs(self) -> Any:
        """With same_step, the last observations of the episodes that were truncated.

        They have shape (episodes, ...), in the order of steps and envs; episodes may be 0. finish()
        needs their values. With next_step it is None: the rows of `obs` have these observations.
        """
        if not self._resets_at_once:
            return None
        return self._shown(self._final_rows.obs(take_rows(self._obs, (0, slice(0)))))

    @property
    def is_transition(self) -> Any:
        """Shape (steps, num_envs), bool: False in rows that are no step of an episode.

        With next_step autoreset these are the rows that begin an episode: the action is ignored.
        """
        return self._shown(self._transitions())

    def _transitions(self) -> Any:
        rows = np.ones(self._terminated.shape, bool)
        if not self._resets_at_once:
            rows[0] = ~self._begins
            rows[1:] = ~(self._terminated[:-1] | self._truncated[:-1])
        return rows

    def finish(
        self,
        last_value: Any,
        final_value: Any = None,
        *,
        gamma: float = 0.99,
        gae_lambda: float = 0.95,
    ) -> None:
        """Computes `advantage` and `target` by parallel_pool.returns.gae().

        Args:
            last_value: shape (num_envs,), or (players,): the values of `last_obs`.
            final_value: shape (episodes,): the values of `final_obs`, unless it is None.
            gamma: the discount of a step.
            gae_lambda: how much later errors count.

        Raises:
            RuntimeError: the loop has not ended, or act() was given no `value`.
            ValueError: a wrong shape, or no `final_value` where there is a `final_obs`.
        """
        self._check_whole("finish()")
        value = self._value(self.extras)
        values = to_numpy(value)
        if values.ndim == 3 and values.shape[2] == 1:  # of a critic with one output
            value, values = value.reshape(values.shape[:2]), values[:, :, 0]
        finals = self._final_rows.spread(final_value, values)
        of_players = self._rows.of_players
        self.advantage, self.target = returns.gae(
            of_players(self._reward),
            value,
            of_players(self._terminated),
            of_players(self._truncated),
            to_numpy(last_value).reshape(-1),
            gamma=gamma,
            gae_lambda=gae_lambda,
            final_value=finals if self._resets_at_once else None,
            is_transition=of_players(self._transitions()),
        )

    def batch(self) -> dict[str, Any]:
        """The steps of episodes, as flat arrays of shape (rows, ...).

        Returns:
            "obs", "reward", "terminated", "truncated", "action" and all extras; after finish() also
            "advantage" and "target". Rows are in the order of steps, then envs; those that are no
            transition are left out. Without such rows the arrays share the rollout's memory, else
            they are copies.

        Raises:
            RuntimeError: the loop has not ended.
        """
        self._check_whole("batch()")
        parts = {
            "obs": take_rows(self.obs, slice(-1)),
            "reward": self.reward,
            "terminated": self.terminated,
            "truncated": self.truncated,
            **self.extras,
        }
        if self.advantage is not None:
            parts |= {"advantage": self.advantage, "target": self.target}
        mask = self._rows.of_players(self._transitions()).reshape(-1)
        rows = None if mask.all() else np.flatnonzero(mask)
        batch: dict[str, Any] = map_leaves(lambda part: self._flat(part, rows), parts)
        return batch

    def _flat(self, part: Any, rows: Any) -> Any:
        part = self._rows.of_players(part)
        flat = part.reshape(-1, *part.shape[2:])
        return self._sent(flat if rows is None else flat[like(flat, rows)])

    def _check_whole(self, what: str) -> None:
        if self._row != self.steps:
            raise RuntimeError(
                f"{what} needs a whole loop: {max(self._row, 0)} of {self.steps} steps are made"
            )

    def _obs_of(self, step: int) -> Any:
        return self._sent(take_rows(self.obs, step), non_blocking=True)

    def _allocate(self, shape: tuple[int, ...], dtype: str) -> Any:
        """An array of zeros; page-locked for a CUDA device."""
        if self._torch is None or not str(self._device).startswith("cuda"):
            return np.zeros(shape, dtype)
        kind = getattr(self._torch, dtype)
        return self._torch.zeros(shape, dtype=kind, pin_memory=True).numpy()
