"""render_width and render_height, and the window of render_mode="human"."""

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import cv2
import gymnasium
import numpy as np
import pygame
import pytest

import parallel_pool
from parallel_pool.python.pools.window import tile
from parallel_pool.testing import testing_family  # noqa: F401

CARTPOLE = "CartPole-v1"
ON_WINDOWS = sys.platform == "win32"
WORKERS = (0,) if ON_WINDOWS else (0, 1)


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """SDL's window without a screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def screen() -> Any:
    """The pixels of the window, (height, width, 3)."""
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


# The CartPole of 400 x 600 smaller, larger, larger along one side, and one side only.
SIZES = [(100, 150), (84, 84), (800, 1300), (200, 700), (500, 0), (0, 84), (400, 600)]


@pytest.mark.parametrize(("height", "width"), SIZES)
def test_pictures_are_those_of_opencv(height: int, width: int) -> None:
    options: dict[str, Any] = {"num_envs": 3, "render_mode": "rgb_array"}
    sized: dict[str, Any] = {"render_height": height, "render_width": width}
    with (
        parallel_pool.make(CARTPOLE, **options) as own,
        parallel_pool.make(CARTPOLE, **options, **sized) as pool,
    ):
        own.reset()
        pool.reset()
        before = own.render()
        size = (width or 600, height or 400)
        area = height <= 400 and width <= 600
        method = cv2.INTER_AREA if area else cv2.INTER_LINEAR
        wanted = [cv2.resize(picture, size, interpolation=method) for picture in before]
        np.testing.assert_array_equal(pool.render(), wanted)
        np.testing.assert_array_equal(pool.render([2, 0]), [wanted[2], wanted[0]])
        assert pool.config["render_height"] == height
        again = pickle.loads(pickle.dumps(pool))
        again.reset()
        np.testing.assert_array_equal(again.render(), wanted)
        again.close()


def test_sizes_of_other_pools() -> None:
    sized: dict[str, Any] = {"render_mode": "rgb_array", "render_width": 30, "render_height": 20}
    with parallel_pool.make_dm(CARTPOLE, **sized) as pool:
        pool.reset()
        assert pool.render().shape == (1, 20, 30, 3)
    with parallel_pool.make(["CartPole-v0", "CartPole-v1"], **sized) as pool:
        pool.reset()
        assert pool.render().shape == (2, 20, 30, 3)
    single = parallel_pool.make(CARTPOLE, num_envs=None, **sized)
    single.reset()
    assert single.render().shape == (20, 30, 3)
    vector: Any = gymnasium.make_vec(f"parallel_pool/{CARTPOLE}", num_envs=2, **sized)
    vector.reset()
    assert [picture.shape for picture in vector.render()] == [(20, 30, 3)] * 2
    for workers in WORKERS:
        with parallel_pool.make_python(CARTPOLE, 2, num_workers=workers, **sized) as python:
            python.reset()
            assert python.render().shape == (2, 20, 30, 3)


SINGLE: dict[str, Callable[[], Any]] = {
    "gymnasium": lambda: parallel_pool.make(CARTPOLE, num_envs=None, seed=3, render_mode="human"),
    "gym": lambda: parallel_pool.make_gym(CARTPOLE, num_envs=None, seed=3, render_mode="human"),
    "dm": lambda: parallel_pool.make_dm(CARTPOLE, num_envs=None, seed=3, render_mode="human"),
    "gymnasium.make": lambda: gymnasium.make(
        f"parallel_pool/{CARTPOLE}", seed=3, render_mode="human"
    ),
}


@pytest.mark.parametrize("api", SINGLE)
def test_a_single_env_is_drawn_at_each_call(api: str, recwarn: pytest.WarningsRecorder) -> None:
    env = SINGLE[api]()
    reference = parallel_pool.make(CARTPOLE, num_envs=None, seed=3, render_mode="rgb_array")
    env.reset()
    reference.reset()
    for action in (1, 0, 1, 1):
        np.testing.assert_array_equal(screen(), reference.render())
        env.step(action)
        reference.step(action)
    np.testing.assert_array_equal(screen(), reference.render())
    assert env.render() is None
    np.testing.assert_array_equal(screen(), reference.render())
    assert pygame.display.get_caption()[0] == CARTPOLE
    env.close()
    assert not pygame.display.get_init()
    assert not [w for w in recwarn if "human" in str(w.message)]


def test_a_pool_is_drawn_by_render() -> None:
    human: dict[str, Any] = {"num_envs": 3, "render_mode": "human"}
    with (
        parallel_pool.make(CARTPOLE, **human) as pool,
        parallel_pool.make(CARTPOLE, **human | {"render_mode": "rgb_array"}) as reference,
    ):
        pool.reset()
        reference.reset()
        pictures = reference.render()
        assert pygame.display.get_surface() is None
        assert pool.render() is None
        np.testing.assert_array_equal(screen(), tile(pictures))
        assert pool.render(1) is None
        np.testing.assert_array_equal(screen(), pictures[1])
        assert pool.call("render") == (None,) * 3
    vector = gymnasium.make_vec(f"parallel_pool/{CARTPOLE}", **human, render_height=40)
    assert "human" in vector.metadata["render_modes"]
    vector.reset()
    assert vector.render() is None
    assert screen().shape == (80, 1200, 3)
    vector.close()


@pytest.mark.parametrize("workers", WORKERS)
def test_envs_in_python(workers: int) -> None:
    """Their pictures come to the pool, which has the window: workers open none."""
    human: dict[str, Any] = {"num_workers": workers, "render_mode": "human"}
    with parallel_pool.make_python(CARTPOLE, 2, **human) as pool:
        assert pool.render_mode == "human"
        if workers:
            assert pool.get_attr("render_mode") == ("rgb_array",) * 2
        pool.reset()
        assert pool.render() is None
        assert screen().shape == (400, 1200, 3)


def test_copies_and_the_last_one_closes_the_window() -> None:
    env = SINGLE["gymnasium"]()
    env.reset()
    pool = parallel_pool.make(CARTPOLE, render_mode="human")
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for other in others:
        other.reset()
        other.close()
        other.close()
    pool.reset()
    pool.render()
    pool.close()
    env.step(1)
    assert pygame.display.get_init()
    del env
    gc.collect()
    assert not pygame.display.get_init()


def run(code: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """A Python process without any display."""
    clean = {n: v for n, v in os.environ.items() if n not in ("DISPLAY", "WAYLAND_DISPLAY")}
    clean.pop("SDL_VIDEODRIVER")
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**clean, "PYTHONPATH": os.pathsep.join(sys.path), **env},
        capture_output=True,
        text=True,
        timeout=60,
    )


MAKE = f"""
import parallel_pool
try:
    parallel_pool.make("{CARTPOLE}", render_mode="human")
except (RuntimeError, ImportError) as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(ON_WINDOWS, reason="Windows always has a display")
@pytest.mark.parametrize("env", [{}, {"DISPLAY": ":17"}, {"WAYLAND_DISPLAY": "no-such"}])
def test_without_a_display(env: dict[str, str]) -> None:
    done = run(MAKE, **env)
    assert done.stdout.startswith(f"RuntimeError {CARTPOLE}: render_mode is 'human', but there is")
    assert 'give render_mode="rgb_array"' in done.stdout
    assert done.stdout.count("\n") == 1, "pygame's greeting is printed"


def test_without_pygame() -> None:
    done = run("import sys; sys.modules['pygame'] = None\n" + MAKE)
    assert done.stdout.startswith(f"ImportError {CARTPOLE}: render_mode is 'human', which needs")
    assert "pip install pygame-ce" in done.stdout


@pytest.mark.skipif(ON_WINDOWS, reason="Windows has no signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_process(number: signal.Signals) -> None:
    """SDL would keep them."""
    done = run(
        f"""
import os, time, parallel_pool
env = parallel_pool.make("{CARTPOLE}", num_envs=None, render_mode="human")
env.reset()
os.kill(os.getpid(), {int(number)})
for _ in range(100):
    env.step(0)
    env.reset()
print("still here")
""",
        SDL_VIDEODRIVER="dummy",
    )
    assert "still here" not in done.stdout
    assert done.returncode == -number, done.stderr
