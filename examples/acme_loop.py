"""ACME's EnvironmentLoop on a task: dm_env's calls of one env, on a pool of one.

dm-acme 0.4.0 needs dm-launchpad, which has wheels only for Python 3.10 and older: there,
`pip install dm-acme dm-launchpad` and run this. Without ACME, the same loop runs in plain dm_env.
"""

import argparse
from collections.abc import Callable
from typing import Any

import dm_env
import numpy as np

import parallel_pool


class OneEnv(dm_env.Environment):  # type: ignore[misc]
    """A pool of one env without the batch axis, for agents that step one env."""

    def __init__(self, task_id: str, **options: Any) -> None:
        """Makes the pool; options and errors are those of parallel_pool.make()."""
        self._pool = parallel_pool.make_dm(task_id, num_envs=1, **options)

    def reset(self) -> dm_env.TimeStep:
        """Begins an episode."""
        return self._row(self._pool.reset(), first=True)

    def step(self, action: Any) -> dm_env.TimeStep:
        """Takes one action; after the last step of an episode, begins the next."""
        step = self._pool.step(np.asarray(action)[None])
        return self._row(step, first=step.step_type[0] == dm_env.StepType.FIRST)

    def _row(self, step: dm_env.TimeStep, first: bool) -> dm_env.TimeStep:
        """Row 0; dm_env has no reward and no discount at the first step of an episode."""
        return dm_env.TimeStep(
            dm_env.StepType(int(step.step_type[0])),
            None if first else float(step.reward[0]),
            None if first else float(step.discount[0]),
            step.observation.obs[0],
        )

    def observation_spec(self) -> Any:
        """The spec of the observation only."""
        return self._pool.observation_spec().obs

    def action_spec(self) -> Any:
        """The spec of one action."""
        return self._pool.action_spec()

    def close(self) -> None:
        """Frees the env."""
        self._pool.close()


class RandomActor:
    """An actor, as ACME calls it: acts at random and counts its steps."""

    def __init__(self, spec: Any) -> None:
        """Takes the spec of a discrete action."""
        self._spec, self._random, self.steps = spec, np.random.default_rng(0), 0

    def select_action(self, observation: Any) -> Any:
        """Returns a random action."""
        return self._random.integers(self._spec.num_values, dtype=self._spec.dtype)

    def observe_first(self, timestep: dm_env.TimeStep) -> None:
        """Observes the first step of an episode."""

    def observe(self, action: Any, next_timestep: dm_env.TimeStep) -> None:
        """Observes one step."""
        self.steps += 1

    def update(self, wait: bool = False) -> None:
        """Does nothing; an agent learns here."""


def plain_loop(env: dm_env.Environment, actor: RandomActor) -> Callable[[int], None]:
    """The loop of acme.EnvironmentLoop(env, actor).run."""

    def run(num_episodes: int) -> None:
        for _ in range(num_episodes):
            step = env.reset()
            actor.observe_first(step)
            while not step.last():
                action = actor.select_action(step.observation)
                step = env.step(action)
                actor.observe(action, next_timestep=step)
                actor.update()

    return run


def main() -> None:
    """Plays some episodes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="CartPole-v1", help="a task with discrete actions")
    parser.add_argument("--episodes", type=int, default=10)
    args = parser.parse_args()
    env = OneEnv(args.task)
    actor = RandomActor(env.action_spec())
    try:
        import acme
    except ImportError as error:
        print(f"without ACME ({error})")
        run = plain_loop(env, actor)
    else:
        run = acme.EnvironmentLoop(env, actor).run
    run(args.episodes)
    print(f"{args.episodes} episodes, {actor.steps} steps")
    env.close()


if __name__ == "__main__":
    main()
