"""Both games equal PettingZoo 1.27's by ==: random games, illegal moves, and all short openings."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.classic.connect_four import connect_four
from pettingzoo.classic.tictactoe import tictactoe
from pettingzoo.utils.env_logger import EnvLogger

import parallel_pool
from parallel_pool.testing.form import IS_LONG
from parallel_pool.testing.played import played

EnvLogger.suppress_output()  # it warns of each illegal move

MODULES = {"TicTacToe-v0": tictactoe, "ConnectFour-v0": connect_four}
ENVS = 4

Rows = list[tuple[int, Any, Any, float]]  # of each player who is there: agent, obs, mask, reward


class Reference:
    """One game of PettingZoo with autoreset, in rows as a pool returns them."""

    def __init__(self, task_id: str) -> None:
        """Begins a game."""
        self.env = MODULES[task_id].env()
        self.terminated = self.truncated = True
        self.rows = self.step(None)

    def step(self, action: int | None) -> Rows:
        """Steps; resets if the game is over."""
        if self.terminated or self.truncated:
            self.env.reset()
        else:
            self.env.step(action)
        self.terminated = any(self.env.terminations.values())
        self.truncated = any(self.env.truncations.values())
        self.rows = [self._last()]
        if self.terminated or self.truncated:  # each player learns of the end in turn
            for _ in self.env.agents:
                self.env.step(None)
                if self.env.agents:
                    self.rows.append(self._last())
            self.rows.sort(key=lambda row: row[0])
        return self.rows

    def _last(self) -> tuple[int, Any, Any, float]:
        env = self.env
        obs, reward, terminated, truncated, _ = env.last()
        assert (terminated, truncated) == (self.terminated, self.truncated)
        agent = env.possible_agents.index(env.agent_selection)
        return agent, obs["observation"], obs["action_mask"], float(reward)


def equal(obs: Any, reward: Any, info: Any, references: list[Reference]) -> None:
    """Asserts that the rows are those of all references, in dtype and value."""
    rows = [row for reference in references for row in reference.rows]
    owner = np.repeat(np.arange(len(references)), [len(r.rows) for r in references])
    agents, stones, masks, rewards = zip(*rows, strict=True)
    assert info["players"]["env_id"].tolist() == owner.tolist()
    assert info["players"]["agent"].tolist() == list(agents)
    np.testing.assert_array_equal(obs["observation"], np.stack(stones), strict=True)
    np.testing.assert_array_equal(obs["action_mask"], np.stack(masks), strict=True)
    np.testing.assert_array_equal(reward, np.array(rewards, np.float32), strict=True)


def play(task_id: str, games: int, choose: Callable[[int, Reference], int]) -> set[Any]:
    """Plays `games` games in each env; returns the ends: (reward of the first player, illegal)."""
    ends, left, steps = set(), games * ENVS, 0
    with parallel_pool.make(task_id, num_envs=ENVS, num_threads=2) as pool:
        references = [Reference(task_id) for _ in range(ENVS)]
        obs, info = pool.reset()
        equal(obs, np.zeros(ENVS, np.float32), info, references)
        while left > 0:
            moves = [[choose(i, r)] * len(r.rows) for i, r in enumerate(references)]
            for reference, own in zip(references, moves, strict=True):
                reference.step(own[0])
            obs, reward, terminated, truncated, info = pool.step(np.concatenate(moves))
            equal(obs, reward, info, references)
            assert terminated.tolist() == [r.terminated for r in references]
            assert truncated.tolist() == [r.truncated for r in references]
            over = [r for r in references if r.terminated]
            ends |= {(r.rows[0][3], r.truncated) for r in over}
            left -= len(over)
            steps += 1
    played(task_id, None, steps, ENVS)
    return ends


@pytest.mark.parametrize("illegal", [0.0, 0.05])
@pytest.mark.parametrize("task_id", MODULES)
def test_random_games(task_id: str, illegal: float) -> None:
    random = np.random.default_rng(7)

    def choose(_: int, reference: Reference) -> int:
        mask = reference.rows[0][2].astype(bool)
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
        stones = reference.rows[0][1]
        if len(reference.rows) == 1 and not stones.any():
            moves[env] = next(shares[env], [])
        if moves[env]:
            return moves[env].pop(0)
        mask = reference.rows[0][2].astype(bool)
        return int(np.argmin(mask))  # an illegal move ends the game

    games = len(every) // ENVS if IS_LONG else 300
    assert play("TicTacToe-v0", games, choose) == {(-1, True), (0, True)}
