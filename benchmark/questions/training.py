"""The seconds that a program of examples/training takes with the envs of each library.

A program of PPO runs on Gymnasium, EnvPool and ParallelPool with CleanRL's rollout and wrappers in
NumPy (peers/clean_rl.py), and once more as it is. One of Stable-Baselines3 runs on its DummyVecEnv
and as it is. Each round has the next seed. Options of the program come last.
"""

import argparse
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from tqdm import tqdm

from benchmark.frame import report
from benchmark.frame.rounds import program
from benchmark.peers.native import without_missing

_NAME = "training"
_FOLDER = pathlib.Path(__file__).parents[2] / "examples/training"
PROGRAMS = ("ppo_cartpole.py", "ppo_mujoco.py", "sb3_her.py", "sb3_ppo.py")
_OURS = "parallel_pool"
_LAST_LINE = re.compile(r"mean (?:return|success) (\S+) after ([\d,]+) steps in ([\d.]+) s$")


def result(line: str) -> dict[str, float]:
    """The numbers of a program's last line.

    Raises:
        ValueError: it is another line.
    """
    found = _LAST_LINE.search(line)
    if found is None:
        raise ValueError(f"the program ended with {line!r}")
    steps = int(found[2].replace(",", ""))
    return {"result": max(float(found[1]), -1e9), "steps": steps, "seconds": float(found[3])}


def variants(words: list[str]) -> dict[str, list[str]]:
    """The commands of a program with its options, by the library."""
    name, *options = words
    own = [str(_FOLDER / name), *options]
    on = program("benchmark.peers.clean_rl", "run")
    if name.startswith("sb3_"):
        return {"gymnasium": [*on, "gymnasium", *own], _OURS: ["-I", *own]}
    libraries = without_missing(["gymnasium", "envpool", _OURS])
    return {each: [*on, each, *own] for each in libraries} | {"with a Rollout": ["-I", *own]}


def play(words: list[str], seed: int) -> dict[str, float]:
    """A training in a process of its own; ends this program if it has no result."""
    command = [sys.executable, *words, f"--seed={seed}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:  # a program draws its curve there
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run = result((done.stdout.strip().splitlines() or [""])[-1])
    except ValueError as error:
        sys.exit(f"{' '.join(words[-3:])}: {error}: {done.stderr.strip()}")
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {"seed": seed, **run, "cpu_seconds": cpu}


def measure(words: list[str], seeds: int) -> Iterator[dict[str, Any]]:
    """A result for each library; they take turns, seed by seed."""
    commands = variants(words)
    runs: dict[str, list[dict[str, float]]] = {library: [] for library in commands}
    with tqdm(total=seeds * len(runs), unit="run", disable=None) as bar:
        for seed in range(1, seeds + 1):
            for library, command in commands.items():
                bar.set_postfix_str(f"{library}, seed {seed}")
                runs[library].append(play(command, seed))
                bar.update()
    for library, of in runs.items():
        yield {"program": " ".join(words), "library": library, "rounds": of}


def table(data: report.Data) -> str:
    """A row for each library: medians, and its seconds over those of ParallelPool."""
    of = {result["library"]: result["rounds"] for result in data["results"]}
    rows, ours = [], statistics.median(run["seconds"] for run in of[_OURS])
    for library, runs in of.items():
        names = ("steps", "result", "seconds", "cpu_seconds")
        steps, end, seconds, cpu = (statistics.median(r[name] for r in runs) for name in names)
        times = [f"{seconds:.1f}", f"{cpu:.1f}", f"x{seconds / ours:.2f}"]
        rows.append([library, f"{steps:,.0f}", f"{end:.2f}", *times])
    head = ["library", "env steps", "result", "seconds", "CPU seconds"]
    return report.table([*head, "seconds, to parallel_pool's"], rows, text_columns=1)


def main() -> None:
    """Trains with the program of the command line, and prints the table."""
    known = f"programs: {' '.join(PROGRAMS)}"
    parser = report.parser(_NAME, __doc__, known, seconds=0.0, rounds=3, draws=False)
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, help=f"and its options ({PROGRAMS[0]})"
    )
    args = parser.parse_args()
    words = args.program or [PROGRAMS[0]]
    if words[0] not in PROGRAMS:
        parser.error(f"there is no program {words[0]!r}; allowed are {', '.join(PROGRAMS)}")
    data = report.collect(_NAME, parser, args, lambda: measure(words, args.rounds), lambda _: True)
    where, how = report.heading(data)
    print(f"{data['results'][0]['program']}\n{where}\n{how}\n\n{table(data)}")
