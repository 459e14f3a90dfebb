"""Models next to MuJoCo's own mujoco.batch, with both versions of MuJoCo.

MuJoCo-v0 and mujoco.batch step the same model with the same random controls, and return qpos and
qvel. A task with its rewards is next to Gymnasium's AsyncVectorEnv of it. Each arm is a process of
its own, and they take turns.
"""

import dataclasses
import json
import os
import pathlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from benchmark.frame import report
from benchmark.frame.rounds import play_arm, program, take_turns

_NAME = "mujoco_batch"
_LENGTH = 1000  # steps of an episode of MuJoCo-v0
_CONTROLS = 64  # different random batches of controls


@dataclasses.dataclass(frozen=True)
class Model:
    """A model of the wheel."""

    file: str  # in the folder of models
    steps: int  # of the model for an action
    task: str  # of Gymnasium, with this model; empty: there is none


MODELS = {
    "HalfCheetah": Model("gym/half_cheetah.xml", 5, "HalfCheetah-v5"),
    "Ant": Model("gym/ant.xml", 5, "Ant-v5"),
    "Humanoid": Model("gym/humanoid.xml", 5, "Humanoid-v5"),
    # A robot that touches things; Fetch's models begin in a state that is not stable.
    "Door": Model("robotics/adroit_hand/adroit_door.xml", 5, ""),
}
_NUM_ENVS = (16, 64)
_VERSIONS = ("3.17.0", "4.0.1")


@dataclasses.dataclass(frozen=True)
class Arm:
    """One of _WAYS, with one version of MuJoCo."""

    way: str
    version: str
    model: str
    num_envs: int
    seconds: float
    mujoco4: str  # the folder with the package of MuJoCo 4


def _folder() -> pathlib.Path:
    import parallel_pool

    return pathlib.Path(parallel_pool.__file__).parent / "envs/mujoco/models"


def _controls(low: Any, high: Any, shape: tuple[int, ...]) -> Any:
    """Batches of random controls, without end."""
    random = np.random.default_rng(0)
    return random.uniform(np.maximum(low, -1), np.minimum(high, 1), (_CONTROLS, *shape))


def _ours(arm: Arm, model: Model) -> Callable[[int], object]:
    import parallel_pool

    pool = parallel_pool.make_gymnasium(
        "MuJoCo-v0",
        num_envs=arm.num_envs,
        xml_path=str(_folder() / model.file),
        frame_skip=model.steps,
        max_episode_steps=_LENGTH,
        mujoco_version=arm.version,
    )
    space: Any = pool.action_space
    controls = _controls(space.low, space.high, (arm.num_envs, *space.shape))
    pool.reset()
    return lambda i: pool.step(controls[i % _CONTROLS])


def _batch(arm: Arm, model: Model) -> Callable[[int], object]:
    import mujoco
    import mujoco.batch

    made = mujoco.MjModel.from_xml_path(str(_folder() / model.file))
    batch = mujoco.batch.Batch(made, arm.num_envs)
    low, high = made.actuator_ctrlrange.T
    controls = _controls(low, high, (arm.num_envs, made.nu))
    ctrl, qpos, qvel = (batch.bind(name) for name in ("ctrl", "qpos", "qvel"))

    def step(i: int) -> Any:
        if i % _LENGTH == 0:
            batch.reset()
        ctrl[:] = controls[i % _CONTROLS]
        batch.step(nstep=model.steps)
        return np.concatenate([qpos, qvel], axis=1)

    return step


def _our_task(arm: Arm, model: Model) -> Callable[[int], object]:
    import parallel_pool

    pool = parallel_pool.make_gymnasium(
        model.task, num_envs=arm.num_envs, mujoco_version=arm.version
    )
    space: Any = pool.action_space
    controls = _controls(space.low, space.high, (arm.num_envs, *space.shape))
    pool.reset()
    return lambda i: pool.step(controls[i % _CONTROLS])


def _gymnasium(arm: Arm, model: Model) -> Callable[[int], object]:
    import gymnasium

    envs: Any = gymnasium.make_vec(model.task, arm.num_envs, vectorization_mode="async")
    space = envs.single_action_space
    controls = _controls(space.low, space.high, (arm.num_envs, *space.shape))
    envs.reset()
    return lambda i: envs.step(controls[i % _CONTROLS])


_WAYS = {
    "MuJoCo-v0": _ours,
    "mujoco.batch": _batch,
    "the task": _our_task,
    "Gymnasium": _gymnasium,
}
_PEERS = {"mujoco.batch": "MuJoCo-v0", "Gymnasium": "the task"}  # each next to which of ours


def play() -> None:
    """Plays the arm of the command line; prints its steps of envs in a second."""
    arm = Arm(**json.loads(sys.argv[-1]))
    if arm.version == _VERSIONS[1]:
        sys.path.insert(0, arm.mujoco4)
        os.environ["PYTHONPATH"] = arm.mujoco4  # of Gymnasium's workers
    step = _WAYS[arm.way](arm, MODELS[arm.model])
    begin = time.monotonic()
    for i in range(_LENGTH):  # warms up
        step(i)
        if time.monotonic() - begin > arm.seconds:
            break
    steps, begin = 0, time.monotonic()
    while (passed := time.monotonic() - begin) < arm.seconds:
        step(steps)
        steps += 1
    print(json.dumps({"rate": arm.num_envs * steps / passed}, allow_nan=False), flush=True)
    os._exit(0)  # at once, with all processes of vector envs


def _measure(
    models: Sequence[str], mujoco4: str, rounds: int, seconds: float
) -> Iterator[dict[str, Any]]:
    words = program(__name__, "play")
    for model in models:
        for num_envs in _NUM_ENVS:
            arms = [
                Arm(way, version, model, num_envs, seconds, mujoco4)
                for version in _VERSIONS
                for way in _WAYS
                if MODELS[model].task or way not in ("the task", "Gymnasium")
            ]

            def alone(arm: Arm) -> float:
                return play_arm(words, arm, sys.executable, limit=60 + 10 * arm.seconds)["rate"]

            title = f"{model}:{num_envs}"
            for arm, rates in take_turns(arms, alone, rounds, title).items():
                yield {"workload": title, "arm": [arm.way, arm.version], "rates": rates}


def table(data: report.Data) -> str:
    """A row for each workload and version: steps a second, and ratios to the peers."""
    of = {(r["workload"], *r["arm"]): r["rates"] for r in data["results"]}
    rows = []
    for workload in dict.fromkeys(key[0] for key in of):
        for version in _VERSIONS:
            row = [workload, version]
            for peer, own in _PEERS.items():
                rates, peers = (of.get((workload, way, version)) for way in (own, peer))
                if not rates or not peers:
                    row += ["-", "-", "-"]
                    continue
                ratio = statistics.median(a / b for a, b in zip(rates, peers, strict=True))
                medians = [f"{statistics.median(found):,.0f}" for found in (peers, rates)]
                row += [*medians, f"x{ratio:.2f}"]
            rows.append(row)
    titles = ["envs", "MuJoCo"]
    for peer, own in _PEERS.items():
        titles += [f"{peer}: steps/s", own, "ratio"]
    return report.table(titles, rows, text_columns=2)


def main() -> None:
    """Measures or reads the models of the command line, and prints the table."""
    parser = report.parser(_NAME, __doc__, "models: " + " ".join(MODELS), 2.0, draws=False)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--mujoco4", required=True, help="the folder with mujoco-core 4.0.1")
    args = parser.parse_args()
    data = report.collect(
        _NAME,
        parser,
        args,
        lambda: _measure(args.models, args.mujoco4, args.rounds, args.seconds),
        lambda result: result["workload"].split(":")[0] in args.models,
    )
    report.show(data, args, table)
