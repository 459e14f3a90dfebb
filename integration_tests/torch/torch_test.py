"""Tensors over a pool's arrays, and arrays over tensors that a pool fills."""

import gc
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.wrappers import vector

import parallel_pool
from parallel_pool import mujoco


@pytest.mark.parametrize("convert", [torch.from_numpy, torch.from_dlpack, torch.as_tensor])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pong-v5", "Taxi-v4", "Ant-v5"])
def test_nothing_is_copied(task_id: str, convert: Callable[[Any], torch.Tensor]) -> None:
    with parallel_pool.make(task_id, num_envs=3) as pool, warnings.catch_warnings():
        warnings.simplefilter("error")  # such as torch's warning about read-only arrays
        pool.reset()
        action = np.stack([pool.action_space.sample() for _ in range(3)])
        obs, reward, terminated, truncated, info = pool.step(action)
        for array in (obs, reward, terminated, truncated, info["env_id"], info["elapsed_step"]):
            tensor = convert(array)
            assert tensor.data_ptr() == array.ctypes.data
            assert tensor.shape == array.shape
            np.testing.assert_array_equal(tensor.numpy(), array)


def test_a_tensor_keeps_its_batch() -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=3)
    tensor = torch.from_numpy(pool.reset(seed=1)[0])
    copy = tensor.clone()
    for _ in range(50):
        pool.step([0, 1, 0])
    pool.close()
    del pool
    gc.collect()
    assert torch.equal(tensor, copy)
    tensor += 1  # the user may write to it


def test_tensors_are_actions() -> None:
    with (
        parallel_pool.make("Pendulum-v1", num_envs=3) as one,
        one.__reduce__()[0](*one.__reduce__()[1]) as other,
    ):
        one.reset()
        other.reset()
        action = torch.rand(3, 1)
        np.testing.assert_array_equal(one.step(action)[0], other.step(action.numpy())[0])


def test_a_pool_fills_tensors() -> None:
    with (
        parallel_pool.make("Pong-v5", num_envs=2) as pool,
        parallel_pool.make("Pong-v5", num_envs=2) as twin,
    ):
        pool.reset()
        twin.reset()
        pin = torch.cuda.is_available()
        obs = torch.zeros((2, 4, 84, 84), dtype=torch.uint8, pin_memory=pin)
        reward = torch.zeros(2, pin_memory=pin)
        for _ in range(5):
            pool.step([0, 1], out={"obs": obs.numpy(), "reward": reward.numpy()})
            reference = twin.step([0, 1])
            np.testing.assert_array_equal(obs.numpy(), reference[0])
            np.testing.assert_array_equal(reward.numpy(), reference[1])
        with pytest.raises(TypeError, match=r"must be a NumPy array \(of a tensor: tensor.numpy"):
            pool.step([0, 1], out={"obs": obs})


def make(num_envs: int = 3) -> Any:
    return gymnasium.make_vec("parallel_pool/CartPole-v1", num_envs=num_envs)


def assert_played(env: Any, action: Any, kind: type[Any]) -> None:
    """Plays two steps, whose observations are of type `kind` and equal the pool's."""
    reference = make()
    obs, _ = env.reset(seed=2)
    assert isinstance(obs, kind)
    np.testing.assert_array_equal(np.asarray(obs), reference.reset(seed=2)[0])
    for _ in range(2):
        obs, reward, *_ = env.step(action)
        assert isinstance(obs, kind)
        assert isinstance(reward, kind)
        np.testing.assert_array_equal(np.asarray(obs), reference.step(np.asarray(action))[0])


def test_gymnasium_converts_to_torch() -> None:
    assert_played(vector.NumpyToTorch(make()), torch.tensor([0, 1, 0]), torch.Tensor)
    assert_played(
        vector.ArrayConversion(make(), env_xp=np, target_xp=torch),
        torch.tensor([0, 1, 0]),
        torch.Tensor,
    )


def test_gymnasium_converts_to_jax_and_back() -> None:
    import jax.numpy as jnp

    env = vector.ArrayConversion(make(), env_xp=np, target_xp=jnp)
    assert_played(env, jnp.array([0, 1, 0]), jnp.ndarray)
    again = vector.ArrayConversion(make(), env_xp=np, target_xp=jnp)
    assert_played(vector.JaxToNumpy(again), np.array([0, 1, 0]), np.ndarray)
    third = vector.ArrayConversion(make(), env_xp=np, target_xp=jnp)
    assert_played(vector.JaxToTorch(third), torch.tensor([0, 1, 0]), torch.Tensor)


def test_snippet(snippet: Callable[[str], str]) -> None:
    device = "cuda:0" if torch.cuda.is_available() else "cpu"
    assert snippet("torch").splitlines() == [
        f"torch.Size([8, 4]) {device}",
        "Tensor torch.Size([16, 16])",
    ]


def test_fields_of_a_batch_of_simulations_are_tensors_without_a_copy() -> None:
    import jax

    model = """<mujoco><worldbody><body><joint name="hinge"/><geom size=".1"/></body></worldbody>
    <actuator><motor joint="hinge"/></actuator></mujoco>"""
    batch = mujoco.Batch(model, num_envs=4)
    qvel, ctrl = (torch.from_numpy(batch.bind(name)) for name in ("qvel", "ctrl"))
    ctrl[:, 0] = torch.arange(4)
    batch.step(nstep=3)
    assert (qvel[0] == 0).all()
    assert (qvel[1:].diff(dim=0) > 0).all()
    of_jax = jax.numpy.asarray(batch.bind("qvel"))
    np.testing.assert_array_equal(of_jax, qvel.numpy().astype(of_jax.dtype))
    before = np.array(of_jax)
    batch.reset()
    assert (qvel == 0).all()
    np.testing.assert_array_equal(of_jax, before)
