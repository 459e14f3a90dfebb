"""Tasks in lanes: groups of any size, with their own options, saved states, and pictures."""

import platform
import sys
from typing import Any

import numpy as np
import pytest

import parallel_pool

# Tasks, and why libmujoco makes their steps; "": they are stepped in lanes.
STEPPED = {
    "HalfCheetah-v5": "",
    "Hopper-v5": "",
    "Walker2d-v5": "",
    "Walker2d-v4": "",
    "Ant-v5": "",
    "Ant-v3": "",
    "Swimmer-v5": "",
    "Humanoid-v5": "",
    "HumanoidStandup-v5": "",
    "InvertedPendulum-v5": "",
    "InvertedDoublePendulum-v5": "",
    "Reacher-v5": "",
    "Pusher-v5": "",
    "Pusher-v4": "",
    "MuJoCo-v0": "",
    "CheetahRun-v1": "",
    "WalkerWalk-v1": "",
    "HumanoidRun-v1": "",
    "HopperHop-v1": "",
    "AcrobotSwingup-v1": "",
    "CartpoleThreePoles-v1": "",
    "PendulumSwingup-v1": "",
    "LqrLqr62-v1": "",
    "PointMassHard-v1": "",
    "ReacherHard-v1": "",
    "SwimmerSwimmer15-v1": "",
    "pointmaze-medium-v0": "",
    "antmaze-large-v0": "",
    "antmaze-giant-v0": "",
    "humanoidmaze-medium-v0": "",
    "antsoccer-arena-v0": "",
    "cube-double-v0": "its integrator",
}
# General models, which are stepped in lanes where the own search for contacts is proved.
GENERAL = [
    "FetchReach-v4",
    "FetchSlide-v4",
    "FetchPickAndPlace-v4",
    "HandReach-v3",
    "HandManipulateBlock_ContinuousTouchSensors-v1",
    "FrankaKitchen-v1",
    "AdroitHandDoor-v1",
    "AdroitHandHammer-v1",
    "AdroitHandPen-v1",
    "AdroitHandRelocate-v1",
    "MetaWorld/Hammer-v3",
    "FingerSpin-v1",
    "FingerTurnHard-v1",
    "ManipulatorInsertPeg-v1",
    "StackerStack2-v1",
    "QuadrupedRun-v1",
    "FishSwim-v1",
    "BallInCupCatch-v1",
    "QuadrupedFetch-v1",
    "HumanoidCMURun-v1",
    "DogRun-v1",
    "DogFetch-v1",
]
if platform.machine() == "x86_64" and sys.platform == "linux":
    STEPPED |= dict.fromkeys(GENERAL, "") | {"QuadrupedEscape-v1": "height fields"}
IN_LANES = [task for task, why in STEPPED.items() if not why]


def has_lanes() -> bool:
    """Whether this processor is one for 64-bit ARM, or has AVX2, which x86-64-v3 contains."""
    features: Any = np.show_config(mode="dicts")
    found = features["SIMD Extensions"]["found"]
    return platform.machine() == "aarch64" or bool({"AVX2", "X86_V3"} & set(found))


@pytest.mark.skipif(not has_lanes(), reason="this processor has no AVX2")
@pytest.mark.parametrize("task_id", STEPPED)
def test_info_says_how_steps_are_made(task_id: str) -> None:
    remark = parallel_pool.make_spec(task_id).setup.remark
    why = STEPPED[task_id]
    assert why in remark if why else remark.startswith("in lanes, up to ")


def arrays_of(obs: Any) -> list[Any]:
    return list(obs.values()) if isinstance(obs, dict) else [obs]


def play(num_envs: int, first: int, task_id: str, steps: int, **options: Any) -> list[Any]:
    """The rows of envs `first` ..., each with actions and a seed of its own."""
    rows: list[Any] = []
    with parallel_pool.make(
        task_id, num_envs=num_envs, num_threads=1, reward_dtype="float64", **options
    ) as pool:
        space = pool.action_space
        low, high = np.clip(space.low, -1, 1), np.clip(space.high, -1, 1)
        randoms = [np.random.default_rng(first + i) for i in range(num_envs)]
        obs, info = pool.reset(seed=[100 + first + i for i in range(num_envs)])
        for _ in range(steps):
            actions = [r.uniform(low, high, space.shape) for r in randoms]
            obs, reward, terminated, truncated, info = pool.step(
                np.stack(actions).astype(space.dtype)
            )
            shown = [value for name, value in sorted(info.items()) if name != "env_id"]
            rows.append([*arrays_of(obs), reward, terminated, truncated, *shown])
    return rows


def assert_same(group: list[Any], alone: list[list[Any]]) -> None:
    """Asserts that a pool's rows are those of pools of one env each."""
    for step, arrays in enumerate(group):
        for k, array in enumerate(arrays):
            if not isinstance(array, np.ndarray):
                continue
            wanted = np.concatenate([rows[step][k] for rows in alone])
            np.testing.assert_array_equal(array, wanted, err_msg=f"step {step}, array {k}")


@pytest.mark.parametrize("task_id", IN_LANES)
def test_the_size_of_a_group_changes_nothing(task_id: str) -> None:
    steps = 30 if "Humanoid" in task_id else 60
    alone = [play(1, i, task_id, steps) for i in range(7)]
    for size in (2, 3, 7):
        assert_same(play(size, 0, task_id, steps), alone[:size])


def test_envs_with_other_options_are_stepped_apart() -> None:
    skips = [5, 5, 2, 5, 1, 1]
    alone = [play(1, i, "HalfCheetah-v5", 40, frame_skip=skip) for i, skip in enumerate(skips)]
    assert_same(play(6, 0, "HalfCheetah-v5", 40, per_env={"frame_skip": skips}), alone)


def test_colors_that_show_the_reward_change_no_step() -> None:
    task_id = "ReacherEasy-v1"
    spec = parallel_pool.make_spec(task_id, visualize_reward=True)
    assert spec.setup.remark == parallel_pool.make_spec(task_id).setup.remark
    plain, colored = (play(5, 0, task_id, 20, visualize_reward=shows) for shows in (False, True))
    assert_same(colored, [plain])


def test_envs_with_models_of_their_own_are_stepped_apart() -> None:
    gravity = np.array([[0, 0, -9.81], [0, 0, -9.81], [0, 0, -1.62]])
    alone = [
        play(1, i, "Hopper-v5", 40, model_fields={"opt.gravity": gravity[i : i + 1]})
        for i in range(3)
    ]
    assert_same(play(3, 0, "Hopper-v5", 40, model_fields={"opt.gravity": gravity}), alone)


@pytest.mark.parametrize(
    "task_id",
    [
        "Ant-v5",
        "Humanoid-v5",
        "InvertedDoublePendulum-v5",
        "FetchPickAndPlace-v4",
        "HandReach-v3",
        "MetaWorld/Push-v3",
    ],
)
def test_a_saved_env_goes_on_alone(task_id: str) -> None:
    with (
        parallel_pool.make(task_id, num_envs=5, num_threads=1, seed=3) as group,
        parallel_pool.make(task_id, num_envs=1, num_threads=1) as alone,
    ):
        actions = np.zeros((5, *group.action_space.shape), group.action_space.dtype)
        group.reset()
        alone.reset()
        for _ in range(10):
            group.step(actions)
        alone.load(group.save([3]), [0])
        for _ in range(20):
            theirs, *_ = group.step(actions)
            ours, *_ = alone.step(actions[:1])
            for one, other in zip(arrays_of(ours), arrays_of(theirs), strict=True):
                np.testing.assert_array_equal(one[0], other[3])


def test_a_drawn_env_shows_the_same_picture_as_one_alone() -> None:
    options: dict[str, Any] = {
        "num_threads": 1,
        "render_mode": "rgb_array",
        "render_width": 48,
        "render_height": 48,
        "render_quality": "fast",
    }
    with (
        parallel_pool.make("Ant-v5", num_envs=4, seed=[1, 2, 3, 4], **options) as group,
        parallel_pool.make("Ant-v5", num_envs=1, seed=[4], **options) as alone,
    ):
        group.reset()
        alone.reset()
        for _ in range(5):
            group.step(np.full((4, 8), 0.3, np.float32))
            alone.step(np.full((1, 8), 0.3, np.float32))
        first = group.render()
        np.testing.assert_array_equal(first[3], alone.render()[0])
        np.testing.assert_array_equal(group.render(), first)
