"""Batches of a replay buffer as tensors of torch and arrays of JAX."""

from typing import Any

import numpy as np
import pytest
import torch

import parallel_pool
from parallel_pool import ReplayBuffer


def filled(task: str, **options: Any) -> ReplayBuffer:
    pool = parallel_pool.make(task, num_envs=3, seed=1, max_episode_steps=20)
    buffer = ReplayBuffer(pool, 900, seed=2, **options)
    buffer.reset()
    for step in range(50):
        buffer.step(pool.sample_actions(), state=torch.full((3, 2), step))
    return buffer


def assert_same(tensors: Any, arrays: Any) -> None:
    assert tensors.keys() == arrays.keys()
    for name, array in arrays.items():
        if isinstance(array, dict):
            assert_same(tensors[name], array)
        else:
            assert isinstance(tensors[name], torch.Tensor)
            np.testing.assert_array_equal(tensors[name].numpy(), array, name)


@pytest.mark.parametrize("device", [None, "cpu"])
@pytest.mark.parametrize("options", [{}, {"n_step": 3}, {"alpha": 0.5}])
@pytest.mark.parametrize("task", ["Pong-v5", "CartPole-v1", "FetchReach-v4"])
def test_tensors_have_the_numbers_of_arrays(task: str, options: Any, device: Any) -> None:
    tensors, arrays = filled(task, torch=True, device=device, **options), filled(task, **options)
    found = tensors.sample(20)
    assert_same(found, arrays.sample(20))
    assert_same(tensors.sample_sequences(6, 4, 2), arrays.sample_sequences(6, 4, 2))
    for found, wanted in zip(tensors.batches(20, 5), arrays.batches(20, 5), strict=True):
        assert_same(found, wanted)
    if options.get("alpha"):
        for buffer in (tensors, arrays):
            batch = buffer.sample(20)
            buffer.update_priorities(batch["index"], batch["reward"])
        assert_same(tensors.sample(20), arrays.sample(20))


def test_a_batch_is_memory_of_its_own() -> None:
    buffer = filled("CartPole-v1", torch=True)
    first = buffer.sample(10)
    before = first["obs"].clone()
    first["obs"] += 1
    assert (buffer.sample(10, out=first)["obs"] == first["obs"]).all()
    assert (buffer.transitions()["obs"] != before[0] + 1).any()


def test_arrays_of_jax() -> None:
    import jax.numpy as jnp

    batch = filled("Pong-v5").sample(10)
    np.testing.assert_array_equal(np.asarray(jnp.asarray(batch["next_obs"])), batch["next_obs"])
    contiguous = np.ascontiguousarray(batch["obs"])
    np.testing.assert_array_equal(np.asarray(jnp.from_dlpack(contiguous)), batch["obs"])
