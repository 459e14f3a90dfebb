"""pool.profile(): the numbers add up, and the sentence names what was made slow."""

import json
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family
from parallel_pool.testing.results import same


def play(pool: Any, actions: list[Any], seconds: float = 0.3, pause: float = 0.0) -> Any:
    """Steps a pool for some time; its profile."""
    with pool.profile() as profile:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for action in actions:
                if pool.is_async:
                    env_id = pool.recv()[4]["env_id"]
                    pool.send(np.asarray(action)[env_id], env_id)
                else:
                    pool.step(action)
                if pause:
                    time.sleep(pause)
    return profile


def play_until(is_right: Callable[[Any], bool], pool: Any, actions: list[Any]) -> Any:
    """play() once more, at most four times: a part that other programs interrupt counts as long."""
    for _ in range(5):
        profile = play(pool, actions)
        if is_right(profile):
            break
    return profile


def assert_adds_up(profile: Any) -> None:
    """The rows of the calling thread, of which three are never below 0."""
    parts = [profile.program, profile.in_calls, profile.waited, profile.own]
    assert sum(parts) == pytest.approx(1, abs=1e-6)
    assert min(parts) >= 0


def test_the_program() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=64, num_threads=2) as pool:
        pool.reset()
        profile = play(pool, [np.zeros(64, int)], pause=0.002)
    assert profile.program > 0.8
    assert profile.bottleneck.startswith("Your program outside of the pool: ")
    assert "Pipeline" in profile.bottleneck
    assert_adds_up(profile)
    assert (profile.threads < 0.3).all()
    assert profile.steps[0]["count"] > 0
    assert str(profile).startswith(profile.bottleneck)


def test_small_calls() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2, num_threads=1) as pool:
        pool.reset()
        profile = play(pool, [np.zeros(2, int)] * 50)
    assert "The calls from Python" in profile.bottleneck
    assert "num_envs" in profile.bottleneck


def test_steps_of_a_task_of_several() -> None:
    tasks: list[Any] = ["CartPole-v1", "Pong-v5"]
    with parallel_pool.make(
        tasks, num_envs=16, num_threads=1, separate_spaces=True, action_padding=True
    ) as pool:
        pool.reset()
        profile = play_until(lambda p: p.step_part > 0.5, pool, [pool.sample_actions()])
    assert profile.bottleneck.startswith("Steps of Pong-v5: ")
    assert profile.steps[1]["mean"] > 5 * profile.steps[0]["mean"]
    assert np.nanmean(profile.env_steps[8:]) > 5 * np.nanmean(profile.env_steps[:8])
    assert profile.step_part > 0.5


def test_resets() -> None:
    # Every step ends an episode, whose reset makes a level.
    with parallel_pool.make(
        "BabyAI-BossLevel-v0", num_envs=16, num_threads=1, max_episode_steps=1
    ) as pool:
        pool.reset()
        profile = play_until(lambda p: p.reset_part > 0.5, pool, [np.zeros(16, int)] * 10)
    assert profile.reset_part > 0.5
    assert profile.bottleneck.startswith("Resets of BabyAI-BossLevel-v0: ")
    assert profile.resets[0]["p50"] <= profile.resets[0]["p99"]


def test_an_env_that_all_wait_for() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=4, num_threads=4, sleep_ms=5) as pool:
        pool.reset()
        action = np.array([testing_family.FINE, testing_family.FINE, testing_family.SLEEP, 0])
        profile = play(pool, [action])
    assert profile.bottleneck.startswith("Env 2: its steps take ")
    assert "batch_size" in profile.bottleneck


def test_an_async_pool() -> None:
    with parallel_pool.make("Pong-v5", num_envs=8, batch_size=4, num_threads=2) as pool:
        pool.async_reset()
        profile = play(pool, [np.zeros(8, int)])
    assert profile.threads.shape == (2,)
    assert (profile.threads > 0.5).all()
    assert profile.waited > 0.3


def test_time_before_the_first_call_and_after_the_last_one() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=64, num_threads=2) as pool:
        pool.reset()
        with pool.profile() as profile:
            time.sleep(0.1)
            pool.step(np.zeros(64, int))
            time.sleep(0.2)
    assert_adds_up(profile)
    assert profile.program * profile.seconds > 0.29
    assert profile.bottleneck.startswith("Your program outside of the pool: ")


def test_the_conversion_of_actions_is_counted_apart() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=4000, num_threads=1) as pool:
        pool.reset()
        array = np.zeros(4000, np.int64)
        profile = play(pool, [array.tolist()], 0.2)
        assert_adds_up(profile)
        assert play(pool, [array], 0.2).in_calls < profile.in_calls / 2


def test_no_numbers_before_the_end() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2) as pool:
        pool.reset()
        profile = pool.profile()
        assert str(profile).startswith("CartPole-v1: a profile runs since 0.")
        for ask in (
            lambda: profile.program,
            lambda: profile.bottleneck,
            profile.as_dict,
            profile.scalars,
            profile.histogram,
            lambda: profile.save_trace("unwritten.json"),
        ):
            with pytest.raises(RuntimeError, match=r"no numbers before its end: call stop\(\)"):
                ask()
        assert not hasattr(profile, "no_such_number")
        pool.step([0, 1])
    profile.stop()  # of a pool that is closed
    assert profile.calls == 1


@pytest.mark.parametrize(
    ("seconds", "error", "words"),
    [
        ("5", TypeError, "CartPole-v1: profile: seconds must be a number, not '5'"),
        (0, ValueError, "seconds is 0; allowed: above 0"),
        (float("nan"), ValueError, "seconds is nan"),
    ],
)
def test_seconds(seconds: Any, error: type[Exception], words: str) -> None:
    with parallel_pool.make("CartPole-v1", num_envs=2) as pool:
        with pytest.raises(error, match=words):
            pool.profile(seconds)
        with pool.profile():  # nothing was started
            pass


@pytest.mark.parametrize("is_busy", [True, False])
def test_it_ends_by_itself(is_busy: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Also of a program that is always in a call, and of one that calls no more."""
    with parallel_pool.make("Trouble-v0", num_envs=2, num_threads=1, sleep_ms=30) as pool:
        pool.reset()
        profile = pool.profile(seconds=0.1)
        assert "prints its report after 0.1 s" in str(profile)
        action = np.full(2, testing_family.SLEEP)
        end = time.monotonic() + 10
        while "calls in" not in (text := capsys.readouterr().out) and time.monotonic() < end:
            pool.step(action) if is_busy else time.sleep(0.01)
        assert "calls in" in text
        assert 0.1 <= profile.seconds < 5
        with pool.profile() as another:
            pool.step(action)
        assert another.calls == 1


class Slow(gymnasium.Env):
    """An env in Python whose steps wait."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return np.zeros(1, np.float32), {}

    def step(self, action: int) -> Any:
        time.sleep(0.002)
        return np.zeros(1, np.float32), 0.0, False, False, {}


@pytest.mark.parametrize("num_workers", [0] if sys.platform == "win32" else [0, 2])
def test_envs_in_python(num_workers: int) -> None:
    with parallel_pool.make_python(Slow, 4, num_workers=num_workers) as pool:
        pool.reset()
        profile = play(pool, [np.zeros(4, int)])
    assert_adds_up(profile)
    assert profile.program < 0.5
    assert "in Python" in profile.bottleneck
    assert "num_workers" in profile.bottleneck
    assert (profile.threads > 0.5).all()
    assert (profile.env_steps > 0.002).all()
    assert (profile.own > 0.5) == (num_workers == 0)


class Slower(Slow):
    """The second env's steps take ten times as long."""

    count = 0

    def __init__(self) -> None:
        Slower.count += 1
        self.number = Slower.count

    def step(self, action: int) -> Any:
        time.sleep(0.02 if self.number == 2 else 0.002)
        return np.zeros(1, np.float32), 0.0, False, False, {}


@pytest.mark.parametrize("num_workers", [0] if sys.platform == "win32" else [0, 1])
def test_the_slow_env_in_python(num_workers: int) -> None:
    Slower.count = 0
    with parallel_pool.make_python(Slower, 3, num_workers=num_workers) as pool:
        pool.reset()
        profile = play(pool, [np.zeros(3, int)])
    assert np.argmax(profile.env_steps) == 1
    assert "Env 1 takes" in profile.bottleneck


def test_results_are_the_same() -> None:
    def run(is_profiled: bool) -> list[Any]:
        rows = []
        with parallel_pool.make(
            "CartPole-v1", num_envs=100, num_threads=3, autoreset_mode="same_step"
        ) as pool:
            pool.reset()
            profile = pool.profile() if is_profiled else None
            for step in range(300):
                rows.append(pool.step(np.full(100, step % 2)))
                if profile is not None and step % 100 == 99:  # begins and ends in the middle
                    profile.stop()
                    profile = pool.profile()
        return rows

    same(run(True), run(False))


def test_forms(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    with parallel_pool.make("Acrobot-v1", num_envs=8, num_threads=2) as pool:
        pool.reset()
        profile = play(pool, [np.zeros(8, int)])
        profile.save_trace(tmp_path / "trace.json")
        events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        assert {event["ph"] for event in events} == {"M", "X"}
        assert any(event["name"] == "your program" for event in events)
        assert all(event["dur"] >= 0 for event in events if event["ph"] == "X")
        json.dumps(profile.as_dict())
        scalars = profile.scalars()
        assert scalars["pool/Acrobot-v1/step_us"] > 0
        assert all(isinstance(value, float) for value in scalars.values())
        counts = profile.histogram()
        assert sum(count for _, count in counts) == profile.steps[0]["count"]
        timed = pool.profile(seconds=0.05)
        for _ in range(200):
            pool.step(np.zeros(8, int))
            time.sleep(0.001)
        assert timed.seconds >= 0.05
        assert "Acrobot-v1 steps: mean" in capsys.readouterr().out
        with pool.profile() as nothing, pytest.raises(RuntimeError, match="already"):
            pool.profile()
        assert "was not called" in nothing.bottleneck
    with pytest.raises(RuntimeError, match="closed"):
        pool.profile()
    assert profile.bottleneck  # also of a closed pool


def test_a_single_env() -> None:
    env = parallel_pool.make("CartPole-v1", num_envs=None)
    env.reset(seed=1)
    with env.profile() as profile:
        for _ in range(5):
            env.step(0)
    assert profile.calls == 5
    assert profile.threads.shape == (1,)
