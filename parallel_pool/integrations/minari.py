"""Recordings as datasets of Minari. Needs minari: pip install "minari[hdf5]"."""

import os
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium import spaces

from parallel_pool.python.apis.gymnasium_api import Pool
from parallel_pool.python.errors import EnvError
from parallel_pool.replays.replay import Replay, replay

try:
    import minari
    from minari.data_collector import EpisodeBuffer
    from minari.serialization import serialize_space
except ImportError as _error:
    raise ImportError(
        f'parallel_pool.integrations.minari needs minari: pip install "minari[hdf5]" ({_error})'
    ) from None

_AT_ONCE = 256  # episodes in memory
_OF_AN_END = ("episode", "_episode")  # with same_step in the row that begins the next one
_NOT_OF_A_STEP = ("env_id", "players", "final_obs", "_final_obs", "final_info", "_final_info")


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
        with_infos: whether infos are stored, too: numbers, arrays, texts, and dicts of these. An
            info that some steps of an episode lack is zero or "" there, and "_" + its name is an
            array of bools that says which steps have it. Other infos are left out, with a warning.
        **arguments: of minari.create_dataset_from_buffers(), such as algorithm_name, author,
            description and eval_env.

    Returns:
        The minari.MinariDataset.

    Raises:
        ValueError: the pool had several players, or normalized; a space is none that Minari knows;
            there is a dataset of that name; or the run has no episode.
        OSError, RuntimeError: those of replay().
    """
    arguments = {"jpeg_encoding": False} | arguments
    with replay(recording, env=env) as run:
        _check(run)
        space = run.pool.single_observation_space, run.pool.single_action_space
        arguments |= {"observation_space": space[0], "action_space": space[1]}
        dataset: Any = None
        for episodes in _grouped(_Episodes(run, with_infos).buffers()):
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
    for name in ("observation_space", "action_space"):
        try:
            serialize_space(getattr(run.pool, f"single_{name}"))
        except NotImplementedError as error:
            raise ValueError(
                f"{task}: its {name} has a space that Minari cannot store ({error}): wrap the env "
                "so that it has one of Gymnasium's, such as Text"
            ) from None


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


class _Episodes:
    """The episodes of all envs of a run."""

    def __init__(self, run: Replay, with_infos: bool) -> None:
        self._run, self._with_infos = run, with_infos
        self._obs_space = run.pool.single_observation_space
        self._action_space = run.pool.single_action_space
        self._left_out: set[str] = set()  # infos, of which a warning has told

    def buffers(self) -> Iterator[Any]:
        """Minari's buffers of the episodes, as they ended."""
        run = self._run
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
                    shown = _final_info(info) if is_final else info
                    elapsed = int(shown["elapsed_step"][row])
                    if elapsed == episode.elapsed:
                        continue  # it was only observed: the others of a reset_mask were reset
                    episode.elapsed = elapsed
                    final = info["final_obs"] if is_final else obs
                    episode.obs.append(_row(self._obs_space, final, row))
                    episode.infos.append(self._info(shown, row))
                    acted = _row(self._action_space, action, row)
                    flags = bool(terminated[row]), bool(truncated[row])
                    episode.steps.append((acted, float(reward[row]), *flags))
                    if ends:
                        yield self._buffer(open_ones.pop(env))
                elif episode is not None and episode.steps:  # a reset has ended it
                    yield self._buffer(episode)
                if was_reset or (env not in open_ones and (is_same_step or not ends)):
                    shown = {n: v for n, v in info.items() if n not in _OF_AN_END}
                    begun = _row(self._obs_space, obs, row), self._info(shown, row)
                    open_ones[env] = _Episode(*begun, int(info["elapsed_step"][row]))
        for _, episode in sorted(open_ones.items()):
            if episode.steps:
                yield self._buffer(episode)

    def _info(self, info: dict[str, Any], row: int) -> dict[str, Any]:
        return _info_of(info, row) if self._with_infos else {}

    def _buffer(self, episode: _Episode) -> Any:
        """As Minari has it; an episode without an end is truncated."""
        actions, rewards, terminations, truncations = zip(*episode.steps, strict=True)
        return EpisodeBuffer(
            observations=_stacked(self._obs_space, episode.obs),
            actions=_stacked(self._action_space, list(actions)),
            rewards=list(rewards),
            terminations=list(terminations),
            truncations=[*truncations[:-1], bool(truncations[-1] or not terminations[-1])],
            infos=self._columns(episode.infos, "") or None,
        )

    def _columns(self, infos: list[dict[str, Any]], prefix: str) -> dict[str, Any]:
        """The infos of all steps as arrays and lists of texts, with masks where some lack one."""
        columns: dict[str, Any] = {}
        for name in dict.fromkeys(name for info in infos for name in info):
            values = [info[name] for info in infos if name in info]
            try:
                column = self._column(values, infos, name, f"{prefix}{name}.")
            except (TypeError, ValueError) as error:
                self._leave_out(f"{prefix}{name}", str(error))
                continue
            columns[name] = column
            if len(values) < len(infos):
                columns[f"_{name}"] = np.array([name in info for info in infos])
        return columns

    def _column(
        self, values: list[Any], infos: list[dict[str, Any]], name: str, prefix: str
    ) -> Any:
        if all(isinstance(value, dict) for value in values):
            return self._columns([info.get(name, {}) for info in infos], prefix)
        if all(isinstance(value, str) for value in values):
            return [str(info.get(name, "")) for info in infos]
        arrays = [np.asarray(value) for value in values]
        for value, array in zip(values, arrays, strict=True):
            if array.dtype.kind not in "biuf":
                raise TypeError(f"it has a value of type {type(value).__name__}")
            if array.shape != arrays[0].shape:
                raise ValueError(f"it has the shapes {arrays[0].shape} and {array.shape}")
        dtype = np.result_type(*(array.dtype for array in arrays))
        column = np.zeros((len(infos), *arrays[0].shape), dtype)
        column[[name in info for info in infos]] = arrays
        return column

    def _leave_out(self, name: str, why: str) -> None:
        if name not in self._left_out:
            self._left_out.add(name)
            warnings.warn(
                f"{self._run.header['task']}: the info {name!r} is left out, because {why}; "
                "allowed are numbers, arrays of one shape, texts, and dicts of these",
                stacklevel=2,
            )


def _row(space: Any, value: Any, row: int) -> Any:
    """One row of a batch of a space."""
    if isinstance(space, spaces.Dict):
        return {name: _row(part, value[name], row) for name, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        parts = value.values() if isinstance(value, dict) else value  # actions are dicts
        return tuple(_row(p, v, row) for p, v in zip(space.spaces, parts, strict=True))
    return value[row]


def _stacked(space: Any, rows: list[Any]) -> Any:
    """Rows of a space as Minari has them: arrays, and lists of texts."""
    if isinstance(space, spaces.Dict):
        return {n: _stacked(part, [row[n] for row in rows]) for n, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        columns = zip(*rows, strict=True)
        return tuple(_stacked(p, list(c)) for p, c in zip(space.spaces, columns, strict=True))
    return rows if isinstance(rows[0], str) else np.stack(rows)


def _final_info(info: dict[str, Any]) -> dict[str, Any]:
    """The infos of the steps that end episodes, with same_step."""
    return {**info["final_info"], **{name: info[name] for name in _OF_AN_END if name in info}}


def _info_of(info: dict[str, Any], row: int) -> dict[str, Any]:
    """The infos that a row has, without those that say where it belongs."""
    shown: dict[str, Any] = {}
    for name, value in info.items():
        is_mask = name.startswith("_") and name[1:] in info
        mask = info.get(f"_{name}")
        if is_mask or name in _NOT_OF_A_STEP or (mask is not None and not mask[row]):
            continue
        shown[name] = _info_of(value, row) if isinstance(value, dict) else value[row]
    return shown
