"""A policy that works in rware's warehouse: it fetches shelves, delivers them and returns them."""

import functools
from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rware.warehouse import Direction, Warehouse

NOOP, FORWARD, LEFT, RIGHT, TOGGLE_LOAD = range(5)

# The order of directions by turns to the right, and the steps in x and y.
_TURNS = (Direction.UP, Direction.RIGHT, Direction.DOWN, Direction.LEFT)
_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))

_NOISE = 0.1  # the share of random actions, which dissolve jams


class Worker:
    """Chooses actions for the agents of an env."""

    def __init__(self, env: Warehouse) -> None:
        self.env = env
        self._distances = functools.cache(self._find_distances)

    def _find_distances(self, target: tuple[int, int]) -> NDArray[np.int64]:
        """Steps to the cell x, y through corridors, from all cells next to them."""
        rows, columns = self.env.grid_size
        found = np.full((rows, columns), 10**6)
        found[target[1], target[0]] = 0
        queue = deque([target])
        while queue:
            x, y = queue.popleft()
            for right, down in _STEPS:
                nx, ny = x + right, y + down
                if 0 <= nx < columns and 0 <= ny < rows and found[ny, nx] == 10**6:
                    found[ny, nx] = found[y, x] + 1
                    if self.env.highways[ny, nx]:
                        queue.append((nx, ny))
        return found

    def _towards(self, agent: Any, target: tuple[int, int], by_corridors: bool) -> int:
        """The action that brings the agent nearer to the cell."""
        rows, columns = self.env.grid_size
        best, wanted = 10**7, 0
        for turn, (right, down) in enumerate(_STEPS):
            x, y = agent.x + right, agent.y + down
            if not (0 <= x < columns and 0 <= y < rows):
                continue
            steps = abs(target[0] - x) + abs(target[1] - y)
            if by_corridors:
                is_open = self.env.highways[y, x] or (x, y) == target
                steps = self._distances(target)[y, x] if is_open else 10**6
            if steps < best:
                best, wanted = steps, turn
        turns = (wanted - _TURNS.index(agent.dir)) % 4
        return (FORWARD, RIGHT, RIGHT, LEFT)[turns]

    def _action(self, number: int, agent: Any) -> int:
        env, place = self.env, (agent.x, agent.y)
        shelf = agent.carrying_shelf
        if shelf is None:
            open_requests = [s for s in env.request_queue if env.grid[0, s.y, s.x] == 0]
            here = [s for s in env.request_queue if (s.x, s.y) == place]
            if here:
                return TOGGLE_LOAD
            if not open_requests:
                return NOOP
            wanted = open_requests[number % len(open_requests)]
            return self._towards(agent, (wanted.x, wanted.y), by_corridors=False)
        if shelf in env.request_queue:
            return self._towards(agent, env.goals[number % len(env.goals)], by_corridors=True)
        free = np.argwhere((env.highways == 0) & (env.grid[1] == 0))
        if not env.highways[agent.y, agent.x]:
            return TOGGLE_LOAD
        y, x = free[number % len(free)]
        return self._towards(agent, (int(x), int(y)), by_corridors=True)

    def actions(self, random: np.random.Generator) -> NDArray[np.int64]:
        """The action of each agent, with random messages."""
        env = self.env
        planned = [self._action(i, agent) for i, agent in enumerate(env.agents)]
        noise = random.random(env.n_agents) < _NOISE
        moves = np.where(noise, random.integers(5, size=env.n_agents), planned)
        if env.msg_bits == 0:
            return moves.astype(np.int64)
        bits = random.integers(2, size=(env.n_agents, env.msg_bits))
        return np.concatenate([moves[:, None], bits], axis=1).astype(np.int64)
