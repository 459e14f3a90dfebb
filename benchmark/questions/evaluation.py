"""All five tasks of envs of OGBench: evaluate(), and a loop over OGBench's own env.

The policy is a small network of NumPy. OGBench's users play 15 to 50 episodes of each task. The
loop plays fewer of them: its time is that of an episode.
"""

import dataclasses
import json
import statistics
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmark.frame import report
from benchmark.frame.rounds import play_arm, program, take_turns

TASKS = ("pointmaze-medium-v0", "antmaze-medium-v0", "humanoidmaze-medium-v0", "cube-single-v0")
_ARM = program("benchmark.questions.evaluation", "play")
_EPISODES = {"parallel_pool": 10, "ogbench": 1}  # of each of the five tasks


@dataclasses.dataclass(frozen=True)
class Arm:
    """The argument of play()."""

    peer: str
    task: str


def _policy(numbers: int, actions: int) -> Any:
    """A function of observations and goals."""
    random = np.random.default_rng(0)
    first = random.normal(0, 0.1, (2 * numbers, 256)).astype(np.float32)
    last = random.normal(0, 0.1, (256, actions)).astype(np.float32)

    def act(obs: Any, goal: Any) -> Any:
        seen = np.concatenate([obs, goal], -1).astype(np.float32)
        return np.tanh(np.maximum(seen @ first, 0) @ last)

    return act


def _evaluate(task: str) -> int:
    """Plays by evaluate(), and returns the number of episodes."""
    import parallel_pool

    spec = parallel_pool.make_spec(task)
    policy = _policy(spec.observation_space.sample().size, spec.action_space.sample().size)
    envs = _EPISODES["parallel_pool"]
    tasks = np.repeat([1, 2, 3, 4, 5], envs).tolist()
    parallel_pool.evaluate(
        policy, task, 5 * envs, num_envs=5 * envs, per_env={"reward_task_id": tasks}
    )
    return 5 * envs


def _loop(task: str) -> int:
    """Plays as OGBench's own programs do, and returns the number of episodes."""
    import gymnasium
    import ogbench

    assert ogbench.__name__  # it registers its ids
    env = gymnasium.make(task, disable_env_checker=True)
    policy = _policy(env.reset(seed=0)[0].size, env.action_space.sample().size)
    for number in range(1, 6):
        for _ in range(_EPISODES["ogbench"]):
            obs, info = env.reset(options={"task_id": number})
            goal, is_over = info["goal"], False
            while not is_over:
                obs, _, terminated, truncated, _ = env.step(policy(obs, goal))
                is_over = terminated or truncated
    return 5 * _EPISODES["ogbench"]


def play() -> None:
    """Plays an arm, the argument in JSON, and prints the time of an episode."""
    warnings.simplefilter("ignore")
    arm = json.loads(sys.argv[1])
    start = time.perf_counter()
    episodes = (_evaluate if arm["peer"] == "parallel_pool" else _loop)(arm["task"])
    seconds = (time.perf_counter() - start) / episodes
    print(json.dumps({"seconds": seconds}, allow_nan=False), flush=True)


def _measure(tasks: Sequence[str], rounds: int) -> Iterator[dict[str, Any]]:
    def seconds(arm: Arm) -> float:
        return play_arm(_ARM, arm, sys.executable, limit=600)["seconds"]

    for task in tasks:
        found = take_turns([Arm(peer, task) for peer in _EPISODES], seconds, rounds, task)
        yield {"task": task, "seconds": {arm.peer: times for arm, times in found.items()}}


def table(data: report.Data) -> str:
    """A row for each task: the time of all five tasks with 50 episodes, and the ratio."""
    rows = []
    for result in data["results"]:
        if result["seconds"].keys() != _EPISODES.keys():
            continue  # a line has said which one was left out
        ours, theirs = (result["seconds"][peer] for peer in _EPISODES)
        whole = [f"{250 * statistics.median(times):,.0f} s" for times in (ours, theirs)]
        ratio = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
        rows.append([result["task"], *whole, f"x{ratio:.1f}"])
    titles = ["5 tasks x 50 episodes", "evaluate()", "OGBench's loop", ""]
    return report.table(titles, rows, text_columns=1)


def main() -> None:
    """Measures the tasks of the command line and prints the table."""
    parser = report.parser("evaluation", __doc__, f"tasks: {' '.join(TASKS)}", 0, draws=False)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    args = parser.parse_args()
    data = report.collect(
        "evaluation",
        parser,
        args,
        lambda: _measure(args.tasks, args.rounds),
        lambda result: result["task"] in args.tasks,
    )
    report.show(data, args, table)
