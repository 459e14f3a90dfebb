"""The same SAC with hindsight experience replay (HER) on Gymnasium-Robotics and on a pool.

Trains the tasks of examples/training/sb3_her.py with each library in turn, and prints the seconds
and the share of episodes that reach their goal. Ten times in a training, 50 episodes are played
without exploration; that time does not count. --curve draws these shares.
"""

import argparse
import pathlib
import runpy
import statistics
import sys
import time
from typing import Any, NamedTuple

import numpy as np
from tabulate import tabulate

_ROOT = pathlib.Path(__file__).parent.parent
_EVALUATIONS, _EPISODES = 10, 50
_COLORS = {"gymnasium_robotics": "#54aeff", "parallel_pool": "#f0883e"}


class Training(NamedTuple):
    """One training.

    Attributes:
        steps: the steps of all envs at each evaluation.
        seconds: of the training until then.
        shares: of episodes that reach their goal.
    """

    steps: list[int]
    seconds: list[float]
    shares: list[float]


def make(library: str, task: str, num_envs: int, seed: int, options: dict[str, Any]) -> Any:
    """The vector env of Stable-Baselines3."""
    if library == "parallel_pool":
        from parallel_pool.integrations.sb3 import VecEnv

        return VecEnv(task, num_envs=num_envs, seed=seed, **options)
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    single = runpy.run_path(str(_ROOT / "parallel_pool/testing/robotics.py"))["make"]
    env = DummyVecEnv([lambda: Monitor(single(task, **options))] * num_envs)
    env.seed(seed)
    return env


def train(example: dict[str, Any], library: str, task: str, seed: int) -> Training:
    """Trains as the example does."""
    from stable_baselines3 import SAC, HerReplayBuffer

    num_envs = 8
    _, steps, options, settings = example["TASKS"][task]
    env = make(library, task, num_envs, seed, options)
    model = SAC(
        "MultiInputPolicy",
        env,
        seed=seed,
        **example["SETTINGS"],
        **settings,
        replay_buffer_class=HerReplayBuffer,
    )
    training = Training([], [], [])
    begin, spent = time.perf_counter(), 0.0  # spent: on evaluations
    every = steps // _EVALUATIONS

    def evaluate(_locals: Any, _globals: Any) -> bool:
        nonlocal spent
        if model.num_timesteps < every * (len(training.steps) + 1):
            return True
        now = time.perf_counter()
        test = make("parallel_pool", task, num_envs, seed + 1_000_000, options)
        training.steps.append(model.num_timesteps)
        training.seconds.append(now - begin - spent)
        training.shares.append(example["successes"](model, test, _EPISODES))
        test.close()
        spent += time.perf_counter() - now
        return True

    model.learn(steps, callback=evaluate)
    env.close()
    return training


def draw(path: str, results: dict[str, dict[str, list[Training]]]) -> None:
    """One panel for each task: the share of episodes over the seconds, a line for each seed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="tight")
    for i, (task, libraries) in enumerate(results.items()):
        axes = figure.add_subplot(1, len(results), i + 1, xlabel="seconds", title=task)
        axes.set_ylabel("episodes that reach the goal")
        for library, trainings in libraries.items():
            for k, training in enumerate(trainings):
                axes.plot(
                    [0, *training.seconds],
                    [0, *training.shares],
                    color=_COLORS[library],
                    label=library if k == 0 else None,
                )
        axes.legend()
    figure.savefig(path, dpi=150)


def table(results: dict[str, dict[str, list[Training]]]) -> str:
    """Medians over the seeds."""
    rows = []
    for task, libraries in results.items():
        ours = statistics.median(run.seconds[-1] for run in libraries["parallel_pool"])
        for library, runs in libraries.items():
            ends = [(run.steps[-1], run.seconds[-1], run.shares[-1]) for run in runs]
            steps, seconds, share = map(statistics.median, zip(*ends, strict=True))
            ratio = f"x{seconds / ours:.2f}"
            rows.append([task, library, f"{steps:,.0f}", f"{seconds:.1f}", ratio, f"{share:.2f}"])
    head = ["task", "library", "env steps", "seconds", "seconds, to parallel_pool's", "success"]
    align = ("left", "left", *["right"] * 4)
    return tabulate(rows, head, "github", disable_numparse=True, colalign=align)


def main() -> None:
    """Trains, prints the table and draws the curves."""
    example = runpy.run_path(str(_ROOT / "examples/training/sb3_her.py"))
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    names = ", ".join(example["TASKS"])
    parser.add_argument("tasks", nargs="*", metavar="task", help=f"of {names}; all by default")
    parser.add_argument("--seeds", type=int, default=3, help="each library trains with all (3)")
    parser.add_argument("--curve", help="the picture to write")
    args = parser.parse_args()
    for task in args.tasks:
        if task not in example["TASKS"]:
            parser.error(f"there is no task {task!r}; allowed are {names}")
    if args.seeds < 1:
        parser.error(f"--seeds must be at least 1, not {args.seeds}")
    if args.curve:
        pathlib.Path(args.curve).touch()  # a path that cannot be written is an error now
    import torch

    torch.set_num_threads(1)
    results: dict[str, dict[str, list[Training]]] = {
        task: {library: [] for library in _COLORS} for task in args.tasks or example["TASKS"]
    }
    for seed in range(1, args.seeds + 1):
        for task, libraries in results.items():
            for library, trainings in libraries.items():
                trainings.append(train(example, library, task, seed))
                shown = f"{trainings[-1].seconds[-1]:.1f} s, {np.round(trainings[-1].shares, 2)}"
                print(f"seed {seed}, {task}, {library}: {shown}", file=sys.stderr)
    if args.curve:
        draw(args.curve, results)
    print(f"SAC with HER; medians of {args.seeds} seeds\n\n{table(results)}")


if __name__ == "__main__":
    main()
