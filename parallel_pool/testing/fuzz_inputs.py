"""Inputs of fuzz_test.py: invalid ones, and equivalent forms of valid ones."""

from collections.abc import Callable
from typing import Any

import numpy as np

Error = type[Exception] | tuple[type[Exception], ...]

# Invalid lists of ids, made from a valid one.
BAD_IDS: list[tuple[Callable[[list[int]], Any], Error]] = [
    (lambda ids: [], ValueError),
    (lambda ids: [*ids, 99], ValueError),
    (lambda ids: [*ids, -1], ValueError),
    (lambda ids: [*ids, 2**40], ValueError),
    (lambda ids: np.array([*ids, 2**64 - 1], np.uint64), ValueError),
    (lambda ids: [*ids, ids[0]], ValueError),
    (lambda ids: [ids], ValueError),
    (lambda ids: np.array(ids[0], float), TypeError),
    (lambda ids: [ids, [*ids, 0]], ValueError),
    (lambda ids: np.array(ids, float), TypeError),
    (lambda ids: np.array(ids, bool), TypeError),
    (lambda ids: [str(i) for i in ids], TypeError),
    (lambda ids: [None for i in ids], TypeError),
    (lambda ids: "all", (TypeError, ValueError)),
]
# Invalid actions, made from one valid action per row.
BAD_ACTIONS: list[tuple[Callable[[list[int]], Any], Error]] = [
    (lambda a: [*a[:-1], 7], ValueError),
    (lambda a: [*a[:-1], -1], ValueError),
    (lambda a: [*a[:-1], 2**40], ValueError),
    (lambda a: np.array([*a[:-1], 2**64 - 1], np.uint64), ValueError),
    (lambda a: [*a[:-1], 0.5], ValueError),
    (lambda a: [*a[:-1], np.nan], ValueError),
    (lambda a: [*a[:-1], -np.inf], ValueError),
    (lambda a: [*a, 0], ValueError),
    (lambda a: a[:-1], ValueError),
    (lambda a: [a], ValueError),
    (lambda a: a[0], ValueError),
    (lambda a: None, ValueError),
    (lambda a: [[0] * i for i in range(len(a) + 1)], ValueError),
    (lambda a: {"action": a, "more": a}, ValueError),
    (lambda a: {}, ValueError),
    (lambda a: [str(i) for i in a], TypeError),
    (lambda a: [None for i in a], TypeError),
    (lambda a: np.array(a, complex), TypeError),
    (lambda a: np.array(a, "M8[s]"), TypeError),
]
# Equivalent forms of valid actions.
EQUIVALENT_FORMS: list[Callable[[list[int]], Any]] = [
    list,
    tuple,
    np.array,
    lambda a: np.array(a, np.uint8),
    lambda a: np.array(a, ">i8"),
    lambda a: np.array(a, np.float16),
    lambda a: np.repeat(np.array(a, np.int32), 2)[::2],
    lambda a: {"action": a},
]
# Invalid keywords of reset(), for a pool of at most five envs.
BAD_RESETS: list[dict[str, Any]] = [
    {"seed": -1},
    {"seed": [1] * 6},
    {"seed": 2**64},
    {"seed": 0.5},
    {"seed": "1"},
    {"options": {"no_such": 1}},
    {"options": {"reset_mask": [1] * 5}},
    {"options": {"reset_mask": [True] * 6}},
    {"env_id": [0], "options": {"reset_mask": [True] * 5}},
    {"env_id": [[0]], "seed": 1},
    {"env_id": 0.0, "seed": 1},
    {"env_id": [0.0]},
    {"env_id": [5]},
    {"env_id": []},
]
