"""rware equals rware 2.0.0 by ==, with every option."""

from collections import Counter
from typing import Any

import numpy as np

import parallel_pool
from parallel_pool.envs.rware.reference import Reference
from parallel_pool.envs.rware.working_reference import FORWARD, Worker
from parallel_pool.testing.form import IS_LONG
from parallel_pool.testing.side_by_side import SideBySide

ENVS, SEEDS, STEPS = (3, 3, 1000) if IS_LONG else (2, 1, 80)

LAYERS = ("AGENT_DIRECTION", "REQUESTS", "AGENT_LOAD", "SHELVES", "GOALS", "ACCESSIBLE", "AGENTS")
SQUARE = """
    ...g...
    .xx.xx.
    .x...x.
    g.....g
    .x...x.
    .xx.xx.
    ...G...
"""
CORRIDOR = ".......\n.x.X.x.\n.......\n...g..."

# Names of the package, and each option at other values than its default.
NAMES = (
    "rware-tiny-2ag-v2",
    "rware-tiny-2ag-easy-v2",
    "rware-tiny-1ag-hard-v2",
    "rware-tiny-4ag-hard-v2",
    "rware-tiny-15ag-v2",
    "rware-small-4ag-v2",
    "rware-small-19ag-easy-v2",
    "rware-medium-6ag-easy-v2",
    "rware-large-8ag-v2",
    "rware-img-tiny-4ag-v2",
    "rware-img-Nd-small-4ag-easy-v2",
    "rware-imgdict-tiny-3ag-v2",
    "rware-imgdict-Nd-tiny-3ag-v2",
    "rware-2s-tiny-5h-6ag-easy-v2",
    "rware-img-3s-1x3-2h-12ag-3req-twostage-v2",
    "rware-Nd-2x3-1h-19ag-9req-global-v2",
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"msg_bits": 2, "n_agents": 3, "sensor_range": 2, "reward_type": "global"},
    {"msg_bits": 1, "n_agents": 12, "column_height": 2, "observation_type": "image"},
    {"normalised_coordinates": True, "sensor_range": 0, "reward_type": "two_stage"},
    {"reward_type": "two_stage", "column_height": 3, "n_agents": 4, "max_episode_steps": 60},
    {"max_inactivity_steps": 15, "column_height": 3, "request_queue_size": 9},
    {"max_inactivity_steps": 20, "max_episode_steps": 20, "n_agents": 1},
    {"layout": SQUARE, "n_agents": 5, "reward_type": "two_stage"},
    {"layout": SQUARE, "n_agents": 20, "request_queue_size": 8},
    {"layout": CORRIDOR, "n_agents": 1, "request_queue_size": 2, "normalised_coordinates": True},
    {
        "layout": SQUARE,
        "n_agents": 3,
        "observation_type": "image",
        "image_observation_layers": LAYERS,
    },
    {
        "layout": SQUARE,
        "n_agents": 6,
        "observation_type": "image_dict",
        "image_observation_layers": LAYERS[::2],
        "image_observation_directional": False,
        "sensor_range": 3,
    },
    {"shelf_columns": 5, "shelf_rows": 2, "column_height": 4, "n_agents": 30},
)
CASES: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in NAMES]
CASES += [("rware-v2", options) for options in OPTIONS]
OF_NAMES = (
    *("shelf_columns", "column_height", "shelf_rows", "n_agents", "sensor_range"),
    *("request_queue_size", "reward_type", "observation_type", "image_observation_directional"),
)


class Counting(Reference):
    """A reference that counts what its agents do."""

    counts: Counter[str]

    def step(self, actions: Any) -> Any:
        """Same as the reference."""
        before = [(agent.x, agent.y, agent.carrying_shelf) for agent in self.env.agents]
        result = super().step(actions)
        counts, moves = self.counts, actions.reshape(len(before), -1)[:, 0]
        counts["terminated"] += result[2]
        counts["truncated"] += result[3]
        counts[f"rewards, {self.env.reward_type.name}"] += (result[1] > 0).sum()
        for agent, (x, y, load), move in zip(self.env.agents, before, moves, strict=True):
            counts["moves"] += (x, y) != (agent.x, agent.y)
            counts["waits"] += (x, y) == (agent.x, agent.y) and move == FORWARD
            counts["loads"] += load is None and agent.carrying_shelf is not None
            counts["unloads"] += load is not None and agent.carrying_shelf is None
        return result


def play(task_id: str, steps: int, seed: int, **options: Any) -> Counter[str]:
    """Plays a pool and rware with the same actions; returns what happened."""
    random = np.random.default_rng(seed)
    config = parallel_pool.make_spec(task_id, **options).config
    envs = [Counting(**{name: config[name] for name in OF_NAMES} | options) for _ in range(ENVS)]
    workers = [Worker(env.env) for env in envs]
    counts: Counter[str] = Counter()
    for env in envs:
        env.counts = counts
    with SideBySide(task_id, seed, envs, **options) as both:
        for _ in range(steps):
            both.step([worker.actions(random) for worker in workers])
    return counts


def test_equals_rware() -> None:
    counts: Counter[str] = Counter()
    for task_id, options in CASES:
        for seed in range(SEEDS):
            counts += play(task_id, STEPS, 100 * seed, **options)
    seen = ("moves", "waits", "loads", "unloads", "terminated", "truncated")
    rewards = ("rewards, INDIVIDUAL", "rewards, GLOBAL", "rewards, TWO_STAGE")
    assert all(counts[name] > 5 for name in (*seen, *rewards)), counts
