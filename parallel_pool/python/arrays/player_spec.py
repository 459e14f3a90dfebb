"""The players of an env, with the spaces of their own."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import gymnasium

from parallel_pool.core import _core
from parallel_pool.python.arrays.array_spec import ArraySpec, action_space_of, observation_space_of


class PlayerSpec(NamedTuple):
    """A player of an env.

    Its rows are padded with zeros: `arrays` has the shapes without the padding.

    Attributes:
        name: the player's name, such as "speaker_0".
        role: players with one role are alike, such as "speaker".
        arrays: all arrays with a row for each player, by name ("obs", "obs:x", "info:players.x",
            "reward", and those of the action), with this player's own shape and bounds, and
            players=0.
    """

    name: str
    role: str
    arrays: dict[str, ArraySpec]

    def observation_space_of(self, spaces: ModuleType) -> Any:
        """The player's observation space, made of gymnasium.spaces or gym.spaces."""
        return observation_space_of(self.arrays.values(), spaces)

    def action_space_of(self, spaces: ModuleType) -> Any:
        """The player's action space, made of gymnasium.spaces or gym.spaces."""
        return action_space_of([a for n, a in self.arrays.items() if is_action(n)], spaces)

    @property
    def observation_space(self) -> gymnasium.spaces.Space[Any]:
        """The player's observation space."""
        space: gymnasium.spaces.Space[Any] = self.observation_space_of(gymnasium.spaces)
        return space

    @property
    def action_space(self) -> gymnasium.spaces.Space[Any]:
        """The player's action space."""
        space: gymnasium.spaces.Space[Any] = self.action_space_of(gymnasium.spaces)
        return space

    def __str__(self) -> str:
        """A short form for people: speaker_0 (speaker): action int32[] 0 to 2, obs float32[3]."""
        texts = [
            f"{n} {a}" + (f" {a.low[0]:.0f} to {a.high[0]:.0f}" if a.kind == "discrete" else "")
            for n, a in self.arrays.items()
            if n != "reward" and not n.startswith("info:")
        ]
        return f"{self.name} ({self.role}): {', '.join(texts)}"


def is_action(name: str) -> bool:
    """Whether an array of this name is part of the action."""
    return name not in ("obs", "reward") and not name.startswith(("obs:", "info:"))


def player_specs(
    setup: _core.Setup, action_arrays: Sequence[ArraySpec], state_arrays: Sequence[ArraySpec]
) -> tuple[PlayerSpec, ...]:
    """The players of an env; if it does not name them: player_0, player_1, ... with one role."""
    named = [
        (name, role, [*map(_array, action), *map(_array, state)])
        for name, role, action, state in setup.players
    ]
    if not named:
        common = [*action_arrays, *state_arrays]
        named = [(f"player_{i}", "player", common) for i in range(setup.most_players)]
    return tuple(
        PlayerSpec(name, role, {a.name: a._replace(players=0) for a in arrays if a.players})
        for name, role, arrays in named
    )


def _array(fields: tuple[Any, ...]) -> ArraySpec:
    return ArraySpec(*fields)
