"""Pools whose results are tensors of PyTorch, on the processor or on a GPU.

    pool = parallel_pool.make("Pong-v5", num_envs=64, pin_memory=True)
    env = TensorPool(pool, "cuda")
    obs, info = env.reset()
    obs, reward, terminated, truncated, info = env.step(policy(obs))

Copies to and from the GPU go on a stream of their own:

    envs          | step 1 |          | step 2 |
    copy stream             | batch 1 | actions      | batch 2 |
    your stream                 waits | policy           waits | policy

The module can be imported without torch, which is needed by its calls only.
"""

import collections
import contextlib
import importlib
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from parallel_pool import Pipeline
from parallel_pool.python.arrays.trees import map_leaves
from parallel_pool.python.errors import EnvError
from parallel_pool.python.pools.pool import BasePool

if TYPE_CHECKING:
    from typing_extensions import Self

# The dtypes that PyTorch computes with. It has others, such as uint32, but few functions for them.
_NAMES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")
_DTYPES = {np.dtype(name) for name in _NAMES}
# Batches that are on their way to the GPU: a program that never waits for it waits here.
_MOST_COPIES = 4

# An event behind copies, and the arrays that they read.
_Copies = collections.deque[tuple[Any, list[Any]]]


def to_tensors(tree: Any) -> Any:
    """A batch, or any part of it, as tensors over the same memory, by DLPack.

    Args:
        tree: an array, or nested dicts, tuples and namedtuples of arrays, such as what step(),
            recv() and reset() return.

    Returns:
        The same tree. Each array is a tensor of its shape and dtype on the processor, which keeps
        the array's memory. Nothing is copied, but arrays that are read-only or have gaps. Arrays
        that PyTorch does not compute with stay as they are: arrays of str, objects, uint16, uint32
        and uint64 in infos of envs in Python, and texts.

    Raises:
        ImportError: PyTorch is not installed.
    """
    torch = _torch()
    return map_leaves(lambda leaf: _tensor(torch, leaf), tree)


class TensorPool:
    """A pool with tensors in place of arrays: reset, step, send, recv and async_reset.

    All other attributes are the pool's: num_envs, action_space, config, save(), ...

    On a GPU, a batch is copied by a stream of this object. The stream that is current in the thread
    that receives waits for it, the thread does not: so tensors can be used at once, and the envs
    step while the batch travels. The pool fills a batch's memory again only when the copy is done.
    The pool shall be made with pin_memory=True. Without, results are the same, but the thread waits
    for each copy.

    On a processor, tensors share the arrays' memory; nothing is copied.

    With `pipeline`, reset() and step() are those of a parallel_pool.Pipeline: the envs of one part
    are stepped while the policy computes for another. Each returns the rows of one part.

    Attributes:
        pool: the pool.
        pipeline: the parallel_pool.Pipeline, or None.
        device: the torch.device of results.
    """

    def __repr__(self) -> str:
        """The pool and the device."""
        return f"TensorPool({self.pool!r}, {str(self.device)!r})"

    def __init__(self, pool: BasePool, device: Any = "cuda", *, pipeline: int = 1) -> None:
        """Takes a pool of any API.

        Args:
            pool: sync or async. Do not call it while this object is used.
            device: a torch.device or its name: "cuda", "cuda:1" or "cpu".
            pipeline: the number of parts of the envs that are stepped by turns; 1: no parts.

        Raises:
            ImportError: PyTorch is not installed.
            TypeError: `pool` is not a pool.
            ValueError: a device that is neither a GPU of CUDA nor the processor, or a pool that
                cannot be stepped in so many parts.
        """
        torch = self._torch = _torch()
        if not isinstance(pool, BasePool):
            raise TypeError(
                f"TensorPool takes a pool of parallel_pool.make(), not {type(pool).__name__}"
            )
        self.pool: Any = pool
        self.device: Any = torch.device(device)
        if self.device.type not in ("cpu", "cuda"):
            raise ValueError(f"device is {str(device)!r}; it must be 'cpu' or 'cuda'")
        self.pipeline: Any = None if pipeline == 1 else Pipeline(pool, pipeline)
        self._is_gpu = self.device.type == "cuda"
        if self._is_gpu:
            if self.device.index is None:
                self.device = torch.device("cuda", torch.cuda.current_device())
            self._stream = torch.cuda.Stream(self.device)
        self._copies: _Copies = collections.deque()
        self._finish = weakref.finalize(self, _finish, self._copies)

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        """Begins new episodes.

        Args:
            *args: those of the pool's reset(), or of the pipeline's.
            **kwargs: those of the pool's reset(), such as seed and options.

        Returns:
            The pool's result, as tensors on `device`.
        """
        with self._errors_with_tensors():
            return self._received((self.pipeline or self.pool).reset(*args, **kwargs))

    def async_reset(self) -> None:
        """Sends every env a reset; recv() returns the first observations."""
        self._check_no_pipeline("async_reset()")
        self.pool.async_reset()

    def send(self, action: Any, env_id: Any = None) -> None:
        """Sends each env its action.

        Args:
            action: as of the pool's send(); tensors may be on any device. Those of a GPU are copied
                after the work that is in its current stream, and the call waits for that.
            env_id: integers, shape (rows,), or None for all envs; a tensor, such as
                info["env_id"], may be on any device, too.

        Raises:
            ValueError, TypeError: as of the pool's send(). Nothing was sent.
        """
        self._check_no_pipeline("send()")
        self.pool.send(*self._on_host(action, env_id))

    def recv(self, timeout: float | None = None, *, partial: bool = False) -> Any:
        """Waits for the next batch.

        Args:
            timeout: the longest wait in seconds; None: no limit.
            partial: as of the pool's recv().

        Returns:
            The pool's result, as tensors on `device`. Arrays that to_tensors() leaves as they are
            stay in the processor's memory.

        Raises:
            RuntimeError, TimeoutError: as of the pool's recv().
            EnvError: an env threw; `error.result` has the batch as tensors.
        """
        self._check_no_pipeline("recv()")
        with self._errors_with_tensors():
            return self._received(self.pool.recv(timeout, partial=partial))

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Sends an action and receives the next batch; a pipeline: the rows of its next part."""
        if env_id is not None:
            self._check_no_pipeline("step() of chosen envs")
        action, env_id = self._on_host(action, env_id)
        with self._errors_with_tensors():
            if self.pipeline is not None:
                return self._received(self.pipeline.step(action))
            return self._received(self.pool.step(action, env_id))

    def _check_no_pipeline(self, what: str) -> None:
        if self.pipeline is not None:
            raise RuntimeError(f"{what} has no meaning with a pipeline: call step(action)")

    def close(self) -> None:
        """Waits for the copies and closes the pool. Tensors stay valid."""
        _finish(self._copies)
        self.pool.close()

    def __enter__(self) -> "Self":
        """Returns itself; the end of a `with` block closes the pool."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Closes the pool."""
        self.close()

    def __len__(self) -> int:
        """The number of envs."""
        return len(self.pool)

    def __getattr__(self, name: str) -> Any:
        """The pool's attributes."""
        if name == "pool":  # the constructor has failed
            raise AttributeError(name)
        return getattr(self.pool, name)

    @contextlib.contextmanager
    def _errors_with_tensors(self) -> Iterator[None]:
        try:
            yield
        except EnvError as error:
            error.result = self._received(error.result)
            raise

    def _received(self, batch: Any) -> Any:
        """The batch as tensors on the device."""
        tensors = to_tensors(batch)
        if not self._is_gpu:
            return tensors
        while self._copies and (len(self._copies) >= _MOST_COPIES or self._copies[0][0].query()):
            _finish(self._copies, most=1)
        cuda, sources = self._torch.cuda, []
        user, done = cuda.current_stream(self.device), cuda.Event()

        def copy(leaf: Any) -> Any:
            if not isinstance(leaf, self._torch.Tensor):
                return leaf
            sources.append(leaf)
            target = leaf.to(self.device, non_blocking=True)
            target.record_stream(user)  # its memory is this stream's, and the user's reads it
            return target

        with cuda.stream(self._stream):
            try:
                copied = map_leaves(copy, tensors)
            finally:  # also if the GPU has no memory for all of them
                done.record(self._stream)
                self._copies.append((done, sources))
        user.wait_event(done)
        return copied

    def _on_host(self, action: Any, env_id: Any) -> tuple[Any, Any]:
        """An action and its envs, with arrays in place of tensors."""
        cuda = self._torch.cuda
        copies: list[Any] = []

        def fetch(leaf: Any) -> Any:
            if not isinstance(leaf, self._torch.Tensor):
                return leaf
            leaf = leaf.detach()
            if leaf.device != self.device or not self._is_gpu:
                return leaf.cpu().numpy()
            if not copies:
                self._stream.wait_stream(cuda.current_stream(self.device))
            copies.append(self._torch.empty(leaf.shape, dtype=leaf.dtype, pin_memory=True))
            with cuda.stream(self._stream):
                copies[-1].copy_(leaf, non_blocking=True)
            return copies[-1].numpy()

        given = map_leaves(fetch, (action, env_id))
        if copies:
            done = cuda.Event()
            done.record(self._stream)
            done.synchronize()
        return given[0], given[1]


def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise ImportError(
            "parallel_pool.integrations.torch needs PyTorch: pip install torch"
        ) from error


def _tensor(torch: Any, leaf: Any) -> Any:
    if not isinstance(leaf, np.ndarray) or leaf.dtype not in _DTYPES:
        return leaf
    return torch.from_dlpack(leaf if leaf.flags.carray else leaf.copy())


def _finish(copies: _Copies, most: int | None = None) -> None:
    """Waits for the oldest copies, at most `most` of them, and gives their arrays up."""
    for _ in range(len(copies) if most is None else min(most, len(copies))):
        event, _arrays = copies.popleft()
        event.synchronize()
