"""A pool that is recorded, for the tests of replays."""

import functools
import pathlib
from collections.abc import Callable
from typing import Any

import parallel_pool
from parallel_pool.testing.results import same

NUM_ENVS = 6


def caught(call: Callable[[], Any]) -> Any:
    """The result of a call, also if an env threw."""
    try:
        return call()
    except parallel_pool.EnvError as error:
        return error.result


class Run:
    """A pool that is recorded, and its results as recv() has them; None where a reset was."""

    def __init__(self, path: pathlib.Path, task: Any, **options: Any) -> None:
        self.path: pathlib.Path = path / "run.ppr"
        self.pool: Any = parallel_pool.make(
            task, **{"num_envs": NUM_ENVS, "num_threads": 2} | options
        )
        self.pool.record(self.path)
        self.results: list[Any] = []

    def steps(self, count: int) -> None:
        """Steps all envs, or those of each batch, with random actions."""
        for _ in range(count):
            if self.pool.is_async:
                self.results.append(self.pool.recv())
                info = self.results[-1][4]
                self.pool.send(self.pool.sample_actions(info), info["env_id"])
            else:
                info = self.results[-1][-1] if self.pool.spec.players else None
                actions = self.pool.sample_actions(info)
                self.results.append(caught(functools.partial(self.pool.step, actions)))

    def reset(self, *args: Any, **kwargs: Any) -> None:
        """Resets envs."""
        self.results.append(self.pool.reset(*args, **kwargs))

    def check(self, **options: Any) -> None:
        """Ends the run, and compares it with its replay from the start and from other steps."""
        self.pool.close()
        count = len(self.results)
        with parallel_pool.replay(self.path, **options) as replay:
            assert replay.results == count
            assert replay.damage == ""
            for begin in (0, count // 2, count - 1, 1):
                if begin:
                    replay.seek(begin)
                for k in range(begin, count if begin == 0 else min(begin + 3, count)):
                    again = caught(lambda: next(replay))
                    assert replay.step == k
                    self.compare(k, again)
            replay.seek(count - 1)
            next(replay)
            assert next(replay, None) is None

    def compare(self, k: int, again: Any) -> None:
        """Result k of the run, and that of a replay."""
        mine = self.results[k]
        same(mine, (again[0], again[4]) if len(mine) == 2 else again, f"result {k}")
