"""A Pipeline returns the rows of its pool, part by part."""

import signal
import threading
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.errors import EnvError
from parallel_pool.testing.testing_family import FINE, SLEEP, THROW


def make(num_envs: int = 5, **options: Any) -> Any:
    return parallel_pool.make("CartPole-v1", **{"num_envs": num_envs, "seed": 3, **options})


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("parts", [1, 2, 3])
@pytest.mark.parametrize("num_threads", [1, 2])
def test_rows_are_those_of_the_pool(parts: int, num_threads: int, mode: str) -> None:
    plain = make(autoreset_mode=mode)
    pipeline = parallel_pool.Pipeline(
        make(num_threads=num_threads, autoreset_mode=mode), parts=parts
    )
    rows = [(plain.reset()[0], *np.zeros((3, 5)))]
    actions = np.random.default_rng(0).integers(0, 2, (60, 5))
    rows += [plain.step(action)[:4] for action in actions]
    steps = [0] * parts
    obs, info = pipeline.reset()
    batch: tuple[Any, ...] = (obs, *np.zeros((3, len(obs))), info)
    while min(steps) < 60:
        part = pipeline.part
        ids = pipeline.parts[part]
        np.testing.assert_array_equal(batch[4]["env_id"], ids)
        for own, expected in zip(batch[:4], rows[steps[part]], strict=True):
            np.testing.assert_array_equal(own, expected[ids])
        batch = pipeline.step(actions[min(steps[part], 59)][ids])
        steps[part] += 1


def test_reset_drops_what_is_under_way_and_seeds_each_env() -> None:
    pipeline = parallel_pool.Pipeline(make())
    pipeline.reset()
    pipeline.step([0, 1, 0])
    expected = make(seed=8).reset()[0]
    np.testing.assert_array_equal(pipeline.reset(seed=8)[0], expected[:3])
    np.testing.assert_array_equal(pipeline.step([0, 1, 0])[0], expected[3:])


def test_a_wrong_action_steps_nothing() -> None:
    pipeline = parallel_pool.Pipeline(make())
    expected = parallel_pool.Pipeline(make())
    for each in (pipeline, expected):
        each.reset()
    with pytest.raises(ValueError, match="CartPole-v1"):
        pipeline.step([7, 7, 7])
    np.testing.assert_array_equal(pipeline.step([0, 1, 0])[0], expected.step([0, 1, 0])[0])


def test_an_env_that_throws_does_not_end_the_pipeline() -> None:
    pipeline = parallel_pool.Pipeline(parallel_pool.make("Trouble-v0", num_envs=4))
    pipeline.reset()
    pipeline.step([FINE, THROW])
    with pytest.raises(EnvError) as caught:
        pipeline.step([FINE, FINE])
    assert caught.value.result[4]["env_id"].tolist() == [0, 1]
    assert pipeline.part == 0
    assert pipeline.step([FINE, FINE])[4]["env_id"].tolist() == [2, 3]


@pytest.mark.parametrize(
    ("options", "parts", "message"),
    [
        ({"batch_size": 2}, 2, "needs a sync pool; batch_size is 2 of 5 envs"),
        ({}, 6, "parts is 6; allowed are 1 to 5"),
        ({}, 0, "parts is 0"),
        ({"normalize_observation": True}, 2, "counts whole batches"),
    ],
)
def test_refusals(options: dict[str, Any], parts: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parallel_pool.Pipeline(make(**options), parts)


def test_other_errors() -> None:
    with pytest.raises(TypeError, match="not Pool"):
        parallel_pool.Pipeline(parallel_pool.make_dm("CartPole-v1", num_envs=2))
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        parallel_pool.Pipeline(make()).step([0, 0, 0])


def test_a_step_that_ctrl_c_ends_is_made_up_for() -> None:
    pool = parallel_pool.make("Trouble-v0", num_envs=2, num_threads=2, sleep_ms=1500)
    pipeline = parallel_pool.Pipeline(pool)
    pipeline.reset()
    assert pipeline.step([SLEEP])[4]["env_id"] == [1]
    threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,)).start()
    with pytest.raises(KeyboardInterrupt):
        pipeline.step([FINE])
    elapsed = [pipeline.step([FINE])[4] for _ in range(3)]  # the first sends nothing
    assert [info["env_id"].tolist() for info in elapsed] == [[0], [1], [0]]
    assert [info["elapsed_step"].tolist() for info in elapsed] == [[1], [1], [2]]
    pool.close()
