"""An env that throws ends its own episode only."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.vector import VectorWrapper

from parallel_pool.python.arrays.trees import put_rows, take_rows
from parallel_pool.python.errors import EnvError

# An env that throws in so many further resets is given up.
_MAX_RESETS = 10


class TruncateOnError(VectorWrapper):
    """Truncates the episode of an env that throws; EnvError is reported, not raised.

    The row of such a step repeats the env's last observation, with reward 0 and `truncated` set;
    its infos are zero. The env's next step resets it, as after every episode. An env that throws
    in a reset is reset again, up to 10 times.

    It also drops info["players"], which repeats info["env_id"] in tasks of one player. Python's
    garbage collector visits each dict that has another one in it, and RLlib makes a dict of each
    row: without "players", sampling takes a fifth less time.
    """

    def __init__(self, env: Any, report: Callable[[EnvError], None]) -> None:
        """Wraps a pool of gymnasium.make_vec(); calls `report` with each error."""
        super().__init__(env)
        self.env: Any  # a pool: its reset() takes env ids
        self._report = report
        self._obs: Any = None
        self._ended = np.zeros(env.num_envs, bool)  # these envs' next row is a reset

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Same as the pool's reset; EnvError if an env throws in 10 further resets."""
        try:
            obs, info = self.env.reset(seed=seed, options=options)
        except EnvError as error:
            self._report(error)
            obs, info = error.result
            self._reset_again(error.env_ids, error, obs)
        info.pop("players", None)
        self._obs, self._ended = obs, np.zeros(self.num_envs, bool)
        return obs, info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Same as the pool's step; EnvError if an env throws in 10 further resets."""
        try:
            obs, reward, terminated, truncated, info = self.env.step(actions)
        except EnvError as error:
            self._report(error)
            obs, reward, terminated, truncated, info = error.result
            failed = np.array(error.env_ids)
            in_reset = self._ended[failed]
            in_step = failed[~in_reset]
            put_rows(obs, in_step, take_rows(self._obs, in_step))
            truncated[failed[in_reset]] = False
            self._reset_again(failed[in_reset].tolist(), error, obs)
        info.pop("players", None)
        self._obs, self._ended = obs, terminated | truncated
        return obs, reward, terminated, truncated, info

    def _reset_again(self, failed: list[int], error: EnvError, obs: Any) -> None:
        """Resets the envs `failed` until none throws, and writes their rows of `obs`."""
        for _ in range(_MAX_RESETS):
            if not failed:
                return
            try:
                first, still_failed = self.env.reset(failed)[0], []
            except EnvError as again:
                self._report(again)
                error, first, still_failed = again, again.result[0], again.env_ids
            put_rows(obs, failed, first)  # zeros for an env that failed again
            failed = still_failed
        raise error
