"""Random calls, good and bad, of a pool of Python envs, against the model of all pools.

PARALLEL_POOL_FUZZ=500 runs 500 random sequences instead of a few fixed ones:
tools/bazel.sh test --test_env=PARALLEL_POOL_FUZZ=500 --test_timeout=3600 \
    //parallel_pool/python_envs:fuzz_test
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis.stateful import rule

import parallel_pool
from parallel_pool.testing import pool_model
from parallel_pool.testing.fuzz_inputs import BAD_RESETS
from parallel_pool.testing.pool_calls import IDS, Calls, use_profile
from parallel_pool.testing.pool_model import (
    END,
    END_IN_OBSERVE,
    END_IN_RESET,
    THROW,
    THROW_IN_OBSERVE,
    Model,
    Options,
    Row,
)

use_profile(25)


class Trouble(gymnasium.Env[Any, Any]):
    """The env of core/testing/family.cc, with one life."""

    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = spaces.Discrete(7)
    spec = gymnasium.envs.registration.EnvSpec("Trouble-v0", entry_point=None)
    stuck = False  # the next reset raises

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        if self.stuck:
            self.stuck = False
            raise ValueError("stuck")
        self.steps, self.draw = 0, self.np_random.random()
        return self._obs(), {"lives": 1}

    def _obs(self) -> Any:
        return np.array([self.steps, self.draw])

    def step(self, action: Any) -> Any:
        self.steps += 1
        if action == THROW:
            raise ValueError("thrown")
        ended = action in (END, END_IN_OBSERVE, END_IN_RESET)
        self.stuck = bool(action == END_IN_RESET)
        obs = np.zeros(3) if action in (THROW_IN_OBSERVE, END_IN_OBSERVE) else self._obs()
        return obs, 1.0, ended, False, {"lives": 0 if ended else 1}


@dataclass
class ModelEnv(pool_model.Env):
    """A worker shows the last observation again; it does not ask the env for another one."""

    seen: tuple[Any, int] = ((0, 0), 0)
    has_steps: bool = False  # whether a reset has set the env's `steps`

    def begin(self, turn: str) -> bool:
        begun = super().begin(turn)
        self.has_steps |= begun
        return begun

    def show(self, **flags: Any) -> Row:
        if not self.broken:
            self.seen = (self.steps, self.draw), self.lives
        return super().show(**flags)

    def look(self) -> Row:
        if not self.begun or self.broken:
            return super().look()
        return Row(self.env, *self.seen, self.elapsed_step)


class CallsOfPython(Calls):
    """Pools of make_python()."""

    # The envs get all options.
    bad_resets: ClassVar[list[dict[str, Any]]] = [
        bad for bad in BAD_RESETS if "no_such" not in bad.get("options", ())
    ]

    def open(self, options: Options) -> tuple[Model, Any]:
        """A model and its pool."""
        options = Options(**vars(options) | {"lives": 1})
        same: Any = {
            name: getattr(options, name)
            for name in ("batch_size", "autoreset_mode", "max_episode_steps", "seed", "num_envs")
        }
        workers = min(options.num_threads, options.num_envs)
        pool = parallel_pool.make_python(Trouble, num_workers=workers, **same)
        return Model(options, ModelEnv), pool

    @rule(ids=IDS)
    def get_attr(self, ids: list[int]) -> None:
        """Asks envs for their steps. Those in flight answer after their step."""
        ids = self.some(ids)
        envs: list[Any] = [self.model.envs[i] for i in ids]
        if all(env.has_steps for env in envs):
            assert self.pool.get_attr("steps", ids) == tuple(env.steps for env in envs)
        else:
            with pytest.raises(AttributeError, match="no attribute 'steps'"):
                self.pool.get_attr("steps", ids)


TestCalls = CallsOfPython.TestCase
