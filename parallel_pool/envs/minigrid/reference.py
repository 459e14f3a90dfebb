"""The reference: envs of the package minigrid, and agents that play them."""

import collections
from typing import Any

import gymnasium
import minigrid  # registers the ids
import numpy as np
from minigrid.core.constants import DIR_TO_VEC
from minigrid.utils import baby_ai_bot

# Six ids draw their worlds by wave function collapse, which this family leaves out.
TASKS: list[str] = sorted(
    id_
    for id_ in gymnasium.registry
    if id_.startswith(("MiniGrid-", "BabyAI-")) and "-WFC-" not in id_
)
LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, DONE = range(7)

assert minigrid.__version__


def make(task_id: str, **options: Any) -> Any:
    """One env of minigrid, without Gymnasium's wrappers."""
    return gymnasium.make(task_id, disable_env_checker=True, **options).unwrapped


class Wanderer:
    """Acts at random, mostly forward."""

    def __init__(self, seed: int) -> None:
        """`seed`: of its random numbers."""
        self.random = np.random.default_rng(seed)

    def begin(self, env: Any) -> None:
        """Begins an episode."""

    def act(self, env: Any) -> int:
        """The next action in the env."""
        count = int(env.action_space.n)
        return int(FORWARD if self.random.random() < 0.4 else self.random.integers(count))


class Seeker(Wanderer):
    """Goes to things and uses them: picks up, toggles, drops, enters goals, says that it is done.

    It solves most levels now and then, and it meets all kinds of ends.
    """

    def __init__(self, seed: int) -> None:
        """`seed`: of its random numbers."""
        super().__init__(seed)
        self.plan: collections.deque[int] = collections.deque()

    def begin(self, env: Any) -> None:
        """Begins an episode."""
        self.plan.clear()

    def act(self, env: Any) -> int:
        """The next action in the env."""
        if not self.plan:
            self.plan.extend(self.new_plan(env))
        return self.plan.popleft() if self.plan else super().act(env)

    def new_plan(self, env: Any) -> list[int]:
        """The shortest way to face a random cell that contains something, and a use of it."""
        start = (int(env.agent_pos[0]), int(env.agent_pos[1]), int(env.agent_dir))
        ways: dict[tuple[int, int, int], list[int]] = {start: []}
        queue = collections.deque([start])
        found = []
        while queue:
            x, y, direction = state = queue.popleft()
            dx, dy = DIR_TO_VEC[direction]
            ahead = (x + int(dx), y + int(dy))
            cell = env.grid.get(*ahead)
            if cell is not None and cell.type != "wall":
                found.append((ahead, cell, ways[state]))
            following = [(LEFT, (x, y, (direction - 1) % 4)), (RIGHT, (x, y, (direction + 1) % 4))]
            if cell is None or (cell.type == "door" and cell.is_open):
                following.append((FORWARD, (*ahead, direction)))
            for action, after in following:
                if after not in ways:
                    ways[after] = [*ways[state], action]
                    queue.append(after)
        if env.carrying and self.random.random() < 0.3:
            free = [way for (x, y, d), way in ways.items() if self.is_free_ahead(env, x, y, d)]
            return [*free[self.random.integers(len(free))], DROP] if free else []
        if not found:
            return []
        # Each thing is as likely as another; a thing is found from several sides.
        places = sorted({place for place, _, _ in found})
        target = places[self.random.integers(len(places))]
        _, cell, way = next(f for f in found if f[0] == target)
        uses = {"goal": [FORWARD], "lava": [FORWARD], "door": [TOGGLE, DONE]}
        use = uses.get(cell.type, [PICKUP, PICKUP, TOGGLE, DONE])
        return [*way, use[self.random.integers(len(use))]]

    @staticmethod
    def is_free_ahead(env: Any, x: int, y: int, direction: int) -> bool:
        """Whether the cell before an agent there is empty."""
        dx, dy = DIR_TO_VEC[direction]
        return env.grid.get(x + int(dx), y + int(dy)) is None


class Solver(Seeker):
    """Does what BabyAI's instruction says, by the reference's own bot; seeks where that fails."""

    def begin(self, env: Any) -> None:
        """Begins an episode."""
        super().begin(env)
        self.last: int | None = None
        # The bot asks its env for `unwrapped`, as Gymnasium's wrappers have it.
        self.bot: Any = baby_ai_bot.BabyAIBot(env)

    def act(self, env: Any) -> int:
        """The next action in the env."""
        try:
            if self.bot is not None:
                self.last = int(self.bot.replan(self.last))
                return self.last
        except (AssertionError, baby_ai_bot.DisappearedBoxError, IndexError, ValueError):
            self.bot = None
        return super().act(env)
