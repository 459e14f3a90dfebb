"""The envs of a pool in parts, one for each worker."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import parallel_pool
from parallel_pool.python.options.seeds import seeds_of
from parallel_pool.python.specs.spec import Spec

Ids = np.ndarray[Any, Any]  # env ids, int32


@dataclasses.dataclass(frozen=True)
class Shard:
    """The envs of one worker, as a pool of its own.

    Attributes:
        env_ids: their numbers in the whole pool.
        seeds: a seed for each.
        remake: makes the shard's spec, in the worker's process; see Source.remake().
        of_source: its argument before the config: the library of each task, or envs in Python.
        config: make()'s options of the shard, but for `seed`.
    """

    env_ids: Ids
    seeds: list[int]
    remake: Callable[[Any, dict[str, Any]], Spec]
    of_source: Any
    config: dict[str, Any]

    def spec(self, seeds: list[int]) -> Spec:
        """The shard's spec with these seeds; in the worker's process."""
        if isinstance(self.of_source, dict):
            for library in filter(None, self.of_source.values()):
                parallel_pool.load(library)
        return self.remake(self.of_source, self.config | {"seed": seeds})


def split(spec: Spec, num_workers: int, num_threads: int) -> list[Shard]:
    """Divides the envs of a spec; each shard has envs of every task.

    Args:
        spec: of the whole pool.
        num_workers: the number of shards.
        num_threads: of each shard's pool; 0: as many as its machine can run at once.

    Raises:
        ValueError: there are fewer envs of a task than shards.
    """
    counts = [task.config["num_envs"] for task in spec.tasks]
    for task, count in zip(spec.tasks, counts, strict=True):
        if count < num_workers:
            raise ValueError(
                f"{task.task_id}: num_workers is {num_workers}; each worker needs an env of it, "
                f"and there are {count}"
            )
    firsts = list(itertools.accumulate(counts, initial=0))
    seeds = seeds_of(spec.task_id, spec.config["seed"], firsts[-1])
    shards = []
    for k in range(num_workers):
        own = [range(count * k // num_workers, count * (k + 1) // num_workers) for count in counts]
        ids = [first + i for first, part in zip(firsts, own, strict=False) for i in part]
        config = _config_of(spec, own, ids) | {"batch_size": 0}
        config.pop("seed")
        if "num_threads" in config:
            config["num_threads"] = num_threads
            config.pop("thread_affinity_offset", None)
        else:
            config["num_workers"] = min(num_threads or config["num_workers"], len(ids))
        of_ids = [seeds[i] for i in ids]
        shards.append(
            Shard(np.array(ids, np.int32), of_ids, *spec.source.part(ids).remake(), config)
        )
    return shards


def _config_of(spec: Spec, own: list[range], ids: list[int]) -> dict[str, Any]:
    """The options of some envs: own[i] are those of task i."""
    config = dict(spec.config)
    if "tasks" in config:
        config["tasks"] = [
            (task_id, _rows_of(options, part) | {"num_envs": len(part)})
            for (task_id, options), part in zip(config["tasks"], own, strict=True)
        ]
        del config["num_envs"]
    else:
        config = _rows_of(config, own[0]) | {"num_envs": len(ids)}
    return config | {"render_env_id": None}


def _rows_of(options: Any, part: range) -> dict[str, Any]:
    """The options of some envs of a task."""
    own = dict(options)
    if own.get("per_env"):
        per_env = {n: [column[i] for i in part] for n, column in own["per_env"].items()}
        own["per_env"] = per_env
    return own
