"""Plays a pool and the reference with the same actions, and compares all that they return by ==."""

from collections.abc import Callable
from typing import Any

import parallel_pool
from parallel_pool.envs.minigrid.reference import LEFT, Wanderer
from parallel_pool.testing.side_by_side import SideBySide


class Game:
    """An env of the reference and the agent that plays it.

    Observations are those that the pool has, and the agent's place is an info.
    """

    def __init__(self, names: Any, env: Any, agent: Wanderer) -> None:
        """`names`: those of the pool's observations."""
        self.names, self.env, self.agent = names, env, agent

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        obs, _ = self.env.reset(seed=seed)
        self.agent.begin(self.env.unwrapped)
        return self._row(obs)

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Plays a step."""
        obs, *ends, _ = self.env.step(action)
        obs, info = self._row(obs)
        return obs, *ends, info

    def _row(self, obs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        place = [int(x) for x in self.env.unwrapped.agent_pos]
        return {name: obs[name] for name in self.names}, {"agent_pos": place}

    def act(self) -> int:
        """The agent's next action."""
        return min(self.agent.act(self.env.unwrapped), int(self.env.action_space.n) - 1)


def play(
    task_id: str,
    env: Any,
    agent: Wanderer,
    seed: int,
    steps: int,
    *,
    episodes: int | None = None,
    picture: Callable[[Any], Any] | None = None,
    **options: Any,
) -> int:
    """Plays one env of a pool and the reference.

    Args:
        task_id: the task.
        env: the reference.
        agent: chooses the actions.
        seed: of both.
        steps: the number of steps.
        episodes: the number of episodes after which it stops earlier.
        picture: a picture of the reference, which is compared with render() before each step.
        **options: of the pool.

    Returns:
        The number of successes, which are rewarded.
    """
    game = Game(parallel_pool.make_spec(task_id, **options).observation_space, env, agent)
    successes = 0
    with SideBySide(task_id, seed, [game], **options) as both:
        for _ in range(steps):
            if picture is not None:
                both.same.row("render()", both.pool.render()[0], picture(env))
            both.step([LEFT if both.is_over[0] else game.act()])
            successes += both.theirs[0][1] > 0
            if both.episodes == episodes:
                break
    return successes
