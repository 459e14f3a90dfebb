"""The same PPO on Gymnasium, EnvPool and ParallelPool: seconds to the same mean return.

Runs examples/training/ppo_cartpole.py, ppo_lander.py, ppo_mujoco.py or ppo_pong.py with each
library in turn, seed by seed. Where a program can learn while the envs step, the libraries with
send() and recv() have a second row for it.
"""

import argparse
import pathlib
import re
import resource
import statistics
import subprocess
import sys
from typing import NamedTuple

from tabulate import tabulate

_EXAMPLES = pathlib.Path(__file__).parent.parent / "examples/training"
_LAST_LINE = re.compile(r"mean return (-?[\d.]+) after ([\d,]+) steps in ([\d.]+) s")
# The programs, each with the task it learns and the mean return at which it ends.
PROGRAMS = {
    "ppo_cartpole.py": ("CartPole-v1", 475),
    "ppo_lander.py": ("LunarLander-v3", 200),
    "ppo_mujoco.py": ("HalfCheetah-v5", 4000),
    "ppo_pong.py": ("Pong-v5", 0),
}
LIBRARIES = ("gymnasium", "envpool", "parallel_pool")
OVERLAPPING = {"ppo_mujoco.py"}  # the programs with the option --overlap
_ASYNC = ("envpool", "parallel_pool")  # Gymnasium would need AsyncVectorEnv, which is far slower


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


def variants(program: str) -> list[str]:
    """The ways to run a program: a library, or a library and an option."""
    more = [f"{library} --overlap" for library in _ASYNC] if program in OVERLAPPING else []
    return [*LIBRARIES, *more]


def play(program: str, variant: str, seed: int, num_envs: int | None) -> Run:
    """One training in a process of its own; ends this program if it fails."""
    options = ["--library", *variant.split(), "--seed", str(seed)]
    options += ["--num-envs", str(num_envs)] if num_envs else []
    command = [sys.executable, str(_EXAMPLES / program), "--quiet", "--curve", "", *options]
    before = cpu_seconds()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{program} with {' '.join(options)} failed: {done.stdout.strip() or 'no output'}")
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
    programs = list(PROGRAMS)
    parser.add_argument("program", nargs="?", choices=programs, default=programs[0])
    parser.add_argument(
        "--seeds", type=int, default=5, help="number of seeds; each library runs all (5)"
    )
    parser.add_argument("--num-envs", type=int, help="envs of each (the program's own number)")
    args = parser.parse_args()
    if args.seeds < 1:
        parser.error(f"--seeds must be at least 1, not {args.seeds}")
    results: dict[str, list[Run]] = {variant: [] for variant in variants(args.program)}
    for seed in range(1, args.seeds + 1):
        for variant, runs in results.items():
            runs.append(play(args.program, variant, seed, args.num_envs))
            print(f"seed {seed}, {variant}: {runs[-1]}", file=sys.stderr)
    task, goal = PROGRAMS[args.program]
    print(f"PPO on {task} to a mean return of {goal}; medians of {args.seeds} seeds\n")
    print(table(results))


if __name__ == "__main__":
    main()
