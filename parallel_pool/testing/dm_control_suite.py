"""The tasks of the DeepMind Control Suite, for tests: our ids and dm_control's environments."""

import copy
import functools
from typing import Any

import mujoco
import numpy as np
from dm_control import suite
from dm_control.mujoco.wrapper.mjbindings import sizes
from dm_control.rl import control

import parallel_pool


def _drop(names: dict[str, Any], owner: Any) -> None:
    """Drops fields that newer versions of MuJoCo lack: dm_control 1.0.50 fails because of them."""
    for name in [name for name in names if not hasattr(owner, name)]:
        del names[name]


_EMPTY = mujoco.MjModel.from_xml_string("<mujoco/>")
_drop(sizes.array_sizes["mjmodel"], _EMPTY)
_drop(sizes.array_sizes["mjdata"], mujoco.MjData(_EMPTY))


def id_of(domain: str, task: str) -> str:
    """EnvPool's name: ("ball_in_cup", "catch") is BallInCupCatch-v1."""
    words = f"{domain}_{task}".split("_")
    return "".join(word[0].upper() + word[1:] for word in words) + "-v1"


ALL = {id_of(domain, task): (domain, task) for domain, task in suite.ALL_TASKS}
TASKS = sorted(set(ALL) & set(parallel_pool.list_all_envs()))


@functools.lru_cache(maxsize=1)
def _loaded_dog(task: str) -> control.Environment:
    return suite.load("dog", task)


def _load_dog(task: str, seed: int) -> control.Environment:
    """As suite.load. A dog takes a second and 200 MB to load, so those of a task share a model."""
    loaded = _loaded_dog(task)
    own_task = copy.copy(loaded.task)
    own_task._random = np.random.RandomState(seed)
    return control.Environment(
        loaded.physics.copy(share_model=True),
        own_task,
        time_limit=loaded._step_limit * loaded.control_timestep(),
        n_sub_steps=loaded._n_sub_steps,
    )


def load(task_id: str, seed: int, **options: Any) -> control.Environment:
    """dm_control's environment, with the options of control.Environment and of the task."""
    domain, task = ALL[task_id]
    task_options = {name: options.pop(name) for name in ["fully_observable"] if name in options}
    if domain == "dog":
        env = _load_dog(task, seed)
    else:
        env = suite.load(domain, task, task_kwargs={"random": seed, **task_options})
    if not options:
        return env
    # Not by suite.load(): some tasks set a control_timestep, which excludes n_sub_steps.
    limit = env._step_limit * env.control_timestep()
    given = {"time_limit": limit, "n_sub_steps": env._n_sub_steps, **options}
    return control.Environment(env.physics, env.task, **given)
