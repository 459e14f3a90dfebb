"""Recordings as datasets of Minari. Needs minari: pip install "minari[hdf5]"."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from parallel_pool.python.apis.gymnasium_api import Pool
from parallel_pool.python.errors import EnvError
from parallel_pool.replays.replay import Replay, replay

try:
    import minari
    from minari.data_collector import EpisodeBuffer
except ImportError as _error:
    raise ImportError(
        f'parallel_pool.integrations.minari needs minari: pip install "minari[hdf5]" ({_error})'
    ) from None

_AT_ONCE = 256  # episodes in memory


def to_minari(
    recording: str | os.PathLike[str],
    dataset_id: str,
    *,
    env: Any = None,
    with_infos: bool = False,
    **arguments: Any,
) -> Any:
    """Makes a dataset of a recorded run, whose observations are made by its replay.

    Each env's episodes follow one another as they ended; the last one of each env, which the run
    did not play to its end, is truncated there. Episodes of envs that threw are left out. Pictures
    are stored without loss, unless jpeg_encoding=True.

    Args:
        recording: the file of pool.record().
        dataset_id: the name of the dataset, such as "pong/random-v0".
        env: as of replay().
        with_infos: whether infos that are arrays of numbers are stored, too.
        **arguments: of minari.create_dataset_from_buffers(), such as algorithm_name, author,
            description and eval_env.

    Returns:
        The minari.MinariDataset.

    Raises:
        ValueError: the pool had several players, or normalized; there is a dataset of that name; or
            the run has no episode.
        OSError, RuntimeError: those of replay().
    """
    arguments = {"jpeg_encoding": False} | arguments
    with replay(recording, env=env) as run:
        _check(run)
        space = run.pool.single_observation_space, run.pool.single_action_space
        arguments |= {"observation_space": space[0], "action_space": space[1]}
        dataset: Any = None
        for episodes in _grouped(_episodes(run, with_infos)):
            if dataset is None:
                dataset = minari.create_dataset_from_buffers(dataset_id, episodes, **arguments)
            else:
                dataset.storage.update_episodes(episodes)
    if dataset is None:
        raise ValueError(f"{run.path}: the run has no episode")
    return minari.load_dataset(dataset_id)


def _check(run: Replay) -> None:
    task, config = run.header["task"], run.header["config"]
    if not isinstance(run.pool, Pool):
        raise ValueError(
            f"{task}: a dataset is made of a run of a Gymnasium pool, not of env_type="
            f"{run.header['env_type']!r}, nor of a single env"
        )
    if run.pool.spec.players:
        raise ValueError(f"{task}: a dataset of Minari has one player")
    for name in ("normalize_observation", "normalize_reward"):
        if config[name]:
            raise ValueError(f"{task}: {name} is True; a dataset has no running statistics")


def _grouped(episodes: Iterator[Any]) -> Iterator[list[Any]]:
    group: list[Any] = []
    for episode in episodes:
        group.append(episode)
        if len(group) == _AT_ONCE:
            yield group
            group = []
    if group:
        yield group


class _Episode:
    """The steps of one env since its last reset."""

    def __init__(self, obs: Any, info: dict[str, Any], elapsed: int) -> None:
        self.obs, self.infos, self.elapsed = [obs], [info], elapsed
        self.steps: list[tuple[Any, float, bool, bool]] = []

    def buffer(self) -> Any:
        """As Minari has it; an episode without an end is truncated."""
        actions, rewards, terminations, truncations = zip(*self.steps, strict=True)
        return EpisodeBuffer(
            observations=_stacked(self.obs),
            actions=_stacked(list(actions)),
            rewards=list(rewards),
            terminations=list(terminations),
            truncations=[*truncations[:-1], bool(truncations[-1] or not terminations[-1])],
            infos=_stacked(self.infos) if self.infos[0] else None,
        )


def _episodes(run: Replay, with_infos: bool) -> Iterator[Any]:
    """The episodes of all envs, as they ended."""
    open_ones: dict[int, _Episode] = {}
    is_same_step = run.header["config"]["autoreset_mode"] == "same_step"
    while True:
        try:
            result = next(run)
        except StopIteration:
            break
        except EnvError as error:
            result = error.result
            for failed in error.env_ids:
                open_ones.pop(failed, None)
        obs, reward, terminated, truncated, info = result
        action = run.action
        for row, (env, was_reset) in enumerate(zip(run.env_id, run.was_reset, strict=True)):
            episode = open_ones.get(env)
            ends = bool(terminated[row] or truncated[row])
            if episode is not None and not was_reset:
                is_final = is_same_step and ends
                shown = info["final_info"] if is_final else info
                elapsed = int(shown["elapsed_step"][row])
                if elapsed == episode.elapsed:
                    continue  # it was only observed: the others of a reset_mask were reset
                episode.elapsed = elapsed
                episode.obs.append(_row(info["final_obs"] if is_final else obs, row))
                episode.infos.append(_numbers(shown, row) if with_infos else {})
                flags = bool(terminated[row]), bool(truncated[row])
                episode.steps.append((_row(action, row), float(reward[row]), *flags))
                if ends:
                    yield open_ones.pop(env).buffer()
            elif episode is not None and episode.steps:  # a reset has ended it
                yield episode.buffer()
            if was_reset or (env not in open_ones and (is_same_step or not ends)):
                begun = _numbers(info, row) if with_infos else {}
                open_ones[env] = _Episode(_row(obs, row), begun, int(info["elapsed_step"][row]))
    for _, episode in sorted(open_ones.items()):
        if episode.steps:
            yield episode.buffer()


def _row(value: Any, row: int) -> Any:
    if isinstance(value, dict):
        return {name: _row(part, row) for name, part in value.items()}
    return value[row]


def _numbers(info: dict[str, Any], row: int) -> dict[str, Any]:
    """The infos of one row that each row has."""
    shown: dict[str, Any] = {}
    for name, value in info.items():
        if isinstance(value, np.ndarray) and value.dtype != object and name != "env_id":
            if name.startswith("_") or f"_{name}" in info:
                continue
            shown[name] = value[row]
    return shown


def _stacked(rows: list[Any]) -> Any:
    """Rows of nested arrays as nested arrays."""
    if isinstance(rows[0], dict):
        return {name: _stacked([row[name] for row in rows]) for name in rows[0]}
    return np.stack(rows)
