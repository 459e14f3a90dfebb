"""Rollouts of tasks with players have a row for each of them."""

from typing import Any

import numpy as np
import pytest

import parallel_pool

ENVS, STEPS = 5, 60


@pytest.mark.parametrize("task_id", ["SimpleSpread-v3", "SimpleSpeakerListener-v4"])
def test_players_have_rows_of_their_own(task_id: str) -> None:
    def make() -> Any:
        limits = {"max_episode_steps": [7, 11, 13, 17, 25]}  # else all envs end together
        return parallel_pool.make(
            task_id, num_envs=ENVS, seed=4, record_episode_statistics=True, per_env=limits
        )

    with make() as pool, make() as twin:
        rollout = parallel_pool.Rollout(pool, STEPS)
        players = pool.spec.setup.most_players
        rows = ENVS * players
        theirs, info = twin.reset()
        ended_returns: list[float] = []
        rewards: list[Any] = []
        ends: list[Any] = []
        values: list[Any] = []
        for obs in rollout:
            np.testing.assert_array_equal(obs, theirs)
            action = twin.sample_actions(info)
            value = np.random.default_rng(len(values)).normal(size=rows).astype(np.float32)
            rollout.act(action, value=value)
            theirs, reward, terminated, truncated, info = twin.step(action)
            rewards.append(reward)
            values.append(value)
            ends.append(np.repeat(terminated | truncated, players))
            if "episode" in info:
                ended_returns += info["episode"]["r"][np.repeat(info["_episode"], players)].tolist()
        assert rollout.episode_returns == ended_returns
        assert rollout.reward.shape == (STEPS, rows)
        assert rollout.terminated.shape == (STEPS, ENVS)
        rollout.finish(np.zeros(rows))
        counts = ~np.stack([np.zeros(rows, bool), *ends[:-1]])
        expected, _ = parallel_pool.returns.gae(
            np.stack(rewards),
            np.stack(values),
            np.zeros((STEPS, rows), bool),
            np.stack(ends),
            np.zeros(rows),
            is_transition=counts,
        )
        batch = rollout.batch()
        np.testing.assert_array_equal(batch["advantage"], expected[counts])
        np.testing.assert_array_equal(batch["reward"], np.stack(rewards)[counts])
        np.testing.assert_array_equal(batch["truncated"], np.stack(ends)[counts])
        assert len(batch["obs"]) == len(batch["action"]) == counts.sum()
