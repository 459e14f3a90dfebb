"""Compares jax.lax.scan over a pool with a loop over NumPy, and with EnvPool's xla().

    make bench-jax

EnvPool is left out if it is not installed. Each pool has one thread. The peers
take turns in this process, so other work of the machine slows all of them down. The table has the
medians of the CPU time, of all threads, of a step of all envs.
"""

import importlib.util
import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from tabulate import tabulate

import parallel_pool
from parallel_pool.jax import from_pool

# Task, envs, steps of a round.
WORKLOADS = (
    ("CartPole-v1", 8, 20_000),
    ("CartPole-v1", 256, 4_000),
    ("CartPole-v1", 4096, 400),
    ("Pong-v5", 8, 60),
    ("Pong-v5", 64, 8),
)
ROUNDS = 7


def loop(pool: Any, steps: int) -> Callable[[], None]:
    """A round of the pool's own calls."""
    pool.reset()
    action = np.zeros(pool.num_envs, np.int32)

    def play() -> None:
        for _ in range(steps):
            pool.step(action)

    return play


def scan(first: Any, step: Callable[..., Any], num_envs: int, steps: int) -> Callable[[], None]:
    """A round in one program, which reads every reward."""
    action = jnp.zeros(num_envs, jnp.int32)

    def body(state: Any, _: Any) -> Any:
        state, batch = step(state, action)
        return state, batch[1].sum()

    program = jax.jit(lambda state: jax.lax.scan(body, state, None, steps))
    states = [first]

    def play() -> None:
        states[0], rewards = program(states[0])
        rewards.block_until_ready()

    return play


def peers(task: str, num_envs: int, steps: int) -> dict[str, Callable[[], None]]:
    """The rounds of each peer, by its name."""
    options: dict[str, Any] = {"num_envs": num_envs, "num_threads": 1, "seed": 1}
    ours = parallel_pool.make(task, **options)
    ours.reset()
    state, step, _ = from_pool(ours)
    rounds = {
        "loop over NumPy": loop(parallel_pool.make(task, **options), steps),
        "scan": scan(state, step, num_envs, steps),
    }
    if importlib.util.find_spec("envpool"):
        import envpool

        theirs = envpool.make(task, env_type="gymnasium", **options)
        theirs.reset()
        handle, _, _, step = theirs.xla()
        rounds["EnvPool's scan"] = scan(handle, step, num_envs, steps)
    return rounds


def microseconds(play: Callable[[], None], steps: int) -> float:
    """The CPU time of a step in a round of `steps`."""
    start = time.process_time()
    play()
    return 1e6 * (time.process_time() - start) / steps


def main() -> None:
    """Measures, and prints the table."""
    rows = []
    for task, num_envs, steps in WORKLOADS:
        rounds = peers(task, num_envs, steps)
        for play in rounds.values():
            play()
        times = {name: [0.0] * ROUNDS for name in rounds}
        for i in range(ROUNDS):
            for name, play in rounds.items():
                times[name][i] = microseconds(play, steps)
        medians = {name: statistics.median(column) for name, column in times.items()}
        loops, scans = times["loop over NumPy"], times["scan"]
        ratio = statistics.median(b / a for a, b in zip(loops, scans, strict=True))
        row = {"task": task, "envs": num_envs}
        row |= {f"{name}, us": f"{median:.1f}" for name, median in medians.items()}
        row["scan / loop"] = f"{ratio:.2f}"
        if "EnvPool's scan" in times:
            pairs = zip(times["EnvPool's scan"], scans, strict=True)
            row["EnvPool's / scan"] = f"{statistics.median(a / b for a, b in pairs):.1f}"
        rows.append(row)
    print(f"jax {jax.__version__}")
    print(tabulate(rows, "keys", tablefmt="pipe"))


if __name__ == "__main__":
    main()
