"""PettingZoo's Atari envs with the options and the rows of this folder's tasks.

The options that stand for wrappers are done here in plain Python over the raw envs and cv2.
"""

import importlib
from collections import deque
from pathlib import Path
from typing import Any

import ale_py.roms
import cv2
import numpy as np
from numpy.typing import NDArray

TASKS = (
    "basketball_pong-v3",
    "boxing-v2",
    "combat_plane-v2",
    "combat_tank-v2",
    "double_dunk-v3",
    "entombed_competitive-v3",
    "entombed_cooperative-v3",
    "flag_capture-v2",
    "foozpong-v3",
    "ice_hockey-v2",
    "joust-v3",
    "mario_bros-v3",
    "maze_craze-v3",
    "othello-v3",
    "pong-v3",
    "quadrapong-v4",
    "space_invaders-v2",
    "space_war-v2",
    "surround-v2",
    "tennis-v3",
    "video_checkers-v4",
    "volleyball_pong-v3",
    "warlords-v3",
    "wizard_of_wor-v3",
)

_WRAPPERS: dict[str, Any] = {
    "frame_skip": 1,
    "stack_num": 1,
    "img_height": 0,
    "img_width": 0,
    "use_inter_area_resize": True,
    "agent_indicator": False,
    "reward_clip": False,
    "repeat_action_probability": 0.0,
}

Image = NDArray[np.uint8]


def module_of(task_id: str) -> str:
    """The name of PettingZoo's module: "pong_v3" of "pong-v3"."""
    return task_id.replace("-", "_")


def raw_env(task_id: str, **options: Any) -> Any:
    """PettingZoo's parallel env itself, without its wrappers."""
    if "max_episode_steps" in options:
        options["max_cycles"] = options.pop("max_episode_steps")
    roms = Path(ale_py.roms.get_rom_path("pong")).parent
    module = importlib.import_module(f"pettingzoo.atari.{module_of(task_id)}")
    env = module.parallel_env(auto_rom_install_path=str(roms), **options).unwrapped
    while hasattr(env, "env"):
        env = env.env
    return env


class Reference:
    """One env, in rows as a pool returns them."""

    def __init__(self, task_id: str, **options: Any) -> None:
        """Makes PettingZoo's env."""
        own = {name: options.pop(name) for name in set(options) & set(_WRAPPERS)}
        self.options = {**_WRAPPERS, **own}
        self.limit = options.get("max_episode_steps", 100000)
        self.env = raw_env(task_id, **options)
        self.env.ale.setFloat(
            "repeat_action_probability", self.options["repeat_action_probability"]
        )
        self.frames: deque[Image] = deque(maxlen=self.options["stack_num"])
        self.shown: list[str] = []
        self.elapsed = 0

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        obs, _ = self.env.reset(seed=seed)
        self.shown = list(self.env.possible_agents)
        self.elapsed = 0
        self._push([next(iter(obs.values()))])
        self.frames.extend([self.frames[-1]] * (self.options["stack_num"] - 1))
        return self._observation(), self._infos(set())

    def step(self, actions: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps with an action for each player who was shown."""
        taken = dict(zip(self.shown, map(int, actions), strict=True))
        self.shown = [name for name in self.shown if name in self.env.agents]
        reward = dict.fromkeys(self.shown, 0.0)
        screens: list[Image] = []
        out: set[str] = set()
        self.elapsed += 1
        for _ in range(self.options["frame_skip"]):
            left = [name for name in self.shown if name not in out]
            if not left:
                break
            obs, rewards, terminated, _, _ = self.env.step({name: taken[name] for name in left})
            screens.append(next(iter(obs.values())))
            for name in left:
                reward[name] += float(rewards[name])
                if terminated[name]:
                    out.add(name)
        self._push(screens)
        rewards = np.array([reward[name] for name in self.shown])
        if self.options["reward_clip"]:
            rewards = np.sign(rewards)
        truncated = self.elapsed >= self.limit
        return self._observation(), rewards, out == set(self.shown), truncated, self._infos(out)

    def _push(self, screens: list[Image]) -> None:
        """Adds the frame of a step's screens to the stack."""
        if screens[-1].ndim == 1:
            self.frames.append(screens[-1])
            return
        frame = np.maximum(screens[-1], screens[-2]) if len(screens) > 1 else screens[-1]
        height = self.options["img_height"] or frame.shape[0]
        width = self.options["img_width"] or frame.shape[1]
        by_area = self.options["use_inter_area_resize"]
        way = cv2.INTER_AREA if by_area else cv2.INTER_LINEAR
        planes = [
            cv2.resize(np.ascontiguousarray(frame[..., k]), (width, height), interpolation=way)
            for k in range(frame.shape[2])
        ]
        self.frames.append(np.stack(planes, axis=-1))

    def _observation(self) -> Image:
        stack = np.concatenate(list(self.frames), axis=-1)
        rows = []
        for name in self.shown:
            parts = [stack]
            if self.options["agent_indicator"]:
                for other in self.env.possible_agents:
                    value = 255 if other == name else 0
                    parts.append(np.full((*stack.shape[:-1], 1), value, np.uint8))
            rows.append(np.concatenate(parts, axis=-1))
        return np.stack(rows)

    def _infos(self, out: set[str]) -> dict[str, Any]:
        names = self.env.possible_agents
        lives = [int(n) for n in self.env.ale.allLives()]
        return {
            "ram": np.array(self.env.ale.getRAM(), np.uint8),
            "players": {
                "agent": np.array([names.index(name) for name in self.shown], np.int32),
                "lives": np.array([lives[names.index(name)] for name in self.shown], np.int32),
                "terminated": np.array([name in out for name in self.shown]),
            },
        }
