"""The life of engines: starts, crashes, ends, and what they leave behind."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.vizdoom.reference import (
    MATCHES,
    PACKAGE,
    engines,
    leftovers,
    nothing_is_left,
)

TASK = "VizdoomBasic-v1"
# A process that makes a pool and then waits.
POOL = f"""
import sys, time
sys.path[:] = {sys.path!r}
import parallel_pool
env = parallel_pool.make(sys.argv[1], num_envs=2)
env.reset()
print("ready", flush=True)
time.sleep(600)
"""


def is_running(process: int) -> bool:
    """Whether a process runs, also if another process has started it."""
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def plays(env: Any, steps: int = 5) -> list[Any]:
    """Everything that `steps` steps return."""
    results = []
    for i in range(steps):
        obs, *rest, _ = env.step(np.array([i % 4]))
        results.append((obs["screen"].tobytes(), obs["gamevariables"].tobytes(), *map(str, rest)))
    return results


def test_nothing_is_left_while_engines_run_and_after() -> None:
    before = leftovers()
    with parallel_pool.make(TASK, num_envs=2) as env:
        assert engines() == []  # they start with the first episode
        env.reset()
        assert len(engines()) == 2
        assert nothing_is_left(before)
    assert engines() == []
    assert nothing_is_left(before)


def test_a_killed_engine_is_an_error_and_the_next_reset_starts_another() -> None:
    with parallel_pool.make(TASK, num_envs=1) as env:
        env.reset(seed=5)
        wanted = plays(env)
        (killed,) = engines()
        os.kill(killed, signal.SIGKILL)
        with pytest.raises(parallel_pool.EnvError, match="was killed by signal 9"):
            env.step(np.array([0]))
        env.reset(seed=5)
        assert plays(env) == wanted
        assert engines() not in ([], [killed])
    assert engines() == []


def test_a_reset_in_the_middle_equals_a_new_engine() -> None:
    with parallel_pool.make(TASK, num_envs=1) as env, parallel_pool.make(TASK, num_envs=1) as other:
        env.reset(seed=1)
        plays(env, 7)
        env.reset(seed=2)
        other.reset(seed=2)
        assert plays(env) == plays(other)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize(("task_id", "count"), [(TASK, 2), (MATCHES[0], 4)])
def test_engines_end_with_their_process(task_id: str, count: int, number: signal.Signals) -> None:
    before = leftovers()
    command = [sys.executable, "-c", POOL, task_id]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        started = engines(process.pid)
        assert len(started) == count
        process.send_signal(number)
    limit = time.monotonic() + 20
    while any(map(is_running, started)) and time.monotonic() < limit:
        time.sleep(0.01)
    assert not any(map(is_running, started))
    assert nothing_is_left(before)


def test_engines_outlive_the_thread_that_started_them() -> None:
    with parallel_pool.make(TASK, num_envs=2, num_threads=2) as env:
        env.reset()
        started = engines()
        with parallel_pool.make(TASK, num_envs=1) as other:
            other.reset()
        time.sleep(0.1)
        assert engines() == started


def test_engines_do_not_get_the_signals_of_the_terminal() -> None:
    with parallel_pool.make(TASK, num_envs=1) as env:
        env.reset()
        (engine,) = engines()
        assert os.getpgid(engine) != os.getpgid(0)


def test_no_shared_memory_is_an_error() -> None:
    before = leftovers()
    # No file of this process can be larger than 4 KiB, as if /dev/shm was full.
    code = f"""
import resource, sys
sys.path[:] = {sys.path!r}
import parallel_pool
env = parallel_pool.make({TASK!r}, num_envs=1)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
for _ in range(2):
    try:
        env.reset()
    except parallel_pool.EnvError as error:
        print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    (line,) = run.stdout.splitlines()
    assert re.search("shared memory /dev/shm/ViZDoom.* cannot be created: File too large", line)
    assert nothing_is_left(before)


def test_a_forked_child_leaves_the_engines_alone() -> None:
    with parallel_pool.make(TASK, num_envs=1) as env:
        env.reset(seed=3)
        child = os.fork()
        if child == 0:
            try:
                env.close()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        plays(env)


def test_errors_say_what_to_do(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="engine_path is the folder of the package vizdoom"):
        parallel_pool.make(TASK, engine_path=str(tmp_path))
    with pytest.raises(ValueError, match="doom_map is 'map99': there is no such map"):
        parallel_pool.make(TASK, doom_map="map99")
    with pytest.raises(
        ValueError, match=r"doom_scenario_path is 'none.wad': there is no such file"
    ):
        parallel_pool.make(TASK, doom_scenario_path="none.wad")
    with pytest.raises(ValueError, match="available_buttons has 'ATACK'; did you mean 'ATTACK'"):
        parallel_pool.make(TASK, available_buttons=["ATACK"])
    (tmp_path / "foreign.wad").write_bytes(b"no wad")
    with pytest.raises(ValueError, match=r"foreign.wad is not a WAD file"):
        parallel_pool.make(TASK, doom_scenario_path=str(tmp_path / "foreign.wad"))
    with pytest.raises(ValueError, match=r"doom_game_path is 'doom.wad': there is no such file"):
        parallel_pool.make("VizdoomDoomE1M1-S1-v0")
    with pytest.raises(
        ValueError, match=r"scenario_config_file is 'my.cfg': there is no such file"
    ):
        parallel_pool.make(TASK, scenario_config_file="my.cfg")


def test_without_the_package_the_error_says_how_to_install_it() -> None:
    hidden = "import sys; sys.modules['vizdoom'] = None; sys.path[:] = " + repr(sys.path)
    code = f"{hidden}; import parallel_pool as p; p.make({TASK!r})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install parallel_pool[vizdoom]" in run.stderr.splitlines()[-1]


def test_a_scenario_of_the_users_own(tmp_path: pathlib.Path) -> None:
    (tmp_path / "my.cfg").write_text(
        "doom_scenario_path = basic.wad\navailable_buttons = { ATTACK MOVE_LEFT TURN_LEFT USE }\n"
    )
    config = str(tmp_path / "my.cfg")
    with parallel_pool.make(TASK, num_envs=1, scenario_config_file=config) as env:
        assert env.action_space == gymnasium.spaces.Discrete(5)
        assert env.spec.config["available_buttons"] == ("ATTACK", "MOVE_LEFT", "TURN_LEFT", "USE")
        env.reset()
    spec = parallel_pool.make_spec(
        TASK,
        scenario_config_file=config,
        available_buttons=["use"],
        available_game_variables=["HEALTH"],
    )
    assert spec.action_space == gymnasium.spaces.Discrete(2)
    observation: Any = spec.observation_space
    assert observation["gamevariables"].shape == (1,)


def link_package(folder: pathlib.Path) -> None:
    """Makes a package without an engine."""
    for name in ("vizdoom.pk3", "freedoom2.wad", "scenarios"):
        (folder / name).symlink_to(PACKAGE / name)


# An engine that ends when three have started.
MEETING = """#!/bin/sh
touch {folder}/started.$$
until [ "$(ls {folder} | grep -c started)" = 3 ]; do sleep 0.01; done
exit 3
"""


def test_the_engines_of_a_chunk_start_at_the_same_time(tmp_path: pathlib.Path) -> None:
    link_package(tmp_path)
    (tmp_path / "vizdoom").write_text(MEETING.format(folder=tmp_path))
    (tmp_path / "vizdoom").chmod(0o755)
    before = leftovers()
    with parallel_pool.make(TASK, num_envs=3, num_threads=1, engine_path=str(tmp_path)) as env:
        with pytest.raises(parallel_pool.EnvError, match="it ended with status 3") as error:
            env.reset()
        assert error.value.env_ids == [0, 1, 2]
        assert nothing_is_left(before)
    assert len(list(tmp_path.glob("started.*"))) == 3


def test_an_engine_that_cannot_start_is_an_error(tmp_path: pathlib.Path) -> None:
    link_package(tmp_path)
    (tmp_path / "vizdoom").write_text("")
    before = leftovers()
    with parallel_pool.make(TASK, num_envs=1, engine_path=str(tmp_path)) as env:
        with pytest.raises(parallel_pool.EnvError, match="cannot be started: Permission denied"):
            env.reset()
        (tmp_path / "vizdoom").write_text("#!/bin/sh\nexit 3\n")
        (tmp_path / "vizdoom").chmod(0o755)
        with pytest.raises(parallel_pool.EnvError, match="it ended with status 3"):
            env.reset()
    assert nothing_is_left(before)
