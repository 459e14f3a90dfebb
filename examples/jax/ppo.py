"""PPO in one compiled program: envs, policy and learning are inside of jax.jit.

    python ppo.py                    CartPole-v1 until the mean return is 475
    python ppo.py Pong-v5 --max-steps 100000

It needs JAX only. A task has one Discrete action and observations of numbers, or frames of Atari.
The same seed gives the same result.
"""

import argparse
import functools
import time
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import parallel_pool
from parallel_pool.jax import from_pool

GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.2, 0.0
EPOCHS, BATCHES, RATE, LAST = 4, 8, 1e-3, 100
# Frames of 84 x 84: squares of so many pixels become so many channels, two times. As products of
# matrices they are far faster on a processor than convolutions, which XLA runs on one core here.
SQUARES = ((7, 32), (3, 64))


class Rows(NamedTuple):
    """The arrays that the rollout collects, (steps, envs, ...)."""

    obs: Any
    action: Any
    log_prob: Any
    value: Any
    reward: Any
    terminated: Any
    ended: Any
    counts: Any  # 0: the step only reset the env


class Carry(NamedTuple):
    """The values that an update hands to the next one."""

    params: Any
    moments: Any  # of Adam: the first, the second
    count: Any  # of Adam's steps
    pool: Any  # the pool's state
    obs: Any
    ended: Any  # whether the last step ended the episode
    returns: Any  # of the running episodes
    finished: Any  # the returns of the last episodes; NaN before there are so many
    key: Any


def layer(key: Any, shape: tuple[int, ...], scale: float) -> dict[str, Any]:
    """Weights, whose last axis is the output, and biases."""
    weights = jax.nn.initializers.orthogonal(scale)(key, shape)
    return {"w": weights, "b": jnp.zeros(shape[-1])}


def network(key: Any, shape: tuple[int, ...], outputs: int, last: float) -> list[dict[str, Any]]:
    """A network for one observation of this shape."""
    keys = iter(jax.random.split(key, 8))
    layers, size = [], int(np.prod(shape))
    if len(shape) == 3:
        channels, side = shape[0], shape[1]
        for width, out in SQUARES:
            layers.append(layer(next(keys), (channels * width * width, out), 2**0.5))
            channels, side = out, side // width
        size = channels * side * side
    for _ in range(2):
        layers.append(layer(next(keys), (size, 64), 2**0.5))
        size = 64
    return [*layers, layer(next(keys), (size, outputs), last)]


def apply(layers: list[dict[str, Any]], obs: Any) -> Any:
    """The outputs (rows, outputs) of observations (rows, ...)."""
    x = obs / 255 if obs.dtype == jnp.uint8 else obs
    if x.ndim == 4:
        for own, (width, _) in zip(layers, SQUARES, strict=False):
            rows, channels, side, _ = x.shape
            x = x.reshape(rows, channels, side // width, width, side // width, width)
            x = x.transpose(0, 2, 4, 1, 3, 5).reshape(rows, side // width, side // width, -1)
            x = jax.nn.relu(x @ own["w"] + own["b"]).transpose(0, 3, 1, 2)
        layers = layers[len(SQUARES) :]
    x = x.reshape(len(x), -1)
    for own in layers[:-1]:
        x = jnp.tanh(x @ own["w"] + own["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]


def rollout(step: Any, steps: int, carry: Carry) -> tuple[Carry, Rows]:
    """Plays `steps` steps of all envs."""

    def body(now: Carry, _: None) -> tuple[Carry, Rows]:
        key, draw = jax.random.split(now.key)
        logits = jax.nn.log_softmax(apply(now.params["actor"], now.obs))
        value = apply(now.params["critic"], now.obs)[:, 0]
        action = jax.random.categorical(draw, logits).astype(jnp.int32)
        log_prob = jnp.take_along_axis(logits, action[:, None], 1)[:, 0]
        pool, (obs, reward, terminated, truncated, _) = step(now.pool, action)
        ended = terminated | truncated
        counts = 1.0 - now.ended
        row = Rows(now.obs, action, log_prob, value, reward, terminated, ended, counts)
        returns = now.returns + reward

        def add(last: Any, env: Any) -> tuple[Any, None]:
            shifted = jnp.roll(last, 1).at[0].set(returns[env])
            return jnp.where(ended[env], shifted, last), None

        finished = jax.lax.scan(add, now.finished, jnp.arange(len(ended)))[0]
        after = now._replace(pool=pool, obs=obs, ended=ended, key=key, finished=finished)
        return after._replace(returns=jnp.where(ended, 0, returns)), row

    after, rows = jax.lax.scan(body, carry, None, steps)
    return after, rows


def advantages(rows: Rows, last: Any) -> Any:
    """Generalized advantage estimates, (steps, envs); `last` are the last observations' values."""

    def body(carry: Any, row: Rows) -> Any:
        total, following = carry
        delta = row.reward + GAMMA * following * (1 - row.terminated) - row.value
        total = delta + GAMMA * LAMBDA * (1 - row.ended) * total
        return (total, row.value), total

    return jax.lax.scan(body, (jnp.zeros_like(last), last), rows, reverse=True)[1]


def loss_of(params: Any, rows: Rows, gain: Any, target: Any) -> Any:
    """PPO's loss of rows (rows, ...)."""
    weight = rows.counts / rows.counts.sum()
    mean = (weight * gain).sum()
    gain = (gain - mean) / (jnp.sqrt((weight * (gain - mean) ** 2).sum()) + 1e-8)
    logits = jax.nn.log_softmax(apply(params["actor"], rows.obs))
    log_prob = jnp.take_along_axis(logits, rows.action[:, None], 1)[:, 0]
    ratio = jnp.exp(log_prob - rows.log_prob)
    policy = -jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * gain)
    value = 0.5 * (apply(params["critic"], rows.obs)[:, 0] - target) ** 2
    entropy = -(jnp.exp(logits) * logits).sum(1)
    return (weight * (policy + value - ENTROPY * entropy)).sum()


def adam(params: Any, gradient: Any, moments: Any, count: Any) -> tuple[Any, Any]:
    """A step of Adam, with the gradient clipped to a norm of 0.5."""
    norm = jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1, 0.5 / (norm + 1e-6)), gradient)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradient)
    second = jax.tree.map(lambda m, g: 0.999 * m + 0.001 * g * g, moments[1], gradient)
    a, b = 1 - 0.9**count, 1 - 0.999**count
    params = jax.tree.map(
        lambda p, m, v: p - RATE * (m / a) / (jnp.sqrt(v / b) + 1e-5), params, first, second
    )
    return params, (first, second)


@functools.partial(jax.jit, static_argnums=(0, 1))
def update(step: Any, steps: int, carry: Carry) -> Carry:
    """A rollout and some epochs of learning: the whole of PPO, in one program."""
    carry, rows = rollout(step, steps, carry)
    gain = advantages(rows, apply(carry.params["critic"], carry.obs)[:, 0])
    every = (rows, gain, gain + rows.value)
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), every)
    size = flat[1].shape[0]

    def batch(state: Any, chosen: Any) -> Any:
        params, moments, count = state
        own = jax.tree.map(lambda x: x[chosen], flat)
        gradient = jax.grad(loss_of)(params, *own)
        return (*adam(params, gradient, moments, count + 1), count + 1), None

    def epoch(state: Any, key: Any) -> Any:
        return jax.lax.scan(batch, state, jax.random.permutation(key, size).reshape(BATCHES, -1))

    key, shuffle = jax.random.split(carry.key)
    state = (carry.params, carry.moments, carry.count)
    state, _ = jax.lax.scan(epoch, state, jax.random.split(shuffle, EPOCHS))
    params, moments, count = state
    return carry._replace(params=params, moments=moments, count=count, key=key)


def train(args: argparse.Namespace) -> tuple[float, int, float, float]:
    """Trains: the mean return, the env steps, the seconds, and those of them to compile."""
    pool = parallel_pool.make(args.task, num_envs=args.num_envs, seed=args.seed)
    state, step, reset = from_pool(pool)
    space: Any = pool.single_action_space
    key, actor, critic = jax.random.split(jax.random.key(args.seed), 3)
    begin = time.perf_counter()
    state, (obs, _) = reset(state)
    params = {
        "actor": network(actor, obs.shape[1:], int(space.n), 0.01),
        "critic": network(critic, obs.shape[1:], 1, 1.0),
    }
    zeros = jax.tree.map(jnp.zeros_like, params)
    n = args.num_envs
    no = jnp.zeros(n, bool)
    last = jnp.full(LAST, jnp.nan)
    carry = Carry(params, (zeros, zeros), 0, state, obs, no, jnp.zeros(n), last, key)
    compiled = update.lower(step, args.steps, carry).compile()
    compiling = time.perf_counter() - begin
    goal = pool.reward_threshold or np.inf
    steps, mean = 0, float("nan")
    while steps < args.max_steps and not mean >= goal:
        carry = compiled(carry)
        mean = float(carry.finished.mean())
        steps += n * args.steps
    seconds = time.perf_counter() - begin
    pool.close()
    return mean, steps, seconds, compiling


def main() -> None:
    """Trains and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="?", default="CartPole-v1", help="the task (CartPole-v1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the envs and the agent (1)")
    parser.add_argument("--num-envs", type=int, default=32, help="number of envs (32)")
    parser.add_argument("--steps", type=int, default=64, help="steps between updates (64)")
    parser.add_argument("--max-steps", type=int, default=1_000_000, help="of all envs (1,000,000)")
    args = parser.parse_args()
    mean, steps, seconds, compiling = train(args)
    print(
        f"mean return {mean:.1f} after {steps:,} steps in {seconds:.1f} s "
        f"({compiling:.1f} s to compile; {steps / (seconds - compiling):,.0f} steps/s)"
    )


if __name__ == "__main__":
    main()
