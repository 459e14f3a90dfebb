"""Random play of any task, and the rows of each env."""

import copy
from typing import Any

import numpy as np

from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.arrays.trees import flatten
from parallel_pool.python.specs.spec import Spec

Row = dict[str, np.ndarray[Any, Any]]  # one env's row of a batch, by the arrays' names
Rows = list[list[Row]]  # the rows of each env, from its first reset on

# The arrays of every batch.
_ALWAYS = (
    *("reward", "terminated", "truncated"),
    *("info:env_id", "info:players.env_id", "info:elapsed_step"),
)
NUM_ENVS = 2  # envs of each pool
FILL_BYTE = 0xA5  # a byte that fills memory before it is used again


class RandomPlayer:
    """Plays random actions, seeded by the env's number, and keeps the rows of each env."""

    def __init__(self, pool: Any, fill_byte: int = FILL_BYTE) -> None:
        """Plays a pool of gymnasium or gym.

        Args:
            pool: of gym, if the env is in Python: then observations are nested dicts of arrays.
            fill_byte: overwrites the memory of each batch once it was read.
        """
        self.pool = pool
        self.rows: Rows = [[] for _ in range(NUM_ENVS)]
        self._random = [np.random.default_rng(env) for env in range(NUM_ENVS)]
        self._fill_byte = fill_byte
        self._ready: list[int] = []  # envs that wait for an action

    def play(self, steps: int) -> Rows:
        """Plays until each env has `steps` rows more; returns all rows so far."""
        goal = min(map(len, self.rows)) + steps
        while min(map(len, self.rows)) < goal:
            if self._ready:
                self.pool.send(self._action(), np.array(self._ready))
            self.take(self.pool.recv())
        return [rows[:goal] for rows in self.rows]

    def take(self, result: tuple[Any, ...]) -> None:
        """Stores the rows of a batch, or of a reset, by env; not the infos of envs in Python."""
        named = _named(result)
        shown = {array.name for array in self.pool.spec.state_arrays}
        arrays = {name: array for name, array in named.items() if name in _ALWAYS or name in shown}
        owner = arrays["info:players.env_id"]
        per_player = {a.name for a in self.pool.spec.state_arrays if a.players}
        per_player.add("info:players.env_id")
        self._ready = arrays["info:env_id"].tolist()
        for k, env in enumerate(self._ready):
            self.rows[env].append(
                {
                    name: array[owner == env] if name in per_player else np.array(array[k])
                    for name, array in arrays.items()
                }
            )
        for array in arrays.values():
            array.reshape(-1).view(np.uint8).fill(self._fill_byte)

    def twin(self, pool: Any) -> "RandomPlayer":
        """A player for another pool, which continues with the same actions as this one."""
        other = RandomPlayer(pool)
        other.rows = [list(rows) for rows in self.rows]
        other._random = copy.deepcopy(self._random)
        other._ready = list(self._ready)
        return other

    def _action(self) -> Any:
        arrays = {
            a.name: np.concatenate(
                [self._sample(a, i) for i in self._ready],
            )
            for a in self.pool.spec.action_arrays
        }
        return arrays if len(arrays) > 1 else next(iter(arrays.values()))

    def _sample(self, array: ArraySpec, env: int) -> np.ndarray[Any, Any]:
        """The env's rows of an action."""
        if not array.players:
            return sample(array, self._random[env], 1)
        spec, row = self.pool.spec, self.rows[env][-1]
        agents = agents_of(spec, row.get("info:players.agent"), len(row["info:players.env_id"]))
        return sample_players(spec, array, self._random[env], agents)


def sample(array: ArraySpec, random: np.random.Generator, rows: int) -> np.ndarray[Any, Any]:
    """Random values within the bounds; without bounds, normally distributed."""
    low, high = array.bounds()
    shape = (rows, *array.shape)
    if np.dtype(array.dtype).kind != "f":
        whole = random.integers(low.astype(int), high.astype(int), shape, endpoint=True)
        return whole.astype(array.dtype)
    if np.isfinite(low).all() and np.isfinite(high).all():
        return random.uniform(low, high, shape).astype(array.dtype)
    return np.clip(random.normal(size=shape), low, high).astype(array.dtype)


def agents_of(spec: Spec, agent: Any, rows: int) -> np.ndarray[Any, Any]:
    """The player that each of some envs' rows belongs to, as an index into spec.players.

    Args:
        spec: the task.
        agent: info["players"]["agent"] of the rows; None if the task has no such info.
        rows: the number of rows.
    """
    if agent is not None:
        return np.array(agent)
    return np.arange(rows) % spec.setup.most_players


def sample_players(
    spec: Spec, array: ArraySpec, random: np.random.Generator, agents: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """A row of `array` for each player of `agents`, within the player's own bounds and shape."""
    if not spec.setup.players:
        return sample(array, random, len(agents))
    rows = np.zeros((len(agents), *array.shape), array.dtype)
    for row, agent in enumerate(agents.tolist()):
        own = spec.players[agent].arrays[array.name]
        inside: Any = (row, *map(slice, own.shape))
        rows[inside] = sample(own, random, 1)[0]
    return rows


def random_actions(
    spec: Spec, random: np.random.Generator, rows: int, info: dict[str, Any] | None = None
) -> Any:
    """Random actions of `rows` envs, as send() takes them.

    Args:
        spec: the task.
        random: the random numbers.
        rows: the number of envs.
        info: the infos of the last batch, which say whose turn it is; None: all players act.
    """
    players = {} if info is None else info["players"]
    num_players = len(players["env_id"]) if info else rows * spec.setup.most_players
    batch = {
        a.name: sample_players(spec, a, random, agents_of(spec, players.get("agent"), num_players))
        if a.players
        else sample(a, random, rows)
        for a in spec.action_arrays
    }
    return batch if len(batch) > 1 else next(iter(batch.values()))


def _named(result: tuple[Any, ...]) -> Row:
    """All arrays of a result by the names that the env's author gave them: "info:lives"."""
    of_reset, of_step = ("obs", "info"), ("obs", "reward", "terminated", "truncated", "info")
    parts = of_reset if len(result) == 2 else of_step
    named = flatten(dict(zip(parts, result, strict=True)))
    return {name.replace(".", ":", 1): array for name, array in named.items()}
