"""make_python(num_workers=0): envs in the pool's own process."""

import copy
import os
import pickle
import signal
import sys
import threading
import traceback
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import parallel_pool
from parallel_pool.testing.python_env import END, FINE, FORK, THROW, Trouble


def make(source: Any = Trouble, num_envs: int = 3, **options: Any) -> Any:
    return parallel_pool.make_python(source, num_envs, num_workers=0, **options)


class InThread(gymnasium.Env[Any, Any]):
    """Tells in which process and thread it runs; action 1 presses Ctrl-C in a step."""

    observation_space = spaces.Discrete(100)
    action_space = spaces.Discrete(2)
    closed = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.steps = 0
        return 0, {"pid": os.getpid(), "thread": threading.get_ident()}

    def step(self, action: Any) -> Any:
        self.steps += 1
        if action:
            signal.raise_signal(signal.SIGINT)
        return self.steps, 0.0, False, False, {}

    def close(self) -> None:
        InThread.closed += 1


def test_envs_run_in_the_calling_thread() -> None:
    with make(InThread) as pool:
        _, info = pool.reset()
        assert info["pid"].tolist() == [os.getpid()] * 3
        assert info["thread"].tolist() == [threading.get_ident()] * 3
        assert pool.config["num_workers"] == 0
    assert InThread.closed == 3


def test_windows_has_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    spec = parallel_pool.make_python_spec(InThread, 3)
    assert spec.config["num_workers"] == 0
    assert parallel_pool.make_python_spec(InThread, 3, num_workers=0).config == spec.config
    for make_any in (parallel_pool.make_python, parallel_pool.make_python_spec):
        with pytest.raises(ValueError, match=r"num_workers is 4; on Windows .* 0, .* WSL 2"):
            make_any(InThread, 3, num_workers=4)


def test_the_exception_itself_is_the_cause() -> None:
    with make() as pool:
        pool.reset()
        with pytest.raises(parallel_pool.EnvError, match="Trouble env 1 step 1: ValueError") as e:
            pool.step([FINE, THROW, FINE])
        assert e.value.env_ids == [1]
        cause = e.value.__cause__
        assert isinstance(cause, ValueError)
        assert "step" in [frame.name for frame in traceback.extract_tb(cause.__traceback__)]
        assert e.value.result[3].tolist() == [False, True, False]
        assert pool.step([FINE] * 3)[0][:, 1].tolist() == [2, 0, 2]


def test_ctrl_c_in_a_step_ends_the_call_and_loses_no_env() -> None:
    with make(InThread) as pool:
        pool.reset()
        with pytest.raises(KeyboardInterrupt):
            pool.step([0, 1, 0])
        with pytest.raises(
            parallel_pool.EnvError, match="InThread env 1 step 1: KeyboardInterrupt"
        ):
            pool.recv()
        assert pool.step([0, 0, 0])[0].tolist() == [2, 0, 2]  # env 1 is reset


def test_a_time_limit_is_kept_between_steps() -> None:
    class Slow(InThread):
        def step(self, action: Any) -> Any:
            threading.Event().wait(0.05)
            return super().step(action)

    with make(Slow) as pool:
        pool.reset()
        pool.send([0, 0, 0])
        with pytest.raises(TimeoutError):
            pool.recv(timeout=0.01)
        assert pool.recv(timeout=20)[0].tolist() == [1, 1, 1]


def test_async_pools_states_pictures_and_attributes() -> None:
    with make(batch_size=1, render_mode="rgb_array", seed=5) as pool:
        pool.async_reset()
        ids = [int(pool.recv()[-1]["env_id"][0]) for _ in range(3)]
        assert ids == [0, 1, 2]  # in the order sent
        pool.send([FINE, FINE], [2, 0])
        assert [int(pool.recv()[-1]["env_id"][0]) for _ in range(2)] == [2, 0]
        data = pool.save([2])
        pool.load(data, [1])
        assert pool.render([1, 2])[:, 0, 0, 0].tolist() == [1, 1]
        assert pool.get_attr("steps") == (1, 1, 1)
        pool.set_attr("steps", [3, 4, 5])
        assert pool.call("get_wrapper_attr", "steps") == (3, 4, 5)
        assert isinstance(pool.call("lock")[0], type(threading.Lock()))  # nothing is pickled
        with pytest.raises(AttributeError, match=r"Trouble: .*no_such"):
            pool.get_attr("no_such")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no worker processes")
def test_reset_options_and_seeds() -> None:
    with (
        make(seed=5) as pool,
        parallel_pool.make_python(Trouble, 3, num_workers=2, seed=5) as other,
    ):
        for kwargs in ({}, {"seed": 9}, {"options": {"begin": 3}}):
            ours, theirs = pool.reset(**kwargs), other.reset(**kwargs)
            assert ours[0].tobytes() == theirs[0].tobytes()
            assert repr(ours[1]) == repr(theirs[1])
        with pytest.raises(parallel_pool.EnvError, match="options say so"):
            pool.reset(options={"throw": True})


def test_copies_and_pickles() -> None:
    with make(seed=5) as pool:
        first = pool.reset()[0].tobytes()
        for other in (copy.deepcopy(pool), pickle.loads(pickle.dumps(pool))):
            with other:
                assert other.config["num_workers"] == 0
                assert other.reset()[0].tobytes() == first


def test_an_env_that_cannot_be_built() -> None:
    class Broken(InThread):
        def __init__(self) -> None:
            raise KeyError("no such robot")

    with pytest.raises(ValueError, match="env 0: KeyError: 'no such robot'") as e:
        make(Broken)
    assert isinstance(e.value.__cause__, KeyError)


def test_the_programs_own_random_numbers_stay() -> None:
    np.random.seed(3)
    expected = np.random.random()
    np.random.seed(3)
    with make() as pool:
        pool.reset()
    assert np.random.random() == expected


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork()")
def test_a_fork_of_an_env_ends_at_once() -> None:
    with make() as pool:
        pool.reset()
        pool.step([FINE, FORK, FINE])
        assert pool.step([FINE] * 3)[0][:, 1].tolist() == [2, 2, 2]


def test_a_closed_pool_keeps_no_env() -> None:
    held: list[Any] = []

    def source() -> Any:
        env = InThread()
        held.append(env)
        return env

    pool = make(source, 2)
    pool.reset()
    pool.close()
    assert [sys.getrefcount(env) for env in held] == [3, 3]  # the list, the loop, the argument
    with pytest.raises(RuntimeError, match="closed"):
        pool.step([0, 0])
    with pytest.raises(RuntimeError, match="closed"):
        pool.get_attr("steps")


def test_ends_of_episodes() -> None:
    with make(autoreset_mode="same_step") as pool:
        pool.reset()
        obs, _, terminated, truncated, info = pool.step([FINE, END, FINE])
        assert (terminated | truncated).tolist() == [False, True, False]
        assert obs[:, 1].tolist() == [1, 0, 1]
        assert info["final_obs"][1, 1] == 1
