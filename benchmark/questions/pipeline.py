"""Steps of a JAX program that computes actions between them: one batch, and two halves.

A policy of two hidden layers, on two threads of a pool. `pipeline=2` of parallel_pool.jax computes
the actions of one half of the envs while the pool steps the other.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

from benchmark.frame import report
from benchmark.frame.rounds import Job, Peer, compare
from benchmark.frame.steps import Step

_NAME = "pipeline"
_WORKLOADS = {("HalfCheetah-v5", 256): 256, ("CartPole-v1", 1024): 128}  # width of a hidden layer
_STEPS = 100  # of all envs, in one call of the program


def program(job: Job, parts: int) -> Step:
    """A program of _STEPS steps of all envs, in `parts` parts."""
    import jax

    import parallel_pool
    from parallel_pool.jax import from_pool

    pool = parallel_pool.make(job.task, num_envs=job.num_envs, num_threads=2, seed=1)
    state, step, reset = from_pool(pool, pipeline=parts)
    act = _policy(pool, _WORKLOADS[job.task, job.num_envs])
    state, (obs, _) = reset(state)

    def body(carry: Any, _: Any) -> Any:
        state, batch = step(carry[0], act(carry[1]))
        return (state, batch[0]), batch[1].sum()

    run = jax.jit(lambda carry: jax.lax.scan(body, carry, None, _STEPS * parts))
    carries = [(state, obs)]

    def play() -> None:
        carries[0], rewards = run(carries[0])
        rewards.block_until_ready()

    return play


def _policy(pool: Any, width: int) -> Callable[[Any], Any]:
    """Actions (batch, ...) of observations (batch, n), from weights that are drawn once."""
    import jax
    import jax.numpy as jnp

    space = pool.action_space
    sizes = [
        pool.observation_space.shape[-1],
        width,
        width,
        space.shape[0] if space.shape else space.n,
    ]
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    layers = [
        jax.random.normal(key, (rows, columns)) / rows**0.5
        for key, rows, columns in zip(keys, sizes, sizes[1:], strict=False)
    ]

    def act(obs: Any) -> Any:
        last = functools.reduce(lambda x, w: jnp.tanh(x @ w), layers, obs.astype(jnp.float32))
        return last if space.shape else jnp.argmax(last, 1).astype(jnp.int32)

    return act


def one_batch(job: Job) -> Step:
    """All envs step at once."""
    return program(job, 1)


def two_halves(job: Job) -> Step:
    """Half of the envs step while the program computes the actions of the others."""
    return program(job, 2)


_PEERS = {"one batch": one_batch, "two halves": two_halves}


def _measure(rounds: int, seconds: float) -> Iterator[dict[str, Any]]:
    """A result for each task and peer."""
    compared = {
        f"{task}:{n}": [
            Peer(name, (Job(f"{__name__}:{peer.__name__}", task, n, n * _STEPS),))
            for name, peer in _PEERS.items()
        ]
        for task, n in _WORKLOADS
    }
    for load, peer, found in compare(compared, rounds, seconds):
        task, _, num_envs = load.partition(":")
        yield {"task": task, "num_envs": int(num_envs), "peer": peer, **found}


def table(data: report.Data) -> str:
    """A row for each peer: steps of an env in a second, and how many times those of one batch."""
    of = {(r["task"], r["num_envs"], r["peer"]): r["steps_per_second"] for r in data["results"]}
    rows = [
        [
            task,
            f"{n:,}",
            str(_WORKLOADS[task, n]),
            peer,
            f"{speed:,.0f}",
            f"x{speed / of[task, n, 'one batch']:.2f}",
        ]
        for (task, n, peer), speed in of.items()
    ]
    headers = ["task", "envs", "width", "steps in", "steps/s", "to one batch"]
    return report.table(headers, rows, text_columns=4)


def main() -> None:
    """Measures or reads the workloads, and prints the table."""
    report.main(_NAME, __doc__, _measure, table, seconds=2.0)
