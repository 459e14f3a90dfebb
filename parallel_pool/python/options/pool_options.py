"""The options that pools of every task have: the one list of them.

A new option is an entry of OPTIONS. If the engine reads it, it is also a member of C++ PoolOptions,
with a line in core/binding/pool_options.cc.
"""

import dataclasses
import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from parallel_pool.core import _core
from parallel_pool.python.options.option import Option, as_float, as_int
from parallel_pool.python.options.seeds import seed_of

MAX_EPISODE_STEPS = 2**31 - 1  # the time limit of tasks that have none
AUTORESET_MODES = ("next_step", "same_step", "disabled")
OBS_DTYPES = ("float32", "float64")
REWARD_DTYPES = ("float32", "float64")

_MAX_INT = 2**31 - 1
_MAX_THREADS = 4096
_MAX_SIDE = 8192  # of a picture, in pixels
_ANY: Any = object()  # what the user gives, or the default


@dataclass(frozen=True, kw_only=True)
class Task:
    """The facts of a task on which the options of its pools depend.

    Attributes:
        id: the task's id; of several tasks all ids.
        render_modes: the allowed values of render_mode, in addition to None.
        max_episode_steps: the time limit in steps, unless the user gives one.
        reward_threshold: the return that counts as solved, unless the user gives one; or None.
    """

    id: str
    render_modes: Sequence[str]
    max_episode_steps: int
    reward_threshold: float | None = None


@dataclass(frozen=True)
class PoolOption:
    """An option of every pool.

    Attributes:
        option: its name, help, default and allowed values.
        read: its value in the config, of (task, what the user gives or the default, num_envs);
            raises what Option.check() raises.
        adapt: the option as a task has it, of (option, task, the most players of an env); None: the
            task has no such option.
        of_each_task: in a pool of several tasks, whether each task has its own value.
        single: the value of a single env (num_envs=None), to which users cannot give the option.
        single_default: the default of a single env.
        in_python: whether pools of envs in Python have it.
        type_text: an option of the kind "other": the type of its values.
        allowed_text: the same: the allowed values.
    """

    option: Option
    read: Callable[[Task, Any, int], Any] = lambda task, value, num_envs: value
    adapt: Callable[[Option, Task, int], Option | None] = lambda option, task, players: option
    of_each_task: bool = False
    single: Any = _ANY
    single_default: Any = _ANY
    in_python: bool = True
    type_text: str = ""
    allowed_text: str = ""

    @property
    def name(self) -> str:
        """The keyword."""
        return self.option.name

    @property
    def default_is_of_task(self) -> bool:
        """Whether each task has a default of its own."""
        return self.adapt in (_time_limit, _own_threshold)

    def value(self, option: Option, task: Task, given: dict[str, Any], num_envs: int) -> Any:
        """The value in the config: that of the options `given`, or the default of `option`."""
        value = given.get(option.name, option.default)
        if option.name in given and option.kind != "other":
            value = option.check(task.id, value)
        return self.read(task, value, num_envs)


def _batch_size(task: Task, value: int, num_envs: int) -> int:
    if value > num_envs:
        raise ValueError(
            f"{task.id}: batch_size is {value}; it must be between 0 and num_envs = {num_envs}"
        )
    return value or num_envs


def _num_threads(task: Task, value: int, num_envs: int) -> int:
    return min(value or _core.usable_threads(), max(num_envs, 1))


def _time_limit(option: Option, task: Task, players: int) -> Option:
    return dataclasses.replace(option, default=task.max_episode_steps)


def _players(option: Option, task: Task, players: int) -> Option:
    return dataclasses.replace(option, default=players, low=players, high=players)


def _processors(option: Option, task: Task, players: int) -> Option:
    return dataclasses.replace(option, high=_core.usable_processors() - 1)


def _autoreset_mode(task: Task, mode: Any, num_envs: int) -> str:
    """One of AUTORESET_MODES; also accepts Gymnasium's enum, its names and its values."""
    name = mode.name if isinstance(mode, enum.Enum) else mode
    if isinstance(name, str):
        # next_step, NEXT_STEP (the enum's name), NextStep (its value)
        plain = name.replace("_", "").lower()
        for known in AUTORESET_MODES:
            if plain == known.replace("_", ""):
                return known
    raise ValueError(
        f"{task.id}: autoreset_mode is {mode!r}; "
        f"allowed are {', '.join(map(repr, AUTORESET_MODES))}"
    )


def _obs_dtype(task: Task, dtype: Any, num_envs: int) -> str | None:
    if dtype is None:
        return None
    name = getattr(dtype, "__name__", None) or str(dtype)  # also numpy.float32 and numpy.dtype
    if name in OBS_DTYPES:
        return name
    raise ValueError(
        f"{task.id}: obs_dtype is {dtype!r}; allowed are {', '.join(map(repr, OBS_DTYPES))} and "
        "None for the task's own"
    )


def _own_threshold(option: Option, task: Task, players: int) -> Option:
    return dataclasses.replace(option, default=task.reward_threshold)


def _threshold(task: Task, value: Any, num_envs: int) -> float | None:
    return None if value is None else as_float(f"{task.id}: reward_threshold", value)


def _render_mode(task: Task, mode: Any, num_envs: int) -> str | None:
    modes = task.render_modes
    if mode is None or mode in modes:
        return mode  # type: ignore[no-any-return]
    if not modes:
        raise ValueError(f"{task.id}: render_mode is {mode!r}; this task cannot be rendered")
    raise ValueError(
        f"{task.id}: render_mode is {mode!r}; allowed are {', '.join(map(repr, modes))} and None"
    )


def _render_env_id(task: Task, env_id: Any, num_envs: int) -> int | None:
    if env_id is None:
        return None
    what = f"{task.id}: render_env_id"
    number = as_int(what, env_id)
    if not 0 <= number < num_envs:
        raise ValueError(f"{what} is {number}; allowed are 0 to {num_envs - 1}, and None for all")
    return number


def _other(name: str, doc: str, default: Any) -> Option:
    return Option(name, doc, default, kind="other")


NUM_ENVS = PoolOption(Option("num_envs", "envs in the pool; None: a single env", 1, 1, _MAX_INT))

OPTIONS: tuple[PoolOption, ...] = (
    NUM_ENVS,
    PoolOption(
        Option("batch_size", "rows that recv returns; 0: num_envs (sync)", 0, 0, _MAX_INT),
        read=_batch_size,
        single=1,
    ),
    PoolOption(
        Option("num_threads", "threads that run envs; 0: automatic", 0, 0, _MAX_THREADS),
        read=_num_threads,
        single=1,
        in_python=False,
    ),
    PoolOption(
        Option("max_episode_steps", "time limit in steps", MAX_EPISODE_STEPS, 1, _MAX_INT),
        adapt=_time_limit,
        of_each_task=True,
    ),
    PoolOption(
        Option("max_num_players", "players in an env", 1),
        adapt=_players,
        of_each_task=True,
        in_python=False,
    ),
    PoolOption(
        Option("thread_affinity_offset", "first processor to pin to; -1: none", -1, -1),
        adapt=_processors,
        single=-1,
        in_python=False,
    ),
    PoolOption(
        Option("record_episode_statistics", "info['episode']: returns, lengths", False, kind="bool")
    ),
    PoolOption(
        Option("pin_memory", "page-locked batches, for copies to a GPU", False, kind="bool")
    ),
    PoolOption(
        Option(
            "reward_dtype", "the dtype of rewards", "float32", choices=REWARD_DTYPES, kind="str"
        ),
        single_default="float64",
    ),
    *(
        PoolOption(option)
        for option in (
            Option("normalize_observation", "to mean 0, variance 1", False, kind="bool"),
            Option("normalize_reward", "by the deviation of returns", False, kind="bool"),
            Option("gamma", "discount of these returns", 0.99, 0, 1, kind="float"),
            Option("update_statistics", "count the rows for both", True, kind="bool"),
            Option("clip_observation", "to -x .. x, floats only; 0: no", 0.0, 0, kind="float"),
            Option("clip_reward", "to -x .. x; 0: no", 0.0, 0, kind="float"),
            Option("check_actions", "refuse floats out of their bounds", False, kind="bool"),
            Option("action_repeat", "steps with one action; rewards are summed", 1, 1, _MAX_INT),
            Option("time_aware", "add the elapsed part of the time limit", False, kind="bool"),
        )
    ),
    *(
        PoolOption(option, of_each_task=True)
        for option in (
            Option("clip_action", "clip actions of floats to their bounds", False, kind="bool"),
            Option("rescale_action", "actions in -1 .. 1, made to the bounds", False, kind="bool"),
            Option("stack_num", "last observations of the episode in one", 1, 1, 1024),
            Option("channel_last", "pictures of height, width, channels", False, kind="bool"),
            Option("flatten_observation", "one vector; integers one-hot", False, kind="bool"),
        )
    ),
    PoolOption(
        _other("obs_dtype", "the dtype of observations; None: the task's", None),
        read=_obs_dtype,
        of_each_task=True,
        type_text="str or None",
        allowed_text='`"float32"`, `"float64"`',
    ),
    *(
        PoolOption(
            Option(f"render_{side}", f"{side} of a picture; 0: the task's", 0, 0, _MAX_SIDE),
            adapt=lambda option, task, _: option if "rgb_array" in task.render_modes else None,
        )
        for side in ("width", "height")
    ),
    PoolOption(
        _other("seed", "env i gets seed + i; a list: one for each; None: the system's", 42),
        read=lambda task, value, num_envs: seed_of(task.id, value, num_envs),
        single_default=None,
        type_text="int, list or None",
        allowed_text="0 to 2**64 - 1",
    ),
    PoolOption(
        _other(
            "autoreset_mode",
            "what follows an episode's end: next_step, same_step, disabled",
            "next_step",
        ),
        read=_autoreset_mode,
        single="disabled",
        type_text="str",
        allowed_text='`"next_step"`, `"same_step"`, `"disabled"`',
    ),
    PoolOption(
        _other("reward_threshold", "the return that counts as solved", None),
        read=_threshold,
        adapt=_own_threshold,
        of_each_task=True,
        type_text="float or None",
    ),
    PoolOption(
        _other("render_mode", "how render() shows envs; None: it cannot", None),
        read=_render_mode,
        type_text="str or None",
        allowed_text='`"rgb_array"`, `"human"`, `"ansi"`, if the task has it',
    ),
    PoolOption(
        _other("render_env_id", "the env that render() shows; None: all", None),
        read=_render_env_id,
        single=None,
        type_text="int or None",
    ),
    PoolOption(
        _other("per_env", "a value for each env, by option", {}),
        read=lambda task, value, num_envs: {},  # OptionsOfEnvs has the values
        of_each_task=True,
        single={},
        type_text="dict of lists",
        allowed_text="any option of the task that leaves its spaces as they are",
    ),
)


def entries(task: Task, own: set[str], players: int = 1) -> list[tuple[PoolOption, Option]]:
    """The options that pools of a task have, each also as the task has it.

    Args:
        task: the task.
        own: the task's own options, which hide those of the same name.
        players: the most players of one of its envs.
    """
    adapted = ((e, e.adapt(e.option, task, players)) for e in OPTIONS if e.name not in own)
    return [(entry, option) for entry, option in adapted if option is not None]


def of_single_envs() -> dict[str, Any]:
    """Pool options of a single env (num_envs=None). Users cannot set these."""
    return {e.name: e.single for e in OPTIONS if e.single is not _ANY}


def defaults_of_single_envs() -> dict[str, Any]:
    """The defaults of a single env where they are not those of a pool."""
    return {e.name: e.single_default for e in OPTIONS if e.single_default is not _ANY}


def names(*, of_each_task: bool | None = None, in_python: bool | None = None) -> list[str]:
    """The options of such a kind; None: of either."""
    return [
        e.name
        for e in OPTIONS
        if of_each_task in (None, e.of_each_task) and in_python in (None, e.in_python)
    ]


def documented(indent: str) -> str:
    """The options, one in a line, as part of a docstring."""
    return "\n".join(
        f"{indent}- {e.name}"
        + ("" if e.default_is_of_task else f"={e.option.default!r}")
        + f": {e.option.doc}."
        for e in OPTIONS
    )


def of_engine(config: dict[str, Any]) -> dict[str, Any]:
    """The part of a config that the engine reads; it leaves out what it does not know."""
    return {n: config[n] for n in names() if n in config and n not in ("seed", "per_env")}
