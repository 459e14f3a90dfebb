"""Tables of the documentation in Markdown, made from the registry of the installed wheel."""

import math
from collections.abc import Iterable, Sequence

from parallel_pool._build_info import FAMILIES

import parallel_pool
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.options import pool_options
from parallel_pool.python.options.option import Option
from parallel_pool.python.options.pool_options import PoolOption
from parallel_pool.python.specs.registry import registry

_ANY_TASK = "CartPole-v1"  # has the options of every task and none of the same names
_LONG = 2**31 - 1
_MANY, _FEW = 12, 3  # a cell does not list so many; it lists a few

# Tasks whose spaces depend on files of the user.
OF_FILES = ("D3Battle-v1", "D4Battle2-v1", "VizdoomCustom-v1")

_HEADERS = ("meaning", "type", "default", "allowed")  # a phone shows the first columns

# Where the documentation says more of an option of every task.
_LINKS = {
    "autoreset_mode": "semantics.md#the-end-of-an-episode",
    "per_env": "mixed_pools.md#options-of-each-env",
    "seed": "semantics.md#seeds",
}
# Options of one API.
_OF_ONE_API = (
    ("gym_reset_return_info", '`env_type="gym"`: `reset` also returns info', "bool", "`True`", ""),
)
_KINDS = {
    "range": "int or (low, end)",
    "lines": "list of str",
    "numbers": "floats",
    "env_arrays": "dict of arrays",
    "int_or_str": "int or str",
    "numbers_by_name": "dict from str to floats",
    "numbers_by_int": "dict from int to floats",
}


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def families() -> dict[str, list[str]]:
    """The tasks of each family, sorted."""
    found: dict[str, list[str]] = {family: [] for family in FAMILIES}
    for task in parallel_pool.list_all_envs():
        if family := registry().family(task):  # not of a library of load()
            found[family].append(task)
    return found


def shown(family: str) -> list[str]:
    """The tasks of the family that tables name one by one: no twins, no maps of whole games."""
    return [
        task
        for task in families()[family]
        if not registry().twin_of(task) and registry().suite(task) != "whole_games"
    ]


def of_suite(suite: str) -> list[str]:
    """The tasks of a suite that tables name, sorted."""
    return [
        task for family in FAMILIES for task in shown(family) if registry().suite(task) == suite
    ]


def suite_tasks() -> str:
    """A row for each task of the suite, with the size of each array."""
    rows = []
    for task in of_suite("dm_control"):
        spec = parallel_pool.make_spec(task)
        observation = [a for a in spec.state_arrays if a.name.startswith("obs:")]
        limit = spec.config["time_limit"]
        seconds = f"{limit:g} s" if math.isfinite(limit) else "none"
        sizes = ", ".join(f"{a.name.removeprefix('obs:')} {_size(a)}" for a in observation)
        (action,) = spec.action_arrays
        rows.append([f"`{task}`", sizes, f"{_size(action)}, {_range(action)}", seconds])
    return table(["task", "observation", "action", "time limit"], rows)


def _size(array: ArraySpec) -> str:
    """The length of a row of numbers, else the shape."""
    return str(array.shape[0]) if len(array.shape) == 1 else str(array.shape)


def title(family: str) -> str:
    """The family's name for people, as its README begins."""
    names = {
        "box2d": "Box2D",
        "minigrid": "MiniGrid",
        "mpe": "MPE",
        "mujoco": "MuJoCo",
        "nethack": "NetHack",
        "rware": "RWARE",
        "vizdoom": "ViZDoom",
    }
    return names.get(family, family.replace("_", " ").capitalize())


def tasks() -> str:
    """A row for each task of each family."""
    rows = []
    for family in FAMILIES:
        for task in shown(family):
            head = [f"`{task}`", f"[{title(family)}](readmes/{family}.md)"]
            if task in OF_FILES:
                rows.append([*head, *[""] * 5])
                continue
            spec = parallel_pool.make_spec(task)
            observation = [a for a in spec.state_arrays if not a.name.startswith("info:")]
            modes = ", ".join(mode for mode in spec.source.render_modes if mode != "human")
            threshold = "" if spec.reward_threshold is None else f"{spec.reward_threshold:g}"
            steps = "" if spec.max_episode_steps == _LONG else f"{spec.max_episode_steps:,}"
            spaces = [_arrays(observation), _arrays(spec.action_arrays)]
            rows.append(
                [
                    f"`{task}`",
                    f"[{title(family)}](readmes/{family}.md)",
                    *spaces,
                    steps,
                    threshold,
                    modes,
                ]
            )
    headers = ["task", "family", "observation", "action", "steps", "solved at", "pictures"]
    return table(headers, rows)


def _arrays(arrays: Sequence[ArraySpec]) -> str:
    """The space of an observation or an action, each array with its range."""
    if len(arrays) == 1:
        return _space(arrays[0])
    names = [a.name.removeprefix("obs:") for a in arrays]
    return "<br>".join(f"{name}: {_space(a)}" for name, a in zip(names, arrays, strict=True))


def _space(array: ArraySpec) -> str:
    low, high = array.low, array.high
    if array.kind == "discrete":
        start = f", start={low[0]:g}" if low[0] else ""
        return f"Discrete({high[0] - low[0] + 1:g}{start})"
    if array.kind == "multi_binary":
        return f"MultiBinary({array.shape[0]})"
    if array.kind == "multi_discrete":
        return f"MultiDiscrete({[int(h) + 1 for h in high]})"
    if array.kind == "text":
        return f"Text({array.shape[0]})"
    text = f"{array.dtype} {array.shape}"
    if any(map(math.isfinite, (*low, *high))):
        text += f", {_range(array)}"
    return text + (" for each player" if array.players else "")


def _range(array: ArraySpec) -> str:
    same = len(set(array.low)) == len(set(array.high)) == 1
    return f"{array.low[0]:g} .. {array.high[0]:g}" if same else "bounded"


def common_options() -> str:
    """The options that every task has."""
    task = parallel_pool.make_spec(_ANY_TASK).source
    rows = [_row(entry, option) for entry, option in pool_options.entries(task, set())]
    rows += [[f"`{name}`", *cells] for name, *cells in _OF_ONE_API]
    return table(["option", *_HEADERS], sorted(rows))


def common_names() -> set[str]:
    """The names of common_options() that every API has."""
    return {entry.name for entry in pool_options.OPTIONS}


def _row(entry: PoolOption, option: Option) -> list[str]:
    default = "the task's" if entry.default_is_of_task else _default(option)
    meaning = _escaped(option.doc)
    if entry.name in _LINKS:
        meaning = f"[{meaning}]({_LINKS[entry.name]})"
    kind = entry.type_text or _kind(option)
    return [f"`{entry.name}`", meaning, kind, default, entry.allowed_text or _allowed(option)]


def _kind(option: Option) -> str:
    return _KINDS.get(option.kind, option.kind)


def _default(option: Option) -> str:
    """The value; the number of its entries if they are many, or of its lines."""
    value = option.default
    if isinstance(value, str) and "\n" in value:  # which would end the row
        return f"{len(value.splitlines())} lines"
    if isinstance(value, dict | tuple | list) and len(value) > _MANY:
        return f"{len(value)} entries"
    text = '"' + value + '"' if isinstance(value, str) else repr(value)
    return _escaped(f"`{text}`")


def _allowed(option: Option) -> str:
    """The range or the choices; empty if every value of the type is allowed."""
    if option.choices:
        choices = [f'`"{choice}"`' for choice in option.choices]
        if len(choices) > _MANY:
            choices = [*choices[:2], "...", f"{choices[-1]}: {len(choices)} values"]
        return _escaped(", ".join(choices))
    if option.kind == "bool" or option.name == "max_num_players":
        return ""
    if option.name == "thread_affinity_offset":
        return "a processor of the process"  # the last one depends on this machine
    low = "" if option.low <= -_LONG else _number(option.low)
    high = "" if option.high >= _LONG else _number(option.high)
    if low and high:
        return f"{low} to {high}"
    return f"from {low}" if low else f"up to {high}" if high else ""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _describes(option: Option) -> tuple[str, ...]:
    """Options with the same description share a row."""
    return option.name, _kind(option), _allowed(option), option.doc


def _of_tasks(options: dict[tuple[str, ...], dict[str, str]], family: list[str]) -> list[list[str]]:
    """A row for each description in `options`, which has the default for each of its tasks."""
    rows = []
    for (name, kind, allowed, doc), defaults in options.items():
        values = list(dict.fromkeys(defaults.values()))
        default = values[0] if len(values) == 1 else "depends on the task"
        users = _users(list(defaults), family)
        rows.append([f"`{name}`", _escaped(doc), kind, default, allowed, users])
    return rows


def family_options(family: str) -> str:
    """The options of a family's tasks: those of make, then those of reset."""
    ids = shown(family)
    made: dict[tuple[str, ...], dict[str, str]] = {}
    at_reset: dict[tuple[str, ...], dict[str, str]] = {}
    for task in ids:
        native = registry().find(task)
        for option in native.options:
            made.setdefault(_describes(option), {})[task] = _default(option)
        for option in native.reset_options:
            at_reset.setdefault(_describes(option), {})[task] = _default(option)
    headers = [*_HEADERS, "tasks"]
    parts = []
    if made:
        parts.append(table(["option", *headers], _of_tasks(made, ids)))
    if at_reset:
        rows = _of_tasks(at_reset, ids)
        parts.append(table(["option of `reset`", *headers], rows))
    return "\n\n".join(parts) or "The tasks of this family have no options of their own."


def _users(ids: Sequence[str], family: Sequence[str]) -> str:
    """The tasks in few words, so that a row has some lines only."""
    if len(ids) == len(family):
        return "all"
    suite = registry().suite(ids[0])
    if list(ids) == [task for task in family if registry().suite(task) == suite]:
        return f"suite `{suite}`"
    names = _short(ids, family)
    others = _short([task for task in family if task not in ids], family)
    if len(others) <= _FEW < len(names):
        return f"all but {', '.join(others)}"
    if len(names) <= _MANY:
        return ", ".join(names)
    return f"{', '.join(names[:_FEW])} and {len(names) - _FEW} more"


def _short(ids: Sequence[str], family: Sequence[str]) -> list[str]:
    """The names: `Ant` for all its versions, `Ant-v3/v4` for two of more."""
    shown = []
    for name, versions in _by_name(ids).items():
        every = _by_name(family)[name]
        shown.append(
            name if versions == every and len(every) > 1 else f"{name}-{'/'.join(versions)}"
        )
    return [f"`{each}`" for each in shown]


def _by_name(ids: Sequence[str]) -> dict[str, list[str]]:
    """The versions of each name."""
    versions: dict[str, list[str]] = {}
    for task in ids:
        name, _, version = task.rpartition("-")
        versions.setdefault(name, []).append(version)
    return versions
