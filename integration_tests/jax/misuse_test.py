"""Misuse of a pool in a program is an error in words, never a crash or a wrong number."""

import pathlib
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import parallel_pool
from parallel_pool.jax import from_pool

ENVS = 4
ONES = np.ones(ENVS, np.int32)
# JAX 0.5 raises a ValueError where a compiled program is called again.
_ERRORS = (jax.errors.JaxRuntimeError, ValueError)


@pytest.fixture
def pool() -> Any:
    """A pool that was reset."""
    made = parallel_pool.make("CartPole-v1", num_envs=ENVS)
    made.reset()
    return made


def refused(call: Callable[[], Any], match: str, pool: Any, kind: type[Exception]) -> Exception:
    """Checks that a program fails with these words, and that the pool has the typed error."""
    with pytest.raises(_ERRORS, match=match):
        jax.block_until_ready(call())
    error = parallel_pool.jax.error(pool)
    assert type(error) is kind
    assert re.search(match, str(error))
    return error


def test_an_old_state(pool: Any) -> None:
    state, step, reset = from_pool(pool)
    first = state
    state, _ = jax.jit(step)(state, ONES)
    refused(lambda: jax.jit(step)(first, ONES), r"not the latest \(0, now 1\)", pool, RuntimeError)
    jax.jit(step)(state, ONES)  # nothing was lost


def test_a_state_that_is_used_twice(pool: Any) -> None:
    state, step, reset = from_pool(pool)
    twice = jax.jit(lambda s: (step(s, ONES), step(s, ONES)))
    refused(lambda: twice(state), r"not the latest \(0, now 1\)", pool, RuntimeError)
    state = from_pool(pool).state
    jax.jit(step)(state, ONES)


def test_the_state_of_another_pool(pool: Any) -> None:
    other = parallel_pool.make("CartPole-v1", num_envs=ENVS)
    step = from_pool(pool).step
    state = from_pool(other).state
    refused(lambda: step(state, ONES), "of another pool", pool, ValueError)
    handle = other.xla()[0]
    refused(lambda: pool.xla()[3](handle, ONES), "of another pool", pool, ValueError)
    with pytest.raises(TypeError, match=r"the state is int32 \(4,\); it must be .*uint8 \(8,\)"):
        step(jnp.ones(ENVS, jnp.int32), ONES)
    with pytest.raises(TypeError, match="the state is a NoneType"):
        step(None, ONES)


@pytest.mark.parametrize(
    ("task_id", "action", "words"),
    [
        (
            "CartPole-v1",
            np.array([0, 1, 2, 0], np.int32),
            r"action\[2\] is 2; allowed are .* 0 to 1",
        ),
        ("CartPole-v1", np.array([-1, 1, 2, 0], np.int32), r"action\[0\] is -1; allowed are"),
        ("Pendulum-v1", np.full((4, 1), np.nan, np.float32), r"action\[0\].* is nan; .* finite"),
        ("Pendulum-v1", np.full((4, 1), np.inf, np.float32), r"action\[0\].* is inf; .* finite"),
    ],
)
def test_a_wrong_value(task_id: str, action: Any, words: str) -> None:
    pool = parallel_pool.make(task_id, num_envs=ENVS)
    state, step, reset = from_pool(pool)
    state, _ = reset(state)
    refused(lambda: jax.jit(step)(state, action), words, pool, ValueError)
    state, batch = jax.jit(step)(state, np.zeros_like(action))  # nothing was sent
    assert (np.asarray(batch[4]["elapsed_step"]) == 1).all()


@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        (np.ones(3, np.int32), ValueError, r"action has shape \(3,\); it must be \(4,\)"),
        (np.ones((4, 1), np.int32), ValueError, r"action has shape \(4, 1\); it must be \(4,\)"),
        (np.ones(4, np.int64), TypeError, "action is of int64; it must be of int32"),
        (np.ones(4, np.float32), TypeError, "action is of float32; it must be of int32"),
        ([1, 1, 1, 1], TypeError, "action is a list; it must be an array"),
        ({"acton": np.ones(4, np.int32)}, ValueError, "'acton'; did you mean action"),
        ({}, ValueError, "no entry 'action'"),
    ],
)
def test_a_wrong_form(pool: Any, action: Any, error: type[Exception], words: str) -> None:
    state, step, reset = from_pool(pool)
    with pytest.raises(error, match="CartPole-v1: .*" + words):
        jax.jit(lambda s: step(s, action))(state)
    handle, recv, send, step = pool.xla()
    with pytest.raises(error, match=words):
        send(handle, action)


@pytest.mark.parametrize(
    ("env_id", "error", "words"),
    [
        ([0, 0], None, r"env_id\[1\] = 0 occurs twice"),
        ([0, 4], None, r"env_id\[1\] = 4: there is no such env; allowed are 0 to 3"),
        ([-1, 2], None, r"env_id\[0\] = -1: there is no such env"),
        ([], TypeError, "env_id is of float64"),
        (np.zeros(0, np.int32), ValueError, r"env_id has shape \(0,\)"),
        (np.zeros((1, 1), np.int32), ValueError, r"env_id has shape \(1, 1\)"),
        ([2**40, 1], ValueError, "env_id has 1099511627776; .* from -2147483648 to 2147483647"),
        (np.ones(2), TypeError, "env_id is of float64"),
    ],
)
def test_wrong_envs(pool: Any, env_id: Any, error: Any, words: str) -> None:
    state, step, reset = from_pool(pool)
    ones = np.ones(np.shape(env_id)[0], np.int32)
    if error is None:
        refused(lambda: step(state, ones, env_id), words, pool, ValueError)
        refused(lambda: reset(state, env_id=env_id), words, pool, ValueError)
    else:
        with pytest.raises(error, match=words):
            step(state, ones, env_id)
    step(state, ONES)


def test_wrong_seeds(pool: Any) -> None:
    state, step, reset = from_pool(pool)
    refused(lambda: reset(state, seed=-1), "seed is -1; allowed", pool, ValueError)
    with pytest.raises(ValueError, match=r"seed has shape \(3,\)"):
        reset(state, seed=[1, 2, 3])
    with pytest.raises(TypeError, match="seed is of float32"):
        reset(state, seed=jnp.float32(1))


def test_envs_in_flight(pool: Any) -> None:
    envs = from_pool(pool)
    state = envs.send(envs.state, ONES)
    refused(lambda: envs.send(state, ONES), "env_id.0. = 0 is in flight", pool, ValueError)
    refused(
        lambda: envs.recv(state, rows=3), r"is float32 \(3, 4\); it must .*4, 4\)", pool, ValueError
    )
    state, batch = envs.recv(state)
    refused(lambda: envs.recv(state), "recv\\(\\) would wait forever", pool, RuntimeError)
    state = envs.send(state, ONES[:3], [0, 1, 2])
    words = r"is float32 \(1, 4\); it must be float32 \(3, 4\)"
    refused(lambda: envs.step(state, ONES[:1], [3]), words, pool, ValueError)
    state, batch = envs.recv(state, rows=3)
    np.testing.assert_array_equal(batch[4]["env_id"], [0, 1, 2])


def test_vmap_and_gradients(pool: Any) -> None:
    state, step, reset = from_pool(pool)
    many = jnp.ones((3, ENVS), jnp.int32)
    with pytest.raises(NotImplementedError, match=r"CartPole-v1: step under vmap .*num_envs="):
        jax.vmap(step, in_axes=(None, 0))(state, many)
    with pytest.raises(NotImplementedError, match="num_envs="):
        jax.jit(jax.vmap(lambda s: reset(s), in_axes=0))(jnp.stack([state, state]))
    free = parallel_pool.make("Pendulum-v1", num_envs=2)
    state, step, reset = from_pool(free)
    state, _ = reset(state)

    def loss(scale: Any, state: Any, stop: bool) -> Any:
        action = scale * jnp.ones((2, 1))
        if stop:
            action = jax.lax.stop_gradient(action)
        state, batch = step(state, action)
        return (scale * batch[1]).sum(), (state, batch[1])

    with pytest.raises(TypeError, match="Pendulum-v1: step has no gradient"):
        jax.grad(loss, has_aux=True)(1.0, state, False)
    gradient, (state, reward) = jax.jit(
        lambda scale, s: jax.grad(loss, has_aux=True)(scale, s, True)
    )(1.0, state)
    np.testing.assert_allclose(gradient, np.asarray(reward).sum(), rtol=1e-6)


def test_a_closed_pool(pool: Any) -> None:
    state, step, reset = from_pool(pool)
    compiled = jax.jit(step)
    state, _ = compiled(state, ONES)
    pool.close()
    refused(lambda: compiled(state, ONES), "CartPole-v1: the pool is closed", pool, RuntimeError)
    with pytest.raises(RuntimeError, match="the pool is closed"):
        from_pool(pool)
    with pytest.raises(TypeError, match=r"a pool of parallel_pool\.make"):
        from_pool("CartPole-v1")  # type: ignore[arg-type]


def test_a_pool_that_is_closed_during_a_program() -> None:
    pool = parallel_pool.make("Pong-v5", num_envs=2)
    state, step, reset = from_pool(pool)
    state, _ = reset(state)
    action = np.zeros(2, np.int32)
    endless = jax.jit(lambda s: jax.lax.while_loop(lambda s: True, lambda s: step(s, action)[0], s))
    ended = threading.Event()

    def run() -> None:
        with pytest.raises(_ERRORS, match=r"Pong-v5: the pool (is|was) closed"):
            endless(state).block_until_ready()
        ended.set()

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.5)
    assert not ended.is_set()
    pool.close()
    assert ended.wait(10)
    thread.join()


def run_together(*calls: Callable[[], Any]) -> list[str]:
    """Runs calls at once, each in its thread, until all have ended; their errors."""
    errors: list[str] = []

    def run(call: Callable[[], Any]) -> None:
        try:
            jax.block_until_ready(call())
        except (RuntimeError, ValueError) as error:
            errors.append(str(error))

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def long_program(pool: Any) -> Callable[[], Any]:
    """A program of 3000 steps with EnvPool's handle, compiled."""
    handle, recv, send, step = pool.xla()
    compiled = jax.jit(lambda h: jax.lax.fori_loop(0, 3000, lambda i, h: step(h, ONES)[0], h))
    compiled(handle).block_until_ready()
    return lambda: compiled(handle)


def test_programs_of_two_threads(pool: Any) -> None:
    program = long_program(pool)
    assert run_together(program, program) == []
    pool.step(ONES)


def test_a_call_during_a_program(pool: Any) -> None:
    """Either the call or the program is refused, in words."""
    program = long_program(pool)

    def steps() -> None:
        for _ in range(3000):
            pool.step(ONES)

    for _ in range(20):
        if errors := run_together(program, steps):
            break
    assert errors
    for text in errors:
        assert "another call is sending to this pool" in text or "another thread is in" in text


TWO_DEVICES = """
import jax, jax.numpy as jnp, numpy as np, parallel_pool
from parallel_pool.jax import from_pool
assert len(jax.devices()) == 2
pool = parallel_pool.make("CartPole-v1", num_envs=4)
state, step, reset = from_pool(pool)
try:
    jax.block_until_ready(jax.pmap(step)(jnp.stack([state, state]), np.ones((2, 4), np.int32)))
except Exception as error:
    print(type(error).__name__, error)
"""


def test_two_devices() -> None:
    run = subprocess.run(
        [sys.executable, "-I", "-c", TWO_DEVICES],
        env={"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "this state is not the latest (0, now 1)" in run.stdout
    assert "on one device only" in run.stdout


ENDLESS = """
import os, signal, threading, time
import jax, numpy as np, parallel_pool
from parallel_pool.jax import from_pool
pool = parallel_pool.make("CartPole-v1", num_envs=4)
state, step, reset = from_pool(pool)
state, _ = reset(state)
action = np.zeros(4, np.int32)
program = jax.jit(lambda s: jax.lax.while_loop(lambda s: True, lambda s: step(s, action)[0], s))
compiled = program.lower(state).compile()
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.time()
try:
    compiled(state).block_until_ready()
except KeyboardInterrupt:
    print("interrupted")
assert time.time() - start < 5
"""


def test_ctrl_c_ends_a_program_and_the_process_ends() -> None:
    command = [sys.executable, "-I", "-W", "ignore", "-c", ENDLESS]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "interrupted\n"


@pytest.fixture(scope="module")
def motor(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Builds motor.cc as an env author does; the task stays registered in this process."""
    source = str(pathlib.Path(__file__).with_name("motor.cc"))
    library = str(tmp_path_factory.mktemp("motor") / "motor.so")
    flags = ["-m", "parallel_pool", "--cflags"]
    run = subprocess.run([sys.executable, *flags], capture_output=True, text=True, check=True)
    subprocess.run(["g++", *run.stdout.split(), source, "-o", library], check=True)
    parallel_pool.load(library)


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_an_env_that_throws(motor: None, env_type: Any) -> None:
    pool: Any = parallel_pool.make("Motor-v0", env_type=env_type, num_envs=3)
    envs = from_pool(pool)
    state, step, reset = envs
    state, _ = reset(state)
    words = r"Motor-v0 env 1 step 1: the motor broke \(and 1 more envs of this batch\)"
    action = np.array([0, 1, 1], np.int32)
    error: Any = refused(lambda: step(state, action), words, pool, parallel_pool.EnvError)
    assert error.env_ids == [1, 2]
    result = error.result
    if env_type == "dm":
        np.testing.assert_array_equal(result.reward, [1, 0, 0])
        assert result.observation.obs.tolist() == [[1], [0], [0]]
    else:
        obs, reward, terminated, truncated, info = result
        assert obs.tolist() == [[1], [0], [0]]
        assert truncated.tolist() == [False, True, True]
    assert parallel_pool.jax.error(pool) is error
    state, batch = step(envs.state, np.zeros(3, np.int32))  # goes on
    obs = batch.observation.obs if env_type == "dm" else batch[0]
    assert np.asarray(obs).tolist() == [[2], [0], [0]]


def test_a_number_that_is_too_large(motor: None) -> None:
    pool = parallel_pool.make("Motor-v0", num_envs=1)
    state, step, reset = from_pool(pool)
    state, _ = reset(state)
    words = "Motor-v0: obs is 1099511627776, which is no int32: set jax_enable_x64"
    refused(lambda: step(state, np.array([2], np.int32)), words, pool, ValueError)
    jax.config.update("jax_enable_x64", True)
    try:
        state, batch = step(from_pool(pool).state, np.array([2], np.int32))
        assert int(batch[0][0, 0]) == 2**41
    finally:
        jax.config.update("jax_enable_x64", False)


def test_importing_the_package_imports_no_jax() -> None:
    code = "import sys, parallel_pool; print([m for m in sys.modules if m.startswith('jax')])"
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr
