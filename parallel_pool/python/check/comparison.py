"""compare(): where two envs part, with the shortest list of actions that shows it."""

import contextlib
import dataclasses
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from parallel_pool.python.check.difference import Difference, first_difference
from parallel_pool.python.check.sides import Row, Side, side, sides
from parallel_pool.python.errors import EnvError
from parallel_pool.python.options.option import Option, nearest
from parallel_pool.python.options.seeds import is_list, seeds_of

_MOST_PLAYS = 400  # to shorten a list of actions
_ROUNDING = 1e-9  # of float64; of float32 1e-5: differences up to this part of the value
_NEAR = 10**9  # units in the last place that are shown
_FLAGS = ("terminated", "truncated")
# The kinds after which two envs may still be in the same state.
_MAY_BE_IGNORED = ("dtype", "info", "reward", "rounding")


@dataclasses.dataclass(frozen=True, kw_only=True)
class EnvDifference(Difference):
    """The first Difference of two envs, and how to see it.

    Attributes:
        kind: "space", "dtype", "seed", "reset", "autoreset", "end", "reward", "info", "rounding" or
            "step": see docs/compare.md.
        seed: of the episode.
        step: the number of steps before it, of all episodes since the seed.
        api: how `mine` was played: "env", "pool", "gym pool" or "dm_env" of a task id; else empty.
        actions: the shortest list of actions after reset(seed) that still shows a difference. An
            episode that ends is followed by the next one.
    """

    kind: str
    seed: int
    step: int
    actions: tuple[Any, ...] = ()
    api: str = ""

    def __str__(self) -> str:
        """A sentence on the difference, and one on the actions."""
        place = f"{self.name}{list(self.index) if self.index else ''}"
        is_near = self.ulps is not None and self.ulps < _NEAR
        apart = f", {self.ulps:,} units in the last place apart" if is_near else ""
        where = "reset" if self.step == 0 else f"step {self.step}"
        where += f" (played as {self.api})" if self.api else ""
        return (
            f"{self.kind}: seed {self.seed}, {where}: {place} is {self.mine!r}; the reference has "
            f"{self.reference!r}{apart}\n{len(self.actions)} actions show it: "
            f"{[np.asarray(action).tolist() for action in self.actions]}"
        )


@dataclasses.dataclass(frozen=True)
class _Rules:
    """The differences that count; see compare()."""

    rtol: float
    atol: float
    ignore: frozenset[str]

    def covers(self, name: str) -> bool:
        """Whether an array is compared."""
        if name.startswith("info."):
            return "info" not in self.ignore
        return name != "reward" or "reward" not in self.ignore


def compare(
    mine: Any,
    reference: Any,
    seeds: int | Sequence[int] = 100,
    steps: int = 1000,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    ignore: str | Iterable[str] = (),
) -> EnvDifference | None:
    """Plays two envs with the same seeds and random actions, and finds the first difference.

    A task id as `mine` is played in all APIs: as a single env, as a pool of gymnasium and of gym,
    and as an env of dm_env, which has no infos.

    Everything is compared by ==, unless `rtol`, `atol` or `ignore` says otherwise: observations
    with their dtypes, rewards, ends of episodes, and the infos that both have. After an end the
    next episode begins, without a seed, so that the order of random draws counts, too.

    Args:
        mine: a task id, an env of Gymnasium or dm_env, a pool of one env, or a function that makes
            one: without an argument, or from a seed.
        reference: the same.
        seeds: that many seeds from 0 on, or a list of them.
        steps: of each seed.
        rtol: a number x of `mine` equals y of the reference if abs(x - y) <= atol + rtol * abs(y),
            as in numpy.allclose(). Flags are compared by ==.
        atol: see `rtol`.
        ignore: kinds of differences that are passed over: "dtype", "info", "reward", "rounding".

    Returns:
        None if there is no difference. Its text says what differs, and which kind it is.

    Raises:
        EnvError: one of the envs threw; the message has the side, the seed and the step.
        TypeError: an argument that is no env, or of a wrong type.
        ValueError: a vector env of several envs, no seeds, or a value that is not allowed.
    """
    rules = _Rules(_tolerance("rtol", rtol), _tolerance("atol", atol), _kinds(ignore))
    steps = Option("steps", "", 1000, 0).check("compare", steps)
    checked_seeds = _seeds(seeds)
    all_ours, theirs = sides(mine), side(reference)
    first = next(iter(all_ours.values()))
    space = theirs.action_space if theirs.action_space is not None else first.action_space
    if space is None:
        raise ValueError("compare: one of the envs must have an action_space, as Gymnasium's do")
    for seed in checked_seeds:
        space.seed(seed)
        actions = [space.sample() for _ in range(steps)]
        for api, ours in all_ours.items():
            if (found := _play(ours, theirs, seed, actions, rules)) is not None:
                shortest = _shortest(ours, theirs, found, actions, rules)
                return dataclasses.replace(shortest, api=api)
    return None


def _tolerance(name: str, value: Any) -> float:
    number: float = Option(name, "", 0.0, 0, kind="float").check("compare", value)
    return number


def _kinds(ignore: str | Iterable[str]) -> frozenset[str]:
    kinds = frozenset([ignore] if isinstance(ignore, str) else ignore)
    for kind in kinds:
        if kind not in _MAY_BE_IGNORED:
            raise ValueError(
                f"compare: ignore has {kind!r}; allowed are "
                f"{', '.join(map(repr, _MAY_BE_IGNORED))}{nearest(str(kind), _MAY_BE_IGNORED)}"
            )
    return kinds


def _seeds(seeds: Any) -> Sequence[int]:
    if not is_list(seeds):
        return range(Option("seeds", "", 100, 1).check("compare", seeds))
    given = list(seeds)
    if not given:
        raise ValueError("compare: seeds is an empty list; it must have at least one seed")
    return seeds_of("compare", given, len(given))


def _asked(which: str, seed: int, step: int, call: Callable[..., Row], *args: Any) -> Row:
    """The row of a call of one side; EnvError if it throws."""
    try:
        return call(*args)
    except Exception as error:
        where = "reset" if step == 0 else f"step {step}"
        raise EnvError(
            f"compare: {which} raised {type(error).__name__} at seed {seed}, {where}: {error}",
            [0],
            None,
        ) from error


def _play(
    ours: Side, theirs: Side, seed: int, actions: Sequence[Any], rules: _Rules
) -> EnvDifference | None:
    """The first difference of an env's episodes."""

    def both(step: int, name: str, argument: Any) -> tuple[Row, Row]:
        here = _asked("mine", seed, step, getattr(ours, name), argument)
        return here, _asked("the reference", seed, step, getattr(theirs, name), argument)

    here, there = both(0, "reset", seed)
    found = _differ(here, there, "seed", seed, 0, rules)
    is_over = False
    for step, action in enumerate(actions, 1):
        if found is not None:
            break
        before, begins = here, is_over
        here, there = both(step, "begin" if begins else "step", action)
        is_over = any(there[flag] for flag in _FLAGS)
        found = _differ(here, there, "reset" if begins else "step", seed, step, rules)
        if found is not None and begins and _repeats(here, before, found.name):
            found = dataclasses.replace(found, kind="autoreset")
    return found


def _repeats(here: Row, before: Row, name: str) -> bool:
    """Whether a row that should begin an episode shows the end of the last one, or is a step."""
    is_step = name in ("reward", *_FLAGS)
    return is_step or (name in before and np.array_equal(here[name], before[name]))


def _differ(
    here: Row, there: Row, place: str, seed: int, step: int, rules: _Rules
) -> EnvDifference | None:
    """The difference of two rows; `place` is the kind that it has there."""

    def difference(kind: str, **place: Any) -> EnvDifference:
        return EnvDifference(kind=kind, seed=seed, step=step, **place)

    for name in [n for n in there if n == "obs" or n.startswith("obs.")]:
        mine = here[name].shape if name in here else "missing"
        if mine != there[name].shape:
            return difference("space", name=name, mine=mine, reference=there[name].shape)
    rounding: EnvDifference | None = None
    for name in [n for n in there if n in here and rules.covers(n)]:
        a, b = np.asarray(here[name]), np.asarray(there[name])
        unequal = first_difference(a, b, name, rtol=rules.rtol, atol=rules.atol)
        if unequal is None or a.shape != b.shape:  # of an info: the forms of lists differ
            continue
        if _is_rounding(a, b):
            rounding = rounding or difference("rounding", **vars(unequal))
            continue
        kind = "end" if name in _FLAGS else place
        if place == "step" and name == "reward":
            kind = "reward"
        if place == "step" and name.startswith("info."):
            kind = "info"
        return difference(kind, **vars(unequal))
    if rounding is not None and "rounding" not in rules.ignore:
        return rounding
    for name in there if "dtype" not in rules.ignore else ():
        if name.startswith("obs") and here[name].dtype != there[name].dtype:
            types = {"mine": str(here[name].dtype), "reference": str(there[name].dtype)}
            return difference("dtype", name=name, **types)
    return None


def _is_rounding(a: Any, b: Any) -> bool:
    if a.dtype.kind != "f" or b.dtype.kind != "f":
        return False
    part = 1e-5 if np.float32 in (a.dtype, b.dtype) else _ROUNDING
    return bool(np.allclose(a, b, rtol=part, atol=part * 1e-3, equal_nan=True))


def _shortest(
    ours: Side, theirs: Side, found: EnvDifference, actions: Sequence[Any], rules: _Rules
) -> EnvDifference:
    """A difference with few actions: parts of the list are left out as long as one stays.

    It is "rounding" only if the one that was found is.
    """
    kept = list(actions[: found.step])
    plays = itertools.count()

    def still(fewer: Sequence[Any]) -> EnvDifference | None:
        if next(plays) >= _MOST_PLAYS:
            return None
        with contextlib.suppress(EnvError):
            other = _play(ours, theirs, found.seed, fewer, rules)
            if other is not None and (other.kind != "rounding" or found.kind == "rounding"):
                return other
        return None

    best, size = found, max(1, len(kept) // 2)
    while kept and size > 0:
        first, is_shorter = 0, False
        while first < len(kept):
            fewer = kept[:first] + kept[first + size :]
            other = still(fewer)
            if other is None:
                first += size
            else:
                kept, best, is_shorter = fewer[: other.step], other, True
        size = min(size, len(kept)) if is_shorter and size == 1 else size // 2
    return dataclasses.replace(best, actions=tuple(kept))
