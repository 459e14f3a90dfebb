"""Each task equals MetaWorld's on the same MuJoCo, step for step, goals included."""

import os
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.mujoco.metaworld import reference
from parallel_pool.envs.mujoco.names import MT50
from parallel_pool.testing.form import by_form
from parallel_pool.testing.gymnasium_parity import in_a_precision
from parallel_pool.testing.same import Same
from parallel_pool.testing.side_by_side import compare

SEEDS = by_form((42,), (0, 42, 1234567))
# The noise of each env's actions. The reference takes 1 s to make an env.
NOISE = by_form((0, 0.2), (0, 0.2, 1.0))
NUM_ENVS = len(NOISE)
EPISODES = by_form(2, 3)
LIMIT = by_form(120, 500)  # steps of an episode
INFOS = (
    "success",
    "near_object",
    "grasp_success",
    "grasp_reward",
    "in_place_reward",
    "obj_to_target",
    "unscaled_reward",
)

# With another MuJoCo (parity_mujoco4_test), the short form plays every sixth task.
EVERY = by_form(6 if "PARALLEL_POOL_MUJOCO" in os.environ else 1, 1)
TASKS = [f"{name}-v3" for name in MT50][::EVERY]


class Player:
    """The authors' policy, with some noise: it grasps and reaches what random actions do not."""

    def __init__(self, name: str, seed: int) -> None:
        """For a task of the reference."""
        self._expert = reference.expert(name)
        self._random = np.random.default_rng(seed)
        self._precisions = np.random.default_rng(seed)

    def __call__(self, obs: Any, env: int) -> Any:
        """The action of an env: the more noise, the higher its number."""
        noise = self._random.normal(size=4) * NOISE[env]
        return in_a_precision(self._precisions, self._expert.get_action(obs) + noise)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("task", TASKS)
def test_equals_the_reference(task: str, seed: int) -> None:
    theirs: list[Any] = [reference.make(task, seed + i) for i in range(NUM_ENVS)]
    player, same, successes = Player(task, seed), Same(task, seed), 0
    with parallel_pool.make(
        task,
        num_envs=NUM_ENVS,
        seed=seed,
        max_episode_steps=LIMIT,
        reward_dtype="float64",
    ) as ours:
        for _ in range(EPISODES):
            result: Any = ours.reset()
            compare(same, result, [(env.reset()[0], {}) for env in theirs])
            # The reference's own observation_space is of an env without a goal.
            space, bounds = (
                ours.spec.observation_space,
                theirs[0].unwrapped.sawyer_observation_space,
            )
            same.rows("low", [space.low], [bounds.low])
            same.rows("high", [space.high], [bounds.high])
            for _ in range(LIMIT):
                same.step += 1
                actions = np.stack([player(row, i) for i, row in enumerate(result[0])])
                result = ours.step(actions)
                wanted = []
                for env, action in zip(theirs, actions, strict=True):
                    obs, reward, terminated, truncated, info = env.step(action)
                    infos = {key: float(info[key]) for key in INFOS}
                    is_late = truncated or same.step % LIMIT == 0
                    wanted.append((obs, float(reward), terminated, is_late, infos))
                compare(same, result, wanted)
                successes += int(result[4]["success"].sum())
    assert successes > 0
