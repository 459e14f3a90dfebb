"""The episodes of a run, and the choice of one of them."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from parallel_pool.integrations.rerun.rows import Row

_WORDS = ("best", "median", "worst")


@dataclass(frozen=True)
class Episode:
    """An episode that has ended.

    Attributes:
        env: its env.
        number: its number among those of the env, from 0 on.
        first: the number of its first result.
        last: the number of its last result.
        total: the sum of its rewards.
    """

    env: int
    number: int
    first: int
    last: int
    total: float


def find_episodes(rows: Iterable[Row]) -> list[Episode]:
    """The episodes that end in rows of a run's envs, in the order of their ends."""
    found: list[Episode] = []
    numbers: dict[int, int] = {}
    open_ones: dict[int, tuple[int, float]] = {}  # by env: the first result, the return
    for row in rows:
        first, total = open_ones.get(row.env, (row.step, 0.0))
        open_ones[row.env] = first, total + (0.0 if row.is_reset else row.reward)
        if row.is_end:
            number = numbers.get(row.env, 0)
            first, total = open_ones.pop(row.env)
            found.append(Episode(row.env, number, first, row.step, total))
            numbers[row.env] = number + 1
    return found


def as_choice(episode: Any) -> Any:
    """An argument `episode`: "best", "median", "worst", or a number of each env's; None: all.

    Raises:
        ValueError: something else.
    """
    if episode is None or episode in _WORDS:
        return episode
    if isinstance(episode, str) and episode.isdecimal():
        return int(episode)
    if isinstance(episode, int) and not isinstance(episode, bool) and episode >= 0:
        return episode
    near = difflib.get_close_matches(str(episode), _WORDS, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    allowed = "best, median, worst, and numbers from 0 on"
    raise ValueError(f"episode is {episode!r}; allowed are {allowed}{hint}")


def choose(episodes: list[Episode], which: Any) -> list[Episode]:
    """The episode with that word, or those with that number: one of each env.

    Raises:
        ValueError: there is none.
    """
    if not episodes:
        raise ValueError(f"episode is {which!r}, but no episode ends in the run")
    if which in _WORDS:
        ranked = sorted(episodes, key=lambda episode: -episode.total)
        places = {"best": 0, "median": len(ranked) // 2, "worst": -1}
        return [ranked[places[which]]]
    chosen = [episode for episode in episodes if episode.number == which]
    if not chosen:
        most = max(episode.number for episode in episodes)
        raise ValueError(f"episode is {which}; those that end in the run are 0 to {most}")
    return chosen
