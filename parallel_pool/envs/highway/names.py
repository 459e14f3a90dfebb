"""EnvPool's names in CamelCase, such as HighwayFast-v0, for highway-env's."""

import functools
from collections.abc import Mapping
from typing import Any

from parallel_pool.python.specs.names import Recipe

_TASKS = {
    "Exit": ("exit", (0, 1)),
    "Highway": ("highway", (0,)),
    "HighwayFast": ("highway-fast", (0,)),
    "Intersection": ("intersection", (0, 1, 2)),
    "IntersectionMultiAgent": ("intersection-multi-agent", (0, 1, 2)),
    "LaneKeeping": ("lane-keeping", (0,)),
    "Merge": ("merge", (0, 1)),
    "MergeGeneric": ("merge-generic", (0, 1)),
    "Parking": ("parking", (0,)),
    "ParkingActionRepeat": ("parking-ActionRepeat", (0,)),
    "ParkingParked": ("parking-parked", (0,)),
    "Racetrack": ("racetrack", (0, 1)),
    "RacetrackLarge": ("racetrack-large", (0, 1)),
    "RacetrackOval": ("racetrack-oval", (0, 1)),
    "Roundabout": ("roundabout", (0, 1)),
    "RoundaboutGeneric": ("roundabout-generic", (0, 1)),
    "TwoWay": ("two-way", (0,)),
    "UTurn": ("u-turn", (0, 1)),
}


def _expand(task_id: str, kwargs: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    return task_id, dict(kwargs)


NAMES: Mapping[str, Recipe] = {
    f"{name}-v{version}": functools.partial(_expand, f"{task}-v{version}")
    for name, (task, versions) in _TASKS.items()
    for version in versions
}
