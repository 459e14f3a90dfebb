"""OGBench as a reference, with one seed for its three streams of random numbers."""

import contextlib
import io
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
    warnings.simplefilter("ignore")
    import ogbench


class _Seeded(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Gives an env a NumPy RandomState of its own, and seeds its action space.

    The reference draws from NumPy's global generator, which all envs of a process share. Infos of
    steps have the episode's goal, too, as ours have.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._state: Any = np.random.RandomState().get_state()
        self._goal: Any = None

    @contextlib.contextmanager
    def _own_numbers(self) -> Iterator[None]:
        before = np.random.get_state()
        np.random.set_state(self._state)
        try:
            yield
        finally:
            self._state = np.random.get_state()
            np.random.set_state(before)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Same as the env."""
        if seed is not None:
            words = seed if seed < 2**32 else [seed % 2**32, seed >> 32]
            self._state = np.random.RandomState(words).get_state()
            self.env.unwrapped.action_space.seed(seed)
        if options and "goal_ij" in options:  # ours are options of their own
            options = {"task_info": options}
        with self._own_numbers():
            obs, info = self.env.reset(seed=seed, options=options)
        self._goal = info["goal"]
        return obs, info

    def step(self, action: Any) -> Any:
        """Same as the env."""
        with self._own_numbers():
            obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward, terminated, truncated, info | {"goal": self._goal}


def make(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """An env of OGBench, with its time limit."""
    if options.get("reward_task_id") == -1:
        options["reward_task_id"] = None
    return _Seeded(gymnasium.make(task_id, disable_env_checker=True, **options))


def mazes() -> list[str]:
    """The mazes with states that can be made: humanoid.xml lacks a material of teleports."""
    return sorted(
        task_id
        for task_id, spec in gymnasium.registry.items()
        if str(spec.entry_point).startswith(ogbench.locomaze.__name__)
        and not task_id.startswith(("visual-", "humanoidmaze-teleport"))
    )
