"""Replay buffers for Stable-Baselines3: DQN, SAC, TD3 and others use them as they are.

SAC("MlpPolicy", VecEnv("HalfCheetah-v5", num_envs=64), replay_buffer_class=ReplayBuffer)
"""

from typing import Any

import numpy as np

from parallel_pool.learner.replay.batch import ReplayBatch
from parallel_pool.learner.replay.file import packed, unpack
from parallel_pool.learner.replay.hindsight import Hindsight
from parallel_pool.learner.replay.samples import ReplaySamples

try:
    from stable_baselines3.common import buffers
    from stable_baselines3.common.type_aliases import DictReplayBufferSamples, ReplayBufferSamples
    from stable_baselines3.her import HerReplayBuffer as _HerReplayBuffer
except ImportError as _error:
    raise ImportError(
        "parallel_pool.integrations.sb3_replay needs Stable-Baselines3: pip install "
        "stable-baselines3"
    ) from _error

_NAME = "replay buffer"


class ReplayBuffer(buffers.ReplayBuffer):  # type: ignore[misc]
    """A parallel_pool.ReplayBuffer in the form of SB3's, for VecEnvs of any kind.

    An observation is kept once, and of stacked frames the newest (`stack_num`). Dicts of
    observations are taken, too. `n_steps` and `gamma` are those of parallel_pool.ReplayBuffer.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: Any,
        action_space: Any,
        device: Any = "auto",
        n_envs: int = 1,
        optimize_memory_usage: bool = False,
        handle_timeout_termination: bool = True,
        *,
        n_steps: int = 1,
        gamma: float = 0.99,
        stack_num: int = 1,
        seed: int | None = None,
        folder: Any = None,
    ) -> None:
        """The first arguments are SB3's, the others go into `replay_buffer_kwargs`.

        Args:
            buffer_size: transitions of all envs.
            observation_space: of an env.
            action_space: of an env.
            device: where samples are copied to.
            n_envs: their number.
            optimize_memory_usage: nothing; observations are kept once in any case.
            handle_timeout_termination: whether an env that info["TimeLimit.truncated"] calls
                truncated has not ended.
            n_steps: most steps whose rewards a sample adds up.
            gamma: their discount: give it as to the algorithm.
            stack_num: frames in an observation, along its first axis.
            seed: of the draws; None: of the system.
            folder: where rows are files; None: they are in memory.
        """
        buffers.BaseBuffer.__init__(
            self, buffer_size, observation_space, action_space, device, n_envs=n_envs
        )
        self.handle_timeout_termination = handle_timeout_termination
        self.optimize_memory_usage = optimize_memory_usage
        self._arguments = {
            "capacity": max(buffer_size, n_envs * (2 * stack_num + 2)),
            "n_step": n_steps,
            "gamma": gamma,
            "stack_num": stack_num,
            "seed": seed,
            "folder": folder,
        }
        self._rows = self._make_rows()

    def _make_rows(self) -> ReplaySamples:
        return ReplaySamples(
            _NAME,
            self.n_envs,
            alpha=0,
            hindsight=self._hindsight(),
            torch=False,
            device=None,
            reward_dtype=np.float32,
            checks_frames=self._arguments["stack_num"] > 1,
            num_threads=2,
            **self._arguments,
        )

    def _hindsight(self) -> Hindsight | None:
        return None

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return self._rows.nbytes

    def size(self) -> int:
        """Transitions of an env that can be sampled, on average."""
        return len(self._rows) // int(self.n_envs)

    def reset(self) -> None:
        """Forgets all transitions."""
        self._rows = self._make_rows()

    def add(self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, infos: Any) -> None:
        """Keeps a step of all envs: arrays of shape (n_envs, ...)."""
        done = np.asarray(done, bool)
        truncated = np.zeros_like(done)
        if self.handle_timeout_termination:
            truncated |= [info.get("TimeLimit.truncated", False) for info in infos]
        action = np.reshape(action, (self.n_envs, self.action_dim))
        self._rows.add(obs, action, reward, next_obs, done & ~truncated, truncated & done)

    def sample(self, batch_size: int, env: Any = None) -> Any:
        """Draws transitions, as tensors on the device.

        Args:
            batch_size: their number.
            env: a VecNormalize whose statistics are applied; None: none.
        """
        return self._tensors(self._rows.sample(batch_size), env)

    def _tensors(self, batch: ReplayBatch, env: Any) -> Any:
        tensors = []
        for part in (batch["obs"], batch["next_obs"]):
            normalized = self._normalize_obs(part, env)
            if isinstance(normalized, dict):
                tensors.append({key: self._tensor(value) for key, value in normalized.items()})
            else:
                tensors.append(self._tensor(normalized))
        made = DictReplayBufferSamples if isinstance(tensors[0], dict) else ReplayBufferSamples
        reward = self._normalize_reward(batch["reward"][:, None], env)
        # SB3 multiplies by 1 - dones, so the discount after an end is of no account.
        discounts = None if self._arguments["n_step"] == 1 else batch["discount"][:, None]
        return made(
            tensors[0],
            self._tensor(batch["action"]),
            tensors[1],
            self._tensor(batch["terminated"][:, None].astype(np.float32)),
            self._tensor(reward),
            None if discounts is None else self._tensor(discounts),
        )

    def _tensor(self, array: Any) -> Any:
        """A tensor over the memory of a batch, which no other batch has."""
        return self.to_torch(array, copy=False)

    def __getstate__(self) -> dict[str, Any]:
        """SB3's save_replay_buffer() pickles the buffer."""
        return {**self.__dict__, "env": None, "_rows": packed(self._rows)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Makes the rows again."""
        saved = state.pop("_rows")
        self.__dict__.update(state)
        self._rows = self._make_rows()
        unpack(self._rows, saved)


class HerReplayBuffer(ReplayBuffer, _HerReplayBuffer):  # type: ignore[misc]
    """ReplayBuffer with goals in hindsight: it takes the place of SB3's HerReplayBuffer."""

    def __init__(
        self,
        buffer_size: int,
        observation_space: Any,
        action_space: Any,
        env: Any,
        *args: Any,
        n_sampled_goal: int = 4,
        goal_selection_strategy: Any = "future",
        **kwargs: Any,
    ) -> None:
        """See ReplayBuffer and SB3's HerReplayBuffer.

        Args:
            buffer_size: transitions of all envs.
            observation_space: of an env: a dict with goals.
            action_space: of an env.
            env: the VecEnv, whose compute_reward judges goals.
            *args: as of ReplayBuffer, from `device` on.
            n_sampled_goal: transitions with such a goal for each one without.
            goal_selection_strategy: "future", "final" or "episode".
            **kwargs: as of ReplayBuffer.
        """
        self.env = env
        self.n_sampled_goal = n_sampled_goal
        self.goal_selection_strategy = goal_selection_strategy
        super().__init__(buffer_size, observation_space, action_space, *args, **kwargs)

    def _hindsight(self) -> Hindsight:
        strategy = self.goal_selection_strategy
        name = strategy if isinstance(strategy, str) else strategy.name.lower()
        ratio = 1 - 1 / (self.n_sampled_goal + 1)
        return Hindsight(_NAME, name, ratio, self._compute_reward)

    def _compute_reward(self, achieved: Any, desired: Any, info: Any) -> Any:
        if self.env is None:
            raise RuntimeError("HerReplayBuffer needs its env: call set_env()")
        infos: list[dict[str, Any]] = [{} for _ in range(len(achieved))]
        (reward,) = self.env.env_method("compute_reward", achieved, desired, infos, indices=[0])
        return reward

    def truncate_last_trajectory(self) -> None:
        """Ends the episodes under way: SB3 calls it where it goes on with other envs."""
        self._rows.cut_episodes()

    def add(self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, infos: Any) -> None:
        """Keeps a step of all envs: arrays of shape (n_envs, ...)."""
        ReplayBuffer.add(self, obs, next_obs, action, reward, done, infos)

    def sample(self, batch_size: int, env: Any = None) -> Any:
        """Draws transitions, of which the first have goals that were reached."""
        return ReplayBuffer.sample(self, batch_size, env)

    def size(self) -> int:
        """Transitions of an env that can be sampled, on average."""
        return ReplayBuffer.size(self)

    def __getstate__(self) -> dict[str, Any]:
        """SB3's save_replay_buffer() pickles the buffer, without its env."""
        return ReplayBuffer.__getstate__(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Makes the rows again; set_env() gives them an env."""
        ReplayBuffer.__setstate__(self, state)
