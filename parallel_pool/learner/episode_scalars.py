"""Means of the episodes that have ended, by task, for a logger such as TensorBoard."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from parallel_pool.learner.tensors import to_numpy
from parallel_pool.learner.time_lines import TimeLines


class EpisodeScalars:
    """The mean return, the mean length and the count of a pool's episodes, by task.

    Two lines in the loop of a training log them, here with trackio::

        episodes = parallel_pool.EpisodeScalars(pool)
        for update in range(updates):
            for _ in range(steps):
                *_, info = pool.step(policy(obs))
                episodes.add(info)
            trackio.log(episodes.scalars())

    With TensorBoard the second line is episodes.write(writer, step). A loop over a Rollout adds the
    infos that rollout.act() returns.

    The names are "episode/return", "episode/length" and "episode/count". In a pool of several tasks
    they have the task's id, as in "episode/Pong-v5/return". A task that occurs several times has
    its index into pool.tasks, too: "episode/Pong-v5_0/return". Where each player has rewards of its
    own, the return has the player's name: "episode/return/agent_0".
    """

    def __init__(self, pool: Any) -> None:
        """Begins without episodes.

        Args:
            pool: a pool or a single env of the gymnasium or gym API that was made with
                record_episode_statistics=True. It may be async, and its envs may be in Python.

        Raises:
            TypeError: `pool` is no such pool.
            ValueError: it does not record its episodes, or it has players that come and go and no
                info that says whose a row is.
        """
        spec = getattr(pool, "_pool_spec", None)
        if spec is None or pool.env_type == "dm":
            raise TypeError(
                "EpisodeScalars needs a pool of env_type='gymnasium' or 'gym', not "
                f"{type(pool).__name__}"
            )
        if not spec.config["record_episode_statistics"]:
            raise ValueError(
                f"{spec.task_id}: record_episode_statistics is False; EpisodeScalars needs a pool "
                "that was made with True"
            )
        self._tasks = _names([task.task_id for task in spec.tasks])
        counts = [int(task.config["num_envs"] or 1) for task in spec.tasks]
        self._task_of = np.repeat(np.arange(len(counts)), counts)  # the task of each env
        own = spec.reward_array.players > 0
        self._players = [player.name for player in spec.players] if own else []
        self._lines = TimeLines(sum(counts), spec) if own else None
        self._clear()

    def _clear(self) -> None:
        self._values: dict[str, list[float]] = defaultdict(list)  # by the names of their means
        self._counts = [0] * len(self._tasks)

    def add(self, info: dict[str, Any]) -> None:
        """Adds the episodes that have ended in a batch, if any.

        Args:
            info: the infos that step(), recv() or rollout.act() has returned.

        Raises:
            TypeError: `info` is no dict.
        """
        if not isinstance(info, dict):
            raise TypeError(
                f"EpisodeScalars: info must be a dict of infos, not {type(info).__name__}"
            )
        if "episode" not in info:
            return
        returns, lengths = (np.atleast_1d(to_numpy(info["episode"][key])) for key in ("r", "l"))
        # A single env has neither a mask nor numbers of envs.
        rows = np.flatnonzero(to_numpy(info.get("_episode", [True])))
        envs = to_numpy(info.get("env_id", np.zeros(1, np.int64)))[rows]
        for env, length in zip(envs, lengths[rows].tolist(), strict=True):
            self._counts[self._task_of[env]] += 1
            self._values[self._tasks[self._task_of[env]] + "length"].append(length)
        if self._lines is None:
            for env, value in zip(envs, returns[rows].tolist(), strict=True):
                self._values[self._tasks[self._task_of[env]] + "return"].append(value)
            return
        for line, value in zip(self._lines.of(info).tolist(), returns.tolist(), strict=True):
            env, player = divmod(line, self._lines.players)
            if env in envs:
                self._values[f"return/{self._players[player]}"].append(value)

    def scalars(self, prefix: str = "episode/") -> dict[str, float]:
        """The means and counts of the episodes that were added since the last call, by name.

        A task without such episodes has a count of 0, and no means.
        """
        named = {name: float(np.mean(values)) for name, values in self._values.items()}
        for task, count in zip(self._tasks, self._counts, strict=True):
            named[f"{task}count"] = float(count)
        self._clear()
        return {prefix + name: value for name, value in sorted(named.items())}

    def write(self, writer: Any, step: int) -> None:
        """Gives the scalars() to a SummaryWriter: writer.add_scalar(name, value, step) of each."""
        for name, value in self.scalars().items():
            writer.add_scalar(name, value, step)


def _names(tasks: Sequence[str]) -> list[str]:
    """The beginning of the names of each task's scalars."""
    if len(tasks) == 1:
        return [""]
    count = Counter(tasks)
    return [f"{task}_{k}/" if count[task] > 1 else f"{task}/" for k, task in enumerate(tasks)]
