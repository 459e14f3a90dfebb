"""The names that lbforaging 2.0.0 registers, such as Foraging-8x8-2p-2f-coop-v3.

"grid" stands for grid observations, "2s" for a sight of two cells, "8x8" for the field, "2p" for
two players, "2f" for two foods, and "coop" for foods that need all players.
"""

import re
from itertools import product
from typing import Any

from parallel_pool.python.specs.names import NamePattern

_SIZES = range(5, 20)  # rows, and columns
_PLAYERS = range(2, 10)
_FOODS = range(1, 5)
_SIGHT = 2  # of the names without "grid"; grids have any sight up to the size


def _options(match: re.Match[str]) -> dict[str, Any] | None:
    size, players, foods = (int(match[name]) for name in ("size", "players", "foods"))
    sight = int(match["sight"] or size)
    sights = range(1, size + 1) if match["grid"] else (_SIGHT, size)
    is_sight = sight in sights and match["sight"] != match["size"]
    if not (size in _SIZES and players in _PLAYERS and foods in _FOODS and is_sight):
        return None
    return {
        "field_size": (size, size),
        "players": players,
        "max_num_food": foods,
        "sight": sight,
        "force_coop": bool(match["coop"]),
        "grid_observation": bool(match["grid"]),
    }


NAMES = NamePattern(
    "Foraging-v3",
    r"Foraging(?P<grid>-grid)?(?:-(?P<sight>[1-9]\d*)s)?-(?P<size>[1-9]\d*)x(?P=size)"
    r"-(?P<players>[1-9])p-(?P<foods>[1-9])f(?P<coop>-coop)?-v3",
    _options,
    (
        f"Foraging{sight}-{size}x{size}-{players}p-{foods}f{coop}-v3"
        for size, players, foods, coop, sight in product(
            _SIZES, _PLAYERS, _FOODS, ("", "-coop"), ("", f"-{_SIGHT}s")
        )
    ),
)
