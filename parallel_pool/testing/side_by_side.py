"""Plays a pool and the envs of a reference side by side and compares all they return with ==."""

from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np

import parallel_pool
from parallel_pool.python.arrays.trees import flatten
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same

_NAMES = ("obs", "reward", "terminated", "truncated")
_OF_PLAYERS = ("obs", "reward", "info.players.")  # begin the arrays with a row for each player


class SideBySide:
    """A pool and envs of its reference, which take the same actions. It is a context manager.

    An env of the reference has Gymnasium's reset() and step(). Its observations and rewards have a
    row for each player if the task has several; None is not compared. Its infos are those to
    compare; the pool may have others. SideBySide resets it in the step after an end, as a pool
    does.

    Attributes:
        pool: the pool.
        envs: those of the reference.
        same: the place that a difference is reported with; its `step` counts the compared steps.
        ours: the pool's last result.
        theirs: the last result of each env of the reference.
        is_over: whether the next step of an env begins an episode, for each env.
        ends: how many episodes have "terminated" and "truncated".
        episodes: how many have ended.
    """

    def __init__(
        self,
        task_id: str,
        seed: int | None,
        envs: Sequence[Any],
        *,
        infos: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        """Makes the pool.

        Args:
            task_id: the task.
            seed: of the first env; env i has seed + i. None: the reference takes none.
            envs: those of the reference.
            infos: the names of the reference's infos to compare; None: all of them.
            **options: of the pool.
        """
        self.same = Same(f"{task_id} {options}" if options else task_id, seed)
        self.envs = envs
        self.infos = infos
        self.is_over = [False] * len(envs)
        self.ends: Counter[str] = Counter()
        self.episodes = 0
        given = {"num_threads": 2, "reward_dtype": "float64", **options}
        if seed is not None:
            given["seed"] = seed
        self.pool: Any = parallel_pool.make(task_id, num_envs=len(envs), **given)

    def __enter__(self) -> "SideBySide":
        """Resets both and compares their observations and infos."""
        seed = self.same.seed
        seeds = [{} if seed is None else {"seed": seed + i} for i in range(len(self.envs))]
        self.ours: Any = self.pool.reset()
        self.theirs: list[Any] = [
            env.reset(**own) for env, own in zip(self.envs, seeds, strict=True)
        ]
        self._compare()
        return self

    def step(self, actions: Sequence[Any]) -> None:
        """Plays an action of each env and compares all results."""
        self.same.step += 1
        self.ours = self.pool.step(_joined(actions, _owners(self.ours[-1]) is not None))
        self.theirs = [self._next(env, action) for env, action in enumerate(actions)]
        self._compare()
        self.is_over = [bool(result[2] or result[3]) for result in self.theirs]
        for name, flags in zip(_NAMES[2:], self.ours[2:4], strict=True):
            self.ends[name] += int(flags.sum())
        self.episodes += sum(self.is_over)

    def _compare(self) -> None:
        theirs = self.theirs
        if self.infos is not None:
            theirs = [(*r[:-1], {name: r[-1][name] for name in self.infos}) for r in theirs]
        compare(self.same, self.ours, theirs)

    def _next(self, env: int, action: Any) -> Any:
        if not self.is_over[env]:
            return self.envs[env].step(action)
        obs, info = self.envs[env].reset()
        last = self.theirs[env][1]
        reward = np.zeros(_players(obs), last.dtype) if np.ndim(last) else 0.0
        return obs, reward, False, False, info

    def __exit__(
        self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None
    ) -> None:
        """Closes the pool, and notes the comparison if all was compared and equal."""
        self.pool.close()
        if kind is None and self.theirs[0][0] is not None:
            played(self.pool.spec.task_id, self.same.seed, self.same.step, len(self.envs))


def compare(same: Same, ours: Any, theirs: Sequence[Any]) -> None:
    """Asserts that a pool's result has the rows of the results of the reference's envs.

    Args:
        same: the place.
        ours: what reset() or step() of the pool has returned.
        theirs: the same of each env, in their order. Its infos are compared; the pool may have
            others. The pool has texts as bytes.
    """
    found, owners = _arrays(ours), _owners(ours[-1])
    same.rows("info.env_id", ours[-1]["env_id"], np.arange(len(theirs)))
    if owners is not None:
        same.rows("info.players.env_id", owners, np.sort(owners))
    for env, result in enumerate(theirs):
        wanted = _arrays(result)
        if result[0] is None:
            del wanted["obs"]
        else:
            names = [{name for name in of if name.startswith("obs")} for of in (found, wanted)]
            assert names[0] == names[1], f"{same}: {names[0]}; the reference has {names[1]}"
        for name, value in wanted.items():
            # A task with players may have one reward for all of them.
            is_of_players = owners is not None and name.startswith(_OF_PLAYERS)
            is_of_players = is_of_players and len(found[name]) == len(owners)
            row = found[name][owners == env if is_of_players else env]
            row = parallel_pool.decode_text(row) if isinstance(value, str) else row
            same.row(name, row, value, env)


def _arrays(result: Any) -> dict[str, Any]:
    """The arrays by their names; a reset's result has observations and infos only."""
    *parts, info = result
    return flatten({**dict(zip(_NAMES, parts, strict=False)), "info": info})


def _players(obs: Any) -> int:
    """The number of players that an observation has rows of."""
    return len(next(iter(flatten(obs, "obs").values())))


def _owners(info: dict[str, Any]) -> Any:
    """The env of each player's row; None: the task has one player."""
    players = info.get("players", {})
    return players["env_id"] if "agent" in players else None


def _joined(actions: Sequence[Any], are_of_players: bool) -> Any:
    """The pool's action of the actions of its envs."""
    if isinstance(actions[0], dict):
        names = actions[0]
        return {name: _joined([own[name] for own in actions], are_of_players) for name in names}
    return np.concatenate(actions) if are_of_players else np.stack(actions)
