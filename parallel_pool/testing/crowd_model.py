"""A model of a pool of Crowd-v0 (core/testing/crowd.h), in plain Python."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

# Effects of the env's own action, `door`, after the players' moves.
CLOSED, ONE_ENTERS, FIRST_LEAVES, ALL_LEAVE, FILL, SOME_LEAVE, END, MISCOUNT = range(8)


@dataclass(frozen=True)
class Player:
    """One player: the values of its rows."""

    id: int = 0
    moves: int = 0
    position: tuple[np.float32, np.float32] = (np.float32(0), np.float32(0))
    reward: float = 0.0


@dataclass(frozen=True)
class Row:
    """One env's row of a batch."""

    env: int
    players: tuple[Player, ...]
    room: tuple[float, float]
    elapsed_step: int
    terminated: bool = False
    truncated: bool = False
    failed: bool = False


@dataclass
class Env:
    """One env with its random numbers, and the engine's data of it."""

    env: int
    seed: int
    most: int
    max_episode_steps: int
    random: np.random.Generator = field(init=False)
    players: list[Player] = field(default_factory=list)
    entered: int = 0
    draw: float = 0.0
    elapsed_step: int = 0
    ended: bool = True  # or never begun: the next step is a reset
    known: int = field(init=False)  # players that the user received last

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.known = self.most

    def enter(self) -> None:
        """Adds a player at a random place."""
        x, y = (np.float32(self.random.random()) for _ in range(2))
        self.players.append(Player(self.entered, 0, (x, y), 100.0))
        self.entered += 1

    def look(self) -> Row:
        """The row without a step: no player has a reward."""
        players = tuple(replace(player, reward=0.0) for player in self.players)
        return Row(self.env, players, (len(players), self.draw), self.elapsed_step)

    def reset(self) -> Row:
        """The row of a reset."""
        self.players, self.entered = [], 0
        for _ in range(self.random.integers(0, self.most + 1)):
            self.enter()
        self.draw = self.random.random()
        self.elapsed_step, self.ended = 0, False
        return self.look()

    def step(self, moves: list[int], door: int) -> Row:
        """The row of a step, with one move for each player that the user received last."""
        if self.ended:
            return self.reset()
        self.players = [
            Player(
                p.id,
                p.moves + move,
                (p.position[0] + np.float32(move), p.position[1]),
                move + 0.5 * p.id,
            )
            for p, move in zip(self.players, moves, strict=True)
        ]
        self.open(door)
        self.draw = self.random.random()
        self.elapsed_step += 1
        truncated = self.elapsed_step >= self.max_episode_steps
        self.ended = truncated or door in (END, MISCOUNT)
        if door == MISCOUNT:
            players = (Player(),) * self.most
            return Row(self.env, players, (0, 0), self.elapsed_step, truncated=True, failed=True)
        room = (len(self.players), self.draw)
        players = tuple(self.players)
        return Row(self.env, players, room, self.elapsed_step, door == END, truncated)

    def open(self, door: int) -> None:
        """Lets players in or out."""
        if door == FIRST_LEAVES:
            self.players = self.players[1:]
        if door == ALL_LEAVE:
            self.players = []
        if door == SOME_LEAVE:
            self.players = [p for p in self.players if self.random.random() >= 0.5]
        if door in (ONE_ENTERS, FILL):
            room = self.most - len(self.players)
            for _ in range(min(room, 1) if door == ONE_ENTERS else room):
                self.enter()


def batch_of(rows: list[Row]) -> dict[str, Any]:
    """Every array of the batch with these rows."""
    players = [(row.env, player) for row in rows for player in row.players]
    return {
        "position": np.array([p.position for _, p in players], np.float32).reshape(-1, 2),
        "name": np.array([p.id % 256 for _, p in players], np.uint8),
        "moves": np.array([p.moves for _, p in players], np.int64),
        "room": np.array([row.room for row in rows], np.float64),
        "reward": np.array([p.reward for _, p in players], np.float32),
        "terminated": np.array([row.terminated for row in rows]),
        "truncated": np.array([row.truncated for row in rows]),
        "id": np.array([p.id for _, p in players], np.int32),
        "players.env_id": np.array([env for env, _ in players], np.int32),
        "env_id": np.array([row.env for row in rows], np.int32),
        "elapsed_step": np.array([row.elapsed_step for row in rows], np.int32),
    }


def shown(result: tuple[Any, ...]) -> dict[str, Any]:
    """The same arrays of a result of step(), recv() or reset()."""
    obs, *outcome, info = result
    return {
        **dict(zip(("reward", "terminated", "truncated"), outcome, strict=False)),
        "position": obs["where"]["position"],
        "name": obs["name"],
        "moves": obs["moves"],
        "room": obs["room"],
        "id": info["players"]["id"],
        "players.env_id": info["players"]["env_id"],
        "env_id": info["env_id"],
        "elapsed_step": info["elapsed_step"],
    }
