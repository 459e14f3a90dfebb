"""The copies of TensorPool, with a stand-in for torch.cuda.

The streams of its GPU do nothing until a call waits for them, and then as little as they can. So
a copy that no call waited for is not there, and memory that was given up before it was copied has
other contents by then. Tensors of the GPU are zero until they are written.
"""

import collections
import contextlib
import ctypes
import functools
import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import parallel_pool
from parallel_pool.integrations import torch as integration
from parallel_pool.integrations.torch import TensorPool

GPU = torch.device("cuda", 0)


class Stream:
    """Work in its order."""

    def __init__(self, device: Any = None) -> None:
        self.work: collections.deque[Callable[[], Any]] = collections.deque()

    def run(self, event: "Event | None" = None) -> None:
        """Works until an event, or until nothing is left."""
        while self.work and not (event and event.is_done):
            self.work.popleft()()

    def wait_event(self, event: "Event") -> None:
        self.work.append(event.synchronize)

    def wait_stream(self, other: "Stream") -> None:
        event = Event()
        event.record(other)
        self.wait_event(event)


class Event:
    """A place in a stream."""

    def __init__(self) -> None:
        self.is_done = True

    def record(self, stream: Stream) -> None:
        self.is_done, self.stream = False, stream
        stream.work.append(self._come)

    def _come(self) -> None:
        self.is_done = True

    def query(self) -> bool:
        return self.is_done

    def synchronize(self) -> None:
        if not self.is_done:
            self.stream.run(self)


class GpuTensor(torch.Tensor):  # type: ignore[misc]
    """A tensor of the GPU."""

    device = GPU
    readers: list[Stream]  # of record_stream()

    def record_stream(self, stream: Stream) -> None:
        self.readers = [*getattr(self, "readers", []), stream]


class HostTensor(torch.Tensor):  # type: ignore[misc]
    """A tensor of the processor, from and to which a stream copies."""

    cuda: "Cuda"

    def to(self, device: torch.device, non_blocking: bool) -> Any:
        assert device == GPU
        assert non_blocking
        made = torch.zeros(self.shape, dtype=self.dtype).as_subclass(GpuTensor)
        self.cuda.memory.append(made)
        self.cuda.copy(made, self)
        return made

    def copy_(self, source: Any, non_blocking: bool) -> Any:
        assert non_blocking
        self.cuda.copy(self, source)
        return self


class Cuda:
    """torch.cuda."""

    Event = Event

    def __init__(self) -> None:
        self.user = self.current = Stream()
        self.streams: list[Stream] = []
        self.memory: list[torch.Tensor] = []  # the GPU's, which PyTorch keeps

    def Stream(self, device: torch.device) -> Any:  # noqa: N802
        assert device == GPU
        self.streams.append(Stream())
        return self.streams[-1]

    def current_device(self) -> int:
        return 0

    def current_stream(self, device: torch.device) -> Any:
        assert device == GPU
        return self.current

    @contextlib.contextmanager
    def stream(self, stream: Any) -> Iterator[None]:
        before, self.current = self.current, stream
        try:
            yield
        finally:
            self.current = before

    def copy(self, to: torch.Tensor, source: torch.Tensor) -> None:
        """Copies later; as on a GPU, this does not keep memory of the processor."""
        arguments = (to.data_ptr(), source.data_ptr(), source.nbytes)
        self.current.work.append(functools.partial(ctypes.memmove, *arguments))


class Torch:
    """The functions of torch that parallel_pool.integrations.torch calls."""

    Tensor = torch.Tensor
    device = staticmethod(torch.device)

    def __init__(self) -> None:
        self.cuda = HostTensor.cuda = Cuda()

    def from_dlpack(self, array: Any) -> torch.Tensor:
        return torch.from_dlpack(array).as_subclass(HostTensor)

    def empty(self, shape: Any, dtype: torch.dtype, pin_memory: bool) -> torch.Tensor:
        assert pin_memory
        return torch.zeros(shape, dtype=dtype).as_subclass(HostTensor)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Torch:
    made = Torch()
    monkeypatch.setattr(integration, "_torch", lambda: made)
    return made


def make(**options: Any) -> Any:
    return parallel_pool.make("CartPole-v1", **({"num_envs": 4, "max_episode_steps": 9} | options))


class Reader:
    """A policy on the GPU: it keeps what it reads, when its stream comes to it."""

    def __init__(self, stand_in: Torch) -> None:
        self.stream = stand_in.cuda.user
        self.read: list[Any] = []

    def __call__(self, tensor: torch.Tensor) -> torch.Tensor:
        """Pushes each cart to the side to which its pole falls."""
        action = torch.full(tensor.shape[:1], -1).as_subclass(GpuTensor)

        def work() -> None:
            numbers = tensor.numpy().copy()
            self.read.append(numbers)
            action.numpy()[:] = numbers[:, 2] > 0

        self.stream.work.append(work)
        return action


def observed(pool: Any, steps: int) -> list[Any]:
    """The observations of a loop on the processor."""
    obs, _ = pool.reset()
    shown = [obs]
    for _ in range(steps):
        shown.append(pool.step((shown[-1][:, 2] > 0).astype(np.int64))[0])
    return shown


def test_a_loop_equals_that_of_the_processor(stand_in: Torch) -> None:
    policy = Reader(stand_in)
    with TensorPool(make(), "cuda") as env:
        assert env.device == GPU
        obs, _ = env.reset()
        for _ in range(30):
            obs, *_ = env.step(policy(obs))
        policy(obs)
        stand_in.cuda.user.run()
    np.testing.assert_array_equal(policy.read, observed(make(), 30))


def test_async_ids_travel_with_actions(stand_in: Torch) -> None:
    with TensorPool(make(batch_size=2), "cuda:0") as env:
        policy = Reader(stand_in)
        env.async_reset()
        for _ in range(40):
            obs, *_, info = env.recv()
            env.send(policy(obs), info["env_id"])
    # The first send() that is not done on the GPU would have sent -1, which is refused.
    assert len(policy.read) == 40


def test_memory_is_kept_until_it_is_copied(stand_in: Torch) -> None:
    """No call waits for the GPU while the envs step: the pool shall use other memory."""
    shown = []
    with TensorPool(make(), "cuda") as env:
        obs, _ = env.reset()
        for _ in range(3):
            shown.append(obs)
            obs, *_ = env.step(np.zeros(4, int))
        shown.append(obs)
        assert all(not obs.any() for obs in shown)  # nothing has run yet
        stand_in.cuda.user.run()
    twin = make()
    expected = [twin.reset()[0], *(twin.step(np.zeros(4, int))[0] for _ in range(3))]
    np.testing.assert_array_equal([obs.numpy() for obs in shown], expected)


def test_few_batches_are_under_way(stand_in: Torch) -> None:
    """A GPU that is behind makes the program wait, so the pool's memory has a bound."""
    with TensorPool(make(), "cuda") as env:
        shown = [env.reset()[0]]
        for _ in range(20):
            shown.append(env.step(np.zeros(4, int))[0])
            done = [bool(obs.any()) for obs in shown]
            assert done == [True] * (len(done) - 4) + [False] * min(4, len(done))


def test_memory_of_the_gpu_is_known_to_be_read(stand_in: Torch) -> None:
    """Else PyTorch gives a tensor's memory to the next copy while the user's stream reads it."""
    with TensorPool(make(), "cuda") as env:
        _, info = env.reset()
        obs, reward, terminated, _, info = env.step(np.zeros(4, int))
        for tensor in (obs, reward, terminated, info["env_id"], info["players"]["env_id"]):
            assert tensor.readers == [stand_in.cuda.user]


@pytest.mark.parametrize("end", ["close", "del"])
def test_the_end_waits_for_copies(stand_in: Torch, end: str) -> None:
    env = TensorPool(make(), "cuda")
    obs, _ = env.reset()
    (copies,) = stand_in.cuda.streams
    assert copies.work
    if end == "close":
        env.close()
    else:
        del env
        gc.collect()
    assert not copies.work
    np.testing.assert_array_equal(obs.numpy(), make().reset()[0])


def test_a_gpu_without_memory_leaves_nothing_unheld(
    stand_in: Torch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copies before the failure are under way: the pool must not use their memory yet."""
    to = HostTensor.to
    made: list[Any] = []

    def fail_later(self: Any, *args: Any, **kwargs: Any) -> Any:
        if made:
            raise torch.OutOfMemoryError
        made.append(to(self, *args, **kwargs))
        return made[-1]

    env = TensorPool(make(), "cuda")
    monkeypatch.setattr(HostTensor, "to", fail_later)
    with pytest.raises(torch.OutOfMemoryError):
        env.reset()
    env.pool.reset(seed=5)
    env.close()
    np.testing.assert_array_equal(made[0].numpy(), make().reset()[0])


def test_envs_step_without_waiting_for_the_gpu(stand_in: Torch) -> None:
    """Only an action of the GPU makes the thread wait."""
    env = TensorPool(make(), "cuda")
    action = Reader(stand_in)(env.reset()[0])
    env.pool.async_reset()
    assert action.tolist() == [-1] * 4
    env.recv()
    env.send(action)
    assert action.min() >= 0
    env.close()
