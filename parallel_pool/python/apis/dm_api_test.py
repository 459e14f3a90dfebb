"""Pools of the dm_env API."""

import dm_env
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.testing_family import (
    END,
    END_IN_OBSERVE,
    FINE,
    THROW,
    THROW_IN_OBSERVE,
)

FIRST, MID, LAST = (int(t) for t in dm_env.StepType)


def test_time_steps() -> None:
    with parallel_pool.make("Trouble-v0", env_type="dm", num_envs=2, max_episode_steps=3) as pool:
        assert isinstance(pool, dm_env.Environment)
        first = pool.reset()
        assert isinstance(first, dm_env.TimeStep)
        assert first.step_type.tolist() == [FIRST, FIRST]
        assert first.reward.tolist() == [0, 0]
        steps = [pool.step([a, FINE]) for a in [FINE, END, FINE, FINE]]
        assert [s.step_type.tolist() for s in steps] == [
            [MID, MID],
            [LAST, MID],
            [FIRST, LAST],  # env 1 reached its time limit
            [MID, FIRST],
        ]
        # The discount is 0 after a termination, not after a truncation by the time limit.
        assert [s.discount.tolist() for s in steps] == [[1, 1], [0, 1], [1, 1], [1, 1]]
        assert steps[2].reward.tolist() == [0, 1]
        assert steps[0].step_type.dtype == np.int32
        assert steps[0].observation.env_id.tolist() == [0, 1]
        assert steps[0].observation.players.env_id.tolist() == [0, 1]
        assert steps[0].observation.obs.shape == (2, 2)


def test_specs_and_async() -> None:
    with parallel_pool.make_dm("CartPole-v1", num_envs=4, batch_size=2) as pool:
        assert pool.observation_spec().obs.shape == (4,)
        assert pool.action_spec().num_values == 2
        pool.async_reset()
        step = pool.recv(timeout=20)
        pool.send([0, 1], step.observation.env_id)
        assert pool.recv().observation.obs.shape == (2, 4)


def test_an_envs_discount_is_kept() -> None:
    with parallel_pool.make_dm("Echo-v0") as pool:
        pool.reset()
        action = {
            "choice": [1],
            "motor": {"force": np.zeros((1, 3)), "exact": np.zeros((1, 2, 2))},
            "byte": [0],
            "wide": [[0, 0]],
        }
        assert pool.step(action).discount.tolist() == [np.float32(0.9)]


@pytest.mark.parametrize("action", [THROW, THROW_IN_OBSERVE, END_IN_OBSERVE])
def test_an_error_carries_a_time_step(action: int) -> None:
    with parallel_pool.make_dm("Trouble-v0") as pool:
        pool.reset()
        with pytest.raises(parallel_pool.EnvError) as e:
            pool.step([action])
        assert e.value.result.step_type.tolist() == [LAST]
        assert e.value.result.discount.tolist() == [1]  # truncated, even if it had terminated
        assert e.value.result.reward.tolist() == [0]
