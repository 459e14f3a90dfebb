"""render(): pictures and texts of idle envs."""

import contextlib
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing.testing_family import FINE, THROW_IN_OBSERVE

ENV_TYPES = ["gymnasium", "gym", "dm"]


def make(**kwargs: Any) -> Any:
    """Three envs that have taken 1, 2 and 3 steps."""
    pool = parallel_pool.make(
        "Trouble-v0", num_envs=3, **{"lives": 4, "render_mode": "rgb_array", **kwargs}
    )
    pool.reset()
    for env_ids in ([0, 1, 2], [1, 2], [2]):
        pool.step([FINE] * len(env_ids), env_ids)
    return pool


@pytest.mark.parametrize("env_type", ENV_TYPES)
def test_frames(env_type: str) -> None:
    with make(env_type=env_type) as pool:
        frames = pool.render()
        assert (frames.dtype, frames.shape) == (np.uint8, (3, 2, 4, 3))
        assert frames[:, 0, 0, 0].tolist() == [1, 2, 3]
        assert (frames[..., 1] == 4).all()
        assert frames[1, ..., 2].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
        for env_ids in ([2, 0], np.array([2, 0]), (2, 0)):
            np.testing.assert_array_equal(pool.render(env_ids), frames[[2, 0]])
        for env_id in (1, np.int64(1)):
            np.testing.assert_array_equal(pool.render(env_id), frames[[1]])
        pool.step([FINE] * 3)
        assert frames[:, 0, 0, 0].tolist() == [1, 2, 3], "a frame was written to later"
        assert pool.render()[:, 0, 0, 0].tolist() == [2, 3, 4]


@pytest.mark.parametrize("env_type", ENV_TYPES)
def test_words(env_type: str) -> None:
    with make(env_type=env_type, render_mode="ansi") as pool:
        assert pool.render() == ("step 1", "step 2", "step 3")
        assert pool.render([2]) == ("step 3",)
        assert pool.render_mode == "ansi"


def test_one_env_by_default() -> None:
    with make(render_env_id=1) as pool:
        assert pool.render().shape == (1, 2, 4, 3)
        np.testing.assert_array_equal(pool.render(), pool.render([1]))


def test_modes_are_known() -> None:
    modes = ["rgb_array", "human", "ansi"]
    with make() as pool:
        assert pool.render_mode == pool.spec.config["render_mode"] == "rgb_array"
        assert pool.metadata["render_modes"] == modes
        again = pickle.loads(pickle.dumps(pool))
        assert again.render_mode == "rgb_array"
        again.close()
    with parallel_pool.make_gym("Trouble-v0") as pool:
        assert pool.render_mode is None
        assert pool.metadata["render_modes"] == modes
    with parallel_pool.make("Bytes-v0") as pool:
        assert pool.metadata["render_modes"] == []


@pytest.mark.parametrize("env_type", ["gymnasium", "gym"])
def test_viewers_are_told_how_fast_it_is(env_type: str) -> None:
    with make(lives=3, env_type=env_type) as pool:
        assert pool.metadata["render_fps"] == pool.spec.render_fps == 30
    with make(lives=7, env_type=env_type) as pool:
        assert pool.metadata["render_fps"] == pool.spec.render_fps == 70
    assert parallel_pool.make_spec("Bytes-v0").render_fps == 30, "its env says nothing"


@pytest.mark.parametrize(
    ("task", "options", "error", "words"),
    [
        ("Trouble-v0", {"render_mode": "rgb"}, ValueError, "'rgb'; allowed are 'rgb_array', 'hum"),
        ("Trouble-v0", {"render_width": -1}, ValueError, "render_width is -1; .* 0 and 8192"),
        ("Trouble-v0", {"render_height": 1.5}, TypeError, "render_height must be an int"),
        ("Bytes-v0", {"render_width": 5}, TypeError, "has no option 'render_width'"),
        ("Bytes-v0", {"render_mode": "human"}, ValueError, "this task cannot be rendered"),
        ("Trouble-v0", {"render_mode": 3}, ValueError, "render_mode is 3; allowed are"),
        ("Bytes-v0", {"render_mode": "rgb_array"}, ValueError, "this task cannot be rendered"),
        ("Trouble-v0", {"render_env_id": 1}, ValueError, "render_env_id is 1; allowed are 0 to 0"),
        ("Trouble-v0", {"render_env_id": "a"}, TypeError, "render_env_id must be an int"),
    ],
)
def test_refused_by_make(task: str, options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parallel_pool.make(task, **options)


def test_refused_by_render() -> None:
    with (
        make(render_mode=None) as pool,
        pytest.raises(RuntimeError, match=r"render_mode.*ansi"),
    ):
        pool.render()
    with make() as pool:
        before = pool.render()
        pool.send([FINE], [1])
        for bad, error, words in [
            (None, ValueError, "1 is in flight"),
            ([0, 1], ValueError, "1 is in flight"),
            ([0, 3], ValueError, "there is no such env; allowed are 0 to 2"),
            ([0, 0], ValueError, "occurs twice"),
            ([], ValueError, "name at least one"),
            ([0.5], TypeError, "float64"),
            (True, TypeError, "env_id has dtype bool"),
        ]:
            with pytest.raises(error, match=words):
                pool.render(bad)
        np.testing.assert_array_equal(pool.render([0, 2]), before[[0, 2]])
        pool.recv()
        pool.render()
    with pytest.raises(RuntimeError, match="the pool is closed"):
        pool.render()


def test_an_env_that_was_never_reset_has_no_picture() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=2, render_mode="rgb_array") as pool:
        pool.reset([0])
        assert pool.render([0]).shape == (1, 2, 1, 3)
        with pytest.raises(ValueError, match="env 1 was never reset"):
            pool.render()


@pytest.mark.parametrize(("mode", "what"), [("rgb_array", "lamp"), ("ansi", "pen")])
def test_an_env_that_throws(mode: str, what: str) -> None:
    with make(render_mode=mode) as pool:
        with pytest.raises(parallel_pool.EnvError):
            pool.step([THROW_IN_OBSERVE], [2])
        with pytest.raises(RuntimeError, match=f"Trouble-v0 env 2: the {what} broke"):
            pool.render()
        assert len(pool.render([0, 1])) == 2
        pool.step([FINE] * 3)


def test_while_other_threads_step_and_close() -> None:
    """render() releases the GIL: meanwhile no env may step, and close() must wait."""
    options: dict[str, Any] = {"num_envs": 200, "lives": 5000, "render_mode": "rgb_array"}
    for _ in range(20):
        with parallel_pool.make("Trouble-v0", **options) as pool:
            pool.reset()
            ends: list[str] = []

            def draw(pool: Any = pool, ends: list[str] = ends) -> None:
                while not ends:
                    try:
                        assert pool.render().shape == (200, 2, 5000, 3)
                    except (RuntimeError, ValueError) as error:
                        if "closed" in str(error):
                            ends.append(str(error))

            thread = threading.Thread(target=draw)
            thread.start()
            for _ in range(10):
                with contextlib.suppress(RuntimeError, ValueError):
                    pool.step([FINE] * 200)
            pool.close()
            thread.join()
            assert ends
