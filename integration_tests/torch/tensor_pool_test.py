"""parallel_pool.integrations.torch on the processor."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

import parallel_pool
from parallel_pool.integrations.torch import TensorPool, to_tensors


def leaves(tree: Any) -> Iterator[Any]:
    """The arrays or tensors of a batch."""
    if isinstance(tree, dict):
        tree = tuple(tree.values())
    if isinstance(tree, tuple):
        for child in tree:
            yield from leaves(child)
    else:
        yield tree


def assert_same(tensors: Any, arrays: Any) -> None:
    """The tree of tensors equals the tree of arrays, and has its form."""
    if isinstance(arrays, dict):
        assert list(tensors) == list(arrays)
        for name, array in arrays.items():
            assert_same(tensors[name], array)
    elif isinstance(arrays, tuple):
        assert type(tensors) is type(arrays)
        for tensor, array in zip(tensors, arrays, strict=True):
            assert_same(tensor, array)
    else:
        assert isinstance(tensors, torch.Tensor)
        numbers = tensors.numpy()
        assert (numbers.dtype, numbers.shape) == (arrays.dtype, arrays.shape)
        np.testing.assert_array_equal(numbers, arrays)


def pools(task_id: str, **options: Any) -> Iterator[Any]:
    return (parallel_pool.make(task_id, num_envs=3, **options) for _ in range(2))


TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "pixels": ("Pong-v5", {}),
    "dict": ("MiniGrid-Empty-5x5-v0", {}),
    "nested": ("CheetahRun-v1", {}),
    "players": ("SimpleTag-v3", {}),
    "ends": (
        "CartPole-v1",
        {
            "max_episode_steps": 3,
            "autoreset_mode": "same_step",
            "record_episode_statistics": True,
            "reward_dtype": "float64",
        },
    ),
    "dm_env": ("CartPole-v1", {"env_type": "dm"}),
    "gym": ("CartPole-v1", {"env_type": "gym"}),
}


@pytest.mark.parametrize(("task_id", "options"), TASKS.values(), ids=TASKS)
def test_results_are_those_of_the_pool(task_id: str, options: dict[str, Any]) -> None:
    first, second = pools(task_id, **options)
    with TensorPool(first, "cpu") as env, second as twin:
        assert_same(env.reset(), twin.reset())
        for _ in range(8):
            rows = len(second.all_env_ids) * max(1, env.config["max_num_players"])
            if hasattr(twin, "action_space"):
                action = np.stack([twin.action_space.sample() for _ in range(rows)])
            else:
                action = np.zeros(rows, np.int64)
            assert_same(env.step(torch.from_numpy(action)), twin.step(action))


@pytest.mark.parametrize(("task_id", "options"), TASKS.values(), ids=TASKS)
def test_nothing_is_copied(task_id: str, options: dict[str, Any]) -> None:
    with parallel_pool.make(task_id, num_envs=3, **options) as pool:
        batch = pool.reset()
        pairs = list(zip(leaves(to_tensors(batch)), leaves(batch), strict=True))
        assert len(pairs) > 0
        for tensor, array in pairs:
            assert tensor.data_ptr() == array.ctypes.data


def test_a_tensor_keeps_its_batch() -> None:
    env = TensorPool(parallel_pool.make("CartPole-v1", num_envs=3), "cpu")
    obs, _ = env.reset(seed=1)
    copy = obs.clone()
    for _ in range(50):
        env.step([0, 1, 0])
    env.close()
    del env, _
    gc.collect()
    assert torch.equal(obs, copy)
    obs += 1  # the user may write to it


def test_what_torch_does_not_compute_with_stays() -> None:
    strange = {
        "unsigned": np.arange(3, dtype=np.uint32),
        "texts": np.array(["a", "b"]),
        "objects": np.array([None, {}]),
        "str": ("a", "b"),
        "big_endian": np.arange(3, dtype=">i4"),
        "number": 3,
    }
    shown = to_tensors(strange)
    assert list(shown) == list(strange)
    for name, value in strange.items():
        assert shown[name] is value or shown[name] == value


def test_read_only_arrays_and_gaps_are_copied() -> None:
    array = np.arange(12).reshape(3, 4)
    frozen = array.copy()
    frozen.flags.writeable = False
    for given in (frozen, array[:, ::2], array[::-1]):
        tensor = to_tensors(given)
        np.testing.assert_array_equal(tensor.numpy(), given)
        tensor += 1  # the array is as it was
        np.testing.assert_array_equal(array, np.arange(12).reshape(3, 4))


def test_async_pools_take_ids_as_tensors() -> None:
    with TensorPool(parallel_pool.make("CartPole-v1", num_envs=6, batch_size=2), "cpu") as env:
        assert (len(env), env.num_envs, env.is_async) == (6, 6, True)
        env.async_reset()
        for _ in range(30):
            obs, *_, info = env.recv(timeout=30)
            assert obs.shape == (2, 4)
            env.send((obs[:, 2] > 0).long(), info["env_id"])
        steps = torch.zeros(6)
        for _ in range(3):
            info = env.recv()[-1]
            steps[info["env_id"]] = info["elapsed_step"].float()
        assert (steps > 0).all()


def test_actions_may_have_gradients_and_names() -> None:
    with TensorPool(parallel_pool.make("Pendulum-v1", num_envs=2), "cpu") as env:
        env.reset()
        env.step(torch.zeros(2, 1, requires_grad=True))
    with TensorPool(parallel_pool.make_python(Named, 2), "cpu") as env:
        env.reset()
        obs, *_ = env.step({"push": torch.tensor([[0.5], [1.0]])})
        assert obs.tolist() == [[0.5], [1.0]]


class Named(gymnasium.Env[Any, Any]):
    """An env whose action is a dict; it throws at actions above 1."""

    observation_space = gymnasium.spaces.Box(-9, 9, (1,))
    action_space = gymnasium.spaces.Dict({"push": gymnasium.spaces.Box(-9, 9, (1,))})

    def reset(self, **_: Any) -> Any:
        return np.zeros(1, np.float32), {"name": "first"}

    def step(self, action: Any) -> Any:
        if action["push"] > 1:
            raise OverflowError("too much")
        return action["push"], 0.0, False, False, {"name": "later"}


def test_an_error_has_tensors() -> None:
    with TensorPool(parallel_pool.make_python(Named, 2), "cpu") as env:
        _, info = env.reset()
        assert info["name"].tolist() == ["first", "first"]
        with pytest.raises(parallel_pool.EnvError, match="too much") as failed:
            env.step({"push": torch.tensor([[0.5], [2.0]])})
        obs, _, _, truncated, info = failed.value.result
        assert obs.tolist() == [[0.5], [0.0]]
        assert truncated.tolist() == [False, True]
        assert isinstance(info["env_id"], torch.Tensor)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match=r"takes a pool of parallel_pool.make\(\), not str"):
        TensorPool("CartPole-v1", "cpu")  # type: ignore[arg-type]
    with parallel_pool.make("CartPole-v1") as pool:
        with pytest.raises(ValueError, match="device is 'meta'; it must be 'cpu' or 'cuda'"):
            TensorPool(pool, "meta")
        env = TensorPool(pool, "cpu")
        with pytest.raises(AttributeError, match="has no attribute 'num_env'"):
            env.num_env  # noqa: B018


def test_only_calls_need_torch() -> None:
    program = """
import sys
sys.modules["torch"] = None  # as if it were not installed
import parallel_pool
from parallel_pool.integrations.torch import TensorPool, to_tensors
for call in (lambda: to_tensors({}), lambda: TensorPool(parallel_pool.make("CartPole-v1"))):
    try:
        call()
    except ImportError as error:
        print(error)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    message = "parallel_pool.integrations.torch needs PyTorch: pip install torch\n"
    assert done.stdout == 2 * message


def test_a_pipeline_of_two_halves() -> None:
    plain, pool = (parallel_pool.make("CartPole-v1", num_envs=6, seed=3) for _ in range(2))
    env = TensorPool(pool, "cpu", pipeline=2)
    first = plain.reset()[0]
    second = plain.step(np.ones(6, int))[0]
    obs, info = env.reset()
    assert_same(obs, first[:3])
    assert info["env_id"].tolist() == [0, 1, 2]
    assert_same(env.step(torch.ones(3, dtype=torch.int64))[0], first[3:])
    assert_same(env.step(torch.ones(3, dtype=torch.int64))[0], second[:3])
    assert env.pipeline.part == 0
    for call in (lambda: env.send([1] * 3), env.recv, env.async_reset, lambda: env.step([1], [0])):
        with pytest.raises(RuntimeError, match=r"with a pipeline: call step\(action\)"):
            call()
    with pytest.raises(ValueError, match="parts is 7"):
        TensorPool(pool, "cpu", pipeline=7)
    env.close()
