"""Plays a task and Gymnasium's SyncVectorEnv side by side and compares all results with ==."""

import contextlib
import importlib
import io
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

import parallel_pool
from parallel_pool.testing.form import by_form
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same, are_equal

SEEDS = by_form((2**40 + 3,), (0, 1, 42, 1234567, 2**40 + 3))
STEPS = by_form(2000, 5000)
NUM_ENVS = 8

Array = np.ndarray[Any, Any]
Policy = Callable[[np.random.Generator, Array], Array]  # (random numbers, obs) -> actions
Equal = Callable[[Array, Array], bool]


class _Recorder(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Keeps the last info of an env.

    SyncVectorEnv makes arrays of infos with the dtype of the first value: a reset's `prob`, the int
    1, makes an int array, which truncates the other envs' fractions to 0.
    """

    info: dict[str, Any]

    def reset(self, **kwargs: Any) -> Any:
        """Same as the env."""
        obs, self.info = self.env.reset(**kwargs)
        return obs, self.info

    def step(self, action: Any) -> Any:
        """Same as the env."""
        obs, reward, terminated, truncated, self.info = self.env.step(action)
        return obs, reward, terminated, truncated, self.info


class GymEnv(gymnasium.Env[Any, Any]):
    """An env of gym 0.26 without its wrappers, where Gymnasium has dropped it."""

    def __init__(self, task_id: str) -> None:
        """Makes gym's env."""
        with contextlib.redirect_stderr(io.StringIO()):  # gym's call to move to Gymnasium
            gym = importlib.import_module("gym")
        self._env = gym.make(task_id, disable_env_checker=True).unwrapped
        self.action_space = gymnasium.spaces.Discrete(self._env.action_space.n)
        self.observation_space = gymnasium.spaces.Discrete(self._env.observation_space.n)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Same as gym."""
        return self._env.reset(seed=seed)

    def step(self, action: Any) -> Any:
        """Same as gym."""
        return self._env.step(action)


def in_a_precision(random: np.random.Generator, actions: Array) -> Array:
    """Actions of floats as float32 or float64, by chance: the reference computes in either."""
    return actions.astype(random.choice(["float32", "float64"]))


def uniform_policy(space: gymnasium.Space[Any]) -> Policy:
    """Random actions; those of a Box go a quarter beyond its bounds, because envs clip."""
    if isinstance(space, gymnasium.spaces.Discrete):
        n = int(space.n)
        return lambda random, obs: random.integers(n, size=len(obs))
    assert isinstance(space, gymnasium.spaces.Box)
    low, high = 1.25 * space.low, 1.25 * space.high

    def choose(random: np.random.Generator, obs: Array) -> Array:
        return in_a_precision(random, random.uniform(low, high, (len(obs), *space.shape)))

    return choose


def compare(
    task_id: str,
    reference: Callable[[], gymnasium.Env[Any, Any]],
    seed: int,
    *,
    policy: Policy | None = None,
    first_reset: dict[str, Any] | None = None,
    as_array: Callable[[Any], Array] = np.asarray,
    same_first: Equal = are_equal,
    steps: int = STEPS,
    num_envs: int = NUM_ENVS,
    infos: tuple[str, ...] = (),
    **options: Any,
) -> dict[str, int]:
    """Asserts that both return equal results for `steps` steps, with float64 rewards.

    Args:
        task_id: our task.
        reference: makes one env of the reference, time limit included.
        seed: of the envs, seed + i for env i, and of the actions.
        policy: the actions; None: uniform_policy.
        first_reset: the reset options of the first reset.
        as_array: turns the reference's observation into ours.
        same_first: compares the first observations of episodes.
        steps: the number of calls of step().
        num_envs: the number of envs of both.
        infos: the names of the task's own infos; the reference must have these and no others. It
            may leave some out of a reset's.
        **options: the options of our task.

    Returns:
        The number of episodes that were "terminated" and "truncated".
    """
    theirs = gymnasium.vector.SyncVectorEnv([lambda: _Recorder(reference())] * num_envs)
    recorders: Any = theirs.envs
    same = Same(task_id, seed)
    counts = {"terminated": 0, "truncated": 0}
    random = np.random.default_rng(seed)
    with parallel_pool.make(
        task_id, num_envs=num_envs, num_threads=2, reward_dtype="float64", **options
    ) as ours:
        choose = policy or uniform_policy(ours.single_action_space)
        obs, info = ours.reset(seed=seed, options=first_reset)
        wanted = as_array(theirs.reset(seed=seed, options=first_reset)[0])
        assert obs.dtype == wanted.dtype, f"{same}: {obs.dtype}, the reference has {wanted.dtype}"
        same.rows("obs", obs, wanted, equal=same_first)
        begins = np.ones(num_envs, bool)
        _compare_infos(same, info, recorders, infos, begins)
        begins[:] = False
        for same.step in range(1, steps + 1):
            action = choose(random, obs)
            obs, reward, terminated, truncated, info = ours.step(action)
            next_obs, next_reward, next_terminated, next_truncated, _ = theirs.step(action)
            wanted = as_array(next_obs)
            for rows, equal in ((~begins, are_equal), (begins, same_first)):
                same.rows("obs", obs[rows], wanted[rows], np.flatnonzero(rows), equal)
            same.rows("reward", reward, next_reward)
            same.rows("terminated", terminated, next_terminated)
            same.rows("truncated", truncated, next_truncated)
            _compare_infos(same, info, recorders, infos, begins)
            begins = terminated | truncated
            counts["terminated"] += int(terminated.sum())
            counts["truncated"] += int(truncated.sum())
    theirs.close()
    played(task_id, seed, steps, num_envs)
    return counts


def _compare_infos(
    same: Same, info: Any, recorders: Any, names: tuple[str, ...], begins: Array
) -> None:
    for env, recorder in enumerate(recorders):
        found = set(recorder.info)
        has_all = found == set(names) or (begins[env] and found < set(names))
        assert has_all, f"{same}: the reference's infos are {found}, not {names}"
        for name in names:
            if name not in recorder.info:
                continue
            same.rows(name, info[name][env : env + 1], [recorder.info[name]], [env])


def assert_same_spaces(task_id: str, reference: gymnasium.Env[Any, Any], **options: Any) -> None:
    """Both have equal spaces, limits and speeds for viewers."""
    ours = parallel_pool.make_spec(task_id, **options)
    assert ours.observation_space == reference.observation_space
    assert ours.action_space == reference.action_space
    theirs = reference.spec
    assert theirs is not None
    assert ours.max_episode_steps == (theirs.max_episode_steps or 2**31 - 1)
    assert ours.reward_threshold == theirs.reward_threshold
    assert ours.render_fps == reference.metadata["render_fps"]
