"""The names that rware 2.0.0 registers, such as rware-tiny-2ag-easy-v2.

The first part may ask for images: "img" or "imgdict", with "Nd" for images that do not turn with
the agent, and "2s" for a sensor range of two cells. Then comes the warehouse: a size, or rows x
columns of blocks, and "8h" for the height of a block. "2ag" stands for two agents. The last part
is how many shelves are requested ("easy": two for each agent, "hard": one for two agents), or their
number and the type of reward.
"""

import re
from itertools import product
from typing import Any

from parallel_pool.python.specs.names import NamePattern

_SIZES = {"tiny": (1, 3), "small": (2, 3), "medium": (2, 5), "large": (3, 5)}  # rows, columns
_REQUESTS = {"-easy": 2.0, "": 1.0, "-hard": 0.5}  # for each agent
_OBSERVATIONS = {"": "flattened", "-img": "image", "-imgdict": "image_dict"}
_REWARDS = {"indiv": "individual", "global": "global", "twostage": "two_stage"}
_AGENTS = range(1, 20)
_HEIGHTS = range(1, 16)
_HEIGHT = 8  # of names without "h"
_RANGES = range(2, 6)  # of sensors; 1 in names without "s"
_ROWS, _COLUMNS, _QUEUES = range(1, 5), range(3, 10, 2), range(1, 20)

_BEGIN = r"rware(?P<observation>-imgdict|-img)?(?P<fixed>-Nd)?(?:-(?P<range>\d)s)?"
_OF_SIZE = (
    r"-(?P<size>tiny|small|medium|large)(?:-(?P<height>\d+)h)?-(?P<agents>\d+)ag"
    r"(?P<requests>-easy|-hard)?"
)
_OF_NUMBERS = (
    r"-(?P<rows>\d)x(?P<columns>\d)-(?P<height2>\d+)h-(?P<agents2>\d+)ag-(?P<queue>\d+)req"
    r"-(?P<reward>indiv|global|twostage)"
)


def _is_name(match: re.Match[str], height: int, agents: int) -> bool:
    """Whether rware registers the name; the pattern has other numbers, too."""
    numbers = (value for value in match.groups() if value is not None and value.isdigit())
    if any(value != str(int(value)) for value in numbers):
        return False  # such as 08
    is_full = match["rows"] or match["height"]  # the names of full_registration()
    if is_full and match["observation"] == "-imgdict":
        return False
    if not is_full and (match["range"] or (match["fixed"] and not match["observation"])):
        return False
    if match["size"] and match["fixed"] and not match["observation"]:
        return False
    if match["range"] and int(match["range"]) not in _RANGES:
        return False
    if match["rows"]:
        is_floor = int(match["rows"]) in _ROWS and int(match["columns"]) in _COLUMNS
        if not is_floor or int(match["queue"]) not in _QUEUES:
            return False
    return height in _HEIGHTS and agents in _AGENTS


def _options(match: re.Match[str]) -> dict[str, Any] | None:
    height = int(match["height"] or match["height2"] or _HEIGHT)
    agents = int(match["agents"] or match["agents2"])
    if not _is_name(match, height, agents):
        return None
    if match["rows"]:
        rows, columns = int(match["rows"]), int(match["columns"])
        queue, reward = int(match["queue"]), _REWARDS[match["reward"]]
    else:
        rows, columns = _SIZES[match["size"]]
        queue, reward = int(agents * _REQUESTS[match["requests"] or ""]), "individual"
    return {
        "shelf_rows": rows,
        "shelf_columns": columns,
        "column_height": height,
        "n_agents": agents,
        "sensor_range": int(match["range"] or 1),
        "request_queue_size": queue,
        "reward_type": reward,
        "observation_type": _OBSERVATIONS[match["observation"] or ""],
        "image_observation_directional": not match["fixed"],
    }


NAMES = NamePattern(
    "rware-v2",
    f"{_BEGIN}(?:{_OF_SIZE}|{_OF_NUMBERS})-v2",
    _options,
    (
        f"rware{kind}-{size}-{agents}ag{requests}-v2"
        for kind, size, agents, requests in product(_OBSERVATIONS, _SIZES, _AGENTS, _REQUESTS)
    ),
)
