"""Each task equals dm_control's on the same MuJoCo, step for step, by ==.

Bazel runs it twice: with NumPy as it is for this processor, and with NumPy at its baseline.
"""

import os
from collections.abc import Callable
from typing import Any

import dm_env
import mujoco
import numpy as np
import pytest
from dm_control.suite import lqr_solver

import parallel_pool
from parallel_pool.testing.dm_control_suite import ALL, TASKS, load
from parallel_pool.testing.form import by_form
from parallel_pool.testing.played import played
from parallel_pool.testing.same import Same

SEEDS = by_form((42,), (0, 2**32 - 9))
NUM_ENVS = by_form(2, 3)
# Short plays have short episodes, so that they also compare endings and resets.
EPISODE = by_form(50, 1000)
STEPS = 2 * EPISODE + by_form(40, 100)
OPTION_STEPS = 50
# With NumPy's baseline (parity_baseline_test) or another MuJoCo (parity_mujoco4_test), the short
# form plays every sixth or third task.
EVERY = by_form(
    6
    if "NPY_DISABLE_CPU_FEATURES" in os.environ
    else 3
    if "PARALLEL_POOL_MUJOCO" in os.environ
    else 1,
    1,
)
# Tasks of one domain have the same options.
WITH_OPTIONS = by_form(sorted({ALL[task_id][0]: task_id for task_id in TASKS}.values()), TASKS)

Policy = Callable[[int, Any], np.ndarray]


class Play:
    """A pool and dm_control's environments, which take the same actions."""

    def __init__(self, task_id: str, seed: int, num_envs: int, **options: Any) -> None:
        """Makes both. The options are those of control.Environment, except time limits."""
        self.task_id = task_id
        self.same = Same(f"{task_id} {options}", seed)
        self.theirs = [load(task_id, seed + i, **options) for i in range(num_envs)]
        self.ours = parallel_pool.make_dm(
            task_id,
            num_envs=num_envs,
            num_threads=2,
            seed=seed,
            reward_dtype="float64",
            **options,
        )
        self.random = np.random.default_rng(seed)
        spec = self.theirs[0].action_spec()
        # Also out of bounds; only lqr has wider ones, in which it would diverge.
        self.low, self.high = np.clip((1.25 * spec.minimum, 1.25 * spec.maximum), -2, 2)

    def compare(self, steps: int, policy: Policy | None = None) -> list[dm_env.TimeStep]:
        """Compares a reset and `steps` steps; returns dm_control's last results of episodes.

        A policy takes the number of an env and its observation. The default is random.
        """
        ends = []
        wanted = [env.reset() for env in self.theirs]
        self.same.step = 0
        self._compare(self.ours.reset(), wanted)
        for self.same.step in range(1, steps + 1):
            action = self.random.uniform(self.low, self.high, (len(self.theirs), len(self.low)))
            if policy is not None:
                action = np.array([policy(i, one.observation) for i, one in enumerate(wanted)])
            wanted = [env.step(row) for env, row in zip(self.theirs, action, strict=True)]
            self._compare(self.ours.step(action), wanted)
            ends += [one for one in wanted if one.last()]
        played(self.task_id, self.same.seed, steps, len(self.theirs))
        return ends

    def _compare(self, ours: dm_env.TimeStep, theirs: list[dm_env.TimeStep]) -> None:
        for i, wanted in enumerate(theirs):
            self.same.row("step_type", ours.step_type[i], wanted.step_type, i)
            self.same.row("reward", ours.reward[i], wanted.reward or 0, i)
            discount = 1 if wanted.discount is None else wanted.discount
            self.same.row("discount", ours.discount[i], discount, i)
            for key, value in wanted.observation.items():
                found = getattr(ours.observation, key)
                assert found.dtype == np.float64
                self.same.row(key, found[i], value, i)


def time_limit(task_id: str) -> dict[str, float]:
    """The option, if the default is not one of EPISODE steps."""
    env = load(task_id, 0)
    return {} if env._step_limit == EPISODE else {"time_limit": env.control_timestep() * EPISODE}


@pytest.mark.parametrize("task_id", TASKS[::EVERY])
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_dm_control(task_id: str, seed: int) -> None:
    assert mujoco.__version__ == parallel_pool.make_spec(task_id).config["mujoco_version"]
    ends = Play(task_id, seed, NUM_ENVS, **time_limit(task_id)).compare(STEPS)
    assert len(ends) >= 2 * NUM_ENVS, "two endings must have been compared"


@pytest.mark.parametrize("task_id", WITH_OPTIONS[::EVERY])
def test_options_equal_dm_controls(task_id: str) -> None:
    own = load(task_id, 0)
    limit = 20 * own.control_timestep()
    Play(task_id, 1, 2, n_sub_steps=3, time_limit=limit).compare(OPTION_STEPS)
    Play(task_id, 2, 2, flat_observation=True, time_limit=limit).compare(OPTION_STEPS)
    Play(task_id, 3, 2, legacy_step=False, time_limit=limit).compare(OPTION_STEPS)


@pytest.mark.parametrize(
    "task_id", [task_id for task_id in TASKS if ALL[task_id][0] in ("manipulator", "stacker")]
)
def test_partly_observable_equals_dm_controls(task_id: str) -> None:
    Play(task_id, 4, 2, fully_observable=False).compare(OPTION_STEPS)


@pytest.mark.parametrize("task_id", ["LqrLqr21-v1", "LqrLqr62-v1"])
def test_an_lqr_at_rest_terminates(task_id: str) -> None:
    play = Play(task_id, 1, 2)
    gains = [lqr_solver.solve(env)[1] for env in play.theirs]
    # Five times as strong as the optimal controls, so that it comes to rest within 8,000 steps.
    ends = play.compare(9000, lambda i, obs: 5 * gains[i].dot(np.hstack(list(obs.values()))))
    assert ends
    assert all(end.discount == 0 for end in ends)


def test_a_fetched_ball_may_be_let_go() -> None:
    distances = []

    def rest(_: int, obs: Any) -> np.ndarray:
        distances.append(np.linalg.norm(obs["ball_state"][:3] - obs["target_position"]))
        return np.zeros(38)

    # With this seed the ball comes to the target at step 139.
    Play("DogFetch-v1", 33, 1).compare(160, rest)
    assert min(distances) < 0.2


def test_all_tasks_are_there() -> None:
    assert set(TASKS) == set(ALL)
