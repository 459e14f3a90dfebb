"""Programs equal the pool's own calls, bit for bit, for a task of each family."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import parallel_pool
from parallel_pool.jax import from_pool

ENVS, STEPS, SEED = 4, 30, 5
# A task of each family, one of them normalized; of MuJoCo one with float64, of games with players
# two forms of them.
TASKS: dict[str, dict[str, Any]] = {
    "CartPole-v1": {},
    "Pendulum-v1": {
        "normalize_observation": True,
        "normalize_reward": True,
        "clip_observation": 2.0,
    },
    "Pong-v5": {"frame_skip": 8},
    "FrozenLake-v1": {},
    "HalfCheetah-v5": {"max_episode_steps": 20},
    "CheetahRun-v1": {"max_episode_steps": 20},
    "LunarLander-v3": {},
    "CoinrunEasy-v0": {},
    "MiniGrid-Empty-5x5-v0": {},
    "SimpleSpread-v3": {"max_episode_steps": 7},
    "ConnectFour-v0": {},
    "TicTacToe-v0": {"num_envs": 3},
}


@pytest.fixture(params=[False, True], ids=["x32", "x64"])
def x64(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Runs a test without and with JAX's 64-bit types."""
    jax.config.update("jax_enable_x64", request.param)
    yield request.param
    jax.config.update("jax_enable_x64", False)


def pools(task_id: str, **options: Any) -> tuple[Any, Any]:
    """Two equal pools."""
    options = {"num_envs": ENVS, "seed": SEED, **options}
    return parallel_pool.make(task_id, **options), parallel_pool.make(task_id, **options)


def leaves(tree: Any, name: str = "") -> dict[str, Any]:
    """The arrays of nested dicts and tuples, by their path."""
    if hasattr(tree, "_fields"):
        tree = tree._asdict()
    elif isinstance(tree, tuple):
        tree = dict(enumerate(tree))
    if not isinstance(tree, dict):
        return {name: tree}
    found: dict[str, Any] = {}
    for key, value in tree.items():
        found |= leaves(value, f"{name}.{key}")
    return found


def assert_equal(ours: Any, theirs: Any, step: int | None = None) -> None:
    """The arrays of a program are those of NumPy, or as JAX narrows them.

    A program's arrays of players have room for all; the rows without a player come last.
    """
    ours, theirs = leaves(ours), leaves(theirs)
    assert set(theirs) <= set(ours)
    assert all("episode" in name for name in set(ours) - set(theirs))
    for name, expected in theirs.items():
        array = np.asarray(ours[name] if step is None else ours[name][step])
        assert array.dtype == jax.dtypes.canonicalize_dtype(expected.dtype), name
        rows = len(expected)
        np.testing.assert_array_equal(array[:rows], expected.astype(array.dtype), name)
        rest = -1 if name.endswith("players.env_id") else 0
        assert (array[rows:] == rest).all(), name


def random_actions(pool: Any, steps: int, rows: int) -> dict[str, Any]:
    """Actions of the space, (steps, rows or players, ...)."""
    random = np.random.default_rng(0)
    actions = {}
    for array in pool.spec.action_arrays:
        shape = (steps, rows * max(array.players, 1), *array.shape)
        if array.dtype.startswith("float"):
            actions[array.name] = random.uniform(-1, 1, shape).astype(array.dtype)
        else:
            high = np.broadcast_to(array.high, shape).astype(int) + 1
            actions[array.name] = random.integers(0, high).astype(array.dtype)
    return actions


def narrow(actions: dict[str, Any]) -> dict[str, Any]:
    """As JAX has them; float64 is rounded before both pools get it."""
    return {
        name: array.astype(jax.dtypes.canonicalize_dtype(array.dtype))
        for name, array in actions.items()
    }


def step_numpy(pool: Any, actions: dict[str, Any], players: list[int]) -> Any:
    """A step of the pool itself; it takes rows only for the players that are there."""
    rows = {a.name: sum(players) if a.players else None for a in pool.spec.action_arrays}
    given = {name: array[: rows[name]] for name, array in actions.items()}
    return pool.step(given if len(given) > 1 else next(iter(given.values())))


def players_of(pool: Any, env_ids: Any) -> list[int]:
    return [int((env_ids == env).sum()) for env in range(pool.num_envs)]


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize("task_id", TASKS)
def test_a_scan_is_the_loop(task_id: str, env_type: str, x64: bool) -> None:
    with_jax, with_numpy = pools(task_id, env_type=env_type, **TASKS[task_id])
    actions = narrow(random_actions(with_numpy, STEPS, with_numpy.num_envs))
    state, step, reset = from_pool(with_jax)
    state, first = jax.jit(reset)(state)
    expected: Any = with_numpy.reset()
    assert_equal(first, expected)

    def body(state: Any, action: dict[str, Any]) -> Any:
        return step(state, action if len(action) > 1 else next(iter(action.values())))

    state, batches = jax.jit(lambda s: jax.lax.scan(body, s, actions))(state)
    ended = 0
    for t in range(STEPS):
        is_dm = env_type == "dm"
        of = expected.observation.players if is_dm else expected[-1]["players"]
        players = players_of(with_numpy, of.env_id if is_dm else of["env_id"])
        expected = step_numpy(with_numpy, {k: a[t] for k, a in actions.items()}, players)
        assert_equal(batches, expected, t)
        ended += int(
            (expected.step_type == 2).sum() if is_dm else (expected[2] | expected[3]).sum()
        )
    if task_id in ("CartPole-v1", "SimpleSpread-v3", "HalfCheetah-v5", "TicTacToe-v0"):
        assert ended > 0


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_infos_of_ends(mode: str) -> None:
    with_jax, with_numpy = pools("CartPole-v1", autoreset_mode=mode, record_episode_statistics=True)
    actions = np.ones((STEPS, ENVS), np.int32)
    state, step, reset = from_pool(with_jax)
    state, _ = reset(state)
    with_numpy.reset()
    state, batches = jax.lax.scan(step, state, actions)
    ended = False
    for t in range(STEPS):
        expected = with_numpy.step(actions[t])
        assert_equal(batches, expected, t)
        ended |= "episode" in expected[4]
        assert np.asarray(batches[4]["_episode"][t]).any() == ("episode" in expected[4])
    assert ended


def test_some_envs_and_seeds() -> None:
    with_jax, with_numpy = pools("CartPole-v1")
    state, step, reset = from_pool(with_jax)
    some = np.array([2, 0], np.int32)

    @jax.jit  # type: ignore[untyped-decorator]
    def program(state: Any, ids: Any, seeds: Any, action: Any) -> Any:
        state, a = reset(state, seed=9)
        state, b = reset(state, seed=seeds, env_id=ids)
        state, c = step(state, action, ids)
        state, d = step(state, action[jnp.array([0, 1, 0, 1])])
        return state, (a, b, c, d)

    seeds, action = np.array([100, 7], np.int32), np.array([1, 0], np.int32)
    state, batches = program(state, some, seeds, action)
    expected = [
        with_numpy.reset(seed=9),
        with_numpy.reset(some, seed=[100, 7]),
        with_numpy.step(action, some),
        with_numpy.step(action[[0, 1, 0, 1]]),
    ]
    for ours, theirs in zip(batches, expected, strict=True):
        assert_equal(ours, theirs)


def test_control_flow() -> None:
    """fori_loop, while_loop, cond, and a program in a program."""
    with_jax, with_numpy = pools("CartPole-v1")
    state, step, reset = from_pool(with_jax)
    ones, zeros = jnp.ones(ENVS, jnp.int32), jnp.zeros(ENVS, jnp.int32)
    inner = jax.jit(lambda state: step(state, ones)[0])

    @jax.jit  # type: ignore[untyped-decorator]
    def program(state: Any) -> Any:
        state, (obs, _) = reset(state)
        state = jax.lax.fori_loop(0, 5, lambda i, s: inner(s), state)
        state, batch = jax.lax.cond(
            obs[0, 0] < 100, lambda s: step(s, zeros), lambda s: step(step(s, ones)[0], ones), state
        )

        def goes_on(carry: Any) -> Any:
            return ~carry[1][2].any()

        return jax.lax.while_loop(goes_on, lambda c: step(c[0], ones), (state, batch))

    state, batch = program(state)
    with_numpy.reset()
    for _ in range(5):
        with_numpy.step(np.ones(ENVS, np.int32))
    expected = with_numpy.step(np.zeros(ENVS, np.int32))
    while not expected[2].any():
        expected = with_numpy.step(np.ones(ENVS, np.int32))
    assert_equal(batch, expected)


def test_the_pool_can_be_stepped_by_both() -> None:
    with_jax, with_numpy = pools("CartPole-v1")
    state, step, reset = from_pool(with_jax)
    action = np.ones(ENVS, np.int32)
    with_jax.reset()
    with_numpy.reset()
    state, batch = step(state, action)
    assert_equal(batch, with_numpy.step(action))
    for ours, theirs in zip(with_jax.step(action), with_numpy.step(action), strict=True):
        assert_equal(ours, theirs)
    state, batch = step(state, action)
    assert_equal(batch, with_numpy.step(action))


def test_async() -> None:
    """Each env steps as in a sync pool, whichever is first."""
    pool, whole = pools("CartPole-v1", num_envs=6)
    pool.close()
    pool = parallel_pool.make("CartPole-v1", num_envs=6, batch_size=2, seed=SEED)
    envs = from_pool(pool)
    pool.async_reset()

    @jax.jit  # type: ignore[untyped-decorator]
    def program(state: Any) -> Any:
        def body(state: Any, _: Any) -> Any:
            state, (obs, _, _, _, info) = envs.recv(state)
            state = envs.send(state, (obs[:, 2] > 0).astype(jnp.int32), info["env_id"])
            return state, (obs, info)

        return jax.lax.scan(body, state, None, 60)

    state, (obs, info) = program(envs.state)
    rows = np.asarray(obs).reshape(-1, 4)
    of = np.asarray(info["env_id"]).ravel()
    expected = [whole.reset()[0]]
    for _ in range(60):
        expected.append(whole.step((expected[-1][:, 2] > 0).astype(np.int32))[0])
    seen = 0
    for env in range(6):
        own = rows[of == env]
        seen += len(own)
        np.testing.assert_array_equal(own, np.stack(expected)[: len(own), env])
    assert seen == 120
    # The last batch was sent on; a step by its ids goes on.
    state, batch = envs.recv(state)
    state, batch = envs.step(state, np.zeros(2, np.int32), batch[4]["env_id"])
    assert batch[0].shape == (2, 4)


@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "dm"])
@pytest.mark.parametrize("batch_size", [ENVS, 2])
def test_the_functions_of_envpool(env_type: str, batch_size: int) -> None:
    options: dict[str, Any] = {"env_type": env_type, "batch_size": batch_size}
    pool, other = pools("CartPole-v1", num_threads=1, **options)
    pool.async_reset()
    other.async_reset()
    handle, recv, send, step = pool.xla()
    assert handle.dtype == np.uint8
    assert handle.shape == (8,)
    handle, batch = jax.jit(recv)(handle)
    expected = other.recv()

    def ids(batch: Any) -> Any:
        return batch.observation.env_id if env_type == "dm" else batch[-1]["env_id"]

    if batch_size == ENVS:
        assert_equal(batch, expected)
    again = jax.jit(step)
    for _ in range(5):  # with the same handle
        _, batch = again(handle, np.ones(batch_size, np.int32), ids(batch))
    handle = jax.jit(send)(handle, np.zeros(batch_size, np.int32), ids(batch))
    handle, batch = jax.jit(recv)(handle)
    if batch_size == ENVS:
        for action in [1] * 5 + [0]:
            expected = other.step(np.full(ENVS, action, np.int32))
        assert_equal(batch, expected)
    assert jax.tree.structure(batch) == jax.tree.structure(expected)


def test_calls_stand_between_barriers() -> None:
    """XLA for GPUs would fuse a call with the slices of a loop, and lose the state."""
    pool, _ = pools("CartPole-v1")
    state, step, _ = from_pool(pool)
    text = str(jax.make_jaxpr(step)(state, jnp.zeros(ENVS, jnp.int32)))
    order = [word for word in text.split() if word.startswith(("optimization_barrier", "ffi_call"))]
    assert [word.partition("[")[0] for word in order] == [
        "optimization_barrier",
        "ffi_call",
        "optimization_barrier",
    ]
