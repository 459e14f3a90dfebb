"""OpenGL that is missing, used by other libraries, forked or ended: each in its own process."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

from parallel_pool.testing.form import by_form

HEAD = """
    import os, sys, threading
    import numpy as np
    import parallel_pool

    SMALL = dict(from_pixels=True, render_width=32, render_height=24)

    def play(steps=2, **options):
        with parallel_pool.make("HalfCheetah-v5", seed=3, **{**SMALL, **options}) as pool:
            obs = pool.reset()[0]
            for _ in range(steps):
                obs = pool.step(np.ones((pool.num_envs, 6), np.float32))[0]
            return obs

    def rss():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
"""


def run(code: str, **environment: str) -> str:
    """The output of a program that must succeed."""
    program = textwrap.dedent(HEAD) + textwrap.dedent(code)
    path = os.pathsep.join(path for path in sys.path if path)
    clean = {name: value for name, value in os.environ.items() if name != "MUJOCO_GL"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**clean, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture
def hidden(tmp_path: pathlib.Path) -> dict[str, str]:
    """The environment of a system whose OpenGL libraries cannot be loaded."""
    for name in ("libEGL.so.1", "libEGL.so", *(f"libOSMesa.so{v}" for v in (".8", ".6", ""))):
        (tmp_path / name).touch()
    return {"LD_LIBRARY_PATH": str(tmp_path)}


REFUSED = """
    for call in (
        lambda: parallel_pool.make("HalfCheetah-v5", from_pixels=True),
        lambda: render(),
    ):
        try:
            call()
        except Exception as error:
            print(type(error).__name__, error)
        else:
            print("no error")
"""
RENDER = """
    def render():
        with parallel_pool.make("HalfCheetah-v5", render_mode="rgb_array") as pool:
            pool.reset()
            return pool.render()
"""


def test_without_libraries_only_pixels_fail(hidden: dict[str, str]) -> None:
    said = run(RENDER + REFUSED, **hidden).splitlines()
    assert len(said) == 2
    for line in said:
        assert "HalfCheetah-v5" in line
        assert "pixels need OpenGL without a screen, and there is none; EGL: " in line
        assert "libEGL.so.1: file too short (Debian's packages: libegl1 and" in line
        assert "libOSMesa.so.8: file too short (Debian's packages: libosmesa6)" in line
    works = """
        spec = parallel_pool.make_spec("HalfCheetah-v5", from_pixels=True)
        with parallel_pool.make("HalfCheetah-v5") as pool:
            pool.reset()
            print(spec.observation_space.shape, pool.step(np.ones((1, 6), np.float32))[0].shape)
    """
    assert run(works, **hidden) == "(3, 84, 84) (1, 17)\n"


def test_the_environment_chooses(hidden: dict[str, str]) -> None:
    maps = """
        play()
        with open("/proc/self/maps") as file:
            text = file.read()
        print("libEGL.so" in text, "libOSMesa.so" in text)
    """
    assert run(maps) == "True False\n"
    assert run(maps, MUJOCO_GL="egl") == "True False\n"
    assert run(maps, MUJOCO_GL="OSMesa") == "False True\n"
    assert run(maps, MUJOCO_GL="glfw") == "True False\n"
    (line, *_) = run(RENDER + REFUSED, MUJOCO_GL="osmesa", **hidden).splitlines()
    assert "none with MUJOCO_GL=osmesa; OSMesa: " in line and "EGL: " not in line
    (line, *_) = run(RENDER + REFUSED, MUJOCO_GL="elg").splitlines()
    assert "MUJOCO_GL is 'elg'; allowed are 'egl' and 'osmesa'" in line
    (line, *_) = run(RENDER + REFUSED, MUJOCO_EGL_DEVICE_ID="99", MUJOCO_GL="egl").splitlines()
    assert "MUJOCO_EGL_DEVICE_ID is '99'; there are" in line


def test_osmesa_where_egl_is_missing(hidden: dict[str, str]) -> None:
    folder = pathlib.Path(hidden["LD_LIBRARY_PATH"])
    for file in folder.glob("libOSMesa*"):
        file.unlink()
    assert run("print(play(num_envs=2, num_threads=2).shape)", **hidden) == "(2, 3, 24, 32)\n"


def test_goes_on_when_a_window_without_a_screen_ends_egl() -> None:
    """SDL draws with the same EGL display, and ends it with its window."""
    code = """
        import pygame

        options = dict(seed=3, render_mode="rgb_array", render_width=60, render_height=50)
        pool = parallel_pool.make("HalfCheetah-v5", num_envs=2, **options)
        pool.reset()
        before = pool.render()
        for _ in range(2):
            pygame.display.init()
            pygame.display.set_mode((60, 50))
            pygame.display.flip()
            pygame.display.quit()
            assert (pool.render() == before).all()
            with parallel_pool.make("HalfCheetah-v5", num_envs=2, **options) as other:
                other.reset()
                assert (other.render() == before).all()
        print(before.std() > 10)
    """
    assert run(code, SDL_VIDEODRIVER="offscreen").splitlines()[-1] == "True"


@pytest.mark.parametrize("library", by_form(["egl"], ["egl", "osmesa"]))
@pytest.mark.parametrize("order", [("theirs", "ours"), ("ours", "theirs")])
def test_equals_gymnasium_in_the_same_process(library: str, order: tuple[str, str]) -> None:
    """Each has its own MuJoCo and its own contexts of the same library, in any order."""
    code = f"""
        import gymnasium

        env = gymnasium.make("HalfCheetah-v5", render_mode="rgb_array", width=60, height=50)
        env.reset(seed=3)
        pool = parallel_pool.make(
            "HalfCheetah-v5", seed=3, render_mode="rgb_array", render_width=60, render_height=50
        )
        pool.reset()
        draw = dict(theirs=env.render, ours=lambda: pool.render()[0])
        for step in range(4):
            first, second = [draw[who]() for who in {order}]
            assert (first == second).all(), step
            assert first.std() > 10
            action = np.ones(6, np.float32)
            env.step(action)
            pool.step(action[None])
        env.close()
        pool.close()
        print("equal")
    """
    assert run(code, MUJOCO_GL=library) == "equal\n"


@pytest.mark.parametrize("library", by_form(["egl"], ["egl", "osmesa"]))
def test_contexts_go_with_their_pool(library: str) -> None:
    code = """
        def grow(count):
            before = rss()
            for _ in range(count):
                play(num_envs=2, num_threads=1, render_quality="fast")
            return rss() - before

        grow(1)
        print(grow(5))
        pool = parallel_pool.make("HalfCheetah-v5", render_quality="fast", **SMALL)
        before = rss()
        kept = [pool]
        for _ in range(2):
            kept.append(parallel_pool.make("HalfCheetah-v5", render_quality="fast", **SMALL))
            kept[-1].reset()
        print((rss() - before) / 2)
    """
    grown, each = map(float, run(code, MUJOCO_GL=library).split())
    assert each > 2, "a context takes memory"
    assert grown < each / 2, (grown, each)


def test_few_contexts_for_many_envs() -> None:
    code = """
        def size(num_envs):
            before = rss()
            with parallel_pool.make(
                "HalfCheetah-v5", num_envs=num_envs, num_threads=1, render_quality="fast", **SMALL
            ) as pool:
                pool.reset()
                return rss() - before

        size(1)
        print(size(10), size(210))
    """
    few, many = map(float, run(code).split())
    assert (many - few) / 200 < 0.2, "MB an env: its world and its picture"


@pytest.mark.parametrize("library", by_form(["osmesa"], ["egl", "osmesa"]))
def test_a_fork(library: str) -> None:
    code = """
        import warnings

        warnings.simplefilter("ignore")  # the warning about threads in a process that forks
        before = play()
        pool = parallel_pool.make("HalfCheetah-v5", num_envs=2, num_threads=2, **SMALL)
        pool.reset()
        child = os.fork()
        if child == 0:
            try:
                play()
            except Exception as error:
                print(error, flush=True)
            del pool
            EXIT(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        pool.step(np.ones((2, 6), np.float32))
        assert (play() == before).all()
    """
    # At the exit of such a child, OSMesa waits for the threads of its parent and crashes.
    end = {"egl": "sys.exit", "osmesa": "os._exit"}[library]
    said = run(code.replace("EXIT", end), MUJOCO_GL=library)
    assert "forked from one that had drawn" in said and "spawn" in said


def test_a_fork_before_anything_is_drawn() -> None:
    code = """
        child = os.fork()
        if child == 0:
            print(play().shape, flush=True)
            sys.exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        print(play().shape)
    """
    assert run(code) == "(1, 3, 24, 32)\n" * 2


@pytest.mark.parametrize("library", by_form(["egl"], ["egl", "osmesa"]))
def test_the_process_may_end_at_any_time(library: str) -> None:
    code = """
        import mujoco

        mujoco.GLContext(8, 8).make_current()  # at exit it terminates the display that both share
        pool = parallel_pool.make("HalfCheetah-v5", num_envs=4, num_threads=2, **SMALL)
        pool.reset()
        pool.send(np.ones((4, 6), np.float32))
    """
    run(code, MUJOCO_GL=library)


def test_the_context_of_a_thread_stays_its_own() -> None:
    code = """
        import mujoco
        from mujoco.egl import EGL

        context = mujoco.GLContext(8, 8)
        context.make_current()
        current = EGL.eglGetCurrentContext().address
        pool = parallel_pool.make("HalfCheetah-v5", num_threads=1, **SMALL)
        pool.reset()  # this thread draws
        assert EGL.eglGetCurrentContext().address == current
        EGL.eglMakeCurrent(
            EGL.eglGetCurrentDisplay(), EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, EGL.EGL_NO_CONTEXT
        )
        pool.step(np.ones((1, 6), np.float32))
        assert not EGL.eglGetCurrentContext()
        print("own")
    """
    assert run(code, MUJOCO_GL="egl") == "own\n"
