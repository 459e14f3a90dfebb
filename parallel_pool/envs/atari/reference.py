"""The Atari envs of this folder in plain Python over ale_py and cv2, for parity_test.py.

Slow and simple on purpose. It draws its random numbers as the C++ code: the number of no-ops from
NumPy's generator, repeated actions from ALE's own.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ale_py
import cv2
import numpy as np
import numpy.typing as npt
from ale_py.env import AtariEnv

ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Options:
    """The options of make(), with its defaults."""

    stack_num: int = 4
    frame_skip: int | tuple[int, int] = 4
    noop_max: int = 30
    zero_discount_on_life_loss: bool = False
    episodic_life: bool = False
    life_loss_info: bool = False
    reward_clip: bool = False
    use_fire_reset: bool = True
    img_height: int = 84
    img_width: int = 84
    mode: int = -1
    difficulty: int = -1
    full_action_space: bool = False
    continuous: bool = False
    continuous_action_threshold: float = 0.5
    repeat_action_probability: float = 0.0
    use_inter_area_resize: bool = True
    gray_scale: bool = True
    obs_type: str = "gray"
    sound_obs: bool = False
    max_episode_steps: int = 27000


class AtariReference:
    """One env; `rom` is the name of its ROM file, such as "space_invaders"."""

    def __init__(self, rom: str, seed: int, options: Options) -> None:
        self.options = options
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.ale = ale_py.ALEInterface()
        self.ale.setFloat("repeat_action_probability", options.repeat_action_probability)
        self.ale.setBool("sound_obs", options.sound_obs)
        self.ale.setInt("random_seed", seed & 0x7FFFFFFF)
        self.ale.loadROM(Path(str(ale_py.roms.get_rom_path(rom))))
        if options.mode >= 0:
            self.ale.setMode(options.mode)
        if options.difficulty >= 0:
            self.ale.setDifficulty(options.difficulty)
        full = options.full_action_space or options.continuous
        self.actions = self.ale.getLegalActionSet() if full else self.ale.getMinimalActionSet()
        self.fires = options.use_fire_reset and ale_py.Action.FIRE in self.actions
        self.stack: list[Image] = []
        self.lives = 0
        self.reward = 0.0
        self.elapsed = 0
        self.over = self.terminated = self.truncated = False
        self.discount = 1.0

    def step(self, action: Any) -> tuple[Image, float, bool, bool, dict[str, Any]]:
        """A step as of a pool: the step after the end of an episode begins the next one.

        `action` is an index into the action set or, if continuous, float32 (radius, angle, fire).
        The next life in the same game continues the count of steps; its first step is not counted.
        """
        if self.over or self.truncated:
            if self.truncated or not self._continue_game():
                self.reset()
            return self.observation(), 0.0, False, False, self.info()
        reward = self._advance(action)
        return self.observation(), reward, self.terminated, self.truncated, self.info()

    def reset(self) -> tuple[Image, dict[str, Any]]:
        """Begins a new game."""
        self.ale.reset_game()
        self._begin(may_reset=True)
        self.stack = [self._row()] * self.options.stack_num
        self.elapsed = 0
        self._settle()
        return self.observation(), self.info()

    def _continue_game(self) -> bool:
        """Continues with the next life of the same game; False if the game is over."""
        if self.ale.game_over() or not self._begin(may_reset=False):
            return False
        self.stack = [*self.stack[1:], self._row()]
        self._settle()
        return True

    def _settle(self) -> None:
        self.lives = self.ale.lives()
        self.reward = 0.0
        self.discount = 1.0
        self.over = self.terminated = self.truncated = False

    def _begin(self, may_reset: bool) -> bool:
        noops = 0
        if self.options.noop_max > 0:
            low = 0 if self.fires else 1
            noops = int(self.rng.integers(low, low + self.options.noop_max))
        for _ in range(noops):
            self.ale.act(ale_py.Action.NOOP)
            if self.ale.game_over():
                if not may_reset:
                    return False
                self.ale.reset_game()
        if self.fires:
            self.ale.act(ale_py.Action.FIRE)
        return not self.ale.game_over()

    def _advance(self, action: Any) -> float:
        options = self.options
        screens: list[Image] = []
        self.reward = 0.0
        for _ in range(self._frame_skip()):
            if self.ale.game_over():
                break
            self.reward += self._act(action)
            screens = [*screens[-1:], self._screen()]
        self.stack = [*self.stack[1:], self._row(*screens)]

        lost, self.lives = self.ale.lives() < self.lives, self.ale.lives()
        life_lost = lost and self.lives > 0
        self.over = self.ale.game_over() or (options.episodic_life and life_lost)
        self.terminated = self.over or (options.life_loss_info and life_lost)
        self.discount = 0.0 if options.zero_discount_on_life_loss and lost else 1.0
        self.elapsed += 1
        self.truncated = self.elapsed >= options.max_episode_steps
        return float(np.sign(self.reward)) if options.reward_clip else self.reward

    def _frame_skip(self) -> int:
        skip = self.options.frame_skip
        return skip if isinstance(skip, int) else int(self.rng.integers(*skip))

    def _act(self, action: Any) -> int:
        if not self.options.continuous:
            return int(self.ale.act(self.actions[action]))
        # The rule of ale_py's AtariEnv.
        threshold = self.options.continuous_action_threshold
        x, y = action[0] * np.cos(action[1]), action[0] * np.sin(action[1])
        across, up = (-int(z < -threshold) + int(z > threshold) for z in (x, y))
        named = AtariEnv.map_action_idx(across, up, bool(action[2] > threshold))
        return int(self.ale.act(named, action[0]))

    def _row(self, *screens: Image) -> Image:
        """The part that a step adds to the observation: of `screens`, or of the current screen."""
        if self.options.obs_type == "ram":
            return np.asarray(self.ale.getRAM())[None].copy()
        screens = screens or (self._screen(),)
        return self._frame(screens[0], screens[-1])

    def render(self) -> Image:
        """The last screen: height, width, RGB."""
        return np.asarray(self.ale.getScreenRGB()).copy()

    def _screen(self) -> Image:
        """The current screen: height, width, channel."""
        if self.options.gray_scale:
            return np.asarray(self.ale.getScreenGrayscale()).copy()[..., None]
        return np.asarray(self.ale.getScreenRGB()).copy()

    def _frame(self, one: Image, other: Image) -> Image:
        """The frame of two screens: channel, height, width."""
        method = cv2.INTER_AREA if self.options.use_inter_area_resize else cv2.INTER_LINEAR
        size = (self.options.img_width, self.options.img_height)
        resized = cv2.resize(np.maximum(one, other), size, interpolation=method)
        frame: Image = resized.reshape(*size[::-1], -1).transpose(2, 0, 1).astype(np.uint8)
        return frame

    def observation(self) -> Image:
        """The observation: frames and channels, height, width; or steps and bytes of the RAM."""
        return np.concatenate(self.stack)

    def info(self) -> dict[str, Any]:
        """A pool's infos."""
        info = {
            "elapsed_step": self.elapsed,
            "lives": self.lives,
            "reward": np.float32(self.reward),
            "terminated": int(self.ale.game_over()),
            "ram": self.ale.getRAM(),
        }
        return info | {"sound": self.ale.getAudio()} if self.options.sound_obs else info
