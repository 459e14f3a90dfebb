"""EnvPool's tasks of ViZDoom, written again on vizdoom.DoomGame."""

import itertools
import mmap
import os
import pathlib
import struct
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import vizdoom

from parallel_pool.envs.vizdoom.reference import PACKAGE

Array = npt.NDArray[Any]

SCENARIOS = PACKAGE / "scenarios"
# The tasks whose ids are not the names of their scenarios in camel case.
_FILES = {"D1Basic": "health_gathering", "D2Navigation": "health_gathering_supreme"}
_PLACES = {b.name: int(b) for b in vizdoom.Button.__members__.values()}

INFOS = [
    "AMMO2",
    "AMMO3",
    "AMMO4",
    "AMMO5",
    "AMMO6",
    "AMMO7",
    "ARMOR",
    "DAMAGECOUNT",
    "DEATHCOUNT",
    "FRAGCOUNT",
    "HEALTH",
    "HITCOUNT",
    "KILLCOUNT",
    "SELECTED_WEAPON",
    "SELECTED_WEAPON_AMMO",
    "USER2",
]
_COUNTS = ("HITCOUNT", "DAMAGECOUNT", "DEATHCOUNT")
_PAIRS = [
    ("MOVE_RIGHT", "MOVE_LEFT"),
    ("MOVE_BACKWARD", "MOVE_FORWARD"),
    ("TURN_RIGHT", "TURN_LEFT"),
    ("LOOK_UP", "LOOK_DOWN"),
    ("MOVE_UP", "MOVE_DOWN"),
    ("SELECT_NEXT_WEAPON", "SELECT_PREV_WEAPON"),
    ("SELECT_NEXT_ITEM", "SELECT_PREV_ITEM"),
]
DEFAULTS: dict[str, Any] = {
    "img_height": 84,
    "img_width": 84,
    "stack_num": 4,
    "frame_skip": 4,
    "episodic_life": False,
    "force_speed": False,
    "use_inter_area_resize": True,
    "weapon_duration": 5,
    "reward_config": {
        "FRAGCOUNT": (1, -1.5),
        "KILLCOUNT": (1, 0),
        "DEATHCOUNT": (-0.75, 0.75),
        "HITCOUNT": (0.01, -0.01),
        "DAMAGECOUNT": (0.003, -0.003),
        "HEALTH": (0.005, -0.003),
        "ARMOR": (0.005, -0.001),
        **{f"WEAPON{i}": (0.02, -0.01) for i in range(3)},
        **{f"WEAPON{i}": (0.1, -0.05) for i in range(3, 6)},
        **{f"WEAPON{i}": (0.2, -0.1) for i in range(6, 8)},
        **{f"AMMO{i}": (0.0002, -0.0001) for i in range(3)},
        **{f"AMMO{i}": (0.001, -0.0005) for i in range(3, 6)},
        **{f"AMMO{i}": (0.002, -0.001) for i in range(6, 8)},
    },
    "selected_weapon_reward_config": {
        **dict.fromkeys(range(3), 0.0002),
        **dict.fromkeys(range(3, 6), 0.001),
        **dict.fromkeys(range(6, 8), 0.002),
    },
    "delta_button_config": {},
    "game_args": "",
    "map_id": "map01",
    "episode_timeout": 0,
    "screen_resolution": "RES_320X240",
}
_OF_TASK = {task: {"game_args": "-host 1 -deathmatch"} for task in ("Cig-v1", "MultiDuel-v1")}


def make_game(task_id: str, options: dict[str, Any]) -> vizdoom.DoomGame:
    """The game of a task, not started yet."""
    game = vizdoom.DoomGame()
    name = task_id.removesuffix("-v1")
    if "cfg_path" in options:
        game.load_config(options["cfg_path"])
        game.set_doom_scenario_path(options["wad_path"])
    elif name in _FILES:
        game.set_doom_scenario_path(str(SCENARIOS / f"{_FILES[name]}.wad"))
        for button in ("TURN_LEFT", "TURN_RIGHT", "MOVE_FORWARD"):
            game.add_available_button(vizdoom.Button.__members__[button])
        game.add_available_game_variable(vizdoom.GameVariable.HEALTH)
        game.set_screen_format(vizdoom.ScreenFormat.GRAY8)
        game.set_render_hud(False)
        game.set_render_crosshair(False)
        game.set_render_weapon(False)
        game.set_render_decals(False)
        game.set_render_particles(False)
    else:
        stem = "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
        game.load_config(str(SCENARIOS / f"{stem}.cfg"))
        game.set_doom_scenario_path(str(SCENARIOS / f"{stem}.wad"))
    game.set_window_visible(False)
    game.set_mode(vizdoom.Mode.PLAYER)
    game.set_doom_map(options["map_id"])
    game.set_episode_timeout(options["episode_timeout"])
    game.set_audio_buffer_enabled(False)
    game.set_notifications_buffer_enabled(False)
    game.set_screen_resolution(vizdoom.ScreenResolution.__members__[options["screen_resolution"]])
    if game.get_screen_format() != vizdoom.ScreenFormat.GRAY8:
        game.set_screen_format(vizdoom.ScreenFormat.CRCGCB)
    game.add_game_args(options["game_args"])
    for key, value in options.items():
        if key.startswith("render_") or key == "doom_skill":
            getattr(game, f"set_{key}")(value)
    return game


def button_sets(
    names: list[str], force_speed: bool, deltas: dict[str, tuple[int, float, float]]
) -> list[list[float]]:
    """The buttons that each combined action presses, a number for each of `names`."""
    order = sorted(names, key=_PLACES.__getitem__)
    seconds = {b: a for a, b in _PAIRS}
    choices: list[list[dict[str, float]]] = []
    weapons = [name for name in order if name.startswith("SELECT_WEAPON")]
    for name in order:
        if name in deltas and deltas[name][0] > 1:
            choices.append([{name: x} for x in _evenly(*deltas[name])])
        elif name.endswith("_DELTA") or name in weapons[1:] or seconds.get(name) in names:
            pass
        elif weapons and name == weapons[0]:
            choices.append([{}, *({weapon: 1.0} for weapon in weapons)])
        elif name == "SPEED" and force_speed:
            choices.append([{name: 1.0}])
        else:
            second = [b for a, b in _PAIRS if a == name and b in names]
            choices.append([{}, {name: 1.0}, *({b: 1.0} for b in second)])
    sets = []
    for combination in itertools.product(*choices):
        pressed = {k: v for part in combination for k, v in part.items()}
        sets.append([pressed.get(name, 0.0) for name in names])
    return sets


def _evenly(count: int, first: float, last: float) -> list[float]:
    step = (last - first) / (count - 1)
    return [first + i * step for i in range(count)]


def _instances() -> set[str]:
    """The ids of the engines that this process has started."""
    found = set()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:  # it has ended
            continue
        if int(parent) == os.getpid() and "+viz_instance_id" in words:
            found.add(words[words.index("+viz_instance_id") + 1])
    return found


class Reference:
    """One env; `seed` is the pool's seed plus the env's number."""

    def __init__(self, task_id: str, seed: int, **options: Any) -> None:
        self.options = DEFAULTS | _OF_TASK.get(task_id, {}) | options
        self.task_id = task_id
        self._make()
        self.variables = [v.name for v in self.game.get_available_game_variables()]
        self.buttons = [b.name for b in self.game.get_available_buttons()]
        self.sets = button_sets(
            self.buttons, self.options["force_speed"], self.options["delta_button_config"]
        )
        self.random = np.random.default_rng(seed)
        self.memory: mmap.mmap | None = None

    def _make(self) -> None:
        self.game = make_game(self.task_id, self.options)
        for name in INFOS:
            variable = vizdoom.GameVariable.__members__[name]
            if variable not in self.game.get_available_game_variables():
                self.game.add_available_game_variable(variable)

    def reset(self, lost_life: bool = False) -> tuple[Array, dict[str, Array]]:
        """Begins an episode, after the loss of a life in the same world if it goes on."""
        if lost_life and self.options["episodic_life"] and not self.game.is_episode_finished():
            self.game.make_action([0.0] * len(self.buttons), self.options["frame_skip"])
            if not self.game.is_episode_finished():
                self._begin()
                return self.observation(), self.infos()
        if self.memory is not None and "-host" in self.options["game_args"]:
            # An episode of a match begins with a new engine.
            self.game.close()
            self._make()
            self.memory = None
        self.game.set_seed(int(self.random.integers(0, 2**32, dtype=np.uint32)))
        if self.memory is None:
            others = _instances()
            self.game.init()
            (own,) = _instances() - others
            with (pathlib.Path("/dev/shm") / f"ViZDoomSM{own}").open("rb") as file:
                self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        else:
            self.game.new_episode()
        self._begin()
        return self.observation(), self.infos()

    def _begin(self) -> None:
        values = self._read()
        self.start = {name: values[name] for name in _COUNTS}
        self.values = {name: value - self.start.get(name, 0) for name, value in values.items()}
        if self.values["HEALTH"] < 0:
            self.values["HEALTH"] = 100.0
        self.weapon, self.weapon_steps = self.values["SELECTED_WEAPON"], 1
        self.frames = [self._frame()] * self.options["stack_num"]

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Array]]:
        """Observation, reward, terminated, truncated, infos."""
        pressed = self.sets[action] if np.ndim(action) == 0 else [float(x) for x in action]
        self.game.make_action(pressed, self.options["frame_skip"])
        reward = self._reward()
        self.frames = [*self.frames[1:], self._frame()]
        over = self.game.is_episode_finished()
        timeout = over and self.game.is_episode_timeout_reached()
        dead = self.options["episodic_life"] and self.game.is_player_dead()
        terminated = (over and not timeout) or dead
        return self.observation(), reward, terminated, timeout and not dead, self.infos()

    def _read(self) -> dict[str, float]:
        game = self.game
        members = vizdoom.GameVariable.__members__
        return {name: game.get_game_variable(members[name]) for name in self.variables}

    def _reward(self) -> float:
        last, values, reward = self.values, self._read(), 0.0
        gains = self.options["reward_config"]
        for name in self.variables:
            values[name] -= self.start.get(name, 0)
            if name == "HEALTH" and values[name] < 0:
                values[name] = last[name]
            change = values[name] - last[name]
            change = min(change, {"DAMAGECOUNT": 200.0, "HITCOUNT": 5.0}.get(name, change))
            up, down = gains.get(name, (0, 0))
            reward += change * up if change >= 0 else -(change * down)
        self.values = values
        weapon = values["SELECTED_WEAPON"]
        self.weapon_steps = self.weapon_steps + 1 if weapon == self.weapon else 1
        self.weapon = weapon
        held = self.weapon_steps >= self.options["weapon_duration"]
        if weapon >= 0 and held and values["SELECTED_WEAPON_AMMO"] > 0:
            reward += self.options["selected_weapon_reward_config"].get(int(weapon), 0.0)
        return reward

    def screen(self) -> Array:
        """The engine's picture (channels, rows, columns), also after an episode's end."""
        state = self.game.get_state()
        if state is not None:
            shape = (-1, self.game.get_screen_height(), self.game.get_screen_width())
            return np.asarray(state.screen_buffer).reshape(shape)
        return self.shared_screen()

    def shared_screen(self) -> Array:
        """The same from the memory that the engine shares."""
        assert self.memory is not None
        (offset,) = struct.unpack_from("Q", self.memory, 48)
        channels = self.game.get_screen_channels()
        shape = (channels, self.game.get_screen_height(), self.game.get_screen_width())
        pixels = np.frombuffer(self.memory, np.uint8, int(np.prod(shape)), offset)
        return pixels.reshape(shape).copy()

    def _frame(self) -> Array:
        size = (self.options["img_width"], self.options["img_height"])
        area = self.options["use_inter_area_resize"]
        method = cv2.INTER_AREA if area else cv2.INTER_LINEAR
        return np.stack([cv2.resize(plane, size, interpolation=method) for plane in self.screen()])

    def observation(self) -> Array:
        """The stack of frames, oldest first."""
        return np.concatenate(self.frames)

    def infos(self) -> dict[str, Array]:
        """The game variables that EnvPool shows, as float64."""
        return {name: np.array(self.values[name], np.float64) for name in INFOS}

    def close(self) -> None:
        """Ends the engine."""
        self.game.close()
