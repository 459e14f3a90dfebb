"""Datasets of Minari in a replay buffer, and a buffer as a dataset. Needs minari."""

import itertools
from typing import Any

from parallel_pool.learner.replay.buffer import ReplayBuffer
from parallel_pool.learner.replay.episodes import Episode, add_episodes, episodes_of

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
    found = (
        Episode(e.observations, e.actions, e.rewards, e.terminations, e.truncations)
        for e in dataset.iterate_episodes(episodes)
    )
    return add_episodes(buffer, found)


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
    episodes = map(_buffer, episodes_of(buffer))
    while group := list(itertools.islice(episodes, _AT_ONCE)):
        if dataset is None:
            dataset = minari.create_dataset_from_buffers(dataset_id, group, **arguments)
        else:
            dataset.storage.update_episodes(group)
    if dataset is None:
        raise ValueError(f"{dataset_id}: the buffer has no transitions")
    return minari.load_dataset(dataset_id)


def _buffer(episode: Episode) -> Any:
    return EpisodeBuffer(
        observations=episode.obs,
        actions=episode.action,
        rewards=episode.reward.tolist(),
        terminations=episode.terminated.tolist(),
        truncations=episode.truncated.tolist(),
    )
