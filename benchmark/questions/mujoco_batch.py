"""Models next to MuJoCo's own mujoco.batch, with both versions of MuJoCo.

parallel_pool.mujoco.Batch and mujoco.batch run the same program: random controls in, qpos and qvel
out. One env is next to a loop of mj_step, too. A task with its rewards is next to Gymnasium's
AsyncVectorEnv of it. Each arm is a process of its own, and they take turns.
"""

import dataclasses
import json
import os
import pathlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmark.frame import report
from benchmark.frame.rounds import play_arm, program, take_turns

_NAME = "mujoco_batch"
_LENGTH = 1000  # steps after which a model begins again
_CONTROLS = 64  # different random batches of controls


@dataclasses.dataclass(frozen=True)
class Model:
    """A model of the wheel."""

    file: str  # in the folder of models
    steps: int  # of the model for an action
    task: str  # of Gymnasium, with this model; empty: there is none
    places: Mapping[str, Sequence[float]] = dataclasses.field(default_factory=dict)  # of joints


MODELS = {
    "HalfCheetah": Model("gym/half_cheetah.xml", 5, "HalfCheetah-v5"),
    "Ant": Model("gym/ant.xml", 5, "Ant-v5"),
    "Walker2d": Model("gym/walker2d_v5.xml", 4, "Walker2d-v5"),
    "Humanoid": Model("gym/humanoid.xml", 5, "Humanoid-v5"),
    # Robots that touch things. Fetch's hand is welded to a body that the program moves.
    "Door": Model("robotics/adroit_hand/adroit_door.xml", 5, ""),
    "FetchPush": Model(
        "robotics/fetch/push.xml",
        20,
        "",
        {
            "robot0:slide0": [0.405],
            "robot0:slide1": [0.48],
            "object0:joint": [1.25, 0.53, 0.4, 1, 0, 0, 0],
        },
    ),
    # It has a height field, so mj_step makes its steps here, too.
    "Escape": Model("dm_control/quadruped_escape.xml", 4, ""),
}
_NUM_ENVS = (1, 16, 64)
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


def _begin(made: Any, places: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """The first state of a model whose own is not stable: joints at `places`, 1 s later.

    Bodies that a program moves begin where the bodies are that are welded to them.
    """
    import mujoco

    data = mujoco.MjData(made)
    for joint, place in places.items():
        data.joint(joint).qpos = place
    mujoco.mj_forward(made, data)
    for i in np.flatnonzero(made.eq_type == mujoco.mjtEq.mjEQ_WELD):
        made.eq_data[i, 3:10] = [0, 0, 0, 1, 0, 0, 0]  # no distance between the two
        mocap = made.body_mocapid[made.eq_obj1id[i]]
        data.mocap_pos[mocap] = data.xpos[made.eq_obj2id[i]]
        data.mocap_quat[mocap] = data.xquat[made.eq_obj2id[i]]
    mujoco.mj_step(made, data, int(1 / made.opt.timestep))
    return {name: getattr(data, name).copy() for name in ("qpos", "mocap_pos", "mocap_quat")}


def _program(batch: Any, arm: Arm, made: Any, begin: Mapping[str, Any]) -> Callable[[int], object]:
    """The steps of a program for mujoco.batch, which is one for ours, too."""
    model = MODELS[arm.model]
    low, high = made.actuator_ctrlrange.T
    controls = _controls(low, high, (arm.num_envs, made.nu))
    moves = 0.05 * _controls(-1, 1, (arm.num_envs, made.nmocap, 3))  # m
    fields = {name: batch.bind(name) for name in ("ctrl", "qpos", "qvel", *begin)}

    def step(i: int) -> Any:
        if i % _LENGTH == 0:
            batch.reset()
            for name, value in begin.items():
                fields[name][:] = value
        fields["ctrl"][:] = controls[i % _CONTROLS]
        if begin:
            fields["mocap_pos"][:] = begin["mocap_pos"] + moves[i % _CONTROLS]
        batch.step(nstep=model.steps)
        return np.concatenate([fields["qpos"], fields["qvel"]], axis=1)

    return step


def _model(model: Model) -> tuple[Any, dict[str, Any]]:
    """The model and its first state, if that is not its own."""
    import mujoco

    made = mujoco.MjModel.from_xml_path(str(_folder() / model.file))
    return made, _begin(made, model.places) if model.places else {}


def _ours(arm: Arm, model: Model) -> Callable[[int], object]:
    from parallel_pool.mujoco import Batch

    made, begin = _model(model)
    return _program(Batch(made, arm.num_envs), arm, made, begin)


def _batch(arm: Arm, model: Model) -> Callable[[int], object]:
    import mujoco.batch

    made, begin = _model(model)
    return _program(mujoco.batch.Batch(made, arm.num_envs), arm, made, begin)


def _loop(arm: Arm, model: Model) -> Callable[[int], object]:
    import mujoco

    made, begin = _model(model)
    data = mujoco.MjData(made)
    low, high = made.actuator_ctrlrange.T
    controls = _controls(low, high, (made.nu,))
    moves = 0.05 * _controls(-1, 1, (made.nmocap, 3))  # m

    def step(i: int) -> Any:
        if i % _LENGTH == 0:
            mujoco.mj_resetData(made, data)
            for name, value in begin.items():
                getattr(data, name)[:] = value
        data.ctrl[:] = controls[i % _CONTROLS]
        if begin:
            data.mocap_pos[:] = begin["mocap_pos"] + moves[i % _CONTROLS]
        for _ in range(model.steps):
            mujoco.mj_step(made, data)
        return np.concatenate([data.qpos, data.qvel])

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
    "Batch": _ours,
    "mujoco.batch": _batch,
    "mj_step": _loop,
    "the task": _our_task,
    "Gymnasium": _gymnasium,
}
# Each next to which of ours.
_PEERS = {"mujoco.batch": "Batch", "mj_step": "Batch", "Gymnasium": "the task"}


def _plays(way: str, model: str, num_envs: int) -> bool:
    """Whether this way plays the model with so many envs."""
    if way == "mj_step":
        return num_envs == 1
    return way in ("Batch", "mujoco.batch") or (bool(MODELS[model].task) and num_envs > 1)


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
                if _plays(way, model, num_envs)
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
