"""Learns tic-tac-toe by playing against itself, then plays against random moves.

A table has the value of each move in each position, as the player to move sees it: 1 if it wins, -1
if it loses. A position that is good for one player is as bad for the other, so the value of a move
is minus the best value of the opponent's next position.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

import parallel_pool

ENVS = 200
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def states_of(obs: dict[str, NDArray[np.int8]]) -> Ints:
    """The position of each row as a number: a digit from 0 to 2 for each cell; shape (rows,)."""
    own, other = np.moveaxis(obs["observation"].reshape(-1, 9, 2).astype(int), -1, 0)
    return np.asarray((own + 2 * other) @ 3 ** np.arange(9))


def values_of(table: Floats, obs: dict[str, NDArray[np.int8]]) -> Floats:
    """The value of each move, -inf for those that are not legal; shape (rows, 9)."""
    return np.where(obs["action_mask"] == 1, table[states_of(obs)], -np.inf)


def moves_of(table: Floats, obs: dict[str, NDArray[np.int8]], is_random: NDArray[np.bool_]) -> Ints:
    """The best move of each row, or a random legal one; shape (rows,)."""
    noise = np.random.random(obs["action_mask"].shape)  # also chooses among equal moves
    values = values_of(table, obs) + 1e-6 * noise
    any_legal = np.where(obs["action_mask"] == 1, noise, -1)
    best: Ints = np.where(is_random[:, None], any_legal, values).argmax(axis=1)
    return best


def play(table: Floats, steps: int, learns: bool) -> float:
    """Steps all envs; the share of games that the table's player lost if it did not learn.

    If it learns, it plays both sides. Otherwise it is the first player in every other env, and its
    opponent plays at random.
    """
    games = lost = 0
    with parallel_pool.make("TicTacToe-v0", num_envs=ENVS) as env:
        obs, info = env.reset()
        for _ in range(steps):
            owner, agent = info["players"]["env_id"], info["players"]["agent"]
            goes_on = np.bincount(owner)[owner] == 1  # a game that is over shows both players
            is_random = np.random.random(len(owner)) < 0.2 if learns else agent != owner % 2
            moves, states = moves_of(table, obs, is_random), states_of(obs)
            obs, reward, _, _, info = env.step(moves)
            next_owner, next_agent = info["players"]["env_id"], info["players"]["agent"]
            is_over = np.bincount(next_owner)[next_owner] == 2
            if learns:
                mover = np.full(ENVS, -1)
                mover[owner[goes_on]] = agent[goes_on]
                target = np.zeros(ENVS)  # of the move in each env
                target[next_owner[~is_over]] = -values_of(table, obs).max(1)[~is_over]
                own = is_over & (next_agent == mover[next_owner])
                target[next_owner[own]] = reward[own]
                rows = states[goes_on], moves[goes_on]
                table[rows] += 0.5 * (target[owner[goes_on]] - table[rows])
            else:
                own = is_over & (next_agent == next_owner % 2)
                games, lost = games + int(own.sum()), lost + int((reward[own] < 0).sum())
    return lost / max(games, 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3000, help="steps of all envs that it learns")
    steps = parser.parse_args().steps
    np.random.seed(0)
    table = np.zeros((3**9, 9))
    print(f"before: lost {play(table, 300, learns=False):.1%} of the games")
    play(table, steps, learns=True)
    print(f"after:  lost {play(table, 300, learns=False):.1%} of the games")
