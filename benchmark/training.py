"""The same PPO on Gymnasium, EnvPool and ParallelPool: seconds to the same mean return.

Runs a program of benchmark/ppo with each library in turn, seed by seed, and three others: the
program of examples/training, which uses what only ParallelPool has; Stable-Baselines3 with its own
vector env; and Stable-Baselines3 on a pool. Where a program can learn while the envs step, the
libraries with send() and recv() have a second row for it.
"""

import argparse
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple

from tabulate import tabulate

_ROOT = pathlib.Path(__file__).parent.parent
_LAST_LINE = re.compile(r"mean return (-?[\d.]+) after ([\d,]+) steps in ([\d.]+) s")
# The tasks, each with its program in benchmark/ppo, and that in examples/training.
TASKS = {
    "CartPole-v1": ("vectors.py", "ppo_cartpole.py"),
    "LunarLander-v3": ("vectors.py", "ppo_cartpole.py"),
    "HalfCheetah-v5": ("robots.py", "ppo_mujoco.py"),
    "Pong-v5": ("pong.py", "ppo_pong.py"),
}
LIBRARIES = ("gymnasium", "envpool", "parallel_pool")
OVERLAPPING = {"robots.py"}  # the programs with the option --overlap
_ASYNC = ("envpool", "parallel_pool")  # Gymnasium would need AsyncVectorEnv, which is far slower
OF_SB3 = {"CartPole-v1", "HalfCheetah-v5"}  # the tasks that ppo/sb3.py learns
EXAMPLE = "parallel_pool, with a Rollout"


class Run(NamedTuple):
    """One training."""

    steps: int  # of all envs
    seconds: float  # of the training
    cpu: float = 0.0  # seconds, of the whole program and its child processes


def result(line: str) -> Run:
    """The env steps and seconds of the program's last line."""
    found = _LAST_LINE.search(line)
    if found is None:
        raise ValueError(f"the program ended with {line!r}")
    return Run(int(found[2].replace(",", "")), float(found[3]))


def variants(task: str) -> dict[str, list[str]]:
    """The ways to learn a task: each with a program and its options."""
    program, example = TASKS[task]
    own = f"benchmark/ppo/{program}"
    found = {library: [own, task, "--library", library] for library in LIBRARIES}
    if program in OVERLAPPING:
        found |= {f"{name} --overlap": [*found[name], "--overlap"] for name in _ASYNC}
    given = [] if task == "Pong-v5" else [task]
    found[EXAMPLE] = [f"examples/training/{example}", *given]
    if task in OF_SB3:
        for library in ("gymnasium", "parallel_pool"):
            found[f"sb3 {library}"] = ["benchmark/ppo/sb3.py", task, "--library", library]
    return found


def play(command: list[str], seed: int) -> Run:
    """One training in a process of its own; ends this program if it fails."""
    program, *options = command
    words = [sys.executable, str(_ROOT / program), *options, "--seed", str(seed)]
    before = cpu_seconds()
    with tempfile.TemporaryDirectory() as folder:  # an example writes its curve there
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        sys.exit(f"{' '.join(words[1:])} failed: {done.stdout.strip()} {done.stderr.strip()}")
    run = result(done.stdout.strip().splitlines()[-1])
    return run._replace(cpu=cpu_seconds() - before)


def cpu_seconds() -> float:
    """The processor time of all child processes that have ended, with their own children."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def table(results: dict[str, list[Run]]) -> str:
    """Medians over the seeds, and each variant's seconds over ours."""
    rows = []
    ours = statistics.median(run.seconds for run in results["parallel_pool"])
    for variant, runs in results.items():
        steps, seconds, cpu = (statistics.median(column) for column in zip(*runs, strict=True))
        rows.append(
            [variant, f"{steps:,.0f}", f"{seconds:.1f}", f"{cpu:.1f}", f"x{seconds / ours:.2f}"]
        )
    head = ["library", "env steps", "seconds", "CPU seconds", "seconds, to parallel_pool's"]
    return tabulate(rows, head, "github", disable_numparse=True, colalign=("left", *["right"] * 4))


def main() -> None:
    """Runs all trainings and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="?", choices=list(TASKS), default="CartPole-v1")
    parser.add_argument("--seeds", type=int, default=5, help="each variant runs all (5)")
    args = parser.parse_args()
    if args.seeds < 1:
        parser.error(f"--seeds must be at least 1, not {args.seeds}")
    commands = variants(args.task)
    results: dict[str, list[Run]] = {variant: [] for variant in commands}
    for seed in range(1, args.seeds + 1):
        for variant, command in commands.items():
            results[variant].append(play(command, seed))
            print(f"seed {seed}, {variant}: {results[variant][-1]}", file=sys.stderr)
    print(f"PPO on {args.task} to the same mean return; medians of {args.seeds} seeds\n")
    print(table(results))


if __name__ == "__main__":
    main()
