"""Parts of a pool's envs in turn: a policy computes for one while the others are stepped."""

from typing import Any

import numpy as np

from parallel_pool.learner.saved import Moves, Received, pack, unpack
from parallel_pool.python.apis.gym_base import GymApi
from parallel_pool.python.errors import EnvError
from parallel_pool.python.options.option import as_int


class Pipeline:
    """A sync pool whose envs are stepped in parts, by turns.

    step(action) sends the actions of the envs whose rows came last, and returns the rows of the
    next part, which was stepped meanwhile::

        pipeline = parallel_pool.Pipeline(pool)
        obs, info = pipeline.reset()  # of envs 0 to 31 of 64
        while True:
            obs, reward, terminated, truncated, info = pipeline.step(policy(obs))

        envs 0 .. 31      | policy | step ............ | policy | step ...
        envs 32 .. 63     step ... | policy | step ............ | policy |

    Each part returns its own rows in turn: those of its reset first, with reward 0. All parts are
    stepped by the pool's threads. They work while your policy does only if the pool has several:
    num_threads=1 is the thread that receives. Results are those of the pool's own step(), row by
    row.

    Attributes:
        pool: the pool.
        parts: the env ids of each part: int32, shape (rows,).
        part: the number of the part whose rows came last.
    """

    def __init__(self, pool: Any, parts: int = 2) -> None:
        """Takes a pool, which must not be used otherwise meanwhile.

        Args:
            pool: a sync pool of the gymnasium or gym API.
            parts: the number of parts, of as equal sizes as can be.

        Raises:
            TypeError: `pool` is no such pool, or `parts` no integer.
            ValueError: the pool is async, or has fewer envs than parts; or its observations or
                rewards are normalized: each part would count as a batch.
        """
        if not isinstance(pool, GymApi):
            raise TypeError(
                f"a Pipeline needs a pool of env_type='gymnasium' or 'gym', not "
                f"{type(pool).__name__}"
            )
        config, task_id = pool.config, pool._pool_spec.task_id
        count = as_int(f"{task_id}: parts", parts)
        if pool.is_async:
            raise ValueError(
                f"{task_id}: a Pipeline needs a sync pool; batch_size is {config['batch_size']} "
                f"of {len(pool)} envs"
            )
        if not 1 <= count <= len(pool):
            raise ValueError(
                f"{task_id}: parts is {count}; allowed are 1 to {len(pool)}, the number of envs"
            )
        for name in ("normalize_observation", "normalize_reward"):
            if config.get(name):
                raise ValueError(f"{task_id}: {name} counts whole batches, not parts of them")
        self.pool: Any = pool
        self.parts: list[Any] = np.array_split(np.arange(len(pool), dtype=np.int32), count)
        self.part: int = 0
        self._in_flight = 0  # parts that were sent and not received
        self._is_reset = False
        self._received = Received(pool)
        self._moves = Moves(pool)

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins new episodes of all envs: (obs, info) of part 0.

        Results of steps that are under way are dropped.

        Args:
            seed: env i restarts its random numbers from seed + i; None: they go on.

        Raises:
            EnvError: an env threw; `error.result` has the batch.
        """
        self._received.all()
        self._received.put([])
        self._in_flight = 0
        for ids in self.parts:
            seeds = None if seed is None else [seed + int(env) for env in ids]
            self.pool._native.send_reset(ids, seeds)
            self._in_flight += 1
        self.part, self._is_reset = len(self.parts) - 1, True
        self._moves.own()
        obs, *_, info = self._receive()
        return obs, info

    def step(self, action: Any) -> tuple[Any, ...]:
        """Steps the envs of the part whose rows came last; returns the rows of the next part.

        Args:
            action: of these envs, as of the pool's step().

        Returns:
            (obs, reward, terminated, truncated, info) as of the pool's step(); info["env_id"] has
            the envs, which are those of parts[part].

        Raises:
            RuntimeError: before the first reset(), or after others have moved the pool.
            ValueError, TypeError: as of the pool's step(); no env was stepped.
            EnvError: an env threw; `error.result` has the batch, and the next step goes on.
        """
        if not self._is_reset:
            raise RuntimeError(f"{self.pool!r}: call reset() of the Pipeline before step()")
        self._moves.check("call reset() of the Pipeline")
        if self._in_flight == len(self.parts):  # a Ctrl-C has ended the last call
            return self._receive()
        self.pool.send(action, self.parts[self.part])
        self._in_flight += 1
        return self._receive()

    def save(self) -> bytes:
        """The bytes of the pool and of the rows of the parts in flight.

        Raises:
            RuntimeError: before the first reset(), or after others have moved the pool.
            ValueError: the task cannot save.
        """
        if not self._is_reset:
            raise RuntimeError(f"{self.pool!r}: call reset() of the Pipeline before save()")
        self._moves.check("call reset() of the Pipeline")
        received = self._received.all()
        self._moves.own()
        parts = [len(ids) for ids in self.parts]
        return pack(self, parts=parts, part=self.part, in_flight=self._in_flight, received=received)

    def load(self, data: bytes) -> None:
        """The next step() gets the action that the one after save() would have got.

        Args:
            data: the result of save(), of a Pipeline of as many parts over a pool of the same task
                and options.

        Raises:
            ValueError: another number of parts, or as of the pool's load().
        """
        self._received.all()
        tree = unpack(self, data)
        own = [len(ids) for ids in self.parts]
        self._received.put(tree["received"])
        self.part, self._in_flight, self._is_reset = tree["part"], tree["in_flight"], True
        self._moves.own()
        if tree["parts"] != own:
            self._is_reset = False
            raise ValueError(
                f"{self.pool!r}: load(): the state has parts of {tree['parts']} envs, this "
                f"Pipeline of {own}; call reset()"
            )

    def _receive(self) -> tuple[Any, ...]:
        """The oldest batch that was sent."""
        try:
            batch: tuple[Any, ...] = self._received.next()
        except EnvError:
            self._turn()
            raise
        self._turn()
        return batch

    def _turn(self) -> None:
        self._moves.own()
        self._in_flight -= 1
        self.part = (self.part + 1) % len(self.parts)

    def __repr__(self) -> str:
        """The call that makes such a pipeline."""
        return f"Pipeline({self.pool!r}, parts={len(self.parts)})"
