"""Options that give observations and actions another form equal Gymnasium's wrappers."""

import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers

import parallel_pool

ENVS, STEPS = 3, 90
Wrap = Callable[[Any], Any]


class Repeat(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Repeats each action, until the episode ends."""

    def __init__(self, env: Any, steps: int) -> None:
        super().__init__(env)
        self.steps = steps

    def step(self, action: Any) -> Any:
        total = 0.0
        for _ in range(self.steps):
            obs, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
        return obs, total, terminated, truncated, info


def theirs(task_id: str, wrap: Wrap, mode: str = "next_step") -> Any:
    return gymnasium.vector.SyncVectorEnv(
        [lambda: wrap(gymnasium.make(task_id))] * ENVS,
        autoreset_mode=gymnasium.vector.AutoresetMode[mode.upper()],
    )


def make(task_id: str, **options: Any) -> Any:
    return parallel_pool.make(
        task_id, **{"num_envs": ENVS, "reward_dtype": "float64", "num_threads": 2, **options}
    )


def clip_rescaled(env: Any) -> Any:
    return wrappers.ClipAction(wrappers.RescaleAction(env, np.float32(-1), np.float32(1)))


def time_of_stack(env: Any) -> Any:
    env = wrappers.FlattenObservation(wrappers.FrameStackObservation(env, 3))
    return wrappers.TimeAwareObservation(env, normalize_time=True)


CASES: list[tuple[str, dict[str, Any], Wrap]] = [
    ("CartPole-v1", {"stack_num": 4}, lambda env: wrappers.FrameStackObservation(env, 4)),
    ("Hopper-v5", {"stack_num": 2}, lambda env: wrappers.FrameStackObservation(env, 2)),
    ("Hopper-v5", {"obs_dtype": "float32"}, lambda env: wrappers.DtypeObservation(env, np.float32)),
    ("FrozenLake-v1", {"flatten_observation": True}, wrappers.FlattenObservation),
    (
        "Taxi-v4",
        {"flatten_observation": True, "obs_dtype": np.float32},
        lambda env: wrappers.DtypeObservation(wrappers.FlattenObservation(env), np.float32),
    ),
    (
        "FrozenLake-v1",
        {"flatten_observation": True, "stack_num": 3},
        lambda env: wrappers.FlattenObservation(wrappers.FrameStackObservation(env, 3)),
    ),
    (
        "CartPole-v1",
        {"time_aware": True},
        lambda env: wrappers.TimeAwareObservation(env, normalize_time=True),
    ),
    (
        "Hopper-v5",
        {"time_aware": True},
        lambda env: wrappers.TimeAwareObservation(env, normalize_time=True),
    ),
    (
        "CartPole-v1",
        {"stack_num": 3, "flatten_observation": True, "time_aware": True},
        time_of_stack,
    ),
    (
        "Pendulum-v1",
        {"rescale_action": True},
        lambda env: wrappers.RescaleAction(env, np.float32(-1), np.float32(1)),
    ),
    ("Pendulum-v1", {"clip_action": True}, wrappers.ClipAction),
    ("Hopper-v5", {"clip_action": True, "rescale_action": True}, clip_rescaled),
    (
        "BipedalWalker-v3",
        {"clip_action": True, "action_repeat": 3},
        lambda env: Repeat(wrappers.ClipAction(env), 3),
    ),
    ("CartPole-v1", {"action_repeat": 4}, lambda env: Repeat(env, 4)),
    ("Pendulum-v1", {"action_repeat": 7}, lambda env: Repeat(env, 7)),  # 200 is no multiple
]


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize(("task_id", "options", "wrap"), CASES)
def test_equal_gymnasiums(task_id: str, options: dict[str, Any], wrap: Wrap, mode: str) -> None:
    reference = theirs(task_id, wrap, mode)
    pool = make(task_id, autoreset_mode=mode, **options)
    own, other = pool.single_observation_space, reference.single_observation_space
    assert own.shape == other.shape
    assert own.dtype == other.dtype
    assert pool.single_action_space == reference.single_action_space
    expected, _ = reference.reset(seed=3)
    obs, _ = pool.reset(seed=3)
    ends = np.zeros(ENVS, bool)
    for _ in range(STEPS):
        np.testing.assert_array_equal(obs, expected)
        assert all(row in own for row in obs)
        action = pool.sample_actions()
        if mode == "disabled" and ends.any():
            expected, _ = reference.reset(options={"reset_mask": ends.copy()})
            obs, _ = pool.reset(options={"reset_mask": ends.copy()})
            np.testing.assert_array_equal(obs, expected)
        theirs_row, row = reference.step(action), pool.step(action)
        for ours, gymnasiums in zip(row[1:4], theirs_row[1:4], strict=True):
            np.testing.assert_array_equal(ours, gymnasiums)
        expected, obs = theirs_row[0], row[0]
        ends = row[2] | row[3]
        if mode == "same_step":
            for env in np.flatnonzero(ends):
                np.testing.assert_array_equal(
                    row[4]["final_obs"][env], theirs_row[4]["final_obs"][env]
                )
    reference.close()


@pytest.mark.parametrize("num_threads", [1, 3])
def test_dicts_are_flattened_in_their_order(num_threads: int) -> None:
    options: dict[str, Any] = {"num_envs": 5, "seed": 4, "num_threads": num_threads}
    plain = parallel_pool.make("HopperHop-v1", **options)
    flat = parallel_pool.make("HopperHop-v1", flatten_observation=True, stack_num=2, **options)
    half = parallel_pool.make("HopperHop-v1", obs_dtype="float32", **options)
    before = None
    for _ in range(5):
        action = plain.sample_actions()
        obs = plain.step(action)[0] if before is not None else plain.reset()[0]
        stacked = flat.step(action)[0] if before is not None else flat.reset()[0]
        small = half.step(action)[0] if before is not None else half.reset()[0]
        arrays = [value.reshape(5, -1) for value in obs.values()]
        expected = [
            np.concatenate([b, a], 1) for b, a in zip(before or arrays, arrays, strict=True)
        ]
        np.testing.assert_array_equal(stacked, np.concatenate(expected, 1))
        for name, value in obs.items():
            np.testing.assert_array_equal(small[name], value.astype(np.float32))
        before = arrays
    assert flat.single_observation_space.shape == (2 * 15,)


def test_pictures_have_channels_last() -> None:
    options: dict[str, Any] = {"num_envs": 2, "seed": 4, "img_height": 30, "img_width": 20}
    plain = parallel_pool.make("Pong-v5", **options)
    last = parallel_pool.make("Pong-v5", channel_last=True, obs_dtype="float32", **options)
    np.testing.assert_array_equal(np.moveaxis(plain.reset()[0], 1, -1), last.reset()[0])
    obs, expected = last.step([2, 3])[0], plain.step([2, 3])[0]
    np.testing.assert_array_equal(obs, np.moveaxis(expected, 1, -1))
    assert obs.dtype == np.float32
    assert last.single_observation_space.shape == (30, 20, 4)
    assert last.config["stack_num"] == 4  # Atari's own option


@pytest.mark.parametrize("num_workers", [0, 2])
def test_envs_in_python(num_workers: int) -> None:
    options: dict[str, Any] = {
        "num_envs": ENVS,
        "stack_num": 2,
        "flatten_observation": True,
        "time_aware": True,
        "action_repeat": 3,
        "clip_action": True,
        "rescale_action": True,
        "reward_dtype": "float64",
        "max_episode_steps": 200,
        "seed": 5,
    }
    native = parallel_pool.make("Pendulum-v1", **options)
    envs = parallel_pool.make_python(
        lambda: gymnasium.make("Pendulum-v1"), num_workers=num_workers, **options
    )
    assert envs.single_observation_space == native.single_observation_space
    assert envs.single_action_space == native.single_action_space
    rows = envs.reset()[0], native.reset()[0]
    for step in range(90):
        np.testing.assert_array_equal(*rows)
        action = native.sample_actions()
        if step == 40:
            state = envs.save()
            again = envs.step(action)[0]
            envs.step(-action)
            envs.load(state)
        row, expected = envs.step(action), native.step(action)
        if step == 40:
            np.testing.assert_array_equal(row[0], again)
        rows = row[0], expected[0]
        for ours, theirs_ in zip(row[1:4], expected[1:4], strict=True):
            np.testing.assert_array_equal(ours, theirs_)
    envs.close()


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_actions_with_equal_bounds_always_are_these(dtype: Any, clip: bool) -> None:
    class Echo(gymnasium.Env[Any, Any]):
        """Observes its action."""

        action_space = gymnasium.spaces.Box(
            np.array([-2, 0.1, 0, -7], dtype), np.array([2, 0.1, 0, -7], dtype), dtype=dtype
        )
        observation_space = gymnasium.spaces.Box(-9, 9, (4,), dtype)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            return np.zeros(4, dtype), {}

        def step(self, action: Any) -> Any:
            return action, 0.0, False, False, {}

    with parallel_pool.make_python(
        Echo, 1, num_workers=0, rescale_action=True, clip_action=clip
    ) as pool:
        pool.reset()
        for number in (-1, -0.5, 0, 0.7, 1):
            action = np.full((1, 4), number, dtype)
            expected = np.array([[2 * dtype(number), 0.1, 0, -7]], dtype)
            np.testing.assert_array_equal(pool.step(action)[0], expected)
        if clip:
            assert pool.step(np.full((1, 4), 3, dtype))[0][0, 0] == 2


def test_several_tasks_each_have_their_own() -> None:
    pool = parallel_pool.make(
        [("CartPole-v1", {"stack_num": 2, "flatten_observation": True}), "Acrobot-v1"],
        num_envs=4,
        observation_padding=True,
        action_padding=True,
        seed=3,
    )
    cart = parallel_pool.make(
        "CartPole-v1", num_envs=2, seed=3, stack_num=2, flatten_observation=True
    )
    obs, expected = pool.reset()[0], cart.reset()[0]
    for _ in range(20):
        np.testing.assert_array_equal(obs[:2], expected)
        obs, expected = pool.step([1, 0, 1, 0])[0], cart.step([1, 0])[0]


def test_states_and_pickles_have_the_last_observations() -> None:
    pool = make("CartPole-v1", stack_num=3, time_aware=True, flatten_observation=True, seed=2)
    pool.reset()
    for _ in range(4):
        pool.step([1, 0, 1])
    state = pool.save()
    expected = pool.step([0, 0, 1])[0]
    copy = pickle.loads(pickle.dumps(pool))
    copy.reset()
    for other in (pool, copy):
        other.step([1, 1, 1])
        other.load(state)
        np.testing.assert_array_equal(other.step([0, 0, 1])[0], expected)
    with pytest.raises(ValueError, match="no state of env 0"):
        make("CartPole-v1").load(state)


def test_they_come_before_normalization() -> None:
    pool = make("CartPole-v1", stack_num=2, flatten_observation=True, normalize_observation=True)
    pool.reset()
    pool.step([0, 1, 0])
    assert pool.statistics()["obs"]["mean"].shape == (8,)


def test_single_envs_and_dm_env() -> None:
    env = parallel_pool.make("CartPole-v1", num_envs=None, stack_num=2, action_repeat=2, seed=1)
    obs, _ = env.reset()
    assert obs.shape == (2, 4)
    assert env.step(1)[1] == 2.0
    dm = parallel_pool.make_dm("HopperHop-v1", num_envs=2, flatten_observation=True)
    assert dm.observation_spec().obs.shape == (15,)
    assert dm.reset().observation.obs.shape == (2, 15)


@pytest.mark.parametrize(
    ("task_id", "options", "message"),
    [
        ("CartPole-v1", {"rescale_action": True}, "actions of floats"),
        ("CartPole-v1", {"channel_last": True}, "no observation is a picture"),
        ("CartPole-v1", {"obs_dtype": "int8"}, "allowed are 'float32', 'float64' and None"),
        ("Taxi-v3", {"time_aware": True}, "flatten_observation=True"),
        ("CartPole-v1", {"time_aware": True, "stack_num": 2}, "one vector of floats"),
        ("Pong-v5", {"action_repeat": 2}, "use frame_skip"),
    ],
)
def test_refusals(task_id: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parallel_pool.make(task_id, **options)
