"""evaluate(): the episodes of a policy, a fixed number of each env, and their score."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from parallel_pool.learner.evaluated_policy import EvaluatedPolicy
from parallel_pool.learner.scores import Evaluation
from parallel_pool.python.apis.make import make_gymnasium, spec_of
from parallel_pool.python.arrays.trees import leaves
from parallel_pool.python.options.option import as_int
from parallel_pool.python.specs.names import names
from parallel_pool.python.specs.registry import make_spec, with_versions
from parallel_pool.python.specs.spec import Spec

_SEED = 2**31  # trainings have smaller ones, so that no env of an evaluation is one of theirs
_ENVS = 16  # of one task, if the user gives no number
# Options that evaluate() sets itself: those of the training have no effect.
_SET = (
    *("autoreset_mode", "batch_size", "env_type", "gym_reset_return_info"),
    *("record_episode_statistics", "update_statistics"),
)
_NATIVE = "make_spec"  # the maker of specs whose envs are not in Python


def evaluate(
    policy: Callable[..., Any],
    task_id: Any,
    episodes: int = 100,
    *,
    seed: int | Sequence[int] = _SEED,
    statistics: Mapping[str, Mapping[str, Any]] | None = None,
    infos: Sequence[str] = (),
    **options: Any,
) -> Evaluation:
    """Plays episodes of a policy and returns their scores.

    Each env plays the same number of episodes, whatever their lengths: the first so many episodes
    that end in a pool would be the short ones. With a policy that draws no random numbers, the
    result is the same each time.

    Args:
        policy: from the observations of all envs, with the axis of the envs first, to their
            actions. If it has a parameter of one of these names, it gets the array as a keyword:
            `episode_start`, bool (num_envs,): whether the observation is the first of an episode;
            `action_mask`, bool (num_envs, actions): info["action_mask"], where a row of a game that
            is over is all True; `goal`: info["goal"], as of OGBench's tasks. A parameter
            `action_mask` or `goal` with a default is left out in tasks without that info.
        task_id: the task or tasks, as make() takes them: a name, a list, or a spec of make_spec().
            Or a spec of make_python_spec(), for envs in Python.
        episodes: of each task.
        seed: of the envs, as make() takes it. The default is far from those of trainings. The seed
            of a spec has no effect.
        statistics: of the training pool, if it normalizes: pool.statistics(). They stay as they
            are.
        infos: names of infos whose values at the end of each episode are kept, such as
            "is_success".
        **options: those of the training pool. num_envs is 16, or one for each of several tasks.
            These have no effect: autoreset_mode, batch_size, env_type, gym_reset_return_info,
            record_episode_statistics and update_statistics.

    Raises:
        ValueError: an option that is not allowed, a pool that normalizes without `statistics`,
            tasks of several players, or a policy that needs `action_mask` or `goal` in a task
            without it.
        TypeError: a value of the wrong type, or options next to a spec.
    """
    if not callable(policy):
        raise TypeError(f"evaluate: policy must be a function of observations, not {policy!r}")
    if as_int("evaluate: episodes", episodes) < 1:
        raise ValueError(f"evaluate: episodes is {episodes}; it must be at least 1")
    options = {name: value for name, value in options.items() if name not in _SET}
    spec = _spec(task_id, int(episodes), seed, options)
    if any(array.players for array in (*spec.state_arrays, *spec.action_arrays)):
        raise ValueError(f"{spec.task_id}: evaluate plays tasks of one player")
    if statistics:
        spec = replace(spec, config=spec.config | {"update_statistics": False})
    elif spec.config["normalize_observation"]:
        raise ValueError(
            f"{spec.task_id}: normalize_observation is True; give statistics=pool.statistics() "
            "of the training pool"
        )
    with make_gymnasium(spec) as pool:
        if statistics:
            pool.load_statistics({name: dict(entry) for name, entry in statistics.items()})
        player = _Player(pool, episodes, infos)
        player.play(EvaluatedPolicy(spec.task_id, policy))
    if isinstance(task_id, Spec):
        task_id, options = _again(spec)
    else:
        task_id, options = with_versions(task_id, options, spec)
    return Evaluation(
        task_id=task_id,
        episodes=episodes,
        seed=seed,
        options=options,
        statistics=statistics,
        policy=_name(policy),
        tasks=tuple(task.task_id for task in spec.tasks),
        digest=player.digest.hexdigest(),
        **player.rows(),
    )


def _spec(task: Any, episodes: int, seed: Any, options: dict[str, Any]) -> Spec:
    """The spec of a sync pool that records episodes; adds the number of envs to `options`."""
    if options.get("num_envs", 1) is None:  # the training had a single env
        del options["num_envs"]
    if isinstance(task, Spec):
        spec = spec_of(task, options)
        if spec.is_single:
            given = {name: value for name, value in spec.given.items() if name not in _SET}
            return _spec(spec.task_id, episodes, seed, given)
        own = {"batch_size": spec.config["num_envs"], "autoreset_mode": "next_step"}
        own |= {"record_episode_statistics": True}
        return replace(spec, config=spec.with_seed(seed).config | own)
    tasks = task
    if isinstance(task, str) and task in names():
        tasks, _ = names()[task](options)
    if isinstance(tasks, str):
        options.setdefault("num_envs", min(episodes, _ENVS))
    return make_spec(task, record_episode_statistics=True, **{**options, "seed": seed})


def _again(spec: Spec) -> tuple[Any, dict[str, Any]]:
    """The task and the options with which evaluate() makes `spec` again."""
    if spec.source.maker != _NATIVE:
        return spec, {}
    config = spec.config_of(spec.envs)
    tasks = config.pop("tasks", spec.task_id)
    return tasks, {name: value for name, value in config.items() if name not in (*_SET, "seed")}


class _Player:
    """Plays a pool until each env has had its episodes."""

    def __init__(self, pool: Any, episodes: int, infos: Sequence[str]) -> None:
        self._pool, self._infos = pool, infos
        # The task of each env, and the episodes that it still has to play.
        counts = [task.config["num_envs"] for task in pool.spec.tasks]
        self._task = np.repeat(np.arange(len(counts)), counts)
        self._left = np.concatenate(
            [episodes // count + (np.arange(count) < episodes % count) for count in counts]
        )
        self._found: list[list[tuple[Any, ...]]] = [[] for _ in self._task]  # by env
        self.digest = hashlib.sha256()  # of observations and rewards

    def play(self, policy: EvaluatedPolicy) -> None:
        """Steps the envs."""
        obs, info = self._pool.reset()
        if self._pool.spec.source.maker == _NATIVE:  # envs in Python add infos later
            self._known(info)
        self._count(obs)
        starts, ended = np.ones(len(self._task), np.bool_), np.zeros(len(self._task), np.bool_)
        while self._left.any():
            action = policy(obs, starts, info)
            obs, reward, terminated, truncated, info = self._pool.step(action)
            self._count(obs)
            self._count(reward)
            # A row that ends an episode has its last observation. The next begins another one.
            starts, ended = ended, terminated | truncated
            for env in np.flatnonzero(info.get("_episode", False)):
                if self._left[env]:
                    self._left[env] -= 1
                    result = (info["episode"][key][env] for key in ("r", "l"))
                    kept = (self._known(info)[name][env] for name in self._infos)
                    self._found[env].append((*result, *kept))

    def rows(self) -> dict[str, Any]:
        """The arrays of an Evaluation, by env and episode."""
        envs = np.repeat(np.arange(len(self._found)), [len(found) for found in self._found])
        returns, lengths, *kept = zip(*(row for rows in self._found for row in rows), strict=True)
        return {
            "returns": np.array(returns, np.float64),
            "lengths": np.array(lengths, np.int64),
            "env": envs,
            "task": self._task[envs],
            "infos": {name: np.array(v) for name, v in zip(self._infos, kept, strict=True)},
        }

    def _known(self, info: dict[str, Any]) -> dict[str, Any]:
        """The infos; ValueError if one that is to be kept is none of them."""
        for name in self._infos:
            if name not in info:
                known = ", ".join(sorted(info))
                raise ValueError(f"evaluate: there is no info {name!r}; there are {known}")
        return info

    def _count(self, rows: Any) -> None:
        """Adds rows to the digest."""
        for _, array in sorted(leaves(rows), key=lambda leaf: leaf[0]):
            self.digest.update(np.ascontiguousarray(array).tobytes())


def _name(policy: Any) -> str:
    """MODULE:FUNCTION of a policy; empty if it has no such name."""
    module, name = getattr(policy, "__module__", None), getattr(policy, "__qualname__", "<lambda>")
    return f"{module}:{name}" if module and name.isidentifier() and module != "__main__" else ""
