"""Golden trajectories: the description of a task and one env's rows under fixed actions, as text.

`bazel test` compares a family's golden/ with its envs; `bazel run` of the same target rewrites it.
"""

import difflib
import os
import pathlib
from typing import Any

import numpy as np

import parallel_pool
from parallel_pool.python.apis.gymnasium_api import Pool
from parallel_pool.python.specs.config import pool_options
from parallel_pool.python.specs.spec import Spec

_ENGINE_INFO = tuple(f"  info         {n} " for n in ("env_id", "elapsed_step", "players.env_id"))
_STEPS = 40
_SEED = 42
_MOST_LINES, _WIDTH = 20, 500  # of a difference, in lines and characters


def tasks(family: str) -> list[str]:
    """The ids of a family of this package."""
    return parallel_pool.load(
        pathlib.Path(parallel_pool.__file__).parent / "envs" / family / "_family.so"
    )


def check(family: str, task_id: str) -> None:
    """AssertionError if golden/TASK.txt differs from the play; `bazel run` writes it first."""
    text = play(task_id)
    source = os.environ.get("BUILD_WORKSPACE_DIRECTORY")  # only `bazel run` sets it
    path = pathlib.Path(source or "", "parallel_pool/envs", family, "golden", f"{task_id}.txt")
    if source:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    rewrite = f"tools/bazel.sh run //parallel_pool/envs/{family}:golden_test"
    assert path.exists(), f"{path} is missing: {rewrite}"
    assert text == path.read_text(), difference(path, text) + f"{rewrite} rewrites the file"
    readme = pathlib.Path("parallel_pool/envs", family, "README.md").read_text()
    assert f"`{task_id}`" in readme, f"{readme.splitlines()[0]} says nothing about {task_id}"


def difference(path: pathlib.Path, text: str) -> str:
    """The first lines in which a golden file differs from a play."""
    lines = difflib.unified_diff(
        path.read_text().splitlines(), text.splitlines(), str(path), "this play", n=1, lineterm=""
    )
    shown = [line[:_WIDTH] for line in lines]
    more = len(shown) - _MOST_LINES
    return "\n".join(["it differs:", *shown[:_MOST_LINES], f"({more} more lines)" * (more > 0), ""])


def play(task_id: str) -> str:
    """The spaces, infos and options; then a line for the reset and for each of some steps."""
    random = np.random.default_rng(_SEED)
    with parallel_pool.make_gymnasium(task_id, num_envs=1, seed=_SEED) as pool:
        obs, info = pool.reset()
        lines = [*_described(pool.spec), f"reset with seed {_SEED}{_shown(pool, obs, info)}"]
        for _ in range(_STEPS):
            action = random_action(pool, random)
            obs, reward, terminated, truncated, info = pool.step(action)
            ends = " terminated" * bool(terminated[0]) + " truncated" * bool(truncated[0])
            lines.append(f"{_text(action[0])} -> reward {reward[0]}{ends}{_shown(pool, obs, info)}")
    return "\n".join(lines) + "\n"


def _described(spec: Spec) -> list[str]:
    """The lines of str(spec), without those of the engine."""
    common = {option.name for option in pool_options(spec.source)}
    lines = []
    for line in str(spec).splitlines():
        name = line.split()[1].split("=")[0] if line.startswith("  option") else ""
        if name not in common and not line.startswith(_ENGINE_INFO):
            lines.append(line.rstrip())
    return [*lines, ""]


def random_action(pool: Pool, random: np.random.Generator) -> Any:
    """A random action; numbers of a Box are multiples of 1/8 of its bounds."""
    (array,) = pool.spec.action_arrays
    low, high = array.bounds()
    if array.kind == "discrete":
        return random.integers(int(high) + 1, size=1)
    return (high * random.integers(-8, 9, (1, *array.shape)) / 8).astype(array.dtype)


def _shown(pool: Pool, obs: Any, info: dict[str, Any]) -> str:
    """The observation and the task's own infos."""
    own = [a.name.removeprefix("info:") for a in pool.spec.state_arrays if a.name != "obs"]
    return "".join(f" {name} {_text(info[name][0])}" for name in own) + f" obs {_text(obs[0])}"


def _text(value: Any) -> str:
    """Numbers as text that parses to the same bits; rows of a picture are joined by "/"."""
    array = np.asarray(value)
    if array.ndim == 0:
        return str(array)
    if array.ndim == 1:
        return "[" + " ".join(map(str, array)) + "]"
    return "/".join("".join(str(int(x)) for x in row) for row in array)
