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


class Twice(Walk):
    """Two faults: a rounding from the first row on, and a step after two actions 2."""

    def __init__(self) -> None:
        super().__init__("step")

    def _obs(self) -> Any:
        obs = super()._obs()
        obs[2] = np.nextafter(obs[2], np.inf)
        return obs


@pytest.mark.parametrize(
    "options",
    [{"ignore": ["rounding"]}, {"ignore": "rounding"}, {"atol": 1e-12, "rtol": 1e-12}],
)
def test_finds_what_is_behind_a_rounding(options: Any) -> None:
    found = parallel_pool.compare(Twice, Walk, seeds=20, steps=100)
    assert found is not None and (found.kind, found.step) == ("rounding", 0)
    found = parallel_pool.compare(Twice, Walk, seeds=20, steps=100, **options)
    assert found is not None and (found.kind, found.index) == ("step", (1,))
    assert [int(action) for action in found.actions] == [2, 2]
    assert parallel_pool.compare(Walk("rounding"), Walk, seeds=2, **options) is None


@pytest.mark.parametrize(("fault", "kind"), [(f, f) for f in ("dtype", "info", "reward")])
def test_kinds_may_be_ignored(fault: str, kind: str) -> None:
    found = parallel_pool.compare(Walk(fault), Walk, seeds=20, steps=100)
    assert found is not None and found.kind == kind
    assert parallel_pool.compare(Walk(fault), Walk, 20, 100, ignore={kind}) is None


class Count(gymnasium.Env[Any, Any]):
    """Its numbers are those that it is given."""

    observation_space = gymnasium.spaces.Discrete(999)
    action_space: Any = gymnasium.spaces.Discrete(2)

    def __init__(self, obs: Any, ends: bool = False) -> None:
        self._obs, self._ends = obs, ends

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """The same number."""
        return self._obs, {}

    def step(self, action: Any) -> Any:
        """The same number."""
        return self._obs, 0.0, self._ends, False, {}


@pytest.mark.parametrize(
    ("mine", "reference", "rtol", "atol"),
    [
        (np.float64(2.0), np.float64(2.5), 0.2, 0.0),
        (np.float64(2.0), np.float64(2.5), 0.0, 0.5),
        (np.array([2.0, np.nan]), np.array([2.5, np.nan]), 0.1, 0.25),
        (np.array([250], np.uint8), np.array([3], np.uint8), 0.0, 247),
        (3, 4, 0.0, 1.0),
    ],
)
def test_a_tolerance_is_that_of_numpy(mine: Any, reference: Any, rtol: float, atol: float) -> None:
    one, other = Count(mine), Count(reference)
    assert np.allclose(mine, reference, rtol, atol, equal_nan=True)
    assert parallel_pool.compare(one, other, 2, 9, rtol=rtol, atol=atol) is None
    rtol, atol = 0.99 * rtol, 0.99 * atol
    assert not np.allclose(mine, reference, rtol, atol, equal_nan=True)
    assert parallel_pool.compare(one, other, 2, 9, rtol=rtol, atol=atol) is not None


def test_flags_have_no_tolerance() -> None:
    found = parallel_pool.compare(Count(1), Count(1, ends=True), 2, 9, atol=5)
    assert found is not None and found.kind == "end"


class Throwing(Walk):
    """Throws at a reset without a seed, or at two actions 2 in a row."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        if self.fault == "throw at reset" and seed is None:
            raise KeyError("no level")
        if self.fault == "throw at seed":
            raise KeyError("no seed")
        return super().reset(seed=seed)

    def step(self, action: Any) -> Any:
        result = super().step(action)
        if self.fault == "throw" and self._rare == 2:
            raise ValueError("the motor broke")
        return result


@pytest.mark.parametrize(
    ("fault", "where"),
    [
        ("throw", r"ValueError at seed 3, step \d+: the motor broke"),
        ("throw at reset", r"KeyError at seed 3, step 8: 'no level'"),
        ("throw at seed", r"KeyError at seed 3, reset: 'no seed'"),
    ],
)
def test_an_exception_names_the_side_the_seed_and_the_step(fault: str, where: str) -> None:
    with pytest.raises(parallel_pool.EnvError, match=f"compare: mine raised {where}") as raised:
        parallel_pool.compare(Throwing(fault), Walk, seeds=[3], steps=100)
    assert isinstance(raised.value.__cause__, ValueError | KeyError)
    with pytest.raises(parallel_pool.EnvError, match=f"compare: the reference raised {where}"):
        parallel_pool.compare(Walk, Throwing(fault), seeds=[3], steps=100)


@pytest.mark.parametrize("other", ["exception", "rounding"])
def test_fewer_actions_show_a_difference_of_the_same_weight(other: str) -> None:
    class Fragile(Walk):
        """Has another reward at its sixth step, and throws or rounds if the first action is 2."""

        def step(self, action: Any) -> Any:
            obs, reward, *rest = super().step(action)
            if self._steps == 1 and action == 2 and other == "exception":
                raise ValueError("not as the first")
            if self._steps == 1 and action == 2:
                obs[0] = np.nextafter(obs[0], np.inf)
            return obs, reward + (self._steps == 6), *rest

    for seed in range(20):
        Walk.action_space.seed(seed)
        if Walk.action_space.sample() == 2:
            continue
        found = parallel_pool.compare(Fragile, Walk, [seed], 6)
        assert found is not None and (found.kind, found.step) == ("reward", 6)


@pytest.mark.parametrize(
    ("error", "message", "options"),
    [
        (ValueError, r"compare: seeds is 0; it must be at least 1", {"seeds": 0}),
        (ValueError, r"compare: seeds is an empty list; it must have at least", {"seeds": []}),
        (ValueError, r"compare: seed is -1; allowed are the integers 0 to", {"seeds": [3, -1]}),
        (TypeError, r"compare: seeds must be an int, not 2\.5", {"seeds": 2.5}),
        (TypeError, r"compare: seeds must be an int, not True", {"seeds": True}),
        (TypeError, r"compare: seed\[1\] must be an int, not 'x'", {"seeds": [1, "x"]}),
        (ValueError, r"compare: steps is -1; it must be at least 0", {"steps": -1}),
        (ValueError, r"compare: rtol is -1\.0; it must be at least 0", {"rtol": -1}),
        (TypeError, r"compare: atol must be a number, not '1'", {"atol": "1"}),
        (
            ValueError,
            r"compare: ignore has 'roundings'; allowed are 'dtype', 'info', 'reward', 'rounding'; "
            r"did you mean rounding\?",
            {"ignore": ["roundings"]},
        ),
        (ValueError, r"compare: ignore has 'step'; allowed are", {"ignore": "step"}),
    ],
)
def test_refuses_options(error: type[Exception], message: str, options: Any) -> None:
    with pytest.raises(error, match=message):
        parallel_pool.compare(Walk, Walk, **options)


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
