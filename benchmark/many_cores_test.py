import subprocess
import sys

import pytest

from benchmark import many_cores
from benchmark.many_cores import Costs

# Costs with an expected result that needs neither function: one thread runs tickets in order.
ALONE = Costs(env=984.0, row=16.0, send=10.0, claim=100.0, handover=1e9, call=2_000.0)


def test_one_thread_is_a_sum() -> None:
    # 1000 envs of 1 us: 50 tickets of 20.
    nanoseconds = 2_000 + 1000 * 10 + 1000 * 1_000 + 50 * 100
    expected = 1000 / nanoseconds * 1e9
    assert many_cores.computed(ALONE, 1000, 1) == pytest.approx(expected)
    assert many_cores.simulated(ALONE, 1000, 1, spread=0.0, calls=3) == pytest.approx(expected)


def test_equal_steps_are_shared_out_evenly() -> None:
    costs = Costs(env=100_000.0)
    for threads in (2, 8, 32):
        ideal = threads / costs.step * 1e9
        assert many_cores.computed(costs, 64 * threads, threads) == pytest.approx(ideal, rel=0.01)
        simulated = many_cores.simulated(costs, 64 * threads, threads, spread=0.0, calls=3)
        assert simulated == pytest.approx(ideal, rel=0.01)


def test_the_sender_and_the_counter_are_limits() -> None:
    sender = Costs(env=1_000.0, send=100.0, handover=0.0)
    assert many_cores.computed(sender, 16384, 256) < 1e9 / 100
    assert many_cores.simulated(sender, 16384, 256, spread=0.0, calls=3) < 1e9 / 100
    counter = Costs(env=20_000.0, handover=1_000.0)  # tickets of one env
    assert many_cores.computed(counter, 16384, 256) < 1e9 / 1_000
    assert many_cores.simulated(counter, 16384, 256, spread=0.0, calls=3) < 1e9 / 1_000


def test_threads_that_run_dry_take_from_the_others() -> None:
    costs = Costs(env=200_000.0)
    speed = many_cores.simulated(costs, 1024, 16, spread=0.5, calls=5)
    assert speed > 0.95 * many_cores.computed(costs, 1024, 16)


def test_a_call_is_worth_as_many_threads_as_its_work() -> None:
    costs = Costs(env=84.0)
    assert many_cores.awake(costs, 1024, 256) == 6  # 102 us
    assert many_cores.awake(costs, 8, 256) == 1


def test_the_command_prints_a_table() -> None:
    command = [sys.executable, many_cores.__file__, "--env-us", "1", "--envs", "64"]
    table = subprocess.run(
        [*command, "--threads", "1", "4"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert [line.split("|")[3].strip() for line in table[2:]] == ["1", "4"]
