"""Foraging equals lbforaging 2.0.0 by ==, with every option."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.foraging.reference import Reference
from parallel_pool.testing.form import IS_LONG, some
from parallel_pool.testing.side_by_side import SideBySide

ENVS, SEEDS, STEPS = (4, 3, 500) if IS_LONG else (2, 1, 60)
NORTH, SOUTH, WEST, EAST, LOAD = range(1, 6)

# Names of the package, and each option at other values than its default.
NAMES = (
    "Foraging-8x8-2p-2f-v3",
    "Foraging-8x8-2p-2f-coop-v3",
    "Foraging-2s-8x8-2p-2f-coop-v3",
    "Foraging-10x10-3p-3f-v3",
    "Foraging-2s-10x10-3p-3f-v3",
    "Foraging-15x15-4p-3f-v3",
    "Foraging-5x5-9p-4f-v3",
    "Foraging-5x5-9p-4f-coop-v3",
    "Foraging-2s-5x5-6p-1f-v3",
    "Foraging-grid-8x8-3p-2f-v3",
    "Foraging-grid-2s-9x9-4p-4f-coop-v3",
    "Foraging-grid-1s-5x5-9p-3f-v3",
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"players": 1, "max_num_food": 1, "max_episode_steps": 20},
    {"players": 10, "field_size": (6, 6), "sight": 3, "max_num_food": 3},
    {"players": 4, "field_size": (5, 5), "penalty": 0.1, "max_player_level": 3},
    {"players": 3, "penalty": 0.3, "force_coop": True, "sight": 4},
    {"normalize_loads": False, "max_player_level": 5, "min_player_level": 2, "penalty": 1.5},
    {"observe_agent_levels": False, "players": 3, "sight": 2},
    {"observe_agent_levels": False, "players": 3, "grid_observation": True, "sight": 3},
    {"min_food_level": 2, "max_food_level": 4, "max_num_food": 3, "players": 3},
    {"max_food_level": 1, "field_size": (7, 7), "sight": 1},
    {"max_food_level": 3, "force_coop": True, "players": 4},
    {"max_num_food": 3, "min_food_level": [1, 2, 3], "max_food_level": [2, 2, 5], "sight": 3},
    {"players": 3, "min_player_level": [1, 2, 3], "max_player_level": [1, 4, 3]},
    {"field_size": (5, 9), "players": 3, "sight": 3, "max_num_food": 4},
    {"field_size": (12, 6), "players": 4, "sight": 2, "grid_observation": True},
    {"field_size": (5, 5), "max_num_food": 10},  # there is no room for all
    {"field_size": (3, 3), "players": 9, "max_num_food": 1, "max_episode_steps": 5},
)
CASES: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in NAMES]
CASES += [("Foraging-v3", options) for options in OPTIONS]


def greedy(reference: Reference, random: np.random.Generator) -> list[int]:
    """An action for each player: a step to its nearest food, or to the first one, and loads."""
    env = reference.env
    foods = np.argwhere(env.field)
    together = random.random() < 0.5
    actions = []
    for player in env.players:
        action = int(random.integers(6))
        if len(foods) and random.random() < 0.85:
            apart = foods - player.position
            down, right = apart[0 if together else np.abs(apart).sum(1).argmin()]
            moves = [(SOUTH if down > 0 else NORTH)] * abs(down)
            moves += [(EAST if right > 0 else WEST)] * abs(right)
            action = LOAD if len(moves) == 1 else int(random.choice(moves))
        actions.append(action)
    return actions


class Counting(Reference):
    """A reference that counts what its players do."""

    counts: Counter[str]

    def step(self, actions: Any) -> Any:
        """Same as the reference."""
        before = [player.position for player in self.env.players]
        result = super().step(actions)
        _, reward, terminated, truncated, _ = result
        places = [player.position for player in self.env.players]
        self.counts["loads"] += (reward > 0).any()
        self.counts["loads together"] += (reward > 0).sum() > 1
        self.counts["failed loads"] += (reward < 0).any()
        self.counts["stays"] += sum(
            place == old and action in (NORTH, SOUTH, WEST, EAST)
            for place, old, action in zip(places, before, actions, strict=True)
        )
        self.counts["shared cells"] += len(places) - len(set(places))
        self.counts["terminated"] += terminated
        self.counts["truncated"] += truncated
        return result


def play(task_id: str, steps: int, seed: int, **options: Any) -> Counter[str]:
    """Plays a pool and lbforaging with the same actions; returns what happened."""
    random = np.random.default_rng(seed)
    config = parallel_pool.make_spec(task_id, **options).config
    given = {k: config[k] for k in ("field_size", "players", "max_num_food", "sight")}
    given |= {k: config[k] for k in ("force_coop", "grid_observation", "max_episode_steps")}
    given["field_size"] = tuple(map(int, given["field_size"]))
    envs = [Counting(**{**given, **options}) for _ in range(ENVS)]
    counts: Counter[str] = Counter()
    for env in envs:
        env.counts = counts
    with SideBySide(task_id, seed, envs, **options) as both:
        for _ in range(steps):
            both.step([greedy(env, random) for env in envs])
    return counts


def test_equals_lbforaging() -> None:
    counts: Counter[str] = Counter()
    for task_id, options in some(CASES, 2):
        for seed in range(SEEDS):
            counts += play(task_id, STEPS, 100 * seed, **options)
    seen = ("loads", "loads together", "failed loads", "stays", "shared cells")
    assert all(counts[name] > 0 for name in (*seen, "terminated", "truncated")), counts


@pytest.mark.parametrize("seed", [0, 7])
def test_a_new_seed_forgets_the_last_episode(seed: int) -> None:
    options: dict[str, Any] = {"field_size": (3, 3), "players": 6, "max_num_food": 1}
    with parallel_pool.make("Foraging-v3", num_envs=1, seed=100, **options) as pool:
        pool.reset()
        pool.step(np.full(6, SOUTH))
        obs, _ = pool.reset(seed=seed)
        np.testing.assert_array_equal(obs, Reference(**options).reset(seed)[0], strict=True)
