"""Envs in Python for tests: a plain one, one with every kind of trouble, one of nested spaces."""

import os
import signal
import subprocess
import threading
import time
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

# The actions of Trouble.
(
    FINE,
    THROW,
    KILL,
    HANG,
    EXIT,
    SYSTEM_EXIT,
    WRONG_SHAPE,
    WRONG_DTYPE,
    FOUR_VALUES,
    NO_INFO,
    LOCK_INFO,
    LARGE_INFO,
    FORK,
    BAD_REWARD,
    END,
    CHILD,
) = range(16)


class Plain(gymnasium.Env[Any, Any]):
    """An env to derive from."""

    observation_space = spaces.Box(0, 1, (2,), np.float64)
    action_space: spaces.Space[Any] = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Zeros."""
        return np.zeros(2), {}

    def step(self, action: Any) -> Any:
        """Zeros, without an end."""
        return np.zeros(2), 0.0, False, False, {}


class Trouble(gymnasium.Env[Any, Any]):
    """Counts its steps; an action names what goes wrong.

    Observation: float32[3]: the seed's random number, the steps of the episode, episodes so far.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 7}  # noqa: RUF012

    def __init__(self, length: int = 5, render_mode: str | None = None, info: bool = True) -> None:
        self.observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)
        self.action_space = spaces.Discrete(16)
        self.render_mode = render_mode
        self.length = length
        self.with_info = info
        self.number, self.steps, self.episodes = 0.0, 0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins an episode with options["begin"] steps."""
        super().reset(seed=seed)
        if options and options.get("throw"):
            raise ValueError("options say so")
        self.number = float(self.np_random.random())
        self.steps, self.episodes = (options or {}).get("begin", 0), self.episodes + 1
        return self._obs(), {"seen": options} if options else {}

    def _obs(self) -> Any:
        return np.array([self.number, self.steps, self.episodes], np.float32)

    def step(self, action: Any) -> Any:
        """A step, or the trouble that the action names."""
        action = int(action)
        self.steps += 1
        obs: Any = self._obs()
        info: Any = {"steps": self.steps} if self.with_info and self.steps % 2 else {}
        reward: Any = float(self.np_random.random())
        if action == THROW:
            raise ValueError("thrown by the env")
        if action == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if action == HANG:
            time.sleep(3600)
        if action == EXIT:
            os._exit(3)
        if action == SYSTEM_EXIT:
            raise SystemExit("good bye")
        if action == WRONG_SHAPE:
            obs = np.zeros(1, np.float32)
        if action == WRONG_DTYPE:
            obs = np.zeros(3, np.complex128)
        if action == FOUR_VALUES:
            return obs, reward, False, info
        if action == NO_INFO:
            info = None
        if action == LOCK_INFO:
            info = {"lock": threading.Lock()}
        if action == LARGE_INFO:
            info = {"large": np.zeros(1 << 16)}
        if action == FORK:
            os.fork()
        if action == BAD_REWARD:
            reward = "much"
        if action == CHILD:
            child = subprocess.Popen(["sleep", "3600"])
            info = {"child": child.pid}
        ended = action == END or self.steps >= self.length
        return obs, reward, ended and self.steps % 2 == 0, ended and self.steps % 2 == 1, info

    def lock(self) -> Any:
        """Something that cannot be pickled."""
        return threading.Lock()

    def render(self) -> Any:
        """The number of steps as a picture or as text."""
        if self.render_mode == "ansi":
            return f"step {self.steps}"
        return np.full((4, 6, 3), self.steps, np.uint8)


class Nested(gymnasium.Env[Any, Any]):
    """Every kind of space, and infos of every kind. Its random numbers decide all but the time."""

    observation_space = spaces.Dict(
        {
            "camera": spaces.Box(0, 255, (2, 3), np.uint8),
            "pair": spaces.Tuple((spaces.Discrete(5, start=-2), spaces.MultiBinary(4))),
            "bits": spaces.MultiBinary((2, 2)),
            "inner": spaces.Dict({"sizes": spaces.MultiDiscrete([3, 4]), "x": spaces.Box(-1, 1)}),
        }
    )
    action_space = spaces.Dict(
        {
            "move": spaces.Box(-1, 1, (2,), np.float64),
            "both": spaces.Tuple((spaces.Discrete(3), spaces.MultiDiscrete([2, 2]))),
        }
    )

    def __init__(self, length: int = 6) -> None:
        self.length = length
        self.steps = 0

    def _obs(self) -> Any:
        # Not space.sample(): a space that all envs of a process share has one generator.
        random = self.np_random
        return {
            "camera": random.integers(0, 256, (2, 3), np.uint8),
            "pair": (random.integers(-2, 3), random.integers(0, 2, 4, np.int8)),
            "bits": random.integers(0, 2, (2, 2), np.int8),
            "inner": {
                "sizes": random.integers(0, 3, 2),
                "x": random.random(1, np.float32),
            },
        }

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins an episode."""
        super().reset(seed=seed)
        self.steps = 0
        return self._obs(), {"began": True}

    def step(self, action: Any) -> Any:
        """A step with infos of all kinds."""
        self.steps += 1
        info: dict[str, Any] = {"action": float(np.sum(action["move"])) + int(action["both"][0])}
        if self.steps % 3 == 0:
            info |= {"text": "three", "array": np.arange(3) * self.steps, "own": {"deep": 1.5}}
        if self.steps % 2 == 0:
            info |= {"number": np.float32(self.steps), "none": None, "own": {"deeper": (1, 2)}}
        reward = self.np_random.normal()
        # bool() of NumPy's random numbers, as many envs return it
        return self._obs(), reward, np.bool_(self.np_random.random() < 0.1), False, info


class Missions(spaces.Space[str]):
    """A space of texts without a length, as MiniGrid's."""

    def __init__(self) -> None:
        super().__init__(dtype=str)

    def contains(self, x: Any) -> bool:
        """Whether it is a text."""
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        """All are equal."""
        return isinstance(other, Missions)


class Unusual(gymnasium.Env[Any, Any]):
    """Texts, and dtypes that the engine does not have."""

    observation_space = spaces.Dict(
        {
            "small": spaces.Discrete(3, start=-1, dtype=np.int32),
            "large": spaces.Box(0, 65535, (2,), np.uint16),
            "half": spaces.Box(-1, 1, (3,), np.float16),
            "long": spaces.Box(0, 2**32 - 1, (), np.uint32),
            "text": spaces.Text(9, min_length=0, charset="ab \u00e9"),
            "pair": spaces.Tuple((Missions(), spaces.Discrete(2, dtype=np.int8))),
        }
    )
    action_space = spaces.Dict(
        {
            "steer": spaces.Box(-1, 1, (2,), np.float16),
            "level": spaces.Box(0, 65535, (), np.uint16),
            "gear": spaces.Discrete(4, dtype=np.int32),
        }
    )

    def _obs(self) -> Any:
        random = self.np_random
        return {
            "small": np.int32(random.integers(-1, 2)),
            "large": random.integers(0, 65536, 2, np.uint16),
            "half": random.random(3).astype(np.float16),
            "long": np.array(random.integers(0, 2**32), np.uint32),
            "text": "".join(random.choice(list("ab \u00e9"), random.integers(0, 10))),
            "pair": (f"go to {random.integers(9)}", np.int8(random.integers(2))),
        }

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins an episode."""
        super().reset(seed=seed)
        return self._obs(), {}

    def step(self, action: Any) -> Any:
        """A step, whose infos show the types of the action."""
        steer, level, gear = action["steer"], action["level"], action["gear"]
        types = f"{steer.dtype} {np.asarray(level).dtype} {np.asarray(gear).dtype}"
        number = float(steer.sum()) + float(level) + float(gear)
        ended = bool(self.np_random.random() < 0.2)
        return self._obs(), number, ended, False, {"types": types, "number": number}


def with_spaces(observation: Any, action: Any = None) -> Any:
    """A class of envs with these spaces."""

    class Env(gymnasium.Env[Any, Any]):
        """Its observations are samples; it asserts that actions are in their space."""

        observation_space = observation
        action_space = action or spaces.Discrete(2)

        def reset(self, **_: Any) -> Any:
            """Begins an episode."""
            return self.observation_space.sample(), {}

        def step(self, action: Any) -> Any:
            """A step without an end."""
            assert self.action_space.contains(action), action
            return self.observation_space.sample(), 0.0, False, False, {}

    return Env
