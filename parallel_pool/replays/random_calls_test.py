"""Random calls of a pool, good and bad, and a replay that has the same results."""

import contextlib
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401
from parallel_pool.testing.pool_calls import Calls, use_profile
from parallel_pool.testing.pool_model import Model, Options
from parallel_pool.testing.results import same

use_profile(300)


class RecordedCalls(Calls):
    """The calls of the fuzz test, of a pool that is recorded from its beginning."""

    def open(self, options: Options) -> tuple[Model, Any]:
        """A model and its pool."""
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name, "run.ppr")
        pool = parallel_pool.make("Trouble-v0", **vars(options))
        pool.record(self.path)
        self.results: list[Any] = []
        return Model(options), pool

    def receive(self, call: Callable[[], tuple[Any, ...]], parts: int = 5) -> None:
        """Keeps the result, or the error that has it."""

        def kept() -> tuple[Any, ...]:
            try:
                result = call()
            except parallel_pool.EnvError as error:
                self.results.append((self.pool.stats()["batches"] - 1, error))
                raise
            self.results.append((self.pool.stats()["batches"] - 1, result))
            return result

        super().receive(kept, parts)

    def teardown(self) -> None:
        """Replays the run."""
        super().teardown()
        if not hasattr(self, "path"):
            return
        with parallel_pool.replay(self.path, num_threads=2) as replay:
            for number, kept in self.results:
                while replay.step < number - 1:  # a reset of all envs has dropped these
                    with contextlib.suppress(parallel_pool.EnvError):
                        next(replay)
                if isinstance(kept, parallel_pool.EnvError):
                    try:
                        next(replay)
                        raise AssertionError(f"no {kept}")
                    except parallel_pool.EnvError as error:
                        assert (str(error), error.env_ids) == (str(kept), kept.env_ids)
                        again, kept = error.result, kept.result
                else:
                    again = next(replay)
                same(kept, again if len(kept) == 5 else (again[0], again[4]))
        self.folder.cleanup()


TestCalls = RecordedCalls.TestCase
