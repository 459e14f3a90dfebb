"""Runs to show, and the content of a .rrd file, read by Rerun's own reader."""

import collections
import os
from typing import Any

import numpy as np
import rerun as rr

# By entity and component, such as "env_0/reward" and "Scalars:scalars": (step, value) of each row.
Content = dict[str, dict[str, list[tuple[int | None, Any]]]]


def play(pool: Any, steps: int) -> list[tuple[Any, Any]]:
    """(action, result) of the reset and of random steps of a pool."""
    rng = np.random.default_rng(7)
    played = [(None, pool.reset())]
    for _ in range(steps):
        rows = pool.num_envs
        if pool.spec.setup.most_players:
            rows = len(played[-1][1][-1]["players"]["env_id"])
        space = pool.action_space
        if hasattr(space, "n"):
            action = rng.integers(space.n, size=rows, dtype=np.int32)
        else:
            action = rng.uniform(-1, 1, (rows, *space.shape))
        played.append((action, pool.step(action)))
    return played


def read(path: str | os.PathLike[str]) -> Content:
    """All rows of a recording, by entity and component, in the order of their steps."""
    found: Content = collections.defaultdict(lambda: collections.defaultdict(list))
    for chunk in rr.chunk.RrdReader(path).stream():
        batch = chunk.to_record_batch()
        steps = batch.column("step").to_pylist() if "step" in chunk.timeline_names else None
        for name in batch.schema.names:
            if ":" not in name:
                continue
            values = batch.column(name).to_pylist()
            entity = chunk.entity_path.lstrip("/")
            found[entity][name] += zip(steps or [None] * len(values), values, strict=True)
    for components in found.values():
        for rows in components.values():
            rows.sort(key=lambda row: -1 if row[0] is None else row[0])
    return found


def plot(content: Content, entity: str) -> dict[int, Any]:
    """The numbers of a plot, by step: an array of one axis."""
    return {step: np.array(v) for step, v in content[entity]["Scalars:scalars"] if step is not None}


def arrays(content: Content, entity: str) -> dict[int, Any]:
    """Tensors, or bars, by step."""
    found = {}
    for component in ("Tensor:data", "BarChart:values"):
        for step, (tensor,) in content[entity].get(component, []):
            assert step is not None
            found[step] = np.array(tensor["buffer"]).reshape(tensor["shape"])
    return found


def states(content: Content, entity: str) -> list[tuple[int | None, str]]:
    """(step, state) of a lane."""
    return [(step, value) for step, (value,) in content[entity]["StateChange:state"]]
