"""Messages to the envs: attributes, methods, states. They change no row, whatever goes wrong."""

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import parallel_pool
from parallel_pool.testing.processes import SECOND, worker_pids
from parallel_pool.testing.python_env import FINE, HANG, Trouble


class Named(gymnasium.Env[Any, Any]):
    """An env with a name. Its steps take 50 ms, longer than anything of the pool's."""

    observation_space = spaces.Discrete(99)
    action_space = spaces.Discrete(2)

    def __init__(self, name: Any = "", render_mode: str | None = None) -> None:
        self.name, self.render_mode, self.steps = name, render_mode, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.steps = 0
        return 0, {"name": self.name}

    def step(self, action: Any) -> Any:
        time.sleep(0.05)
        self.steps += 1
        return self.steps, 1.0, False, False, {}

    def greet(self, what: str, *, end: str = "") -> str:
        return f"{what} {self.name}{end}"

    def hostile(self) -> Any:
        return Hostile()


class Hostile:
    """Cannot be pickled, with an error that pickle does not know."""

    def __reduce__(self) -> Any:
        raise KeyError("no")


def fail() -> None:
    """The arguments that make Broken again."""
    raise OSError("cannot be made here")


class Broken:
    """Can be pickled, but not made again."""

    def __reduce__(self) -> Any:
        return fail, ()


def test_attributes_and_methods_of_the_envs() -> None:
    kwargs = [{"name": name} for name in "abc"]
    with parallel_pool.make_python(Named, 3, num_workers=2, env_kwargs=kwargs) as pool:
        assert pool.get_attr("name") == ("a", "b", "c")
        assert pool.call("greet", "hello", end="!") == ("hello a!", "hello b!", "hello c!")
        assert pool.call("name") == ("a", "b", "c")
        pool.set_attr("name", ["x", "y", "z"])
        assert list(pool.reset()[1]["name"]) == ["x", "y", "z"]
        pool.set_attr("name", "all")
        assert pool.get_attr("name") == ("all",) * 3
        with pytest.raises(ValueError, match=r"Named: 'name' is given 2 values; there are 3 envs"):
            pool.set_attr("name", ["x", "y"])
        with pytest.raises(AttributeError, match=r"Named: .*'greeting'"):
            pool.call("greeting")
        with pytest.raises(RuntimeError, match=r"Named: TypeError: .*greet"):
            pool.call("greet")
    with pytest.raises(RuntimeError, match=r"^Named: the pool is closed$"):
        pool.call("greet", "hello")


@pytest.mark.parametrize("batch_size", [2, 1])
@pytest.mark.parametrize(
    "ask",
    [
        lambda pool: pool.get_attr("steps"),
        lambda pool: pool.set_attr("name", "x"),
        lambda pool: pool.load(pool.save()),
    ],
    ids=["get_attr", "set_attr", "save and load"],
)
def test_rows_after_many_messages_are_those_of_their_steps(
    ask: Callable[[Any], Any], batch_size: int
) -> None:
    with parallel_pool.make_python(Named, 2, batch_size, num_workers=1) as pool:
        pool.async_reset()
        for _ in range(2 // batch_size):
            pool.recv()
        for step in range(1, 4):
            for _ in range(30):
                ask(pool)
            pool.send([0, 1])
            rows = [pool.recv() for _ in range(2 // batch_size)]
            assert np.concatenate([row[0] for row in rows]).tolist() == [step] * 2
            assert np.concatenate([row[1] for row in rows]).tolist() == [1] * 2


def test_an_env_in_flight_answers_after_its_step_though_its_neighbors_never_rest() -> None:
    with parallel_pool.make_python(Named, 3, 1, num_workers=1) as pool:
        pool.async_reset()
        for _ in range(3):
            pool.recv()
        pool.send([0, 1], [0, 1])
        assert pool.get_attr("steps", [1]) == (1,)
        stop = threading.Event()

        def play() -> None:
            while not stop.is_set():
                _, *_, info = pool.recv()
                pool.send([0], info["env_id"])

        player = threading.Thread(target=play)
        player.start()
        try:
            for _ in range(5):
                pool.get_attr("steps", [2])
        finally:
            stop.set()
            player.join()


def test_messages_that_fail_are_errors_and_the_pool_goes_on() -> None:
    with parallel_pool.make_python(Named, 2, num_workers=2) as pool:
        pool.reset()
        for step in range(1, 3):
            with pytest.raises(AttributeError, match=r"Named: .*no attribute 'nothing'"):
                pool.get_attr("nothing")
            with pytest.raises(RuntimeError, match=r"Named: the result cannot be pickled: 'no'"):
                pool.call("hostile")
            with pytest.raises(TypeError, match=r"Named: an argument cannot be pickled: .*lock"):
                pool.set_attr("name", threading.Lock())
            with pytest.raises(TypeError, match=r"Named: an argument cannot be pickled: 'no'"):
                pool.call("greet", Hostile())
            with pytest.raises(RuntimeError, match=r"Named: OSError: cannot be made here"):
                pool.set_attr("name", Broken())
            assert pool.step([0, 0])[0].tolist() == [step] * 2


def test_a_call_that_hangs_ends_by_step_timeout() -> None:
    class Slow(Trouble):
        def wait(self) -> None:
            time.sleep(3600)

    with parallel_pool.make_python(Slow, 2, num_workers=2, step_timeout=0.2) as pool:
        pool.reset()
        start = time.monotonic()
        with pytest.raises(RuntimeError, match="Slow: its worker process has ended by signal Kil"):
            pool.call("wait")
        assert time.monotonic() - start < SECOND
        with pytest.raises(parallel_pool.EnvError) as raised:
            pool.step([FINE, FINE])
        assert raised.value.env_ids == [0]


def test_a_long_message_to_an_env_that_hangs_ends_by_step_timeout() -> None:
    with parallel_pool.make_python(Trouble, 2, 1, num_workers=2, step_timeout=0.2) as pool:
        pool.async_reset()
        for _ in range(2):
            pool.recv()
        pool.send([HANG], [1])
        start = time.monotonic()
        with pytest.raises(RuntimeError, match="its worker process has ended by signal Killed"):
            pool.set_attr("large", np.zeros(1 << 20), [1])  # more than a pipe has room for
        assert time.monotonic() - start < SECOND


def test_a_worker_may_be_killed_before_a_message() -> None:
    pool: Any
    with parallel_pool.make_python(Trouble, 2, num_workers=2) as pool:
        pool.reset()
        os.kill(worker_pids(pool)[1], signal.SIGKILL)
        with pytest.raises(RuntimeError, match=r"its worker process has ended by signal Killed"):
            pool.get_attr("steps")
        with pytest.raises(parallel_pool.EnvError) as raised:
            pool.step([FINE, FINE])
        assert raised.value.env_ids == [1]
        assert pool.get_attr("steps") == (1, 0)


def test_ctrl_c_in_a_call_does_not_mix_up_the_answers() -> None:
    class Slow(Trouble):
        def wait(self) -> str:
            time.sleep(0.5)
            return "waited"

    with parallel_pool.make_python(Slow, 2, num_workers=2) as pool:
        pool.reset()
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            pool.call("wait")
        assert pool.get_attr("steps") == (0, 0)
        assert pool.step([0, 0])[0][:, 1].tolist() == [1, 1]


def test_ctrl_c_in_a_long_message_ends_its_worker_and_the_pool_goes_on() -> None:
    class Slow(Named):
        def step(self, action: Any) -> Any:
            time.sleep(0.5)
            return super().step(action)

    with parallel_pool.make_python(Slow, 2, num_workers=2) as pool:
        pool.reset()
        pool.send([0, 0])
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            pool.set_attr("large", np.zeros(1 << 20), [1])  # the pipe is full until the step ends
        with pytest.raises(parallel_pool.EnvError) as raised:
            pool.recv(timeout=30)
        assert raised.value.env_ids == [1]
        pool.send([0, 0])
        assert pool.recv(timeout=30)[0].tolist() == [2, 0]
