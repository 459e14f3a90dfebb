"""Ways to call the step of envs with random actions, which are drawn before the clock starts."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

ACTIONS = 64  # different random batches of actions

Step = Callable[[], object]


def in_turn(space: Any, batch_size: int) -> Iterator[npt.NDArray[Any]]:
    """Yields batches of random actions of a Discrete or a Box without end; draws them at first."""
    rng = np.random.default_rng(0)
    if hasattr(space, "n"):
        yield from itertools.cycle(rng.integers(space.n, size=(ACTIONS, batch_size)))
    shape = (ACTIONS, batch_size, *space.shape)
    low, high = np.clip((space.low, space.high), -10, 10)  # an lqr has bounds of 1e10: it explodes
    yield from itertools.cycle(rng.uniform(low, high, shape).astype(space.dtype))


def sync(env: Any, num_envs: int, space: Any) -> Step:
    """A call of the step of all envs, with one batch."""
    actions = in_turn(space, num_envs)
    env.reset()
    return lambda: env.step(next(actions))


def players(env: Any, num_envs: int) -> Step:
    """A sync pool of this project whose players have spaces of their own."""
    from parallel_pool.python.check.random_player import random_actions

    rng = np.random.default_rng(0)
    actions = itertools.cycle([random_actions(env.spec, rng, num_envs) for _ in range(ACTIONS)])
    env.reset()
    return lambda: env.step(next(actions))


def turns(env: Any) -> Step:
    """A sync pool of this project whose players take turns: random legal moves."""
    obs, _ = env.reset()
    moves = obs["action_mask"].shape[1]
    numbers = itertools.cycle(np.random.default_rng(0).random((ACTIONS, 2 * env.num_envs, moves)))

    def step() -> None:
        nonlocal obs
        mask = obs["action_mask"]
        obs = env.step(np.argmax(next(numbers)[: len(mask)] * mask, axis=1))[0]

    return step


def single(env: Any) -> Step:
    """A plain loop over one env, which is reset when its episode ends; ACTIONS steps a call."""
    actions = [batch[0] for batch in itertools.islice(in_turn(env.action_space, 1), ACTIONS)]
    env.reset()

    def steps() -> None:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return steps


def loop(envs: list[Any]) -> Step:
    """Gymnasium's envs with discrete actions in a plain loop; one step of each env a call."""
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    actions = in_turn(envs[0].action_space, len(envs))

    def step() -> None:
        for env, action in zip(envs, next(actions).tolist(), strict=True):
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return step


def together(envs: list[Any]) -> Step:
    """Gymnasium's envs of several players with an action for each, in a plain loop."""
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    actions = [in_turn(space, len(envs)) for space in envs[0].action_space]

    def step() -> None:
        batches = [next(own).tolist() for own in actions]
        for env, *own in zip(envs, *batches, strict=True):
            _, _, terminated, truncated, _ = env.step(own)
            if terminated or truncated:
                env.reset()

    return step


def parallel(envs: list[Any]) -> Step:
    """PettingZoo's parallel envs in a plain loop."""
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    spaces = {agent: envs[0].action_space(agent) for agent in envs[0].possible_agents}
    actions = {agent: in_turn(space, len(envs)) for agent, space in spaces.items()}

    def step() -> None:
        batches = {agent: next(own) for agent, own in actions.items()}
        drawn = {agent: b.tolist() if b.ndim == 1 else b for agent, b in batches.items()}  # int
        for i, env in enumerate(envs):
            env.step({agent: own[i] for agent, own in drawn.items()})
            if not env.agents:  # the episode has ended
                env.reset()

    return step
