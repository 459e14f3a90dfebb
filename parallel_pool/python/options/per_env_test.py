"""Options that differ from env to env: per_env of make() and of reset()."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import testing_family  # noqa: F401

G = [9.8, 9.9, 10.0, 10.1]


def parts(result: Any) -> list[Any]:
    """All arrays of a result."""
    if isinstance(result, dict):
        kept = [part for name, part in result.items() if "env_id" not in name]
        return [array for part in kept for array in parts(part)]
    if isinstance(result, tuple):
        return [array for part in result for array in parts(part)]
    return [result]


def without_ids(result: tuple[Any, ...]) -> list[Any]:
    *arrays, info = result
    return parts((*arrays, {name: part for name, part in info.items() if name != "players"}))


def assert_equal(pool: tuple[Any, ...], alone: list[tuple[Any, ...]]) -> None:
    """The rows of a pool are those of pools of one env."""
    each = [without_ids(result) for result in alone]
    for k, array in enumerate(without_ids(pool)):
        np.testing.assert_array_equal(array, np.concatenate([row[k] for row in each]), strict=True)


def random_actions(space: Any, random: np.random.Generator, rows: int) -> Any:
    if isinstance(space, gymnasium.spaces.Discrete):
        return random.integers(space.n, size=rows)
    return random.uniform(space.low, space.high, (rows, *space.shape)).astype(space.dtype)


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize(
    ("task_id", "per_env", "steps"),
    [
        ("Pendulum-v1", {"g": G, "max_episode_steps": [20, 30, 40, 200]}, 250),
        # Stepped in chunks, by SIMD lanes.
        ("LunarLander-v3", {"gravity": [-3, -6, -9] * 4, "enable_wind": [False, True] * 6}, 200),
        ("Ant-v5", {"ctrl_cost_weight": [0.1, 1, 2], "frame_skip": [5, 4, 2]}, 100),
        # It has the option max_episode_steps itself.
        ("Pong-v5", {"frame_skip": [4, 2], "max_episode_steps": [30, 50]}, 70),
        ("CheetahRun-v1", {"time_limit": [0.5, 1, 2]}, 250),
        ("MiniGrid-DoorKey-5x5-v0", {"max_steps": [20, 30]}, 80),
    ],
)
def test_each_env_is_as_in_a_pool_of_its_own(
    task_id: str, per_env: dict[str, list[Any]], steps: int, mode: Any
) -> None:
    rows = len(next(iter(per_env.values())))
    random = np.random.default_rng(0)
    pool = parallel_pool.make(task_id, num_envs=rows, per_env=per_env, autoreset_mode=mode)
    alone = [
        parallel_pool.make(
            task_id,
            num_envs=1,
            seed=42 + i,
            autoreset_mode=mode,
            **{name: column[i] for name, column in per_env.items()},
        )
        for i in range(rows)
    ]
    # The config also shows what follows from them, such as a limit in steps.
    assert {name: pool.config["per_env"][name] for name in per_env} == per_env
    assert_equal(pool.reset(), [env.reset() for env in alone])
    for _ in range(steps):
        action = random_actions(pool.action_space, random, rows)
        assert_equal(
            pool.step(action), [env.step(action[i : i + 1]) for i, env in enumerate(alone)]
        )


def test_options_that_follow_from_others_are_those_of_the_env() -> None:
    per_env = {"preset": ["gymnasium", "envpool"]}
    with parallel_pool.make(
        "Pong-v5", num_envs=2, per_env=per_env, full_action_space=False, obs_type="ram"
    ) as pool:
        alone = [
            parallel_pool.make_spec("Pong-v5", preset=preset, obs_type="ram").config
            for preset in per_env["preset"]
        ]
        differ = [n for n in pool.config if n in alone[0] and alone[0][n] != alone[1][n]]
        assert len(differ) > 2
        for name in differ:
            assert pool.config["per_env"][name] == [config[name] for config in alone]
            assert pool.config[name] == alone[0][name]
        again = parallel_pool.make_spec("Pong-v5", **pool.config)
        assert again.config == pool.config


def test_reset_changes_the_options_of_the_envs_that_it_resets() -> None:
    with parallel_pool.make("Pendulum-v1", num_envs=4, per_env={"g": G}) as pool:
        pool.reset()
        pool.reset([1, 3], options={"per_env": {"g": [1, 2]}})
        assert pool.config["per_env"] == {"g": [9.8, 1, 10.0, 2]}
        assert pool.get_attr("g") == (9.8, 1, 10.0, 2)
        mask = np.array([True, True, False, False])
        options = {"reset_mask": mask, "per_env": {"g": [5, 6, 7, 8]}}
        obs, _ = pool.reset(options=options, seed=11)
        assert pool.config["per_env"] == {"g": [5, 6, 10.0, 2]}
        alone = [parallel_pool.make("Pendulum-v1", seed=11 + i, g=g) for i, g in enumerate([5, 6])]
        np.testing.assert_array_equal(obs[:2], [env.reset()[0][0] for env in alone])
        for force in np.linspace(-2, 2, 50, dtype=np.float32):
            rows = pool.step(np.full((4, 1), force))[0]
            np.testing.assert_array_equal(
                rows[:2], [env.step(np.full((1, 1), force))[0][0] for env in alone]
            )


def test_random_numbers_go_on_when_options_change() -> None:
    with (
        parallel_pool.make("Pendulum-v1", num_envs=2) as pool,
        parallel_pool.make("Pendulum-v1", num_envs=2) as plain,
    ):
        assert pool.config["per_env"] == {}
        np.testing.assert_array_equal(
            pool.reset(options={"per_env": {}})[0], plain.reset(options={})[0]
        )
        for g in (1.0, 2.0, 3.0):
            obs, _ = pool.reset(options={"per_env": {"g": [g, g]}})
            np.testing.assert_array_equal(obs, plain.reset()[0])
        assert pool.config["per_env"] == {"g": [3, 3]}


@pytest.mark.parametrize(
    ("task_id", "option", "values"),
    [
        ("CheetahRun-v1", "time_limit", [3, 2]),
        ("Pong-v5", "frame_skip", [3, 2]),
        ("CoinrunEasy-v0", "center_agent", [True, False]),
    ],
)
def test_random_numbers_of_simulators_follow_from_the_seed(
    task_id: str, option: str, values: list[Any]
) -> None:
    def play(seed: int) -> list[Any]:
        seen = []
        with parallel_pool.make(task_id, num_envs=2, seed=seed) as pool:
            for value in values:
                seen += parts(pool.reset(options={"per_env": {option: [value] * 2}})[0])
                random = np.random.default_rng(1)
                for _ in range(5):
                    seen += parts(pool.step(random_actions(pool.action_space, random, 2))[0])
        return seen

    once = play(3)
    for mine, theirs in zip(once, play(3), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert any((a != b).any() for a, b in zip(once, play(4), strict=True))
    assert any((array[0] != array[1]).any() for array in once)


def test_a_time_limit_changes_without_a_new_env() -> None:
    with parallel_pool.make("Pendulum-v1", num_envs=2, max_episode_steps=5) as pool:
        pool.reset(options={"per_env": {"max_episode_steps": [2, 3]}})
        action = np.zeros((2, 1), np.float32)
        assert [pool.step(action)[3].tolist() for _ in range(3)] == [
            [False, False],
            [True, False],
            [False, True],
        ]


def test_async() -> None:
    with parallel_pool.make("Pendulum-v1", num_envs=8, batch_size=2) as pool:
        for _ in range(3):
            pool.async_reset()
            for _ in range(4):
                pool.recv()
            info = pool.reset([5, 6], options={"per_env": {"g": [1, 2]}})[1]
            assert sorted(info["env_id"]) == [5, 6]
        assert pool.config["per_env"]["g"] == [10, 10, 10, 10, 10, 1, 2, 10]


def test_states_have_the_options_of_their_envs() -> None:
    action = np.ones((4, 1), np.float32)
    with parallel_pool.make("Pendulum-v1", num_envs=4, per_env={"g": G}) as pool:
        pool.reset()
        state = pool.save()
        expected = [pool.step(action)[0] for _ in range(20)]
        pool.reset(options={"per_env": {"g": [1, 2, 3, 4]}})
        pool.load(state)
        assert pool.config["per_env"] == {"g": G}
        np.testing.assert_array_equal([pool.step(action)[0] for _ in range(20)], expected)
        one = pool.save(2)
        pool.load(one, 0)
        assert pool.config["per_env"] == {"g": [10.0, 9.9, 10.0, 10.1]}
    with parallel_pool.make("Pendulum-v1", num_envs=1) as plain:
        with pytest.raises(ValueError, match=r"the state has per_env=\{'g': ...\}; this pool has"):
            plain.load(one)
        unlike = plain.save()
    per_env: Any = {"g": [1, 2], "max_episode_steps": [5, 6]}
    with parallel_pool.make("Pendulum-v1", num_envs=2, per_env=per_env) as pool:
        pool.load(unlike, [1])
        # The time limit is no option of the task, and that of the pool stays.
        assert pool.config["per_env"] == {"g": [1, 10.0], "max_episode_steps": [5, 6]}


def test_copies_have_the_options_of_now() -> None:
    with parallel_pool.make("Pendulum-v1", num_envs=2, per_env={"g": [1, 2]}) as pool:
        pool.reset(1, options={"per_env": {"g": [3]}})
        for again in (copy.deepcopy(pool), pickle.loads(pickle.dumps(pool))):
            assert again.config == pool.config
            assert again.config["per_env"] == {"g": [1, 3]}


def test_in_gymnasium_and_the_other_apis() -> None:
    envs: Any = gymnasium.make_vec("parallel_pool/Pendulum-v1", num_envs=2, per_env={"g": [1, 2]})
    assert envs.get_attr("g") == (1, 2)
    envs.reset(options={"per_env": {"g": [3, 4]}})
    assert envs.get_attr("g") == (3, 4)
    for make in (parallel_pool.make_gym, parallel_pool.make_dm):
        with make("Pendulum-v1", num_envs=2, per_env={"g": [1, 2]}) as pool:
            assert pool.config["per_env"] == {"g": [1, 2]}
    with pytest.raises(TypeError, match="per_env has no meaning for a single env"):
        parallel_pool.make("Pendulum-v1", num_envs=None, per_env={"g": [1]})


def test_a_refused_reset_leaves_no_reset_options() -> None:
    with parallel_pool.make("Herd-v0", num_envs=2) as pool:
        pool.reset()
        with pytest.raises(ValueError, match="Herd-v0 env 1: the barn is full"):
            pool.reset(options={"start": 5, "per_env": {"refuse": [False, True]}})
        assert pool.config["per_env"] == {"refuse": [False, False]}
        pool.step([2, 2])
        while not pool.step([2, 2])[2].all():
            pass
        assert pool.step([2, 2])[0].tolist() == [0, 0], "an autoreset had the refused options"


def test_refused_reset_options_change_no_env() -> None:
    with parallel_pool.make("Herd-v0", num_envs=2) as pool:
        pool.reset()
        pool.step([2, 2])
        with pytest.raises(ValueError, match="start must not be -1"):
            pool.reset(options={"start": -1, "per_env": {"chunk_size": [4, 5]}})
        assert pool.config["per_env"] == {}
        assert pool.step([2, 2])[0].tolist() == [4, 4]


@pytest.mark.parametrize(
    ("per_env", "error", "words"),
    [
        ([1, 2], TypeError, r"per_env must be a dict such as \{option: \[a value for each env\]\}"),
        ({"g": 3}, TypeError, "g must be a list with a value for each env, not 3"),
        ({"g": [1]}, ValueError, "g has 1 values; it must have one for each of 2 envs"),
        ({"g": [1, "x"]}, TypeError, r"g\[1\] must be a number, not 'x'"),
        ({"gg": [1, 2]}, ValueError, "'gg' is no option of this task; did you mean g"),
        ({"num_threads": [1, 2]}, ValueError, "'num_threads' is an option of the whole pool"),
        ({"seed": [1, 2]}, ValueError, r"the whole pool: seed=\[...\] takes a list"),
        ({"max_episode_steps": [1, 0]}, ValueError, r"max_episode_steps\[1\] is 0; it must be at"),
    ],
)
def test_bad_rows(per_env: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parallel_pool.make("Pendulum-v1", num_envs=2, per_env=per_env)
    with parallel_pool.make("Pendulum-v1", num_envs=2) as pool:
        obs, _ = pool.reset()
        with pytest.raises(error, match=words):
            pool.reset(options={"per_env": per_env})
        assert pool.config["per_env"] == {}
        assert pool.step(np.zeros((2, 1), np.float32))[4]["elapsed_step"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("task_id", "per_env", "words"),
    [
        (
            "Pong-v5",
            {"stack_num": [4, 3]},
            r"env 1 with stack_num=3 has obs uint8\[3, 84, 84\] instead of uint8\[4, 84, 84\]; all",
        ),
        ("LunarLander-v3", {"continuous": [True, False]}, "env 1 with continuous=false has action"),
        ("LunarLander-v3", {"gravity": [-1, 0]}, r"gravity is 0.*\(per_env: env 1 with gravity=0"),
        (
            "Ant-v5",
            {"render_width": [99, 200]},
            r"pictures of \(480, 200\) instead of \(480, 99\)",
        ),
        ("CheetahRun-v1", {"flat_observation": [True, False]}, "the arrays obs:position, obs:vel"),
    ],
)
def test_options_that_change_the_arrays(task_id: str, per_env: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parallel_pool.make(task_id, num_envs=2, per_env=per_env)
    first = {name: column[0] for name, column in per_env.items()}
    with parallel_pool.make(task_id, num_envs=2, **first) as pool:
        before = pool.reset()[0]
        with pytest.raises(ValueError, match=words):
            pool.reset(options={"per_env": per_env}, seed=42)
        assert pool.config["per_env"] == {}
        for mine, theirs in zip(parts(pool.reset(seed=42)[0]), parts(before), strict=True):
            np.testing.assert_array_equal(mine, theirs)
