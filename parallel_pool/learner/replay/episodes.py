"""Whole episodes that go into a replay buffer, and those that it has."""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from parallel_pool.learner.replay.samples import ReplaySamples
from parallel_pool.learner.tensors import to_numpy
from parallel_pool.python.arrays.trees import map_leaves, take_rows


class Episode(NamedTuple):
    """An episode, or a part of one, of T steps.

    Attributes:
        obs: shape (T + 1, ...), or a tree of such arrays.
        action: shape (T, ...), or a tree of such arrays.
        reward: shape (T,), as the next two.
        terminated: bool.
        truncated: bool; True in the last step of a part that goes on.
    """

    obs: Any
    action: Any
    reward: Any
    terminated: Any
    truncated: Any


def add_episodes(buffer: ReplaySamples, episodes: Iterable[Episode]) -> int:
    """Adds episodes, as many side by side as the buffer has envs; returns their steps.

    Raises:
        ValueError: an array of another shape or dtype than the buffer's. Episodes before it are
            kept.
    """
    left, added = iter(episodes), 0
    while group := list(itertools.islice(left, buffer.lines)):
        added += _add(buffer, sorted(group, key=lambda episode: -len(episode.reward)))
    return added


def _add(buffer: ReplaySamples, group: list[Episode]) -> int:
    """Adds episodes side by side, the longest one first."""
    lengths = np.array([len(episode.reward) for episode in group])
    columns = Episode(*(map_leaves(_side_by_side, *parts) for parts in zip(*group, strict=True)))
    for step in range(lengths[0]):
        alive = slice(int((lengths > step).sum()))
        obs, action, reward, terminated, truncated = (
            take_rows(part, (step, alive)) for part in columns
        )
        next_obs = take_rows(columns.obs, (step + 1, alive))
        buffer.add(obs, action, reward, next_obs, terminated, truncated)
    return int(lengths.sum())


def _side_by_side(*parts: Any) -> Any:
    """Arrays of episodes, the longest one first, as one of shape (steps, episodes, ...)."""
    first = np.asarray(parts[0])
    made = np.zeros((len(first), len(parts), *first.shape[1:]), first.dtype)
    for k, part in enumerate(parts):
        made[: len(part), k] = part
    return made


def episodes_of(buffer: ReplaySamples) -> Iterator[Episode]:
    """The episodes of a buffer, env by env, in the order of time.

    One whose first rows were replaced, or that goes on, is a part of an episode.
    """
    index = buffer.index()
    for line in range(buffer.lines):
        own = index[index % buffer.lines == line]
        if len(own):
            yield from _episodes_of(own, buffer.lines, buffer.transitions(own))


def _episodes_of(index: Any, lines: int, steps: dict[str, Any]) -> Iterator[Episode]:
    """The episodes of one env, by all its transitions in the order of time."""
    steps = {name: map_leaves(to_numpy, part) for name, part in steps.items()}
    ends = steps["terminated"] | steps["truncated"]
    # A transition that does not go on where the one before has ended begins another part.
    begins = np.flatnonzero(np.append(True, (np.diff(index) != lines) | ends[:-1]))
    for first, last in zip(begins, np.append(begins[1:], len(index)), strict=True):
        rows, final = slice(first, last), slice(last - 1, last)
        obs, next_obs = take_rows(steps["obs"], rows), take_rows(steps["next_obs"], final)
        truncated = steps["truncated"][rows].copy()
        truncated[-1] |= not ends[last - 1]
        yield Episode(
            map_leaves(lambda *parts: np.concatenate(parts), obs, next_obs),
            take_rows(steps["action"], rows),
            steps["reward"][rows],
            steps["terminated"][rows],
            truncated,
        )
