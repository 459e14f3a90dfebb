"""A fault in a worker process is an EnvError, and the other envs go on."""

import functools
import os
import pathlib
import re
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import python_env
from parallel_pool.testing.processes import SECOND, gone, worker_pids
from parallel_pool.testing.python_env import FINE, HANG, KILL, THROW, Trouble


def step(pool: Any, *actions: int) -> tuple[Any, list[int], str]:
    """One step: the batch, the envs that failed, and the message."""
    try:
        return pool.step(np.array(actions)), [], ""
    except parallel_pool.EnvError as error:
        return error.result, error.env_ids, str(error)


FAULTS = [
    (
        "THROW",
        r"ValueError: thrown by the env\nTraceback .*\n  File .*python_env.py\", line \d+, in step",
    ),
    ("SYSTEM_EXIT", r"SystemExit: good bye"),
    ("WRONG_SHAPE", r"its obs has shape \(1,\); its space has \(3,\)"),
    ("WRONG_DTYPE", r"its obs has dtype complex128; its space has float32"),
    ("FOUR_VALUES", r"step\(\) returned a tuple of 4; Gymnasium's API has 5: observation"),
    ("NO_INFO", r"its info is of type NoneType, not a dict"),
    ("LOCK_INFO", r"TypeError: its info cannot be pickled: cannot pickle"),
    (
        "LARGE_INFO",
        r"its info takes \d+ bytes; there is room for 4092: give make_python\(\) a larg",
    ),
    ("BAD_REWARD", r"its reward is 'much'; it must be a number"),
]
DEATHS = [
    ("KILL", r"its worker process \d+ has ended by signal Killed"),
    ("EXIT", r"its worker process \d+ has ended with exit code 3"),
]


@pytest.mark.parametrize(("name", "message"), FAULTS)
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_fault_is_an_error_of_its_env_and_the_others_go_on(
    name: str, message: str, workers: int
) -> None:
    with parallel_pool.make_python(
        Trouble, 4, num_workers=workers, env_kwargs={"length": 99}
    ) as pool:
        pool.reset()
        start = time.monotonic()
        batch, failed, text = step(pool, FINE, FINE, FINE, getattr(python_env, name))
        assert time.monotonic() - start < SECOND
        assert failed == [3] and re.search(message, text), text
        assert text.startswith("Trouble env ")
        check_rows(batch, failed)
        # All go on, the failed one by a reset.
        for count in range(2, 5):
            obs = pool.step(np.zeros(4, int))[0]
            assert obs[:, 1].tolist() == [count, count, count, count - 2]


@pytest.mark.parametrize(("name", "message"), DEATHS)
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_death_is_an_error_of_the_envs_of_its_worker(
    name: str, message: str, workers: int
) -> None:
    of_the_worker = list(range(4 - 4 // workers, 4))
    with parallel_pool.make_python(
        Trouble, 4, num_workers=workers, env_kwargs={"length": 99}
    ) as pool:
        pool.reset()
        start = time.monotonic()
        batch, failed, text = step(pool, FINE, FINE, FINE, getattr(python_env, name))
        assert time.monotonic() - start < SECOND
        assert re.search(message, text), text
        assert text.startswith("Trouble env ")
        # All envs of the worker that had not answered; it steps them in their order.
        assert failed == of_the_worker[of_the_worker.index(failed[0]) :]
        check_rows(batch, failed)
        # The worker has taken its other envs with it. Their next step says so.
        lost = [env for env in of_the_worker if env not in failed]
        batch, failed_next, text = step(pool, *[FINE] * 4)
        assert failed_next == lost
        assert not lost or "its episode was lost: its worker has ended" in text
        others = range(4 - 4 // workers)
        assert (batch[0][others, 1] == 2).all()
        assert (batch[0][failed, 1] == 0).all()
        for count in range(3, 5):
            obs = pool.step(np.zeros(4, int))[0]
            assert (obs[others, 1] == count).all()
            assert (obs[lost, 1] == count - 3).all()


def check_rows(batch: Any, failed: list[int]) -> None:
    """Asserts that the rows of failed envs are zero and truncated, and the others' a first step."""
    obs, reward, terminated, truncated, info = batch
    for env in range(4):
        if env in failed:
            assert not obs[env].any()
            assert truncated[env] and not terminated[env] and reward[env] == 0
        else:
            assert obs[env, 1] == 1
    assert info["env_id"].tolist() == [0, 1, 2, 3]


class Deadly:
    """An observation that kills the process when it is written to the batch."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class KilledLate(Trouble):
    """Its fourth step is over when its worker dies."""

    def step(self, action: Any) -> Any:
        obs, *rest = super().step(action)
        return (Deadly() if self.steps == 4 else obs, *rest)


def test_a_step_counts_once_if_the_worker_dies_before_its_row() -> None:
    with parallel_pool.make_python(KilledLate, 1, env_kwargs={"length": 99}) as pool:
        pool.reset()
        for _ in range(3):
            pool.step(np.array([FINE]))
        (_, _, _, truncated, info), failed, text = step(pool, FINE)
        assert failed == [0]
        assert "has ended by signal Killed" in text
        assert (info["elapsed_step"][0], truncated[0]) == (4, True)
        assert pool.step(np.array([FINE]))[4]["elapsed_step"][0] == 0


def test_a_hang_ends_by_step_timeout() -> None:
    with parallel_pool.make_python(Trouble, 3, num_workers=3, step_timeout=0.3) as pool:
        pool.reset()
        start = time.monotonic()
        _, failed, text = step(pool, FINE, HANG, FINE)
        assert 0.3 <= time.monotonic() - start < SECOND
        assert failed == [1]
        assert "it did not answer within step_timeout = 0.3 s" in text
        assert step(pool, 0, 0, 0)[1] == []


def test_a_hang_in_an_async_pool_is_found_while_others_go_on() -> None:
    with parallel_pool.make_python(
        Trouble, 4, 2, num_workers=4, step_timeout=0.3, env_kwargs={"length": 10**6}
    ) as pool:
        pool.async_reset()
        failed: list[int] = []
        end = time.monotonic() + SECOND
        hung = False
        while not failed and time.monotonic() < end:
            try:
                ids = pool.recv()[4]["env_id"]
            except parallel_pool.EnvError as error:
                failed, ids = error.env_ids, error.result[4]["env_id"]
            pool.send([HANG if env == 3 and not hung else FINE for env in ids], ids)
            hung |= 3 in ids
        assert failed == [3]


def test_without_a_limit_recv_can_be_left_by_its_timeout() -> None:
    with parallel_pool.make_python(Trouble, 2, num_workers=2) as pool:
        pool.reset()
        pool.send([FINE, HANG])
        with pytest.raises(TimeoutError, match=r"Trouble: no batch within 0\.1"):
            pool.recv(timeout=0.1)


def test_a_restarted_env_has_other_random_numbers_which_are_always_the_same() -> None:
    def numbers() -> list[list[float]]:
        with parallel_pool.make_python(Trouble, 2, num_workers=2) as pool:
            rows = [pool.reset()[0][:, 0].tolist()]
            assert step(pool, FINE, KILL)[1] == [1]
            rows.append(step(pool, FINE, FINE)[0][0][:, 0].tolist())
            return rows

    first = numbers()
    assert first == numbers()
    assert first[0][0] == first[1][0]  # its episode goes on
    assert first[0][1] != first[1][1]


def test_a_worker_that_ends_too_often_closes_the_pool_with_the_reason() -> None:
    pool = parallel_pool.make_python(Trouble, 2, num_workers=2)
    pool.reset()
    for _ in range(3):
        assert step(pool, FINE, KILL)[1] == [1]
        assert step(pool, FINE, FINE)[1] == []
    pids = worker_pids(pool)
    assert step(pool, FINE, KILL)[1] == [1]
    why = (
        "Trouble: the pool was closed: 4 workers have ended within a minute; the last: its worker "
        r"process \d+ has ended by signal Killed"
    )
    ask = functools.partial(pool.get_attr, "steps")
    for call in (lambda: pool.step([0, 0]), pool.recv, pool.reset, pool.save, ask):
        with pytest.raises(RuntimeError, match=f"^{why}"):
            call()
    assert gone(pids)
    pool.close()


def test_without_restart_a_death_closes_the_pool() -> None:
    pool = parallel_pool.make_python(Trouble, 2, num_workers=2, restart=False)
    pool.reset()
    assert step(pool, KILL, FINE)[1] == [0]
    with pytest.raises(RuntimeError, match=r"restart is False; the last: .* by signal Killed"):
        pool.reset()


def test_a_worker_may_be_killed_while_it_is_idle() -> None:
    with parallel_pool.make_python(Trouble, 2, num_workers=2) as pool:
        pool.reset()
        os.kill(worker_pids(pool)[0], signal.SIGKILL)
        assert gone(worker_pids(pool)[:1])
        assert step(pool, FINE, FINE)[1] == [0]
        assert step(pool, FINE, FINE)[1] == []


def test_a_child_that_an_env_forks_does_not_disturb_the_worker() -> None:
    with parallel_pool.make_python(Trouble, 2, num_workers=1, env_kwargs={"length": 99}) as pool:
        pool.reset()
        for count in range(1, 10):
            batch, failed, _ = step(pool, python_env.FORK, FINE)
            assert failed == []
            assert batch[0][:, 1].tolist() == [count, count]


def test_faults_in_reset_are_errors_too() -> None:
    with parallel_pool.make_python(Trouble, 2) as pool:
        with pytest.raises(parallel_pool.EnvError, match="ValueError: options say so") as raised:
            pool.reset(options={"throw": True})
        assert raised.value.env_ids == [0, 1]
        assert pool.reset()[0][:, 1].tolist() == [0, 0]


def test_actions_are_checked_before_they_are_sent() -> None:
    with parallel_pool.make_python(Trouble, 2) as pool:
        pool.reset()
        with pytest.raises(
            ValueError, match=r"Trouble: action\[1\] is 16; allowed are the integers 0 to 15"
        ):
            pool.step([0, 16])
        assert pool.step([0, 0])[0][:, 1].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: 1 / 0, r"env 0: ZeroDivisionError: division by zero"),
        (lambda: os._exit(7), r"has ended with exit code 7 while it built its envs"),
        (lambda: object(), r"the env is a builtins\.object; it has no 'reset'"),
        (lambda: gymnasium.make_vec("CartPole-v1", 2), r"many envs in one: give what makes one"),
    ],
)
def test_envs_that_cannot_be_built(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parallel_pool.make_python(make, 2, num_workers=2)


def test_a_restart_that_cannot_build_its_envs_says_why(tmp_path: pathlib.Path) -> None:
    marker = tmp_path / "built"

    def make() -> Any:
        if marker.exists():
            raise ValueError("only once")
        return Trouble()

    pool = parallel_pool.make_python(make, 1)
    pool.reset()
    marker.touch()
    assert step(pool, KILL)[1] == [0]
    text = ""
    while not text:
        _, failed, message = step(pool, FINE)
        assert failed == [0]
        text = message if "only once" in message else ""
    assert "with exit code 1: env 0: ValueError: only once" in text
    pool.close()


def test_threads_of_an_env_run_while_its_worker_waits() -> None:
    class Counting(Trouble):
        def reset(self, **kwargs: Any) -> Any:
            self.count = 0

            def work() -> None:
                while True:
                    self.count += 1
                    time.sleep(0.001)

            threading.Thread(target=work, daemon=True).start()
            return super().reset(**kwargs)

    with parallel_pool.make_python(Counting) as pool:
        pool.reset()
        before = pool.get_attr("count")[0]
        time.sleep(0.3)
        assert pool.get_attr("count")[0] > before + 20


def test_throw_names_the_env_and_the_step() -> None:
    with parallel_pool.make_python(Trouble, 3, num_workers=2) as pool:
        pool.reset()
        pool.step([0, 0, 0])
        _, failed, text = step(pool, THROW, FINE, THROW)
        assert failed == [0, 2]
        assert text.startswith(
            "Trouble env 0 step 2: ValueError: thrown by the env\nTraceback (most recent call last)"
        )
        assert text.endswith("(and 1 more envs of this batch)")
