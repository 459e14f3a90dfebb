"""check(): the rules that every task satisfies, for env authors and this package's own tests."""

import dataclasses
import functools
import importlib
import itertools
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from parallel_pool.core import _core
from parallel_pool.python.apis.make import make_gym
from parallel_pool.python.check.random_player import (
    FILL_BYTE,
    NUM_ENVS,
    RandomPlayer,
    Row,
    Rows,
    agents_of,
)
from parallel_pool.python.check.watched_process import can_watch, check_limit, run_watched
from parallel_pool.python.errors import EnvError
from parallel_pool.python.specs.registry import make_spec
from parallel_pool.python.specs.spec import Spec

_STEPS = 30
_LIMIT = 5  # max_episode_steps in the test of time limits
_SEED, _OTHER_SEED = 42, 1000
_SET_HERE = ("num_envs", "batch_size", "num_threads", "num_workers", "seed", "autoreset_mode")
_OTHER_FILL_BYTE = 0x5A  # a byte other than FILL_BYTE


def check(
    task_id: Any,
    *,
    stochastic: bool | None = None,
    reproducible: bool = True,
    step_timeout: float = 60.0,
    **options: Any,
) -> None:
    """Plays a task with random actions and checks that it satisfies the rules of all tasks.

    The rules: Every array has the dtype, shape and bounds of Describe(), and Observe() writes all
    of it and nothing outside of it. The actions have no names, or each has one of its own. The same
    seed gives the same numbers, for any number of threads and any batch size, and for
    reset(seed=...) in the middle of an episode. Another seed gives other numbers. Time limits are
    kept. A saved env continues bit for bit, if the task can save. The rules hold for tasks with
    several players, too. The check takes a few hundred steps.

    An env in Python has worker processes for threads, and its spaces for Describe(). It may end
    episodes by a time limit of its own. Its infos are not checked.

    Args:
        task_id: a task of this package, or of a library that was passed to load(). Or an env in
            Python: a class or function that makes one, or another first argument of make_python()
            that is no str.
        stochastic: whether the seed must matter; False: it must not. None: it must, unless the env
            has IsDeterministic(), which says that it must not.
        reproducible: False leaves out the rules that compare two plays: about seeds, states, and
            elements that Observe() does not write. It is for tasks that depend on time, such as
            games over a network.
        step_timeout: the longest time of a step, of a reset and of the making of an env, in
            seconds. On Linux, envs in C++ are played in a copy of this process. So an env that
            ends the process, or never comes back, is an AssertionError, too.
        **options: the task's own options, or max_episode_steps; of envs in Python, the keywords of
            make_python(), such as env_kwargs.

    Raises:
        AssertionError: a rule is broken; the message has the rule, the env and the step.
        TypeError: an unknown option, or one that check() sets itself; or no task and no env.
        ValueError: an unknown task, an option whose value is not allowed, or an env that cannot be
            built.
    """
    in_python = not isinstance(task_id, str)
    for name in options:
        if name in _SET_HERE:
            what = "check()" if in_python else f"{task_id}: check()"
            raise TypeError(f"{what} sets {name} itself; leave it out")

    limit = check_limit(step_timeout)
    rules: dict[str, Any] = {"stochastic": stochastic, "reproducible": reproducible}
    if in_python:
        given = options if sys.platform == "win32" else {"step_timeout": limit, **options}
        check_pools(functools.partial(_make_in_python, task_id, given), in_python=True, **rules)
        return

    def run(marks: Any, one_by_one: bool) -> None:
        def make(**kwargs: Any) -> Spec:
            spec = make_spec(task_id, **{**options, **kwargs})
            return dataclasses.replace(spec, setup=_core.guarded(spec.setup, marks, one_by_one))

        check_pools(make, **rules)

    if can_watch():
        run_watched(run, task_id, NUM_ENVS, limit)
    else:
        run(None, False)


def _make_in_python(env: Any, options: dict[str, Any], **kwargs: Any) -> Spec:
    if sys.platform == "win32":
        kwargs["num_workers"] = 0
    module = importlib.import_module("parallel_pool.python_envs.make_python")
    spec: Spec = module.make_python_spec(env, **{**options, **kwargs})
    return spec


def check_pools(
    make: Callable[..., Spec],
    *,
    stochastic: bool | None = None,
    reproducible: bool = True,
    in_python: bool = False,
) -> None:
    """check() for any pools.

    Args:
        make: makes a spec of the options of a pool.
        stochastic: see check().
        reproducible: see check().
        in_python: whether the envs are in Python.
    """
    workers = "num_workers" if in_python else "num_threads"
    spec = make(**{workers: 1})
    _check_spec(spec)
    if stochastic is None:
        stochastic = not spec.setup.is_deterministic
    try:
        _check_plays(spec, make, stochastic, reproducible, workers)
    except EnvError as error:
        _fail(spec, f"an env threw: {error}")


def _check_plays(
    spec: Spec, make: Callable[..., Spec], stochastic: bool, reproducible: bool, workers: str
) -> None:
    def play(**kwargs: Any) -> Rows:
        return _play(make, **{workers: 1, **kwargs})

    if not reproducible:
        _check_rows(spec, play())
        _check_limit(spec, play(max_episode_steps=_LIMIT), workers)
        return
    rows, others = play(), play(fill_byte=_OTHER_FILL_BYTE)
    _check_written(spec, rows, others)
    _check_rows(spec, rows)
    _check_same(spec, rows, others, "a second pool with the same seed gives other numbers")
    _check_same(
        spec,
        rows,
        play(**{workers: 2, "batch_size": NUM_ENVS - 1}),
        "the results depend on threads or on the batch size",
    )
    _check_reset(make, rows, workers)
    difference = _difference(rows, play(seed=_OTHER_SEED))
    if stochastic and not difference:
        _fail(
            spec,
            "another seed gives the same numbers; if that is right: IsDeterministic() in an env of "
            "C++, or stochastic=False",
        )
    if difference and not stochastic:
        _fail(spec, f"the seed matters: {difference}")
    _check_limit(spec, play(max_episode_steps=_LIMIT), workers)
    _check_save(make, workers)


def _play(make: Callable[..., Spec], fill_byte: int = FILL_BYTE, **kwargs: Any) -> Rows:
    """All rows of the envs of a new pool: a reset and _STEPS steps of each."""
    with make_gym(make(num_envs=NUM_ENVS, **{"seed": _SEED, **kwargs})) as pool:
        player = RandomPlayer(pool, fill_byte)
        pool.async_reset()
        return player.play(1 + _STEPS)


def _check_spec(spec: Spec) -> None:
    for option in spec.options:
        if not option.doc:
            _fail(spec, f"option {option.name} has no line of help")
    for array in spec.action_arrays:
        names = set(array.meanings) - {""}
        if array.meanings and len(names) != array.high[0] - array.low[0] + 1:
            _fail(spec, f"each value of {array.name} needs a name of its own, not {array.named()}")
    try:
        spec.observation_spec()
    except ValueError as error:
        _fail(spec, f"an array has a name that dm_env cannot have: {error}")


def _check_rows(spec: Spec, rows: Rows) -> None:
    """Checks dtypes, shapes and bounds."""
    bounds = {array.name: array.bounds() for array in spec.state_arrays}
    shown = {array.name: array.dtype for array in (*spec.state_arrays, spec.reward_array)}
    for env, step, row in _all(rows):
        where = f"of env {env} at step {step}"
        if not np.isfinite(row["reward"]).all():
            _fail(spec, f"reward {where} is {row['reward']}")
        for array in spec.state_arrays:
            value = row[array.name]
            players = [len(row["info:players.env_id"])] if array.players else []
            wanted = (np.dtype(shown[array.name]), (*players, *array.shape))
            if (value.dtype, value.shape) != wanted:
                _fail(spec, f"{array.name} {where} is {value.dtype, value.shape}, not {wanted}")
            low, high = bounds[array.name]
            inside = (value >= low) & (value <= high)  # false for NaN
            if array.name == "reward":  # 0 after a reset, even if out of bounds
                inside |= value == 0
            if not inside.all():
                element = _first(~inside.reshape(-1), value.shape)
                _fail(
                    spec,
                    f"{array.name}{element or ''} {where} is {value[tuple(element)]}; it must be "
                    f"between {_at(low, element)} and {_at(high, element)}",
                )
    if spec.setup.players:
        _check_players(spec, rows)


def _check_players(spec: Spec, rows: Rows) -> None:
    """Checks that rows of players are within the player's own space, and zero outside of it."""
    own = [a for a in spec.state_arrays if a.players and a.name != "reward"]
    for env, step, row in _all(rows):
        agents = agents_of(spec, row.get("info:players.agent"), len(row["info:players.env_id"]))
        for array, (k, agent) in itertools.product(own, enumerate(agents.tolist())):
            player = spec.players[agent]
            low, high = player.arrays[array.name].bounds()
            value, inside = np.array(row[array.name][k]), tuple(map(slice, low.shape))
            mine = value[inside]
            where = f"{array.name} of {player.name} of env {env} at step {step}"
            if not ((mine >= low) & (mine <= high)).all():
                _fail(spec, f"{where} is {mine}; it must be between {low} and {high}")
            value[inside] = 0
            if value.any():
                _fail(spec, f"{where} is not zero outside of the player's own shape {low.shape}")


def _at(bound: np.ndarray[Any, Any], element: list[int]) -> Any:
    """The bound of an element, whose index may begin with a player's number."""
    return bound[tuple(element[len(element) - bound.ndim :])]


def _check_reset(make: Callable[..., Spec], rows: Rows, workers: str) -> None:
    spec = make(num_envs=NUM_ENVS, seed=_OTHER_SEED, **{workers: 1})
    with make_gym(spec) as pool:
        pool.async_reset()
        RandomPlayer(pool).play(_STEPS // 4)
        player = RandomPlayer(pool)
        player.take(pool.reset(seed=_SEED))
        again = player.play(_STEPS)
    _check_same(spec, rows, again, "after steps, reset(seed=...) does not begin as a new pool does")


def _check_limit(spec: Spec, rows: Rows, workers: str) -> None:
    has_own = workers == "num_workers"  # an env in Python may have a time limit of its own
    for env, step, row in _all(rows):
        elapsed, truncated = int(row["info:elapsed_step"]), bool(row["truncated"])
        # An env may end its episode in both ways, as PettingZoo's games do at an illegal move.
        is_early = truncated and elapsed < _LIMIT and not row["terminated"]
        if elapsed > _LIMIT or (is_early and not has_own) or (elapsed == _LIMIT and not truncated):
            _fail(
                spec,
                f"with max_episode_steps={_LIMIT} env {env} at step {step} has truncated "
                f"{truncated} and elapsed_step {elapsed}",
            )


def _check_save(make: Callable[..., Spec], workers: str) -> None:
    kwargs: dict[str, Any] = {"num_envs": NUM_ENVS, workers: 1}
    spec = make(seed=_SEED, **kwargs)
    with (
        make_gym(spec) as pool,
        make_gym(make(seed=_OTHER_SEED, **kwargs)) as other,
    ):
        player = RandomPlayer(pool)
        pool.async_reset()
        player.play(_STEPS // 4)
        try:
            data = pool.save()
        except ValueError:  # this task cannot save
            return
        other.reset()
        other.load(data)
        twin = player.twin(other)
        _check_same(
            spec,
            player.play(_STEPS),
            twin.play(_STEPS),
            "an env that was loaded does not go on as the one that was saved: does Saved(), or "
            "get_state() in Python, have all of its state?",
        )


def _check_same(spec: Spec, rows: Rows, others: Rows, wrong: str) -> None:
    if difference := _difference(rows, others):
        _fail(spec, f"{wrong}: {difference}")


def _difference(rows: Rows, others: Rows) -> str:
    """The first difference of two plays, by a bit or more, in an array that both have; else ""."""
    for (env, step, row), (_, _, other) in zip(_all(rows), _all(others), strict=True):
        where = f"of env {env} at step {step}"
        for name in row:
            if name not in other or row[name].tobytes() == other[name].tobytes():
                continue
            a, b = row[name], other[name]
            if a.shape != b.shape:
                return f"{name} {where} has shape {a.shape} and {b.shape}"
            element = _first((_bytes(a) != _bytes(b)).any(1), a.shape)
            return f"{name}{element or ''} {where} is {a[tuple(element)]} and {b[tuple(element)]}"
    return ""


def _check_written(spec: Spec, rows: Rows, others: Rows) -> None:
    """Checks that Observe() writes all elements; both plays have one seed, but two fill_bytes."""
    for (env, step, row), (_, _, other) in zip(_all(rows), _all(others), strict=True):
        for name, a in row.items():
            b = other[name]
            if a.shape != b.shape or a.tobytes() == b.tobytes():
                continue
            fill_byte = (_bytes(a) == FILL_BYTE) & (_bytes(b) == _OTHER_FILL_BYTE)
            if fill_byte.all(1).any():
                element = _first(fill_byte.all(1), a.shape)
                _fail(
                    spec,
                    "Observe() does not write every element of its row: "
                    f"{name}{element or ''} of env {env} at step {step}",
                )


def _bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The bytes of each element, shape (size, itemsize)."""
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return flat.reshape(array.size, array.itemsize)


def _first(flat: np.ndarray[Any, Any], shape: tuple[int, ...]) -> list[int]:
    """The index, in an array of `shape`, of the first element that is set."""
    return [int(i) for i in np.unravel_index(int(flat.argmax()), shape)]


def _all(rows: Rows) -> list[tuple[int, int, Row]]:
    """(env, step, row) by step: step 0 is the reset."""
    by_step = itertools.chain.from_iterable(zip(*rows, strict=True))
    return [(i % len(rows), i // len(rows), row) for i, row in enumerate(by_step)]


def _fail(spec: Spec, what: str) -> NoReturn:
    raise AssertionError(f"{spec.task_id}: {what}")
