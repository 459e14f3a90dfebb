"""`verify`: plays an evaluation again and says whether its score holds."""

import numpy as np

from parallel_pool.command_line.policies import load_policy
from parallel_pool.learner import scores
from parallel_pool.learner.evaluation import evaluate
from parallel_pool.python.specs.versions import as_saved


def run(file: str, policy: str | None = None) -> int:
    """Prints the score, or the first episode that differs; returns the exit code.

    Args:
        file: a file of Evaluation.save().
        policy: "module:function"; None: that of the file.
    """
    saved = scores.load(file)
    name = policy or saved.policy
    if not name:
        raise ValueError(f"{file} names no policy: give --policy MODULE:FUNCTION")
    with as_saved():
        again = evaluate(
            load_policy(name),
            saved.task_id,
            saved.episodes,
            seed=saved.seed,
            statistics=saved.statistics,
            infos=list(saved.infos),
            **saved.options,
        )
    if again.version != saved.version:
        print(f"the file is of ParallelPool {saved.version}; this is {again.version}")
    is_same = (again.returns == saved.returns) | (np.isnan(again.returns) & np.isnan(saved.returns))
    differs = ~is_same | (again.lengths != saved.lengths)
    if differs.any():
        k = int(np.argmax(differs))
        here, there = (f"{e.returns[k]:.17g} in {e.lengths[k]} steps" for e in (again, saved))
        task = saved.tasks[saved.task[k]]
        print(
            f"{file} does not hold: episode {k}, of env {saved.env[k]} of {task}, has a return of "
            f"{here}; the file has {there} ({differs.sum()} of {len(differs)} episodes differ)"
        )
        return 1
    if again.digest != saved.digest:
        print(f"{file} does not hold: all returns are equal, but not all observations and rewards")
        return 1
    print(f"{file} holds:\n{again}")
    return 0
