"""`film`: a film of several envs, as mp4 or gif, or their last picture as png."""

import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np

import parallel_pool
from parallel_pool.command_line import film_file
from parallel_pool.command_line.policies import Policy, load_policy
from parallel_pool.python.check.random_player import random_actions
from parallel_pool.python.pools.window import tile

_DEFAULT_FPS = 30.0  # of a task that people watch as fast as possible

# Options of make() that the command sets, and what to do instead of giving them.
_NOT_OPTIONS = {
    "num_envs": "use --num-envs",
    "seed": "use --seed",
    "batch_size": "it plays all envs at once",
    "render_mode": "it is 'rgb_array'",
}


def run(
    task_id: str,
    options: dict[str, Any],
    *,
    out: str | None = None,
    num_envs: int = 9,
    steps: int = 200,
    policy: str | None = None,
    seed: int = 42,
    fps: float | None = None,
) -> int:
    """Plays all envs and writes the film; returns the exit code.

    Args:
        task_id: the task.
        options: options of make().
        out: the file; None: TASK.gif.
        num_envs: the number of envs.
        steps: the number of steps of each env. The film has a picture more, of the reset.
        policy: "module:function"; None: random actions.
        seed: the seed of the envs and of the random actions.
        fps: steps per second of the film; None: those of the task, or fewer if the film would last
            less than a second.
    """
    for name, instead in _NOT_OPTIONS.items():
        if name in options:
            raise ValueError(f"{task_id}: {name} is no option of film; {instead}")
    if "rgb_array" not in parallel_pool.make_spec(task_id, **options).source.render_modes:
        raise ValueError(f"{task_id} cannot be filmed: its envs draw no pictures")
    out = out or f"{task_id.replace('/', '-')}.gif"
    film_file.check(out)
    options = {"num_envs": num_envs, "seed": seed, "render_mode": "rgb_array", **options}
    chosen = load_policy(policy) if policy else None
    with parallel_pool.make(task_id, **options) as pool:
        rate = fps or film_file.speed(1 + steps, pool.spec.render_fps or _DEFAULT_FPS)
        pictures = _play(pool, steps, chosen, policy, np.random.default_rng(seed))
        film_file.write(out, map(tile, pictures), rate)
    print(f"{out}: {num_envs} envs of {task_id}, {steps} steps, {rate:g} steps per second")
    return 0


def _play(
    pool: Any, steps: int, policy: Policy | None, name: str | None, random: np.random.Generator
) -> Iterator[Any]:
    """Pictures of all envs after the reset and after each step."""
    obs, info = pool.reset()
    yield pool.render()
    for _ in range(steps):
        if policy is None:
            pool.send(random_actions(pool.spec, random, pool.num_envs, info))
        else:
            _send(pool, policy, name, obs)
        obs, _, _, _, info = pool.recv()
        yield pool.render()


def _send(pool: Any, policy: Policy, name: str | None, obs: Any) -> None:
    """Sends the policy's actions; RuntimeError if it fails, ValueError if they are refused."""
    try:
        actions = policy(obs)
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        raise RuntimeError(
            f"--policy {name} raised {type(error).__name__}: {error} "
            f"({frame.filename}, line {frame.lineno})"
        ) from error
    try:
        pool.send(actions)
    except (ValueError, TypeError) as error:
        raise ValueError(f"--policy {name} returned other actions than allowed: {error}") from None
