"""A model of a pool of Trouble-v0, in plain Python: fuzz_test.py compares the two."""

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# The actions of Trouble-v0, as in testing_family.py.
FINE, THROW, END, THROW_IN_OBSERVE, SLEEP, END_IN_OBSERVE, END_IN_RESET = range(7)


@dataclass(frozen=True)
class Options:
    """The arguments of make()."""

    num_envs: int
    batch_size: int
    num_threads: int
    autoreset_mode: str
    max_episode_steps: int
    lives: int
    seed: int


@dataclass(frozen=True)
class Row:
    """One env's row of a batch: obs, reward, flags, infos."""

    env: int
    obs: tuple[float, float]
    lives: int
    elapsed_step: int
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    failed: bool = False
    final_obs: tuple[float, float] | None = None
    final_elapsed_step: int = 0


@dataclass
class Env:
    """One env of Trouble-v0 with its random numbers, and the engine's data of it."""

    env: int
    options: Options
    random: np.random.Generator
    steps: int = 0
    lives: int = 0
    draw: float = 0.0
    broken: bool = False  # Observe throws until the next world
    stuck: bool = False  # the next reset throws
    elapsed_step: int = 0
    next: str = "reset"
    begun: bool = False

    def begin(self, turn: str) -> bool:
        """Begins a new world, or the next life in this one; False if the env throws."""
        if turn == "reset" or self.lives == 0:
            if self.stuck:
                self.stuck, self.begun = False, False
                return False
            self.steps, self.lives, self.broken = 0, self.options.lives, False
            self.draw = self.random.random()
            self.elapsed_step = 0
        self.next, self.begun = "step", True
        return True

    def show_next(self, turn: str, **flags: Any) -> Row:
        """The row of an env that begins an episode."""
        return self.show(**flags) if self.begin(turn) else self.fail()

    def show(self, **flags: Any) -> Row:
        """The row of the env as it is, or that of a failure."""
        if not self.broken:
            return Row(self.env, (self.steps, self.draw), self.lives, self.elapsed_step, **flags)
        return self.fail()

    def fail(self) -> Row:
        """The row of an env that threw."""
        self.next = "reset"
        return Row(self.env, (0, 0), 0, self.elapsed_step, truncated=True, failed=True)

    def look(self) -> Row:
        """A row without a step."""
        return self.show() if self.begun else self.show_next("reset")

    def reset(self) -> Row:
        """The row of a reset."""
        return self.show_next("reset")

    def step(self, action: int) -> Row:
        """The row of a step."""
        if self.next != "step":
            return self.show_next(self.next)
        self.steps += 1
        self.elapsed_step += 1
        if action == THROW:
            return self.fail()
        self.broken = action in (THROW_IN_OBSERVE, END_IN_OBSERVE)
        self.stuck = action == END_IN_RESET
        terminated = action in (END, END_IN_OBSERVE, END_IN_RESET)
        self.lives -= terminated
        truncated = self.elapsed_step >= self.options.max_episode_steps
        self.next = "reset" if truncated else "continue" if terminated else "step"
        flags = {"reward": 1.0, "terminated": terminated, "truncated": truncated}
        if self.options.autoreset_mode != "same_step" or self.next == "step" or self.broken:
            return self.show(**flags)
        final = {"final_obs": (self.steps, self.draw), "final_elapsed_step": self.elapsed_step}
        return self.show_next(self.next, **flags, **final)


@dataclass
class Model:
    """A pool: the rows that must be received, and the errors that calls must raise."""

    options: Options
    env_class: type[Env] = Env
    envs: list[Env] = field(init=False)
    rows: list[list[Row]] = field(default_factory=list)  # in flight, one list for each send
    saved: list[tuple[bytes, list[Env]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.envs = [
            self.env_class(i, self.options, np.random.default_rng(self.options.seed + i))
            for i in range(self.options.num_envs)
        ]

    @property
    def sync(self) -> bool:
        """Whether each send is one batch."""
        return self.options.batch_size == self.options.num_envs

    @property
    def in_flight(self) -> dict[int, Row]:
        """The expected row of each env that is in flight."""
        return {row.env: row for rows in self.rows for row in rows}

    def refuses_envs(self, ids: list[int], action: bool) -> bool:
        """Whether sending these is a ValueError."""
        ended = [self.envs[i].next != "step" for i in ids]
        disabled = self.options.autoreset_mode == "disabled" and action
        return any(i in self.in_flight for i in ids) or (disabled and any(ended))

    def has_batch(self, more: int = 0) -> bool:
        """Whether recv() may wait, once `more` rows are sent."""
        return len(self.in_flight) + more >= (1 if self.sync else self.options.batch_size)

    def seed(self, ids: list[int], seeds: list[int]) -> None:
        """Random numbers restart."""
        for i, seed in zip(ids, seeds, strict=True):
            self.envs[i].random = np.random.default_rng(seed)

    def take(self, env_ids: list[int]) -> list[Row]:
        """The rows of a received batch; AssertionError if it could not be received now."""
        if self.sync:
            rows = self.rows.pop(0)
            assert env_ids == [row.env for row in rows]
            return rows
        coming = self.in_flight
        most = min(self.options.batch_size, len(coming))  # fewer: recv(partial=True)
        assert len(env_ids) == len(set(env_ids)) == most
        assert set(env_ids) <= set(coming)
        self.rows = [[coming[env] for env in coming if env not in env_ids]]
        return [coming[env] for env in env_ids]

    def save(self, ids: list[int], data: bytes) -> None:
        """Remembers the states that `data` contains."""
        self.saved.append((data, copy.deepcopy([self.envs[i] for i in ids])))

    def load(self, ids: list[int], saved: list[Env]) -> None:
        """Envs `ids` continue as the saved ones."""
        for i, env in zip(ids, saved, strict=True):
            self.envs[i] = copy.deepcopy(env)
            self.envs[i].env = i
