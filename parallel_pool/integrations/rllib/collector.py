"""The steps of all envs as columns, and the episodes of RLlib that are made of them.

    row              0     1  |  2     3     4     5     6
    observation      o     o  |  o     o     last  first o
    step                0     1     2     3     (4)   5

Step k leads from row k to row k + 1. Rows left of the bar belong to earlier calls: a fragment that
continues an episode can look back to them. A step between two episodes, here 4, is the reset.
"""

import dataclasses
import time
import uuid
from typing import Any

import numpy as np
import tree
from gymnasium import spaces
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer

_REWARDS = spaces.Box(-np.inf, np.inf, (), np.float32)


@dataclasses.dataclass
class Step:
    """One step of all envs: arrays, or nested dicts of arrays, with a row for each env."""

    actions: Any
    rewards: Any
    terminated: Any
    truncated: Any
    outputs: dict[str, Any]  # of the module, such as "action_logp"


class Collector:
    """The steps of all envs since the last cut()."""

    def __init__(self, env: Any, lookback: int) -> None:
        """Prepares columns for a vector env.

        Args:
            env: the vector env; only its spaces are used.
            lookback: steps before a fragment that it can look back to.
        """
        self._observation_space = env.single_observation_space
        self._action_space = env.single_action_space
        self._num_envs: int = env.num_envs
        self._lookback = lookback

    def reset(self, obs: Any, infos: list[dict[str, Any]]) -> None:
        """Begins new episodes in all envs; steps that were not cut are dropped."""
        n = self._num_envs
        self._obs, self._infos, self._times = [obs], [infos], [time.perf_counter()]
        self._steps: list[Step] = []
        self._ends: list[Any] = []  # of each new step: True where it ends its episode
        self._is_open = np.ones(n, bool)  # False: the episode is over, the next row is a reset
        self._begin = [0] * n  # the first row of each env's episode or fragment
        self._elapsed = [0] * n  # steps of the episode before that row
        self._ids = [uuid.uuid4().hex for _ in range(n)]
        self.num_steps: int = 0  # of all envs since the last cut, without resets
        self.num_ends: int = 0  # episodes that are over since the last cut

    @property
    def obs(self) -> Any:
        """The last observations of all envs."""
        return self._obs[-1]

    def add(self, step: Step, obs: Any, infos: list[dict[str, Any]]) -> None:
        """Adds a step and the row to which it led."""
        ends = self._is_open & (step.terminated | step.truncated)
        self.num_steps += int(np.count_nonzero(self._is_open))
        self.num_ends += int(np.count_nonzero(ends))
        self._is_open = ~ends
        self._ends.append(ends)
        self._steps.append(step)
        self._obs.append(obs)
        self._infos.append(infos)
        self._times.append(time.perf_counter())

    def cut(self) -> tuple[list[SingleAgentEpisode], list[SingleAgentEpisode]]:
        """Makes the episodes of the steps since the last cut.

        Returns:
            The episodes that are over, in the order of their ends; and a fragment of each episode
            that goes on and has a new step. Their arrays are parts of the columns, without a copy.
        """
        ended, fragments = [], []
        if self._ends:
            columns = _Columns(self._obs, self._steps)
            num_earlier = len(self._steps) - len(self._ends)
            for step, env in np.argwhere(np.array(self._ends)).tolist():
                row = num_earlier + step + 1
                ended.append(self._episode(columns, env, row, self._steps[row - 1]))
                self._begin[env], self._elapsed[env] = row + 1, 0
                self._ids[env] = uuid.uuid4().hex
            last = len(self._steps)
            for env in np.flatnonzero(self._is_open).tolist():
                if self._begin[env] < last:
                    fragments.append(self._episode(columns, env, last, None))
                    self._elapsed[env] += last - self._begin[env]
        self._keep(min(self._lookback, len(self._steps)))
        return ended, fragments

    def _keep(self, num_steps: int) -> None:
        """Drops all but the last steps, to which the next fragments can look back."""
        self._steps = self._steps[len(self._steps) - num_steps :]
        for rows in (self._obs, self._infos, self._times):
            del rows[: -num_steps - 1]
        self._begin = [num_steps if is_open else num_steps + 1 for is_open in self._is_open]
        self._ends = []
        self.num_steps = self.num_ends = 0

    def _episode(
        self, columns: "_Columns", env: int, last: int, end: Step | None
    ) -> SingleAgentEpisode:
        """The episode of an env from its first row to the row `last`, where `end` has led."""
        first, elapsed = self._begin[env], self._elapsed[env]
        lookback = min(elapsed, first)
        infos = [rows[env] for rows in self._infos[first - lookback : last + 1]]
        rows = env, first, last, lookback
        episode = SingleAgentEpisode(
            id_=self._ids[env],
            observations=columns.obs.part(env, first, last + 1, lookback),
            observation_space=self._observation_space,
            infos=InfiniteLookbackBuffer(infos, lookback),
            actions=columns.actions.part(*rows),
            action_space=self._action_space,
            rewards=columns.rewards.part(*rows, _REWARDS),
            terminated=end is not None and bool(end.terminated[env]),
            truncated=end is not None and bool(end.truncated[env]),
            extra_model_outputs={name: c.part(*rows) for name, c in columns.outputs.items()},
            t_started=elapsed,
            len_lookback_buffer=lookback,
        )
        # A fragment's time begins with its first step, as in RLlib.
        episode._start_time = self._times[first + (elapsed > 0)]
        episode._last_step_time = self._times[last]
        return episode


class _Columns:
    """All rows, stacked once: arrays of shape (num_envs, rows, ...)."""

    def __init__(self, obs: list[Any], steps: list[Step]) -> None:
        self.obs = _Column(obs)
        self.actions = _Column([step.actions for step in steps])
        self.rewards = _Column([step.rewards for step in steps])
        self.outputs: dict[str, _Column] = {}
        for name in steps[-1].outputs:
            # Earlier steps may lack an output: their actions were random.
            without = [i for i, step in enumerate(steps) if name not in step.outputs]
            begin = without[-1] + 1 if without else 0
            self.outputs[name] = _Column([step.outputs[name] for step in steps[begin:]], begin)


class _Column:
    """One array, or a nested dict of arrays, of shape (num_envs, rows, ...)."""

    def __init__(self, rows: list[Any], begin: int = 0) -> None:
        """Stacks rows, of which the first has the number `begin`."""
        self._data = tree.map_structure(lambda *parts: np.stack(parts, axis=1), *rows)
        self._begin = begin

    def part(
        self, env: int, first: int, end: int, lookback: int, space: Any = None
    ) -> InfiniteLookbackBuffer:
        """Rows `first` to `end` of an env, and up to `lookback` rows before them."""
        begin = max(first - lookback, self._begin)
        rows = slice(begin - self._begin, end - self._begin)
        if isinstance(self._data, np.ndarray):
            data = self._data[env, rows]
        else:
            data = tree.map_structure(lambda column: column[env, rows], self._data)
        made = InfiniteLookbackBuffer(data, space=space)
        made.lookback = first - begin  # its constructor takes len() of a dict for the rows
        return made
