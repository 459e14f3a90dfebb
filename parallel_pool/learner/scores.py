"""The result of evaluate(): returns, their means with intervals, and the file of a score."""

import dataclasses
import pathlib
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from parallel_pool._build_info import VERSION
from parallel_pool.python import strict_json
from parallel_pool.python.specs.spec import Spec

Kind = Literal["mean", "median", "iqm"]
Values = npt.NDArray[Any]

_RESAMPLES = 2000  # of a bootstrap
_CONFIDENCE = 0.95
_FORMAT = 1  # of the file


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """The episodes of evaluate(), in the order of envs.

    Attributes:
        task_id: evaluate()'s task_id; of a spec of make_spec() its tasks.
        episodes: of each task.
        seed: of the envs.
        options: the options of make().
        statistics: those that normalize; or None.
        policy: "module:function" of the policy; empty if it has no such name.
        tasks: the id of each task.
        returns: float64 (n,): the return of each episode, before normalizing and clipping.
        lengths: int64 (n,): their steps.
        env: int64 (n,): the env of each.
        task: int64 (n,): the index of its task in `tasks`.
        infos: (n,) of each info that is kept.
        digest: SHA-256 of all observations and rewards, as text.
        version: of ParallelPool.
    """

    task_id: Any
    episodes: int
    seed: Any
    options: Mapping[str, Any]
    statistics: Mapping[str, Mapping[str, Any]] | None
    policy: str
    tasks: tuple[str, ...]
    returns: Values
    lengths: Values
    env: Values
    task: Values
    infos: Mapping[str, Values]
    digest: str
    version: str = VERSION

    @property
    def mean(self) -> float:
        """The mean return."""
        return self.score("mean")

    @property
    def median(self) -> float:
        """The median return."""
        return self.score("median")

    @property
    def iqm(self) -> float:
        """The interquartile mean of the returns: that of the middle half of them."""
        return self.score("iqm")

    def score(self, kind: Kind = "mean", info: str | None = None) -> float:
        """The mean, median or interquartile mean of the returns, or of an info that was kept."""
        return _score(kind, self._values(info))

    def interval(
        self, kind: Kind = "mean", info: str | None = None, confidence: float = _CONFIDENCE
    ) -> tuple[float, float]:
        """The interval in which the score lies with this confidence: (low, high).

        By a stratified bootstrap (Agarwal et al. 2021): 2,000 times, as many episodes of each task
        are drawn from those that there are. The draws are the same each time.
        """
        values, random = self._values(info), np.random.default_rng(0)
        groups = [values[self.task == k] for k in range(len(self.tasks))]
        scores = [
            _score(kind, np.concatenate([random.choice(g, len(g)) for g in groups]))
            for _ in range(_RESAMPLES)
        ]
        low, high = np.quantile(scores, [(1 - confidence) / 2, (1 + confidence) / 2])
        return float(low), float(high)

    def _values(self, info: str | None) -> Values:
        if info is None:
            return self.returns
        if info not in self.infos:
            known = ", ".join(self.infos) or "none"
            raise ValueError(f"info is {info!r}; those that were kept are {known}")
        return self.infos[info].astype(np.float64)

    def of_task(self, index: int) -> "Evaluation":
        """The episodes of one task."""
        rows = self.task == index
        arrays = {name: getattr(self, name)[rows] for name in ("returns", "lengths", "env")}
        infos = {name: values[rows] for name, values in self.infos.items()}
        only = np.zeros(int(rows.sum()), np.int64)
        tasks = (self.tasks[index],)
        return dataclasses.replace(self, **arrays, infos=infos, task=only, tasks=tasks)

    def __str__(self) -> str:
        """A line for each task."""
        lines = []
        for k, task in enumerate(self.tasks):
            one = self.of_task(k)
            parts = [f"{task}: {len(one.returns)} episodes", f"return {_shown(one, 'mean')}"]
            parts.append(f"interquartile mean {_shown(one, 'iqm')}, median {one.median:g}")
            parts.append(f"length {one.lengths.mean():g}")
            parts += [f"{name} {values.mean():g}" for name, values in one.infos.items()]
            lines.append("; ".join(parts))
        return "\n".join(lines)

    def save(self, file: str) -> None:
        """Writes a JSON file with the score and all that is needed to do it again.

        `python -m parallel_pool verify FILE` plays it again and says whether it holds.

        Raises:
            TypeError: an option that is neither a number, a text, an array, nor made of these; or
                envs in Python, which no file can make again.
        """
        if isinstance(self.task_id, Spec):
            raise TypeError(
                f"{self.task_id.task_id}: scores of envs in Python cannot be saved: `verify` could "
                "not make the envs again"
            )
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        text = strict_json.dumps({"format": _FORMAT, **fields}, indent=1)
        pathlib.Path(file).write_text(text + "\n")


def load(file: str) -> Evaluation:
    """The evaluation that save() has written; ValueError if the file is none."""
    try:
        fields = strict_json.loads(pathlib.Path(file).read_text())
        if fields.pop("format") != _FORMAT:
            raise ValueError("another format")
        for name in ("returns", "lengths", "env", "task"):
            fields[name] = np.array(fields[name])
        fields["infos"] = {name: np.array(values) for name, values in fields["infos"].items()}
        return Evaluation(**fields | {"tasks": tuple(fields["tasks"])})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is no score of this version: {error}") from None


def _score(kind: Kind, values: Values) -> float:
    if kind == "mean":
        return float(np.mean(values))
    if kind == "median":
        return float(np.median(values))
    if kind == "iqm":
        cut = len(values) // 4
        return float(np.mean(np.sort(values)[cut : len(values) - cut]))
    raise ValueError(f"kind is {kind!r}; allowed are 'mean', 'median' and 'iqm'")


def _shown(one: Evaluation, kind: Kind) -> str:
    low, high = one.interval(kind)
    return f"{one.score(kind):g} ({low:g} to {high:g})"
