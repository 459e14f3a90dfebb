"""frame_stack of numbers: the last ones, as Gymnasium's FrameStackObservation has them."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool

NAMES = ("frame_stack", "stack_num")


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_equals_gymnasiums_wrapper(mode: str) -> None:
    """Its padding_type="reset" repeats the first observation."""

    def theirs() -> gymnasium.Env[Any, Any]:
        env: gymnasium.Env[Any, Any] = gymnasium.make("HalfCheetah-v5", max_episode_steps=7)
        return gymnasium.wrappers.FrameStackObservation(env, 4)

    autoreset = gymnasium.vector.AutoresetMode[mode.upper()]
    other = gymnasium.vector.SyncVectorEnv([theirs] * 2, autoreset_mode=autoreset)
    options: dict[str, Any] = {"frame_stack": 4, "max_episode_steps": 7, "autoreset_mode": mode}
    with parallel_pool.make("HalfCheetah-v5", num_envs=2, **options) as pool:
        assert pool.observation_space == other.single_observation_space
        obs, wanted = pool.reset(seed=3)[0], other.reset(seed=3)[0]
        random = np.random.default_rng(0)
        for _ in range(20):
            np.testing.assert_array_equal(obs, wanted)
            action = random.uniform(-1, 1, (2, 6)).astype(np.float32)
            obs, *_, info = pool.step(action)
            wanted, *_, their_info = other.step(action)
            if "final_obs" in their_info:
                final = np.stack(their_info["final_obs"])
                np.testing.assert_array_equal(info["final_obs"], final)
    other.close()


@pytest.mark.parametrize("flat", [False, True])
def test_each_array_of_the_control_suite(flat: bool) -> None:
    options: dict[str, Any] = {"num_envs": 2, "flat_observation": flat}
    with (
        parallel_pool.make("WalkerWalk-v1", frame_stack=3, **options) as stacked,
        parallel_pool.make("WalkerWalk-v1", **options) as plain,
    ):
        names = ["observations"] if flat else ["orientations", "height", "velocity"]
        space = stacked.observation_space
        seen = [plain.reset()[0]] * 3
        obs, _ = stacked.reset()
        for step in range(5):
            for name in names:
                np.testing.assert_array_equal(obs[name], np.stack([o[name] for o in seen], axis=1))
                assert obs[name].shape[1:] == space[name].shape, step
                assert obs[name].dtype == space[name].dtype
            action = np.full((2, 6), 0.1 * step)
            seen = [*seen[1:], plain.step(action)[0]]
            obs = stacked.step(action)[0]


@pytest.mark.parametrize("task_id", ["Ant-v5", "WalkerWalk-v1"])
def test_conforms(task_id: str) -> None:
    parallel_pool.check(task_id, frame_stack=3)
    assert parallel_pool.make_spec(task_id, frame_stack=1).observation_space == (
        parallel_pool.make_spec(task_id).observation_space
    )


def test_it_is_another_name_of_stack_num() -> None:
    with pytest.raises(ValueError, match="frame_stack is 3 and stack_num is 2; they mean the same"):
        parallel_pool.make_spec("Ant-v5", frame_stack=3, stack_num=2)
    spec, other = (parallel_pool.make_spec("Ant-v5", **{name: 3}) for name in NAMES)
    assert spec.observation_space == other.observation_space
    assert (spec.config["frame_stack"], spec.config["stack_num"]) == (3, 1)
