"""A replay buffer for torchrl: its collectors, losses and transforms use it as it is.

buffer = ReplayBuffer(storage=ReplayStorage(1_000_000, num_envs=64), batch_size=256)
"""

import pathlib
from typing import Any

import numpy as np

from parallel_pool.learner.replay.file import packed, unpack
from parallel_pool.learner.replay.samples import ReplaySamples

try:
    import torch
    from tensordict import TensorDict
    from torchrl.data import Storage, TensorDictReplayBuffer, Writer
    from torchrl.data.replay_buffers.samplers import Sampler
except ImportError as _error:
    raise ImportError(
        "parallel_pool.integrations.torchrl_replay needs torchrl 0.14 or later: pip install "
        f"torchrl ({_error})"
    ) from _error

_NAME = "replay storage"
_ENDS = ("done", "terminated", "truncated")
_FILE = "rows.zip"


class ReplayStorage(Storage):  # type: ignore[misc]
    """A parallel_pool.ReplayBuffer in the form of a storage of torchrl's.

    An observation is kept once, and of stacked frames the newest. All that a step has is kept, and
    a sample has it by the same keys. No other transition ever gets the same "index".

    ReplayBuffer brings the sampler and the writer that such a storage needs.
    """

    def __init__(
        self,
        max_size: int,
        num_envs: int = 1,
        *,
        stack_num: int = 1,
        n_step: int = 1,
        gamma: float = 0.99,
        alpha: float = 0.0,
        beta: float = 0.4,
        seed: int | None = 0,
        folder: Any = None,
        autoreset_mode: str = "disabled",
    ) -> None:
        """Rows are allocated when the first ones come.

        Args:
            max_size: rows of all envs: an episode takes one more than it has steps.
            num_envs: number of envs whose steps come.
            stack_num: frames in an observation, along its first axis, oldest first.
            n_step: most steps whose rewards a sample adds up; it has "steps_to_next_obs" then.
            gamma: their discount: give it as to the loss.
            alpha: how much priorities count in draws; 0: not.
            beta: how far "priority_weight" corrects for them, from 0 to 1.
            seed: of the draws; None: of the system.
            folder: where rows are files; None: they are in memory.
            autoreset_mode: that of the envs. "next_step", as of MultiThreadedEnv: the step after an
                end only resets, and is left out; its index is -1. "disabled" and "same_step": each
                step is a transition.

        Raises:
            TypeError: `max_size` is no integer.
            ValueError: a number out of its range, or an unknown mode.
        """
        if autoreset_mode not in ("disabled", "same_step", "next_step"):
            raise ValueError(
                f"{_NAME}: autoreset_mode is {autoreset_mode!r}; it must be 'disabled', "
                "'same_step' or 'next_step'"
            )
        self._has_reset_steps = autoreset_mode == "next_step"
        self._arguments = {
            "task_id": _NAME,
            "lines": num_envs,
            "capacity": max_size,
            "stack_num": stack_num,
            "checks_frames": stack_num > 1,
            "n_step": n_step,
            "gamma": gamma,
            "alpha": alpha,
            "seed": seed,
            "folder": folder,
        }
        self._beta = beta
        self._empty()
        super().__init__(self._rows.capacity)

    def _empty(self) -> None:
        """Forgets all transitions."""
        self._rows = ReplaySamples(
            hindsight=None,
            torch=True,
            device=None,
            reward_dtype=np.float32,
            num_threads=2,
            **self._arguments,
        )
        self._has_ended = np.zeros(self._rows.lines, bool)  # envs whose next step only resets

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return self._rows.nbytes

    @property
    def device(self) -> Any:
        """Samples are on the CPU."""
        return torch.device("cpu")

    def __len__(self) -> int:
        """The number of transitions."""
        return len(self._rows)

    def __iter__(self) -> Any:
        """All transitions, one env after another."""
        return iter(self.get(slice(None)))

    def extend(self, data: Any) -> Any:
        """Keeps the steps of a TensorDict; returns their index, shape (steps,).

        Args:
            data: of batch size (num_envs,), (num_envs, steps of an env), or these as one axis.
        """
        envs = self._rows.lines
        if data.numel() % envs or not data.numel():
            raise ValueError(f"{_NAME}: {data.numel()} steps; it must be a multiple of {envs} envs")
        if ("collector", "mask") in data.keys(True):
            raise ValueError(f"{_NAME}: data has a mask: collect with split_trajs=False")
        flat = data.reshape(envs, -1).detach().cpu()
        following = flat["next"].exclude("reward", *_ENDS)
        now = flat.exclude("next", "index", *_ENDS)
        obs = now.select(*following.keys(True, True))
        rest = now.exclude(*following.keys(True, True))
        ends = flat["next"].select("reward", "terminated", "truncated").numpy()
        index = np.full(flat.shape, -1)
        for t in range(flat.shape[1]):
            reward, terminated, truncated = (
                ends[key][:, t].reshape(envs) for key in ("reward", "terminated", "truncated")
            )
            kept = np.flatnonzero(~self._has_ended)
            if self._has_reset_steps:
                self._has_ended = (terminated | truncated) & ~self._has_ended
            parts = [_tree(part[kept, t]) for part in (obs, rest, following)]
            flags = terminated[kept], truncated[kept]
            self._rows.add(parts[0], parts[1], reward[kept], parts[2], *flags, kept)
            index[kept, t] = self._rows._rows.newest(kept) - envs
        self._bump_mutation_revision()
        return torch.from_numpy(index.reshape(-1))

    def draw(self, batch_size: int) -> tuple[Any, dict[str, Any]]:
        """An index of transitions, and with priorities their "priority_weight"."""
        with self._rows._lock:
            ids, weight = self._rows._draws.draw(batch_size, True, self._beta)
        found = {} if weight is None else {"priority_weight": torch.from_numpy(weight)}
        return torch.from_numpy(ids), found

    def update_priority(self, index: Any, priority: Any) -> None:
        """Sets priorities to (abs(priority) + 1e-6) ** alpha, shape (rows,)."""
        kept = index.reshape(-1) >= 0
        errors = priority.detach().reshape(-1)[kept]
        self._rows.update_priorities(index.reshape(-1)[kept], errors)

    def get(self, index: Any) -> Any:
        """The transitions of an index, as a TensorDict of its shape; of a slice, in time's order.

        Rewards and flags have shape (*shape, 1), as losses want them.
        """
        index = torch.as_tensor(self._rows.index()[index] if isinstance(index, slice) else index)
        batch = self._rows.transitions(index.reshape(-1))
        ends = {key: batch[key][:, None] for key in ("terminated", "truncated")}
        ends["done"] = ends["terminated"] | ends["truncated"]
        found = batch["action"] | batch["obs"]
        found |= {key: torch.zeros_like(value) for key, value in ends.items()}
        found["next"] = batch["next_obs"] | ends | {"reward": batch["reward"][:, None]}
        if self._arguments["n_step"] > 1:
            found["steps_to_next_obs"] = self._steps(batch["index"].numpy())
        return TensorDict(found, [index.numel()]).reshape(index.shape)

    def _steps(self, ids: Any) -> Any:
        """The steps whose rewards are added up, shape (rows,)."""
        n_step, gamma = self._arguments["n_step"], self._arguments["gamma"]
        *_, after = self._rows._rows.n_steps(ids, n_step, gamma)
        return torch.from_numpy((after - ids) // self._rows.lines)

    def set(self, cursor: Any, data: Any, *, set_cursor: bool = True) -> None:
        """Not offered: rows come by extend()."""
        raise NotImplementedError(f"{type(self).__name__} takes rows by extend() only")

    def state_dict(self) -> dict[str, Any]:
        """All rows, and the state of the draws."""
        return {"rows": torch.frombuffer(bytearray(packed(self._rows)), dtype=torch.uint8)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads what state_dict() has given.

        Raises:
            ValueError: it is of a storage with other arguments.
        """
        self._load(state_dict["rows"].numpy().tobytes())

    def dumps(self, path: Any) -> None:
        """Writes the rows to a folder."""
        folder = pathlib.Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_bytes(packed(self._rows))

    def loads(self, path: Any) -> None:
        """Reads what dumps() has written."""
        self._load((pathlib.Path(path) / _FILE).read_bytes())

    def _load(self, saved: bytes) -> None:
        """Loads rows; the envs' next steps begin episodes."""
        unpack(self._rows, saved)
        self._has_ended[:] = False
        self._bump_mutation_revision()


class _Stateless:
    """The part of a sampler or writer that has no state: the storage has it."""

    def _empty(self, empty_write_count: bool = True) -> None:
        """Nothing is left."""

    def state_dict(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Nothing."""

    def dumps(self, path: Any) -> None:
        """Nothing."""

    def loads(self, path: Any) -> None:
        """Nothing."""


class _Sampler(_Stateless, Sampler):  # type: ignore[misc]
    """Draws of the storage."""

    reduction = "max"  # of errors of a transition that has several

    def sample(self, storage: Any, batch_size: int) -> tuple[Any, dict[str, Any]]:
        """An index of shape (batch_size,), and what is known of it."""
        return storage.draw(batch_size)  # type: ignore[no-any-return]

    def update_priority(self, index: Any, priority: Any, *, storage: Any = None) -> None:
        """Sets priorities, shape (rows,)."""
        storage.update_priority(index, priority)


class _Writer(_Stateless, Writer):  # type: ignore[misc]
    """Keeps steps in the storage."""

    def __init__(self) -> None:
        super().__init__()
        self._write_count = 0

    def add(self, data: Any) -> Any:
        """Keeps a step of one env."""
        return self.extend(data[None])[0]

    def extend(self, data: Any) -> Any:
        """Keeps steps; returns their index."""
        index = self._storage.extend(data)
        self._write_count += len(index)
        return index


class ReplayBuffer(TensorDictReplayBuffer):  # type: ignore[misc]
    """torchrl's TensorDictReplayBuffer over a ReplayStorage.

    update_tensordict_priority() works if the storage has `alpha`.
    """

    def __init__(self, *, storage: ReplayStorage, **kwargs: Any) -> None:
        """See TensorDictReplayBuffer.

        Args:
            storage: of which it takes draws.
            **kwargs: `batch_size`, `transform`, `prefetch`, `priority_key` and others.
        """
        super().__init__(
            storage=storage, sampler=_Sampler(), writer=_Writer(), collate_fn=_same, **kwargs
        )

    def _set_index_in_td(self, tensordict: Any, index: Any) -> None:
        tensordict.set("index", index.reshape(tensordict.shape))

    def update_tensordict_priority(self, data: Any) -> None:
        """Sets the priorities of a sample to its `priority_key`, such as "td_error"."""
        if self._storage._arguments["alpha"]:
            self.update_priority(data["index"], self._get_priority_vector(data))


def _tree(data: Any) -> Any:
    """A TensorDict as nested dicts of arrays."""
    for key in data.keys(True, True):
        for part in key if isinstance(key, tuple) else (key,):
            if "." in part:
                raise ValueError(f"{_NAME}: key {part!r} must have no dot")
    return data.to_dict()


def _same(data: Any) -> Any:
    return data
