"""The spec of a pool of several tasks: its shares, spaces and infos, and what is refused."""

import types
from typing import Any

import gymnasium
import pytest

import parallel_pool
from parallel_pool.python.arrays.array_spec import ArraySpec
from parallel_pool.python.specs.joined_arrays import join_arrays

# Actions of one size; observations of two dtypes and shapes.
SIMILAR: Any = ["CartPole-v1", "Acrobot-v1", "MountainCar-v0"]
ATARI: Any = ["Pong-v5", "Breakout-v5", "Qbert-v5"]
SUITE: Any = ["CheetahRun-v1", "WalkerWalk-v1", "CartpoleSwingup-v1"]
UNLIKE: Any = ["CartPole-v1", "Ant-v5", "Pong-v5", "FrozenLake-v1"]
PADDED: Any = {"action_padding": True, "observation_padding": True}
SEPARATE: Any = {"separate_spaces": True}


@pytest.mark.parametrize(
    ("num_envs", "counts"), [(None, [1, 1, 1]), (8, [3, 3, 2]), ([1, 5, 2], [1, 5, 2])]
)
def test_shares(num_envs: Any, counts: list[int]) -> None:
    given: Any = {"num_envs": num_envs} if num_envs else {}
    spec = parallel_pool.make_spec(SIMILAR, **given, **PADDED)
    assert [task.config["num_envs"] for task in spec.tasks] == counts
    assert spec.config["num_envs"] == sum(counts)


def test_spaces() -> None:
    spec: Any = parallel_pool.make_spec(SIMILAR, **PADDED)
    assert spec.action_space == gymnasium.spaces.Discrete(3)
    low, high = spec.observation_space.low, spec.observation_space.high
    tasks = [parallel_pool.make_spec(task).observation_space for task in SIMILAR]
    for i in range(6):  # zeros behind the data are in the space, too
        own: Any = [space for space in tasks if i < space.shape[0]]  # type: ignore[index]
        padding = [0.0] * (len(own) < len(tasks))
        assert low[i] == min([space.low[i] for space in own] + padding)
        assert high[i] == max([space.high[i] for space in own] + padding)
    with parallel_pool.make_dm(SIMILAR, **PADDED) as pool:
        assert pool.observation_spec().observation_size.maximum == 6
    with parallel_pool.make(SUITE, **PADDED) as pool:
        sizes = {n: a.tolist() for n, a in pool.reset()[1]["observation_size"].items()}
    assert sizes == {
        "height": [0, 1, 0],
        "orientations": [0, 14, 0],
        "position": [8, 0, 3],
        "velocity": [9, 9, 2],
    }


def joined(*tasks: list[ArraySpec], **options: bool) -> Any:
    """The arrays of a pool of made-up tasks with these arrays: (state, action)."""
    action = ArraySpec("action", "int32", (), "discrete", [0.0], [1.0])
    specs: Any = [
        types.SimpleNamespace(task_id=f"T{i}", config={}, state_arrays=a, action_arrays=(action,))
        for i, a in enumerate(tasks)
    ]
    off = {"action_padding": False, "observation_padding": False, "separate_spaces": False}
    return join_arrays("T", specs, **{**off, **options})


def test_infos_of_one_name_and_two_types() -> None:
    obs = ArraySpec("obs", "float32", (2,), "box", [0.0], [1.0])
    x, y, wide = (
        ArraySpec("info:x", dtype, shape, "box", [0.0], [1.0])
        for dtype, shape in (("int32", ()), ("float64", ()), ("int32", (3,)))
    )
    found = joined([obs, x], [obs, y], [obs, x], [obs, wide])
    names = [array[0][0] for array in found.state]
    assert names == ["obs", "info:T0.x", "info:T1.x", "info:T2.x", "info:T3.x", "info:task_id"]
    assert found.state_places == [[0, 1], [0, 2], [0, 3], [0, 4]]
    assert [array[0][0] for array in joined([obs, x], [obs, x]).state][1] == "info:x"


def test_integers_that_begin_elsewhere_are_no_larger_ones() -> None:
    zero, one = (ArraySpec("obs", "int32", (), "discrete", [low], [5.0]) for low in (0.0, 1.0))
    with pytest.raises(ValueError, match="observation: Discrete"):
        joined([zero], [one], observation_padding=True)


def test_specs_of_the_tasks() -> None:
    spec = parallel_pool.make_spec(SIMILAR, num_envs=6, **PADDED)
    assert [task.reward_threshold for task in spec.tasks] == [475, -100, -110]
    assert [task.max_episode_steps for task in spec.tasks] == [500, 500, 200]
    assert spec.max_episode_steps == 500
    assert spec.reward_threshold is None
    assert "  task         Acrobot-v1: envs 2 to 3" in str(spec)
    with parallel_pool.make(spec) as pool:
        assert pool.tasks == spec.tasks
    with parallel_pool.make("CartPole-v1") as one:
        assert [task.task_id for task in one.tasks] == ["CartPole-v1"]


@pytest.mark.parametrize(
    ("tasks", "options", "error", "words"),
    [
        ([], {}, ValueError, "at least one task"),
        (["Pong-v5", 3], {}, TypeError, r"tasks\[1\] must be an id or a pair"),
        (["Pong-v5", "Pongg-v5"], {}, ValueError, "no task 'Pongg-v5'; did you mean Pong-v5"),
        (["CartPole-v1", "Pendulum-v1"], {"g": 3.0}, TypeError, "CartPole-v1 has no option 'g'"),
        ([("CartPole-v1", {"seed": 1})], {}, TypeError, "'seed' is an option of the whole pool"),
        (["CartPole-v1"], {"per_env": {}}, TypeError, "give per_env to one of the tasks"),
        (["CartPole-v1"], {"num_envs": None}, TypeError, "several tasks need a pool"),
        (SIMILAR, {"num_envs": 2}, ValueError, "num_envs is 2; there are 3 tasks"),
        (SIMILAR, {"num_envs": [1, 2]}, ValueError, "num_envs has 2 values; there are 3 tasks"),
        (SIMILAR, {"num_envs": [1, 0, 2]}, ValueError, "Acrobot-v1: num_envs is 0; it must be"),
        (
            [("CartPole-v1", {"num_envs": 2}), "CartPole-v1"],
            {"num_envs": 4},
            ValueError,
            "num_envs is 4; the tasks have 3",
        ),
        (
            ["MiniGrid-Empty-5x5-v0", "CartPole-v1"],
            {**SEPARATE, "render_mode": "ansi"},
            ValueError,
            "render_mode is 'ansi'; allowed are 'rgb_array', 'human' and None",
        ),
        (SIMILAR, {"action_padding": 1}, TypeError, "action_padding must be True or False, not 1"),
        (SIMILAR, {"num_thread": 1}, TypeError, "no option 'num_thread'; did you mean num_threads"),
        (["SimpleSpread-v3"], {}, ValueError, "a row for each player"),
        (
            SIMILAR,
            {},
            ValueError,
            r"action: Discrete\(2\) of CartPole-v1; Discrete\(3\) of Acrobot-v1, MountainCar-v0 "
            r"\(action_padding=True resolves it\)\n- observation: float32\[4\] of CartPole-v1; .*"
            r"observation_padding=True resolves it\)\n.*separate_spaces=True",
        ),
        (ATARI, {}, ValueError, r"\(action_padding=True or full_action_space=True resolves it\)"),
        (
            UNLIKE,
            PADDED,
            ValueError,
            r"observation: float32\[4\] of CartPole-v1; float64\[105\]",
        ),
        (
            SUITE,
            {"action_padding": True},
            ValueError,
            r"'height': float64\[\] of WalkerWalk-v1; none of CheetahRun-v1, CartpoleSwingup-v1",
        ),
        (
            ["Pendulum-v1", ("Pendulum-v1", {"per_env": {"g": [1, 2]}})],
            {},
            ValueError,
            "g has 2 values; it must have one for each of 1 envs",
        ),
    ],
)
def test_refused(tasks: Any, options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parallel_pool.make(tasks, **options)
