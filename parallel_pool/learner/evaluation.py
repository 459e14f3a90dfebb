"""evaluate(): the episodes of a policy, a fixed number of each env, and their score."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from parallel_pool.learner.scores import Evaluation
from parallel_pool.python.apis.make import make_gymnasium
from parallel_pool.python.options.option import as_int
from parallel_pool.python.specs.names import names

_SEED = 2**31  # trainings have smaller ones, so that no env of an evaluation is one of theirs
_ENVS = 16  # of one task, if the user gives no number
_SET = ("autoreset_mode", "batch_size", "record_episode_statistics")  # options that it sets


def evaluate(
    policy: Callable[[Any], Any],
    task_id: Any,
    episodes: int = 100,
    *,
    seed: int | Sequence[int] = _SEED,
    statistics: Mapping[str, Mapping[str, Any]] | None = None,
    infos: Sequence[str] = (),
    **options: Any,
) -> Evaluation:
    """Plays episodes of a policy and returns their scores.

    Each env plays the same number of episodes, whatever their lengths: the first so many episodes
    that end in a pool would be the short ones. With a policy that draws no random numbers, the
    result is the same each time.

    Args:
        policy: from the observations of all envs, with the axis of the envs first, to their
            actions.
        task_id: the task or tasks, as make() takes them.
        episodes: of each task.
        seed: of the envs, as make() takes it. The default is far from those of trainings.
        statistics: of the training pool, if it normalizes: pool.statistics(). They stay as they
            are.
        infos: names of infos whose values at the end of each episode are kept, such as
            "is_success".
        **options: those of the training pool. num_envs is 16, or one for each of several tasks.

    Raises:
        ValueError: an option that is not allowed, a pool that normalizes without `statistics`, or
            tasks of several players.
        TypeError: a value of the wrong type.
    """
    if not callable(policy):
        raise TypeError(f"evaluate: policy must be a function of observations, not {policy!r}")
    if as_int("evaluate: episodes", episodes) < 1:
        raise ValueError(f"evaluate: episodes is {episodes}; it must be at least 1")
    for name in _SET:
        if name in options:
            raise ValueError(f"evaluate sets {name} itself: leave it out")
    if not isinstance(task_id, list | tuple) and task_id not in names():
        options.setdefault("num_envs", min(episodes, _ENVS))
    given = {"update_statistics": False, **options} if statistics else options
    pool = make_gymnasium(task_id, seed=seed, record_episode_statistics=True, **given)
    with pool:
        spec = pool.spec
        if any(array.players for array in (*spec.state_arrays, *spec.action_arrays)):
            raise ValueError(f"{spec.task_id}: evaluate plays tasks of one player")
        if statistics:
            pool.load_statistics(dict(statistics))
        elif spec.config["normalize_observation"]:
            raise ValueError(
                f"{spec.task_id}: normalize_observation is True; give statistics=pool.statistics() "
                "of the training pool"
            )
        player = _Player(pool, episodes, infos)
        player.play(policy)
        return Evaluation(
            task_id=task_id,
            episodes=episodes,
            seed=seed,
            options=options,
            statistics=statistics,
            policy=_name(policy),
            tasks=tuple(task.task_id for task in spec.tasks),
            digest=player.digest.hexdigest(),
            **player.rows(),
        )


class _Player:
    """Plays a pool until each env has had its episodes."""

    def __init__(self, pool: Any, episodes: int, infos: Sequence[str]) -> None:
        self._pool, self._infos = pool, infos
        # The task of each env, and the episodes that it still has to play.
        counts = [task.config["num_envs"] for task in pool.spec.tasks]
        self._task = np.repeat(np.arange(len(counts)), counts)
        self._left = np.concatenate(
            [episodes // count + (np.arange(count) < episodes % count) for count in counts]
        )
        self._found: list[list[tuple[Any, ...]]] = [[] for _ in self._task]  # by env
        self.digest = hashlib.sha256()  # of observations and rewards

    def play(self, policy: Callable[[Any], Any]) -> None:
        """Steps the envs."""
        obs, info = self._pool.reset()
        self._known(info)
        self._count(obs)
        while self._left.any():
            obs, reward, _, _, info = self._pool.step(policy(obs))
            self._count(obs)
            self._count(reward)
            for env in np.flatnonzero(info.get("_episode", False)):
                if self._left[env]:
                    self._left[env] -= 1
                    result = (info["episode"][key][env] for key in ("r", "l"))
                    kept = (self._known(info)[name][env] for name in self._infos)
                    self._found[env].append((*result, *kept))

    def rows(self) -> dict[str, Any]:
        """The arrays of an Evaluation, by env and episode."""
        envs = np.repeat(np.arange(len(self._found)), [len(found) for found in self._found])
        returns, lengths, *kept = zip(*(row for rows in self._found for row in rows), strict=True)
        return {
            "returns": np.array(returns, np.float64),
            "lengths": np.array(lengths, np.int64),
            "env": envs,
            "task": self._task[envs],
            "infos": {name: np.array(v) for name, v in zip(self._infos, kept, strict=True)},
        }

    def _known(self, info: dict[str, Any]) -> dict[str, Any]:
        """The infos; ValueError if one that is to be kept is none of them."""
        for name in self._infos:
            if name not in info:
                known = ", ".join(sorted(info))
                raise ValueError(f"evaluate: there is no info {name!r}; there are {known}")
        return info

    def _count(self, rows: Any) -> None:
        """Adds rows to the digest."""
        if isinstance(rows, dict):
            for name in sorted(rows):
                self._count(rows[name])
        elif isinstance(rows, tuple):
            for part in rows:
                self._count(part)
        else:
            self.digest.update(np.ascontiguousarray(rows).tobytes())


def _name(policy: Any) -> str:
    """MODULE:FUNCTION of a policy; empty if it has no such name."""
    module, name = getattr(policy, "__module__", None), getattr(policy, "__qualname__", "<lambda>")
    return f"{module}:{name}" if module and name.isidentifier() and module != "__main__" else ""
