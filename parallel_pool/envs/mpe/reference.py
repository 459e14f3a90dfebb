"""mpe2's envs, with the options of this family and the rows of a pool."""

import importlib
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

TASKS = (
    "Simple-v3",
    "SimpleAdversary-v3",
    "SimpleCrypto-v3",
    "SimplePush-v3",
    "SimpleReference-v3",
    "SimpleSpeakerListener-v4",
    "SimpleSpread-v3",
    "SimpleTag-v3",
    "SimpleWorldComm-v3",
)


def reference_env(task_id: str, **options: Any) -> Any:
    """mpe2's parallel env of the task."""
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", task_id).lower().replace("-", "_")
    stage = options.pop("curriculum_stage", 0)
    for name in ("num_agent_neighbors", "num_landmark_neighbors"):
        if name in options:
            options[name] = options[name] or None
    if "max_episode_steps" in options:
        options["max_cycles"] = options.pop("max_episode_steps")
    env = importlib.import_module(f"mpe2.{module}").parallel_env(**options)
    if stage:  # mpe2 1.1.1's set_curriculum_stage() has no effect: a property hides the stage
        scenario = env.aec_env.unwrapped.scenario
        scenario.__class__ = type("Staged", (type(scenario),), {"curriculum_stage": stage})
    return env


class Reference:
    """One env of mpe2, in rows as a pool returns them."""

    def __init__(self, task_id: str, width: int, **options: Any) -> None:
        """Makes mpe2's env; `width` is the length of an observation with its zeros."""
        self.env = reference_env(task_id, **options)
        self.width = width

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        return self._padded(self.env.reset(seed=seed)[0]), {}

    def _padded(self, obs: dict[str, Any]) -> NDArray[np.float32]:
        rows = np.zeros((len(obs), self.width), np.float32)
        for row, name in zip(rows, self.env.possible_agents, strict=True):
            assert obs[name].dtype == np.float32
            row[: len(obs[name])] = obs[name]
        return rows

    def step(self, actions: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps with an action for each agent."""
        names = self.env.possible_agents
        given = {
            name: action[: self.env.action_space(name).shape[0]] if action.ndim else int(action)
            for name, action in zip(names, actions, strict=True)
        }
        obs, reward, terminated, truncated, _ = self.env.step(given)
        rewards = np.array([reward[name] for name in names], np.float64)
        assert len(set(terminated.values())) == len(set(truncated.values())) == 1
        # After a success in the last step, mpe2 sets its truncation only.
        game = self.env.aec_env.unwrapped
        has_ended = bool(game.scenario.is_terminal(game.world))
        assert terminated[names[0]] == (has_ended and not truncated[names[0]])
        return self._padded(obs), rewards, has_ended, truncated[names[0]], {}
