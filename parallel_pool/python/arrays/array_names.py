"""The names of an env's arrays, and those that the engine adds."""

from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.arrays.player_spec import is_action

# Infos of make()'s record_episode_statistics.
EPISODE_INFO = [
    ArraySpec("info:episode.r", "float64", (), "box", [], []),
    ArraySpec("info:episode.l", "int32", (), "box", [], []),
    ArraySpec("info:_episode", "bool", (), "box", [], []),
]
# Infos that the engine adds; the last has a row for each player.
ENGINE_INFO = [
    ArraySpec(name, "int32", (), "box", [], [])
    for name in ("info:env_id", "info:elapsed_step", "info:players.env_id")
]


def item_name(index: int) -> str:
    """The name of an element of a Tuple of Gymnasium."""
    return f"item_{index}"


def check_names(task_id: str, arrays: tuple[ArraySpec, ...]) -> None:
    """ValueError if an array of the state has a name that is not allowed."""
    names = [array.name for array in arrays]
    taken = {array.name for array in (*ENGINE_INFO, *EPISODE_INFO)}
    for name, array in zip(names, arrays, strict=True):
        what = f"{task_id}: an array of the env is called {name!r}"
        if name == "reward":
            if str(array) not in ("float32[players]", "float64[players]"):
                raise ValueError(
                    f"{what}; it must be float32[players] or float64[players], not {array}"
                )
        elif name != "obs" and not name.startswith(("obs:", "info:")):
            raise ValueError(f"{what}; allowed are 'obs', 'obs:...' and 'info:...'")
        if name in taken:
            raise ValueError(f"{what}, which is there already")
        taken.add(name)
    if "obs" in taken and any(name.startswith("obs:") for name in names):
        raise ValueError(f"{task_id}: its env has an array 'obs' next to others of 'obs:...'")


def check_action_names(task_id: str, arrays: tuple[ArraySpec, ...]) -> None:
    """ValueError if an array of the action has a name with another meaning."""
    for array in arrays:
        if array.players and not is_action(array.name):
            raise ValueError(
                f"{task_id}: an array of the action is called {array.name!r}, which is a name of "
                "what players observe"
            )
        if array.name in ("env_id", "players.env_id"):
            raise ValueError(
                f"{task_id}: an array of the action is called {array.name!r}, which is the engine's"
            )


def check_agents(task_id: str, arrays: tuple[ArraySpec, ...]) -> None:
    """ValueError unless an array says which player a row belongs to."""
    for array in arrays:
        if array.name == "info:players.agent" and str(array) == "int32[players]":
            return
    raise ValueError(
        f"{task_id}: its env names players that come and go; it needs an array "
        "'info:players.agent', int32[players], with each row's index of the player"
    )
