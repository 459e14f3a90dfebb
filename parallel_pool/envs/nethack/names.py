"""MiniHack's names, such as MiniHack-Room-5x5-v0: the task MiniHack-v0 with other options.

The package minihack has the levels and the rewards. Its own classes are asked for them: they build
the text of a level and a reward manager, and hand both to the constructor of their base class.
"""

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parallel_pool.python.options.keys import key_notation
from parallel_pool.python.specs.registry import make_spec

_TASK = "MiniHack-v0"

# The ids of minihack 1.0.2, without those whose levels follow from no seed: MiniGrid's and
# Boxoban's. "A/B" stands for the last word.
_IDS = """
    ClosedDoor Corridor-R2/R3/R5 CorridorBattle CorridorBattle-Dark ExploreMaze-Easy/Hard
    ExploreMaze-Easy-Mapped ExploreMaze-Hard-Mapped Freeze-Horn-Full/Restricted
    Freeze-Lava-Full/Restricted Freeze-Random-Full/Restricted Freeze-Wand-Full/Restricted HideNSeek
    HideNSeek-Big/Lava/Mapped KeyRoom-S5/S15 KeyRoom-Dark-S5/S15 KeyRoom-Fixed-S5
    Labyrinth-Big/Small LavaCross-Full/Restricted LavaCross-Levitate-Full/Restricted
    LavaCross-Levitate-Potion-Inv-Full/Restricted LavaCross-Levitate-Potion-Pickup-Full/Restricted
    LavaCross-Levitate-Ring-Inv-Full/Restricted LavaCross-Levitate-Ring-Pickup-Full/Restricted
    Levitate-Boots-Fixed/Full/Restricted Levitate-Potion-Fixed/Full/Restricted Levitate-Random-Full
    Levitate-Ring-Fixed/Full/Restricted LockedDoor LockedDoor-Fixed MazeWalk-9x9/15x15/45x19
    MazeWalk-Mapped-9x9/15x15/45x19 Memento-F2/F4 Memento-Short-F2 Navigation-Custom
    Quest-Easy/Medium/Hard River River-Lava/Monster/MonsterLava/Narrow Room-5x5/15x15
    Room-Dark-5x5/15x15 Room-Monster-5x5/15x15 Room-Random-5x5/15x15 Room-Trap-5x5/15x15
    Room-Ultimate-5x5/15x15 Skill-Custom WoD-Easy-Full/Restricted WoD-Hard-Full/Restricted
    WoD-Medium-Full/Restricted WoD-Pro-Full/Restricted
"""
# Skills of one command, each in three forms.
_COMMANDS = ("Eat", "Pray", "PutOn", "Read", "Sink", "Wear", "Wield", "Zap")
_SOKOBAN = ("1a", "1b", "2a", "2b", "3a", "3b", "4a", "4b")


def _ids() -> list[str]:
    ids = []
    for word in _IDS.split():
        stem, _, last = word.rpartition("-") if "/" in word else ("", "", word)
        ids += [f"MiniHack-{stem}-{end}" if stem else f"MiniHack-{end}" for end in last.split("/")]
    ids += [f"MiniHack-{name}{form}" for name in _COMMANDS for form in ("", "-Fixed", "-Distr")]
    return [f"{name}-v0" for name in ids] + [f"MiniHack-Sokoban{level}-v1" for level in _SOKOBAN]


def options_of(env_class: type[Any], **kwargs: Any) -> dict[str, Any]:
    """The options of MiniHack-v0 that make it equal to a class of MiniHack's.

    Args:
        env_class: a subclass of minihack.MiniHack, one of the package's or of your own. It may have
            levels, events of a RewardManager, and other arguments of its constructor, but no
            methods of its own.
        **kwargs: arguments of its constructor.

    Raises:
        ModuleNotFoundError: the package minihack is not installed.
        ValueError: its rewards are not those of a plain RewardManager.
    """
    base: Any = importlib.import_module("minihack.base").MiniHack

    class Ask(base):  # type: ignore[misc]
        """Stands before MiniHack in the order of bases, and keeps what it is given."""

        def __init__(self, *args: Any, **given: Any) -> None:
            self.given = given

    env = type(env_class.__name__, (env_class, Ask), {})(**kwargs)
    given = dict(env.given)
    options: dict[str, Any] = {"events": events_of(given.pop("reward_manager", None))}
    bases = {cls.__name__ for cls in env_class.__mro__}
    if "Sokoban" in bases:
        options |= {"rules": "sokoban", "penalty_time": env._time_penalty}
        options |= {"reward_shaping_coefficient": env._reward_shaping_coefficient}
    elif "MiniHackKeyDoor" in bases:
        options |= {"rules": "key_room"}
    actions = given.pop("actions", None)
    if not given.pop("include_see_actions", True) and actions is None:
        full = importlib.import_module("minihack.base")
        actions = [a for a in full.MH_FULL_ACTIONS if a not in full.NLE_EXTRA_V081_ACTIONS]
    if actions is not None:
        options["actions"] = [key_notation(int(key)) for key in actions]
    for name in ("options", "observation_keys"):
        if name in given:
            options[name] = list(given.pop(name))
    return options | given


def events_of(manager: Any) -> list[str]:
    """The events of a RewardManager as lines of the option `events` (minihack/events.h).

    Raises:
        ValueError: it has other things than events of minihack, or the reward for stairs.
    """
    if manager is None:
        return []
    if type(manager).__name__ != "RewardManager":
        raise ValueError(f"reward_manager is a {type(manager).__name__}; allowed is RewardManager")
    lines = [_line(event) for event in manager.events]
    for function in manager.custom_reward_functions:
        if function.__name__ != "stairs_reward_function":
            raise ValueError(
                f"reward_manager has a function {function.__name__}: only events can be played here"
            )
        lines.append("\t".join(("stairs", "1", "r")))
    return lines


def _line(event: Any) -> str:
    words: dict[str, Callable[[], tuple[str, Sequence[str]]]] = {
        "MessageEvent": lambda: ("message", event.messages),
        "LocEvent": lambda: ("place", [event.loc]),
        "LocActionEvent": lambda: ("key", [event.loc, key_notation(int(event.action))]),
        "CoordEvent": lambda: ("point", [str(n) for n in event.coordinates]),
    }
    name = type(event).__name__
    if name not in words:
        raise ValueError(f"reward_manager has a {name}; allowed are {', '.join(words)}")
    kind, own = words[name]()
    flags = "r" * event.repeatable + "n" * event.terminal_required + "s" * event.terminal_sufficient
    return "\t".join((kind, repr(float(event.reward)), flags, *own))


def _expand(name: str, kwargs: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The task and the keywords of make() for a name.

    Keywords that are no options of the task are arguments of MiniHack's class, such as `n_monster`.
    """
    try:
        importlib.import_module("minihack")
    except ImportError as error:
        raise ValueError(
            f"{name} needs the levels of MiniHack: pip install parallel_pool[minihack] ({error})"
        ) from None
    gymnasium = importlib.import_module("gymnasium")
    module, _, class_name = gymnasium.registry[name].entry_point.partition(":")
    env_class = getattr(importlib.import_module(module), class_name)
    own = dict(kwargs)
    known = {*make_spec(_TASK).config, "reward_manager"}
    level = {key: own.pop(key) for key in [*own] if key not in known}
    if name.endswith("-Custom-v0"):
        if "des_file" not in own:
            raise ValueError(f"{name} needs des_file, the text or the file of a level")
        level["des_file"] = own["des_file"]
    if "reward_manager" in own:
        own["events"] = events_of(own.pop("reward_manager"))
    return _TASK, options_of(env_class, **level) | own


NAMES: dict[str, Callable[[Mapping[str, Any]], tuple[Any, dict[str, Any]]]] = {
    name: functools.partial(_expand, name) for name in _ids()
}
