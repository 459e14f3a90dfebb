"""Rollouts and trajectories of envs in Python: tuples, texts and infos."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import parallel_pool

LEARNERS = [parallel_pool.Rollout, parallel_pool.Trajectories]


class Forms(gymnasium.Env[Any, Any]):
    """Shows the number of steps as a text and in a tuple, and the sum of its action in an info."""

    observation_space: Any = spaces.Dict(
        {
            "word": spaces.Text(9, min_length=0, charset="ab"),
            "pair": spaces.Tuple((spaces.Discrete(9), spaces.Box(0, 9, (2,)))),
        }
    )
    action_space: Any = spaces.Tuple((spaces.Discrete(3), spaces.Dict(push=spaces.Box(-1, 1))))

    def __init__(self) -> None:
        self.steps = 0

    def _obs(self) -> Any:
        return {"word": "a" * self.steps, "pair": (self.steps, np.full(2, self.steps, np.float32))}

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Begins."""
        self.steps = 0
        return self._obs(), {}

    def step(self, action: Any) -> Any:
        """Tells the action."""
        self.steps += 1
        total = int(action[0]) + float(action[1]["push"][0])
        return self._obs(), total, self.steps == 4, False, {"deep": {"total": total}}


class OnlyText(Forms):
    """A text is all that it shows."""

    observation_space = spaces.Text(9, min_length=0, charset="ab")

    def _obs(self) -> Any:
        return "a" * self.steps


class OnlyActions(Forms):
    """Only its action is a tuple."""

    observation_space = spaces.Discrete(9)

    def _obs(self) -> Any:
        return self.steps


def make(env: Any, **options: Any) -> Any:
    return parallel_pool.make_python(env, 2, num_workers=0, **options)


@pytest.mark.parametrize("learner", LEARNERS)
def test_tuples_and_texts_of_gymnasium_are_refused(learner: Any) -> None:
    needs = "needs observations that are arrays, or dicts of arrays; this observation space has a"
    with (
        make(Forms) as pool,
        pytest.raises(
            ValueError,
            match=rf"Forms: .* {needs} Tuple: give make_python\(\) env_type='gym', where it is a "
            "dict with the keys 'item_0', 'item_1'",
        ),
    ):
        learner(pool, 4)
    with make(OnlyText) as pool, pytest.raises(ValueError, match=f"OnlyText: .* {needs} text: "):
        learner(pool, 4)


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_gym_has_dicts_and_bytes(learner: Any, mode: str) -> None:
    with make(Forms, env_type="gym", autoreset_mode=mode, reward_dtype="float64") as pool:
        rollout = learner(pool, 7)
        for obs in rollout:
            steps = obs["pair"]["item_0"]
            assert parallel_pool.decode_text(obs["word"]) == ["a" * n for n in steps]
            rollout.act(pool.sample_actions(rollout.info or None))
            assert rollout.info.keys() >= {"elapsed_step"}
        batch = rollout.batch()
    pair, action = batch["obs"]["pair"], batch["action"]
    assert (pair["item_1"] == pair["item_0"][:, None]).all()
    total = action["item_0"] + action["item_1"]["push"][:, 0].astype(np.float64)
    np.testing.assert_array_equal(batch["reward"], total)


@pytest.mark.parametrize("learner", LEARNERS)
def test_tuples_of_actions_are_kept_as_dicts(learner: Any) -> None:
    with make(OnlyActions, reward_dtype="float64") as pool:
        rollout = learner(pool, 5)
        for obs in rollout:
            gear, push = obs % 3, {"push": np.full((2, 1), 0.25, np.float32)}
            rollout.act((gear, push), value=obs)
        batch = rollout.batch()
        np.testing.assert_array_equal(batch["action"]["item_0"], batch["obs"] % 3)
        np.testing.assert_array_equal(batch["reward"], batch["obs"] % 3 + 0.25)


def test_infos_of_the_last_step_are_the_envs() -> None:
    with make(OnlyActions) as pool:
        rollout = parallel_pool.Rollout(pool, 1)
        for _ in rollout:
            info = rollout.act(([2, 1], {"push": [[0.5], [-0.5]]}))
            assert info["deep"]["total"].tolist() == [2.5, 0.5]
            assert rollout.info["_deep"].all()
