"""The tasks of the DeepMind Control Suite, for tests: our ids and dm_control's environments."""

from typing import Any

from dm_control import suite
from dm_control.rl import control

import parallel_pool


def id_of(domain: str, task: str) -> str:
    """EnvPool's name: ("ball_in_cup", "catch") is BallInCupCatch-v1."""
    words = f"{domain}_{task}".split("_")
    return "".join(word[0].upper() + word[1:] for word in words) + "-v1"


ALL = {id_of(domain, task): (domain, task) for domain, task in suite.ALL_TASKS}
TASKS = sorted(set(ALL) & set(parallel_pool.list_all_envs()))


def load(task_id: str, seed: int, **options: Any) -> control.Environment:
    """dm_control's environment, with the options of control.Environment and of the task."""
    domain, task = ALL[task_id]
    task_options = {name: options.pop(name) for name in ["fully_observable"] if name in options}
    env = suite.load(domain, task, task_kwargs={"random": seed, **task_options})
    if not options:
        return env
    # Not by suite.load(): some tasks set a control_timestep, which excludes n_sub_steps.
    limit = env._step_limit * env.control_timestep()
    given = {"time_limit": limit, "n_sub_steps": env._n_sub_steps, **options}
    return control.Environment(env.physics, env.task, **given)
