"""Both games equal PettingZoo 1.27's by ==: random games, illegal moves, and all short openings."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.classic.connect_four import connect_four
from pettingzoo.classic.tictactoe import tictactoe
from pettingzoo.utils.env_logger import EnvLogger

from parallel_pool.testing.form import IS_LONG
from parallel_pool.testing.side_by_side import SideBySide

EnvLogger.suppress_output()  # it warns of each illegal move

MODULES = {"TicTacToe-v0": tictactoe, "ConnectFour-v0": connect_four}
ENVS = 4


class Reference:
    """One game of PettingZoo, with a row for each player who is there, as a pool returns them."""

    def __init__(self, task_id: str) -> None:
        """Makes the game."""
        self.env = MODULES[task_id].env()

    def reset(self) -> tuple[Any, dict[str, Any]]:
        """Begins a game."""
        self.env.reset()
        obs, _, _, _, info = self._rows()
        return obs, info

    def step(self, actions: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Plays a move."""
        self.env.step(actions[0])
        return self._rows()

    def _rows(self) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        env = self.env
        ends = any(env.terminations.values()), any(env.truncations.values())
        rows = [self._last(ends)]
        if any(ends):  # each player learns of the end in turn
            for _ in env.agents:
                env.step(None)
                if env.agents:
                    rows.append(self._last(ends))
            rows.sort(key=lambda row: row[0])
        agents, stones, masks, rewards = zip(*rows, strict=True)
        self.stones, self.mask = stones[0], masks[0]
        obs = {"observation": np.stack(stones), "action_mask": np.stack(masks)}
        return obs, np.array(rewards, np.float32), *ends, {"players": {"agent": list(agents)}}

    def _last(self, ends: tuple[bool, bool]) -> tuple[int, Any, Any, float]:
        obs, reward, *own_ends, _ = self.env.last()
        assert tuple(own_ends) == ends
        agent = self.env.possible_agents.index(self.env.agent_selection)
        return agent, obs["observation"], obs["action_mask"], float(reward)


def play(task_id: str, games: int, choose: Callable[[int, Reference], int]) -> set[Any]:
    """Plays `games` games in each env; returns the ends: (reward of the first player, illegal)."""
    ends = set()
    envs = [Reference(task_id) for _ in range(ENVS)]
    with SideBySide(task_id, None, envs, reward_dtype="float32") as both:
        while both.ends["terminated"] < games * ENVS:
            players = np.bincount(both.ours[-1]["players"]["env_id"])
            both.step([[choose(i, env)] * players[i] for i, env in enumerate(envs)])
            ends |= {(reward[0], cut) for _, reward, over, cut, _ in both.theirs if over}
    return ends


@pytest.mark.parametrize("illegal", [0.0, 0.05])
@pytest.mark.parametrize("task_id", MODULES)
def test_random_games(task_id: str, illegal: float) -> None:
    random = np.random.default_rng(7)

    def choose(_: int, reference: Reference) -> int:
        mask = reference.mask.astype(bool)
        if not mask.any() or random.random() < illegal:
            return int(random.integers(len(mask)))
        return int(random.choice(np.flatnonzero(mask)))

    ends = play(task_id, 2500 if IS_LONG else 75, choose)
    assert {(1, False), (-1, False)} <= ends
    if task_id == "TicTacToe-v0" or (IS_LONG and not illegal):
        assert (0, False) in ends  # a draw, which connect four has once in 400 random games
    assert ({(-1, True), (0, True)} <= ends) == (illegal > 0)


def test_all_openings_of_tic_tac_toe() -> None:
    """Each env plays its share of all sequences of 4 moves, illegal ones among them."""
    every = [list(game) for game in itertools.product(range(9), repeat=4)]
    shares = [iter(every[i::ENVS]) for i in range(ENVS)]
    moves: list[list[int]] = [[] for _ in range(ENVS)]

    def choose(env: int, reference: Reference) -> int:
        if not reference.stones.any():
            moves[env] = next(shares[env], [])
        if moves[env]:
            return moves[env].pop(0)
        return int(np.argmin(reference.mask))  # an illegal move ends the game

    games = len(every) // ENVS if IS_LONG else 300
    assert play("TicTacToe-v0", games, choose) == {(-1, True), (0, True)}
