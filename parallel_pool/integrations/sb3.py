"""Pools for Stable-Baselines3.

The adapter makes its pool itself: only autoreset_mode="same_step" has the meaning of SB3's
episodes. A reset by env_id would begin a new game where Atari's episodic_life continues in the same
one.
"""

import dataclasses
import functools
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

import parallel_pool
from parallel_pool.integrations._sb3_forms import (
    batch_actions,
    check_spaces,
    row_of,
    rows_of,
    take,
)
from parallel_pool.python.options.option import suggest
from parallel_pool.python.specs.several_tasks import Entry
from parallel_pool.python.specs.spec import Spec

try:
    from stable_baselines3.common import vec_env
    from stable_baselines3.common.monitor import Monitor

    from parallel_pool.integrations._sb3_statistics import StatisticsOfPool
except ImportError as _error:
    raise ImportError(
        "parallel_pool.integrations.sb3 needs Stable-Baselines3: pip install stable-baselines3"
    ) from _error

Indices = None | int | Iterable[int]
_MASK = "action_mask"  # the info with the useful actions
# Infos of the step that ends an episode; the others are those of the next one.
_OF_ENDS = ("final_obs", "_final_obs", "final_info", "_final_info", "episode", "_episode")


class VecEnv(vec_env.VecEnv):  # type: ignore[misc]
    """A pool as a VecEnv: `PPO("MlpPolicy", VecEnv("CartPole-v1", num_envs=64))`.

    An env whose episode has ended is reset at once. Its info then has the task's infos of the last
    step, `terminal_observation` and `TimeLimit.truncated`; the info of an env in the middle of an
    episode is an empty dict, because a dict for each env costs more than the step. A Monitor is not
    needed: at an episode's end `info` has `episode`, a dict of the return "r", the length "l" in
    steps and the time "t" in seconds since this object was made. In Atari tasks, returns are of
    rewards before clipping, and lengths are of whole games, which continue after a lost life; so
    they are in SB3's own Atari envs.

    Attributes:
        pool: the pool, with the Gymnasium API, that runs the envs.
    """

    def __new__(cls, task_id: Any = "", **options: Any) -> "VecEnv":
        """An object that is also SB3's VecNormalize, if the pool normalizes."""
        given = task_id.config if isinstance(task_id, Spec) else options
        normalizes = given.get("normalize_observation") or given.get("normalize_reward")
        made: VecEnv = object.__new__(_normalizing(cls) if normalizes else cls)  # type: ignore[arg-type]
        return made

    def __init__(
        self, task_id: str | Sequence[Entry] | Spec, *, all_infos: bool = False, **options: Any
    ) -> None:
        """Builds the pool.

        Args:
            task_id: one of parallel_pool.list_all_envs(), or several: see parallel_pool.make(); or
                a spec, such as of parallel_pool.make_python_spec() for envs in Python.
            all_infos: whether every env's info has the task's infos in every step.
            **options: those of parallel_pool.make(), without `env_type` and `autoreset_mode`. If no
                `seed` is given, here or to the spec, the system draws one: two VecEnvs differ.

        Raises:
            TypeError: an unknown option, or `task_id` is a pool: the adapter makes its own.
            ValueError: a value that is not allowed, batch_size < num_envs, or a space or players
                that Stable-Baselines3 does not support; the message names it.
        """
        if "autoreset_mode" in options:
            raise TypeError(f"{task_id}: VecEnv sets autoreset_mode itself; leave it out")
        if isinstance(task_id, Spec):
            if options:
                raise TypeError(
                    f"{task_id.task_id}: the spec has all options already; give "
                    f"{', '.join(options)} to what made it"
                )
            spec, task_id = task_id, task_id.task_id
        else:
            spec = parallel_pool.make_spec(task_id, **options)
        check_spaces(spec)
        if spec.config["batch_size"] != spec.config["num_envs"]:
            raise ValueError(
                f"{task_id}: batch_size is {spec.config['batch_size']}; Stable-Baselines3 steps "
                f"all envs: allowed are 0 and num_envs = {spec.config['num_envs']}"
            )
        spec = spec.with_own_seed()
        own = {"autoreset_mode": "same_step", "record_episode_statistics": True}
        self.pool: Any = parallel_pool.make_gymnasium(
            dataclasses.replace(spec, config=spec.config | own)
        )
        self._all_infos = all_infos
        # The pool, if its envs are in Python: it can call them.
        self._python: Any = self.pool if hasattr(self.pool, "call_envs") else None
        self._is_stepping = False
        action_space = self.pool.single_action_space
        self._takes_lists = isinstance(action_space, spaces.Dict | spaces.Tuple)
        names = {array.name for array in spec.state_arrays}
        self._has_masks = f"info:{_MASK}" in names
        self._last: tuple[Any, Any] = None, None  # observations and rewards of the last batch
        self._masks: Any = None
        n = self.pool.num_envs
        self._start = time.perf_counter()
        spaces_of_env = self.pool.single_observation_space, action_space
        vec_env.VecEnv.__init__(self, n, *spaces_of_env)  # VecNormalize wants an env to wrap

    def reset(self) -> Any:
        """Begins new episodes in all envs, with the seeds and options of seed() and set_options().

        Returns:
            The observations, shape (num_envs, ...), or a dict of them.
        """
        if self._is_stepping:
            self.step_wait()
        seeds = None if self._seeds[0] is None else list(self._seeds)
        rows: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        left = list(range(self.num_envs))
        while left:  # envs with the same options are reset together
            options = self._options[left[0]]
            same = {i for i in left if self._options[i] == options}
            left = [i for i in left if i not in same]
            if len(same) < self.num_envs:
                mask = np.array([i in same for i in range(self.num_envs)])
                options = {**options, "reset_mask": mask}
            obs, info = self.pool.reset(seed=seeds, options=options or None)
            for i, row in enumerate(rows_of(info, self.num_envs)):
                if i in same:
                    rows[i] = row
        self._reset_seeds()
        self._reset_options()
        self._masks = np.stack([row[_MASK] for row in rows]) if self._has_masks else None
        self.reset_infos: list[dict[str, Any]] = rows
        self._last = obs, self._last[1]
        return obs

    def step_async(self, actions: Any) -> None:
        """Sends each env its action: rows, or a list of dicts or tuples if the space is one.

        Errors are those of the pool's send().
        """
        if self._takes_lists:
            actions = batch_actions(self.action_space, actions)
        self.pool.send(actions)
        self._is_stepping = True

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """The result of the step: (obs, reward, done, infos); EnvError if an env threw."""
        self._is_stepping = False
        return self._result(*self.pool.recv())

    def step(self, actions: Any) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """step_async() and step_wait() in one call of the pool."""
        if self._is_stepping:
            self.step_wait()
        if self._takes_lists:
            actions = batch_actions(self.action_space, actions)
        return self._result(*self.pool.step(actions))

    def _result(
        self, obs: Any, reward: Any, terminated: Any, truncated: Any, info: dict[str, Any]
    ) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        done = terminated | truncated
        self._last = obs, reward
        self._masks = info.get(_MASK)
        infos: list[dict[str, Any]]
        if self._all_infos:
            of_all = {key: info[key] for key in info if key not in _OF_ENDS}
            infos = [row | {"TimeLimit.truncated": False} for row in rows_of(of_all, self.num_envs)]
        else:
            infos = [{} for _ in range(self.num_envs)]
        if 1 in done.tobytes():  # faster than done.any()
            self._end(done.nonzero()[0].tolist(), truncated & ~terminated, info, infos)
        return obs, reward, done, infos

    def _end(self, ended: list[int], is_cut: Any, info: dict[str, Any], infos: list[Any]) -> None:
        """Writes the infos of envs whose episodes have ended; `is_cut` by a time limit only."""
        final_obs, final_info = info["final_obs"], info["final_info"]
        episode: Any = info.get("episode")
        is_over: Any = info.get("_episode")
        begin = {key: info[key] for key in info if key not in _OF_ENDS}
        seconds = round(time.perf_counter() - self._start, 6)
        for i in ended:
            self.reset_infos[i] = row_of(begin, i)
            infos[i] = end = row_of(final_info, i)
            end["terminal_observation"] = take(final_obs, i, copies=True)
            end["TimeLimit.truncated"] = is_cut.item(i)
            if episode is not None and is_over[i]:  # else the game continues with the next life
                returned, length = episode["r"].item(i), episode["l"].item(i)
                end["episode"] = {"r": returned, "l": length, "t": seconds}

    def statistics(self) -> dict[str, dict[str, Any]]:
        """The running statistics of a pool that normalizes: pool.statistics()."""
        found: dict[str, dict[str, Any]] = self.pool.statistics()
        return found

    def load_statistics(self, statistics: Any) -> None:
        """pool.load_statistics(); also takes the path of a file of statistics, see the subclass."""
        self.pool.load_statistics(statistics)

    def __repr__(self) -> str:
        """The pool."""
        return f"VecEnv({self.pool!r})"

    def close(self) -> None:
        """Joins the threads and frees the envs; may be called again."""
        self.pool.close()

    def get_images(self) -> Sequence[Any]:
        """A picture of each env, uint8 (height, width, 3); RuntimeError without a render_mode."""
        return self._render(None)

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An option or an attribute of the pool, as a list with one value for each of `indices`.

        "action_masks" is a function for each env, in tasks whose info has "action_mask".

        Raises:
            AttributeError: there is no option or attribute of that name.
        """
        ids = self._ids(indices)
        if attr_name == "action_masks" and self._can_mask(ids):
            return [functools.partial(self._action_mask, i) for i in ids]
        if self._python is not None:
            return list(self._python.get_attr(attr_name, ids))
        return [self.pool.get_attr(attr_name)[i] for i in ids]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Sets an attribute of envs in Python, the same value for each of `indices`.

        Raises:
            AttributeError: the envs are in C++: their options cannot change after VecEnv().
        """
        if self._python is None:
            self.pool.set_attr(attr_name, value)
            return
        ids = self._ids(indices)
        self._python.set_attr(attr_name, [value] * len(ids), ids)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method for each env of `indices` and returns a list of the results.

        "action_masks": bool (actions,), True for actions that are useful now, for tasks whose info
        has "action_mask", as MaskablePPO asks for it. "compute_reward": the rewards of a batch of
        goals, as HerReplayBuffer asks one env for them. "render": a picture. "reset", with seed=
        and options=: (obs, info). Envs in Python have their own methods, too.

        Raises:
            AttributeError: another method, or the task has no action masks.
            RuntimeError: action masks before the first reset().
        """
        ids = self._ids(indices)
        methods: dict[str, Callable[..., list[Any]]] = {
            "render": self._render,
            "reset": self._reset_some,
        }
        if self._python is None:
            methods["compute_reward"] = self._compute_reward
        if self._has_masks or self._python is None:
            methods["action_masks"] = self._action_masks
        if method_name not in methods and self._python is not None:
            return list(self._python.call_envs(ids, method_name, *method_args, **method_kwargs))
        if method_name not in methods:
            raise AttributeError(
                f"{self._task_id}: its envs have no method {method_name!r}"
                f"{suggest(method_name, methods)}"
            )
        return methods[method_name](ids, *method_args, **method_kwargs)

    def _render(self, ids: list[int] | None) -> list[Any]:
        """The picture of each env; None with render_mode="human"."""
        shown = self.pool.render(ids)
        return [None] * len(self._ids(ids)) if shown is None else list(shown)

    def env_is_wrapped(self, wrapper_class: Any, indices: Indices = None) -> list[bool]:
        """Whether `wrapper_class` is Monitor or a base of it: the envs have its function."""
        return [issubclass(Monitor, wrapper_class) for _ in self._get_indices(indices)]

    @property
    def _task_id(self) -> str:
        return str(self.pool.spec.id)

    def _ids(self, indices: Indices) -> list[int]:
        """Envs from 0 on; negative indices count from the end, as in a list."""
        every = range(self.num_envs)
        try:
            return [every[i] for i in self._get_indices(indices)]
        except IndexError:
            raise IndexError(
                f"{self._task_id}: indices are {indices!r}; allowed are {-self.num_envs} to "
                f"{self.num_envs - 1}"
            ) from None

    def _can_mask(self, ids: list[int]) -> bool:
        """Whether the envs have action masks: as an info, or as a method of envs in Python."""
        if self._has_masks or self._python is None:
            return self._has_masks
        return all(self._python.call_envs(ids, "has_wrapper_attr", "action_masks"))

    def _action_mask(self, i: int) -> Any:
        return self.env_method("action_masks", indices=i)[0]

    def _action_masks(self, ids: list[int]) -> list[Any]:
        if not self._has_masks:
            raise AttributeError(f"{self._task_id}: no action_masks: its info has no {_MASK!r}")
        if self._masks is None:
            raise RuntimeError(f"{self._task_id}: action_masks before the first reset()")
        return list(self._masks[ids].astype(bool))

    def _compute_reward(self, ids: list[int], *goals: Any) -> list[Any]:
        return [self.pool.compute_reward(*goals)] * len(ids)

    def _reset_some(self, ids: list[int], **kwargs: Any) -> list[Any]:
        obs, info = self.pool.reset(ids, **kwargs)
        if self._masks is not None:
            self._masks[ids] = info[_MASK]
        return [(take(obs, k), row) for k, row in enumerate(rows_of(info, len(ids)))]


@functools.cache
def _normalizing(cls: type[VecEnv]) -> type[VecEnv]:
    """The class of objects of `cls` whose pool normalizes."""
    own = {"__module__": cls.__module__, "__doc__": cls.__doc__}
    return type(cls.__name__, (StatisticsOfPool, cls, vec_env.VecNormalize), own)
