"""compare(): envs that are equal, and planted faults of each kind."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from dm_control import suite

import parallel_pool


class Walk(gymnasium.Env[Any, Any]):
    """Three numbers that random steps and actions move, in steps of 1/64, so float32 is exact."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3,), np.float64)
    action_space: Any = gymnasium.spaces.Discrete(3)

    def __init__(self, fault: str = "") -> None:
        """With a fault of this kind."""
        self.fault, self._place, self._steps, self._last = fault, np.zeros(3), 0, 0
        self._rare = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Draws a place; a second reset with the fault "reset" draws once more."""
        super().reset(seed=None if seed is None else seed + (self.fault == "seed"))
        if self.fault == "reset" and seed is None:
            self._draw()
        self._place, self._steps, self._rare = self._draw(), 0, 0
        return self._obs(), {"steps": 0}

    def step(self, action: Any) -> Any:
        """Moves the place; two actions 2 in a row are the rare case of some faults."""
        self._rare = self._rare + 1 if action == 2 else 0
        is_rare = self._rare == 2
        self._place = self._place + self._draw() + int(action)
        self._steps += 1
        if self.fault == "step" and is_rare:
            self._place[1] += 1
        reward = self._place[0] + (self.fault == "reward" and is_rare)
        ends = self._steps == (9 if self.fault == "end" else 7)
        info = {"steps": self._steps + (self.fault == "info")}
        return self._obs(), reward, ends, False, info

    def _draw(self) -> Any:
        return self.np_random.integers(-64, 64, 3) / 64

    def _obs(self) -> Any:
        obs = self._place.copy()
        if self.fault == "dtype":
            return obs.astype(np.float32)
        if self.fault == "space":
            return obs[:2]
        if self.fault == "rounding":
            obs[2] = np.nextafter(obs[2], np.inf)
        return obs


class SkipsTheFirstRow(gymnasium.vector.VectorWrapper):
    """A vector env whose autoreset shows the end of an episode twice."""

    _was_over = False
    _last: Any = None

    def reset(self, **kwargs: Any) -> Any:
        """The same."""
        self._was_over = False
        return super().reset(**kwargs)

    def step(self, actions: Any) -> Any:
        """The same, but the row that should begin an episode repeats the last one."""
        result = super().step(actions)
        if self._was_over:
            result = (self._last, *result[1:])
        self._last, self._was_over = result[0], bool((result[2] | result[3]).any())
        return result


def vector(fault: str = "") -> Any:
    """The env in a vector env that resets it in the step after its end."""
    return gymnasium.vector.SyncVectorEnv([lambda: Walk(fault)])


@pytest.mark.parametrize(
    ("fault", "name", "step", "actions"),
    [
        ("seed", "obs", 0, 0),
        ("reset", "obs", 8, 8),
        ("dtype", "obs", 0, 0),
        ("space", "obs", 0, 0),
        ("rounding", "obs", 0, 0),
        ("end", "terminated", 7, 7),
        ("reward", "reward", 2, 2),
        ("info", "info.steps", 1, 1),
        ("step", "obs", 2, 2),
    ],
)
def test_finds_a_planted_fault(fault: str, name: str, step: int, actions: int) -> None:
    found = parallel_pool.compare(Walk(fault), Walk, seeds=20, steps=100)
    assert found is not None
    assert (found.kind, found.name, found.step) == (fault, name, step)
    assert len(found.actions) == actions, found
    if fault in ("reward", "step"):
        assert [int(action) for action in found.actions] == [2, 2]
        assert found.index == ((1,) if fault == "step" else ())
        assert found.mine == found.reference + 1


def test_finds_a_wrong_autoreset() -> None:
    assert parallel_pool.compare(vector(), Walk, seeds=5, steps=50) is None
    found = parallel_pool.compare(SkipsTheFirstRow(vector()), Walk, seeds=5, steps=50)
    assert found is not None and found.kind == "autoreset" and found.step == 8
    assert len(found.actions) == 8


def test_says_how_far_numbers_are_apart() -> None:
    found = parallel_pool.compare(Walk("rounding"), Walk, seeds=1)
    assert found is not None and found.ulps == 1
    text = str(found)
    assert text.startswith("rounding: seed 0, reset: obs[2] is ")
    assert "1 units in the last place apart" in text and "0 actions show it" in text


@pytest.mark.parametrize(
    "mine",
    [
        "CartPole-v1",
        lambda: parallel_pool.make("CartPole-v1", num_envs=1),
        lambda: parallel_pool.make("CartPole-v1", num_envs=1, autoreset_mode="same_step"),
        lambda: gymnasium.make_vec("parallel_pool/CartPole-v1", num_envs=1),
        lambda: parallel_pool.make("CartPole-v1", "gym", num_envs=None),
    ],
)
def test_a_task_equals_its_reference(mine: Any) -> None:
    assert parallel_pool.compare(mine, lambda: gymnasium.make("CartPole-v1"), 3, 200) is None


def test_tasks_of_the_control_suite_equal_theirs() -> None:
    def ours(seed: int) -> Any:
        return parallel_pool.make_dm("CartpoleSwingup-v1", num_envs=None, seed=seed)

    def theirs(seed: int) -> Any:
        return suite.load("cartpole", "swingup", {"random": seed})

    assert parallel_pool.compare(ours, theirs, seeds=2, steps=50) is None


def test_a_task_is_played_in_all_apis(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(task_id: str, **options: Any) -> Any:
        return parallel_pool.make_dm(task_id, **options, max_episode_steps=4)

    monkeypatch.setattr("parallel_pool.python.check.sides.make_dm", other)
    found = parallel_pool.compare("CartPole-v1", lambda: gymnasium.make("CartPole-v1"), seeds=[2])
    assert found is not None
    assert (found.api, found.kind, found.name) == ("dm_env", "end", "truncated")
    assert "(played as dm_env)" in str(found)


def test_finds_another_time_limit() -> None:
    def short() -> Any:
        return parallel_pool.make_gymnasium("CartPole-v1", num_envs=None, max_episode_steps=5)

    found = parallel_pool.compare(short, "CartPole-v1", seeds=[3])
    assert found is not None
    assert (found.kind, found.name, found.seed) == ("end", "truncated", 3)
    assert found.step == len(found.actions) == 5 and found.mine and not found.reference


@pytest.mark.parametrize(
    ("error", "message", "env"),
    [
        (TypeError, "compare takes a task id, an env", 3),
        (ValueError, "there is no task 'CartPole'", "CartPole"),
        (ValueError, "has 2 envs; it must have one", gymnasium.vector.SyncVectorEnv([Walk, Walk])),
    ],
)
def test_refuses(error: type[Exception], message: str, env: Any) -> None:
    with pytest.raises(error, match=message):
        parallel_pool.compare(env, Walk)
