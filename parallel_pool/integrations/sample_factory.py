"""Pools as envs of Sample Factory 2, for its batched sampler.

register_pool("pong", "Pong-v5", num_envs=64)
cfg = parse_full_cfg(parser, ["--env=pong", *BATCHED])

A pool is one env with an agent for each of its envs. Episodes are reset in the same step, which is
what Sample Factory expects, so no second call is needed.
"""

import functools
from typing import Any

import gymnasium
import torch
from gymnasium.spaces import Space
from sample_factory.envs.env_utils import register_env

import parallel_pool
from parallel_pool.python.apis import gymnasium_api
from parallel_pool.python.specs.spec import Spec

# The arguments that Sample Factory needs for pools: rows in batches, one pool in a worker.
BATCHED = (
    "--batched_sampling=True",
    "--num_envs_per_worker=1",
    "--worker_num_splits=1",
    "--use_env_info_cache=False",
)


class PoolEnv(gymnasium.Env[Any, Any]):
    """A pool as an env of Sample Factory: num_agents rows in each step.

    Observations are arrays (rows, ...), or dicts of such; rewards float32 (rows,); terminated and
    truncated bool (rows,). Infos are tensors (rows,): the numbers that the task reported at the end
    of an episode, and those of `record_episode_statistics`. Sample Factory reads the rows of the
    envs whose episode has ended.
    """

    is_multiagent = True

    def __init__(self, spec: Spec, render_mode: str | None = None) -> None:
        """A pool of `spec`, which has autoreset_mode="same_step"."""
        self.pool: gymnasium_api.Pool = parallel_pool.make_gymnasium(spec)
        self.num_agents: int = self.pool.num_envs
        self.observation_space: Space[Any] = self.pool.observation_space
        self.action_space: Space[Any] = self.pool.action_space
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins an episode in each env: (obs, {}).

        Args:
            seed: is not used: Sample Factory counts its envs, so pools would share seeds. Each pool
                has a seed of its own, see register_pool().
            options: the task's reset options.
        """
        return self.pool.reset(options=options)[0], {}

    def step(self, action: Any) -> Any:
        """(obs, reward, terminated, truncated, info) of all envs."""
        *rows, info = self.pool.step(action)
        ends = info.get("final_info", {})
        return *rows, _numbers({**ends, "episode": info.get("episode", {})})

    def render(self) -> Any:
        """The pictures of the envs, one below the other."""
        pictures = self.pool.render()
        return None if pictures is None else pictures.reshape(-1, *pictures.shape[2:])

    def close(self) -> None:
        """Ends the pool."""
        self.pool.close()


def _numbers(info: dict[str, Any]) -> dict[str, Any]:
    """The infos with one number for each env, as tensors."""
    found: dict[str, Any] = {}
    for name, value in info.items():
        if isinstance(value, dict):
            found[name] = _numbers(value)
        elif value.ndim == 1 and value.dtype.kind in "biuf":
            found[name] = torch.from_numpy(value)
    return found


def register_pool(name: str, task_id: str, num_envs: int, seed: int = 42, **options: Any) -> None:
    """Registers pools of a task as Sample Factory's env `name` (`--env=name`).

    Each worker, and each split of one, has a pool of its own; no two of their envs share a seed.

    Args:
        name: the name for Sample Factory.
        task_id: the task.
        num_envs: envs of each pool.
        seed: of the whole program; see parallel_pool.rank_seed().
        **options: further options of parallel_pool.make(), such as num_threads.

    Raises:
        ValueError, TypeError: what make() raises, also for a task with a row for each player; or
            options say otherwise than autoreset_mode="same_step" and a batch of all envs.
    """
    for option, needed in (("autoreset_mode", "same_step"), ("batch_size", num_envs)):
        if options.get(option, needed) not in (needed, 0):
            raise ValueError(
                f"{task_id}: {option} is {options[option]!r}; Sample Factory needs {needed!r}"
            )
    options |= {"autoreset_mode": "same_step", "num_envs": num_envs}
    parallel_pool.make_spec(task_id, seed=seed, **options)  # errors come here, not in a worker
    register_env(name, functools.partial(_make, task_id, seed, options))


def _make(
    task_id: str,
    seed: int,
    options: dict[str, Any],
    full_name: str,
    cfg: Any = None,
    env_config: Any = None,
    render_mode: str | None = None,
) -> PoolEnv:
    """The function that Sample Factory calls, with the last four arguments."""
    # Without an env_config it asks for the spaces only.
    rank = 0 if env_config is None else env_config.env_id + 1
    own = {**options, "seed": parallel_pool.rank_seed(seed, rank, options["num_envs"])}
    if render_mode:
        own["render_mode"] = render_mode
    return PoolEnv(parallel_pool.make_spec(task_id, **own), render_mode)
