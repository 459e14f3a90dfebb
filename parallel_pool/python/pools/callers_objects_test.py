"""A pool writes to nothing that its caller passes: options of a reset, and arrays of actions."""

import copy
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import parallel_pool
from parallel_pool.python.arrays.trees import flatten
from parallel_pool.testing import testing_family  # noqa: F401

WORKERS = [0] if sys.platform == "win32" else [0, 2]


class Rude(gymnasium.Env[Any, Any]):
    """An env in Python that writes to the options and to the action that it is given."""

    observation_space = spaces.Box(-99, 99, (2,), np.float64)
    action_space: Any = spaces.Box(-2, 2, (2,), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        taken = options.pop("taken", None) if options else None
        if taken is not None:
            taken += 1
            options["added"] = True
        return np.zeros(2), {}

    def step(self, action: Any) -> Any:
        for part in action if isinstance(action, tuple) else [action]:
            part[...] = 7
        return np.zeros(2), 0.0, False, False, {}


class RudeTuple(Rude):
    """The same with a tuple of actions."""

    action_space = spaces.Tuple((spaces.Box(-2, 2, (2,), np.float32), spaces.MultiBinary(3)))


# Each makes an env, or a pool of two envs, with Pendulum's options of a reset.
RESETS: dict[str, Callable[[], Any]] = {
    "gymnasium": lambda: parallel_pool.make("Pendulum-v1", num_envs=2),
    "gym": lambda: parallel_pool.make_gym("Pendulum-v1", num_envs=2),
    "same_step": lambda: parallel_pool.make("Pendulum-v1", num_envs=2, autoreset_mode="same_step"),
    "a single env": lambda: parallel_pool.make("Pendulum-v1", num_envs=None),
    "gymnasium.make": lambda: gymnasium.make("parallel_pool/Pendulum-v1"),
    "make_vec": lambda: gymnasium.make_vec("parallel_pool/Pendulum-v1", num_envs=2),
}


@pytest.mark.parametrize("name", RESETS)
def test_options_of_a_reset_stay_as_they_are(name: str) -> None:
    options: dict[str, Any] = {"x_init": 0.5, "y_init": np.array(0.25)}
    env = RESETS[name]()
    if "single" not in name and name != "gymnasium.make":
        options["reset_mask"] = np.array([True, False])
        env.reset()
    keys, objects, values = list(options), list(options.values()), copy.deepcopy(options)
    for _ in range(2):
        env.reset(options=options)
        assert list(options) == keys
        assert all(now is before for now, before in zip(options.values(), objects, strict=True))
        np.testing.assert_equal(options, values)
    env.close()


@pytest.mark.parametrize("workers", WORKERS)
def test_envs_in_python_have_options_of_their_own(workers: int) -> None:
    options: dict[str, Any] = {"taken": np.zeros(3), "mask": [1, 2]}
    with parallel_pool.make_python(Rude, 3, num_workers=workers) as pool:
        for _ in range(2):
            pool.reset(options=options)
            assert list(options) == ["taken", "mask"]
            assert not np.any(options["taken"])
        pool.queue([0], options=options)
        assert list(options) == ["taken", "mask"]


def envs_of(task_id: str, **options: Any) -> Callable[..., Any]:
    return lambda **more: parallel_pool.make(task_id, num_envs=2, **options, **more)


def rude(env: Any, workers: int) -> Callable[..., Any]:
    return lambda **more: parallel_pool.make_python(env, 2, num_workers=workers, **more)


# Each makes a pool of two envs.
POOLS: dict[str, Callable[..., Any]] = {
    "floats": envs_of("Pendulum-v1"),
    "clipped": envs_of("Pendulum-v1", clip_action=True),
    "rescaled": envs_of("Pendulum-v1", rescale_action=True, clip_action=True, action_repeat=2),
    "integers": envs_of("CartPole-v1"),
    "a dict": envs_of("Echo-v0"),
    **{f"{workers} workers": rude(Rude, workers) for workers in WORKERS},
    **{f"tuples, {workers} workers": rude(RudeTuple, workers) for workers in WORKERS},
}


def of_dtype(tree: Any, dtype: Any) -> Any:
    """Arrays of floats with another dtype, which the pool may take as they are."""
    if isinstance(tree, dict):
        return {name: of_dtype(part, dtype) for name, part in tree.items()}
    if isinstance(tree, tuple):
        return tuple(of_dtype(part, dtype) for part in tree)
    return tree.astype(dtype) if tree.dtype.kind == "f" else tree


def played(pool: Any, how: str, action: Any) -> None:
    """Passes the action to the pool."""
    if how == "step":
        pool.reset()
        pool.step(action)
    elif how == "send":
        pool.reset()
        pool.send(action)
        pool.recv()
    elif how == "Pipeline":
        pipeline = parallel_pool.Pipeline(pool, parts=1)
        pipeline.reset()
        pipeline.step(action)
    else:
        learner = getattr(parallel_pool, how)(pool, 1)
        for _ in learner:
            learner.act(action)
        learner.batch()


@pytest.mark.parametrize("is_writeable", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("how", ["step", "send", "Rollout", "Trajectories", "Pipeline"])
@pytest.mark.parametrize("name", POOLS)
def test_actions_stay_as_they_are(name: str, how: str, dtype: Any, is_writeable: bool) -> None:
    with POOLS[name]() as pool:
        action = of_dtype(pool.sample_actions(), dtype)
        for leaf in flatten(action).values():
            leaf *= 3 if leaf.dtype.kind == "f" else 1  # some are out of bounds
            leaf.flags.writeable = is_writeable
        before = copy.deepcopy(action)
        played(pool, how, action)
        for name, then in flatten(before).items():
            assert flatten(action)[name].tobytes() == then.tobytes()


@pytest.mark.parametrize("api", ["gymnasium", "gym", "dm"])
def test_actions_of_a_single_env_stay_as_they_are(api: Any) -> None:
    options: Any = {"num_envs": None, "clip_action": True, "rescale_action": True}
    env: Any = parallel_pool.make("Pendulum-v1", api, **options)
    env.reset()
    for dtype in (np.float32, np.float64):
        action = np.full(1, 5, dtype)
        env.step(action)
        assert action.tolist() == [5]
    env.close()


def test_actions_of_dm_env_stay_as_they_are() -> None:
    with parallel_pool.make_dm("Pendulum-v1", num_envs=2, clip_action=True) as pool:
        pool.reset()
        action = np.full((2, 1), 5, np.float32)
        pool.step(action)
        assert action.tolist() == [[5], [5]]
