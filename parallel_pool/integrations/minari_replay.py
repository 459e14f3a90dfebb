"""Datasets of Minari in a replay buffer, and a buffer as a dataset. Needs minari."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from parallel_pool.learner.replay.buffer import ReplayBuffer
from parallel_pool.learner.tensors import to_numpy
from parallel_pool.python.arrays.trees import map_leaves, take_rows

try:
    import minari
    from minari.data_collector import EpisodeBuffer
except ImportError as _error:
    raise ImportError(
        "parallel_pool.integrations.minari_replay needs minari: pip install "
        f'"minari[hdf5]" ({_error})'
    ) from None

_AT_ONCE = 256  # episodes in memory


def read_minari(buffer: ReplayBuffer, dataset: Any, episodes: Any = None) -> int:
    """Adds the episodes of a dataset to a buffer.

    As many episodes as the buffer has envs are added side by side. Old rows are replaced, so the
    buffer needs a capacity of the dataset's steps, and one row more for each episode.

    Args:
        buffer: of a pool whose observations and actions have the dataset's shapes.
        dataset: a minari.MinariDataset, or the name of a local one.
        episodes: numbers of its episodes; None: all.

    Returns:
        The number of transitions that were added.

    Raises:
        ValueError: an array of another shape or dtype than the buffer's. Episodes before it are
            kept.
    """
    if isinstance(dataset, str):
        dataset = minari.load_dataset(dataset)
    lines, added = buffer.lines, 0
    found = dataset.iterate_episodes(episodes)
    while group := list(itertools.islice(found, lines)):
        group.sort(key=lambda episode: -len(episode.rewards))
        added += sum(len(episode.rewards) for episode in group)
        _add(buffer, group)
    return added


def _add(buffer: ReplayBuffer, group: list[Any]) -> None:
    """Adds episodes side by side, the longest one first."""
    lengths = np.array([len(episode.rewards) for episode in group])

    def column(parts: list[Any]) -> Any:
        """Arrays of the episodes as one of shape (steps, episodes, ...)."""
        first = np.asarray(parts[0])
        made = np.zeros((len(first), len(parts), *first.shape[1:]), first.dtype)
        for k, part in enumerate(parts):
            made[: len(part), k] = part
        return made

    obs, action = (
        map_leaves(lambda *parts: column(list(parts)), *(getattr(e, name) for e in group))
        for name in ("observations", "actions")
    )
    reward, terminated, truncated = (
        column([getattr(episode, name) for episode in group])
        for name in ("rewards", "terminations", "truncations")
    )
    for step in range(lengths[0]):
        count = int((lengths > step).sum())
        rows, following = (step, slice(count)), (step + 1, slice(count))
        buffer.add(
            take_rows(obs, rows),
            take_rows(action, rows),
            reward[rows],
            take_rows(obs, following),
            terminated[rows],
            truncated[rows],
        )


def write_minari(buffer: ReplayBuffer, dataset_id: str, **arguments: Any) -> Any:
    """Makes a dataset of the transitions of a buffer.

    The episodes of each env follow one another. One that is not whole, because its first rows were
    replaced or it goes on, is a part of an episode; a part that goes on is truncated there.
    Pictures are stored without loss, unless jpeg_encoding=True.

    Args:
        buffer: of a pool with one player.
        dataset_id: the name of the dataset, such as "pong/random-v0".
        **arguments: of minari.create_dataset_from_buffers(), such as algorithm_name and author.

    Returns:
        The minari.MinariDataset.

    Raises:
        ValueError: the buffer has no transitions, or there is a dataset of that name.
    """
    pool = buffer.pool
    spaces = pool.single_observation_space, pool.single_action_space
    arguments = {"jpeg_encoding": False, **arguments}
    arguments |= {"observation_space": spaces[0], "action_space": spaces[1]}
    dataset: Any = None
    episodes = _episodes(buffer)
    while group := list(itertools.islice(episodes, _AT_ONCE)):
        if dataset is None:
            dataset = minari.create_dataset_from_buffers(dataset_id, group, **arguments)
        else:
            dataset.storage.update_episodes(group)
    if dataset is None:
        raise ValueError(f"{dataset_id}: the buffer has no transitions")
    return minari.load_dataset(dataset_id)


def _episodes(buffer: ReplayBuffer) -> Iterator[Any]:
    """Minari's buffers of the episodes, env by env, in the order of time."""
    index = buffer.index()
    for line in range(buffer.lines):
        own = index[index % buffer.lines == line]
        if len(own):
            yield from _episodes_of(own, buffer.lines, buffer.transitions(own))


def _episodes_of(index: Any, lines: int, steps: dict[str, Any]) -> Iterator[Any]:
    """The episodes of one env: all its transitions, in the order of time."""
    steps = {name: map_leaves(to_numpy, part) for name, part in steps.items()}
    ends = steps["terminated"] | steps["truncated"]
    # A transition that does not go on where the one before has ended begins a part of an episode.
    begins = np.flatnonzero(np.append(True, (np.diff(index) != lines) | ends[:-1]))
    for first, last in zip(begins, np.append(begins[1:], len(index)), strict=True):
        rows, final = slice(first, last), slice(last - 1, last)
        obs, next_obs = take_rows(steps["obs"], rows), take_rows(steps["next_obs"], final)
        truncated = steps["truncated"][rows].copy()
        truncated[-1] |= not ends[last - 1]
        yield EpisodeBuffer(
            observations=map_leaves(lambda *parts: np.concatenate(parts), obs, next_obs),
            actions=take_rows(steps["action"], rows),
            rewards=steps["reward"][rows].tolist(),
            terminations=steps["terminated"][rows].tolist(),
            truncations=truncated.tolist(),
        )
