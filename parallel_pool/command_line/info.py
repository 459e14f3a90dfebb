"""`list` and `info`: the ids of the tasks, and the description of one."""

import fnmatch
import sys
from typing import Any

import parallel_pool
from parallel_pool._build_info import FAMILIES
from parallel_pool.python.options.option import suggest
from parallel_pool.python.specs.names import names_by_family
from parallel_pool.python.specs.registry import registry


def list_tasks(patterns: list[str]) -> int:
    """Prints the ids that match a pattern or belong to a family or suite of it; 1 if none does.

    A pattern is a whole id with wildcards, or a part of ids; case does not matter. With patterns,
    names that stand for a task with options are listed, too.
    """
    groups = {
        task: {registry().family(task), registry().suite(task)}
        for task in parallel_pool.list_all_envs()
    }
    if patterns:
        groups |= {name: {family} for family, own in names_by_family().items() for name in own}
    tasks = sorted(groups)
    names = {*FAMILIES, *registry().suites()}
    chosen = [
        task
        for task in tasks
        if not patterns or any(_is_meant(task, groups[task], p, names) for p in patterns)
    ]
    print(*chosen, sep="\n", end="\n" if chosen else "")
    for name, why in registry().failures.items():
        print(f"no family {name}: {why}", file=sys.stderr)
    if left_out := registry().left_out:
        print(f"this wheel is without the families {', '.join(left_out)}", file=sys.stderr)
    if chosen:
        return 0
    known = [*tasks, *names]
    near = suggest(patterns[0], known, "`python -m parallel_pool list` names all")
    print(f"no task matches {' or '.join(patterns)}{near}", file=sys.stderr)
    return 1


def _is_meant(task_id: str, groups: set[str], pattern: str, names: set[str]) -> bool:
    wanted = pattern.lower()
    if wanted in names:
        return wanted in groups
    if not set("*?[") & set(wanted):
        wanted = f"*{wanted}*"
    return fnmatch.fnmatchcase(task_id.lower(), wanted)


def show(task_id: str, options: dict[str, Any]) -> int:
    """Prints a task's spaces, infos, options and source."""
    spec = parallel_pool.make_spec(task_id, **options)
    print(spec)
    if spec.setup.remark:
        print(f"  steps        {spec.setup.remark}")
    task_id = spec.tasks[0].task_id  # of a benchmark
    family = registry().family(task_id)
    if family in FAMILIES:
        suite = registry().suite(task_id)
        print(f"  family       {family}" + (f", suite {suite}" if suite != family else ""))
        print(f"  source       {FAMILIES[family]}")
    else:
        print(f"  library      {registry().library(task_id)}")
    return 0
