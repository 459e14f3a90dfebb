"""The same PPO on Gymnasium, EnvPool and ParallelPool: seconds to the same mean return.

Runs examples/training/ppo_cartpole.py, or ppo_pong.py, with each library in turn, seed by seed.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys

from tabulate import tabulate

_EXAMPLES = pathlib.Path(__file__).parent.parent / "examples/training"
_LAST_LINE = re.compile(r"mean return (-?[\d.]+) after ([\d,]+) steps in ([\d.]+) s")
# The programs, each with the task it learns and the mean return at which it ends.
PROGRAMS = {"ppo_cartpole.py": ("CartPole-v1", 475), "ppo_pong.py": ("Pong-v5", 0)}
LIBRARIES = ("gymnasium", "envpool", "parallel_pool")


def result(line: str) -> tuple[int, float]:
    """(env steps, seconds) of the program's last line."""
    found = _LAST_LINE.search(line)
    if found is None:
        raise ValueError(f"the program ended with {line!r}")
    return int(found[2].replace(",", "")), float(found[3])


def play(program: str, library: str, seed: int, num_envs: int | None) -> tuple[int, float]:
    """One training in a process of its own; ends this program if it fails."""
    options = ["--library", library, "--seed", str(seed)]
    options += ["--num-envs", str(num_envs)] if num_envs else []
    command = [sys.executable, str(_EXAMPLES / program), "--quiet", "--curve", "", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{program} with {' '.join(options)} failed: {done.stdout.strip() or 'no output'}")
    return result(done.stdout.strip().splitlines()[-1])


def table(results: dict[str, list[tuple[int, float]]]) -> str:
    """Medians over the seeds, and each library's seconds over ours."""
    rows = []
    ours = statistics.median(seconds for _, seconds in results["parallel_pool"])
    for library, runs in results.items():
        steps = statistics.median(n for n, _ in runs)
        seconds = statistics.median(s for _, s in runs)
        rows.append([library, f"{steps:,.0f}", f"{seconds:.1f}", f"x{seconds / ours:.2f}"])
    head = ["library", "env steps", "seconds", "seconds, to parallel_pool's"]
    return tabulate(rows, head, "github", disable_numparse=True, colalign=("left", *["right"] * 3))


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
    results: dict[str, list[tuple[int, float]]] = {library: [] for library in LIBRARIES}
    for seed in range(1, args.seeds + 1):
        for library in LIBRARIES:
            results[library].append(play(args.program, library, seed, args.num_envs))
            print(f"seed {seed}, {library}: {results[library][-1][1]:.1f} s", file=sys.stderr)
    task, goal = PROGRAMS[args.program]
    print(f"PPO on {task} to a mean return of {goal}; medians of {args.seeds} seeds\n")
    print(table(results))


if __name__ == "__main__":
    main()
