"""The goals that episodes have, and benchmarks of several tasks, equal MetaWorld's."""

import pickle
from typing import Any

import numpy as np
import pytest
from metaworld import ML10, ML25, ML45, MT10, MT25, MT50

import parallel_pool
from parallel_pool.command_line.parser import main
from parallel_pool.envs.mujoco import names
from parallel_pool.envs.mujoco.metaworld import reference
from parallel_pool.testing.form import by_form

STEPS = 3  # of an episode: its first observations show the object and the goal
# One of each kind of vector: the object alone, object and goal, and drawn until they are apart.
SOME = ("drawer-open-v3", "reach-v3", "sweep-into-v3")
TASKS = by_form(SOME, [f"{name}-v3" for name in names.MT50])


def play(pool: Any, envs: list[Any], episodes: int, samples: int = 0) -> None:
    """Compares episodes of `pool` with those of `envs`.

    Args:
        pool: has sync envs.
        envs: the reference's.
        episodes: their number, by resets.
        samples: every so many episodes, the envs are told to choose another goal; 0: never.
    """
    random = np.random.default_rng(1)
    for episode in range(episodes):
        if samples and episode % samples == 0:
            obs, _ = pool.reset(options={"sample_tasks": True})
            expected = [env.get_wrapper_attr("sample_tasks")()[0] for env in envs]
        else:
            obs, _ = pool.reset()
            expected = [env.reset()[0] for env in envs]
        np.testing.assert_array_equal(obs, expected)
        for _ in range(STEPS):
            actions = random.uniform(-1, 1, (len(envs), 4)).astype(np.float32)
            obs, reward, terminated, _, _ = pool.step(actions)
            results = [env.step(action) for env, action in zip(envs, actions, strict=True)]
            np.testing.assert_array_equal(obs, [result[0] for result in results])
            np.testing.assert_array_equal(reward, [float(result[1]) for result in results])
            np.testing.assert_array_equal(terminated, [bool(result[2]) for result in results])


def make(task: str, **options: Any) -> Any:
    """A pool whose rewards have all their bits."""
    return parallel_pool.make(task, reward_dtype="float64", **options)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("select", ["random", "pseudorandom", "fixed", "each"])
def test_chooses_goals_as_the_reference(task: str, select: str) -> None:
    options: dict[str, Any] = {"task_select": select}
    episodes = 3
    if select == "fixed":
        options["observe_goal"] = False
        envs = [reference.make_hidden(task, 7 + i) for i in range(2)]
    elif select == "each":
        envs = [reference.make_each(task, 7 + i) for i in range(2)]
    else:
        envs = [reference.make(task, 7 + i, task_select=select) for i in range(2)]
    if select == "pseudorandom":
        for env in envs:
            env.get_wrapper_attr("toggle_sample_tasks_on_reset")(True)
        episodes = by_form(3, 102)  # 50 goals, shuffled again
    with make(task, num_envs=2, seed=7, **options) as pool:
        play(pool, envs, episodes)


def test_keeps_its_goal_until_it_is_told_to_choose() -> None:
    envs = [reference.make("reach-v3", 7, task_select="pseudorandom")]
    options: Any = {"task_select": "pseudorandom", "sample_tasks_on_reset": False}
    with make("reach-v3", num_envs=1, seed=7, **options) as pool:
        play(pool, envs, 6, samples=3)


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        *(("MT10", MT10), ("MT25", MT25), ("MT50", MT50)),
        *(("ML10", ML10), ("ML25", ML25), ("ML45", ML45)),
    ],
)
def test_has_the_tasks_of_the_authors(name: str, theirs: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("metaworld._make_tasks", lambda *args, **kwargs: [])
    benchmark = theirs()
    train = f"{name}-train" if name.startswith("ML") else name
    assert [f"{task}-v3" for task in names.ALL[train][0]] == list(benchmark.train_classes)
    if name.startswith("ML"):
        tests = names.ALL[f"{name}-test"][0]
        assert [f"{task}-v3" for task in tests] == list(benchmark.test_classes)


def test_mt10_equals_the_reference() -> None:
    envs = reference.make_benchmark("MT10", "", 3, use_one_hot=True)
    with make("MetaWorld/MT10", seed=3) as pool:
        assert pool.observation_space.shape == (49,)
        assert "observation_size" not in pool.reset()[1]  # all have the same one
    with make("MetaWorld/MT10", seed=3) as pool:
        play(pool, envs, 2)
        assert pool.reset()[1]["task_id"].tolist() == list(range(10))


@pytest.mark.parametrize("split", ["train", "test"])
def test_ml10_equals_the_reference(split: str) -> None:
    count = 20 if split == "train" else 10  # two envs share the goals of a task
    envs = reference.make_benchmark("ML10", split, 3, meta_batch_size=count)
    with make(f"MetaWorld/ML10-{split}", seed=3, num_envs=count) as pool:
        play(pool, envs, 4, samples=2)


@pytest.mark.parametrize("split", ["train", "test"])
def test_ml1_equals_the_reference(split: str) -> None:
    envs = reference.make_benchmark("push-v3", split, 3, meta_batch_size=5)
    with make(f"MetaWorld/ML1-push-{split}", seed=3, num_envs=5) as pool:
        play(pool, envs, 4, samples=2)


def test_a_pickled_pool_has_the_same_goals() -> None:
    pool = make("MetaWorld/ML10-train", num_envs=10, seed=3)
    with pool, pickle.loads(pickle.dumps(pool)) as copy:
        np.testing.assert_array_equal(pool.reset()[0], copy.reset()[0])


def test_a_saved_env_goes_on_with_its_goals() -> None:
    options: Any = {"task_select": "pseudorandom"}
    with make("push-v3", num_envs=1, seed=3, **options) as pool:
        pool.reset()
        saved = pool.save()
        expected = [pool.reset()[0] for _ in range(3)]
        pool.load(saved)
        np.testing.assert_array_equal([pool.reset()[0] for _ in range(3)], expected)


def test_info_shows_a_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "MetaWorld/MT10"]) == 0
    out = capsys.readouterr().out
    assert "task         window-close-v3: envs 9 to 9" in out and "family       mujoco" in out


def test_mt1_is_its_task() -> None:
    spec = parallel_pool.make_spec("MetaWorld/MT1-reach", num_envs=2)
    assert spec.task_id == "reach-v3" and spec.config["seed"] == [42, 43]
    with (
        make("MetaWorld/MT1-reach", num_envs=1, seed=5) as pool,
        make("MetaWorld/Reach-v3", num_envs=1, seed=5) as other,
    ):
        np.testing.assert_array_equal(pool.reset()[0], other.reset()[0])


def test_takes_a_vector() -> None:
    vector = [0.02, 0.65, 0.02, 0.05, 0.85, 0.2]
    other = [0.02, 0.65, 0.02, -0.05, 0.85, 0.2]
    with parallel_pool.make("reach-v3", num_envs=2, rand_vec=vector) as pool:
        assert pool.reset()[0][:, -3:].tolist() == [vector[3:]] * 2
        obs, _ = pool.reset([1], options={"rand_vec": other})
        assert obs[:, -3:].tolist() == [other[3:]]
        assert pool.reset()[0][:, -3:].tolist() == [vector[3:]] * 2
    with parallel_pool.make("reach-v3", num_envs=2, per_env={"rand_vec": [vector, other]}) as pool:
        assert pool.reset()[0][:, -3:].tolist() == [vector[3:], other[3:]]
        with pytest.raises(
            parallel_pool.EnvError, match="rand_vec has 2 numbers; it must have 6 for reach-v3"
        ):
            pool.reset(options={"rand_vec": [1, 2]})
        assert pool.reset()[0][:, -3:].tolist() == [vector[3:], other[3:]]


def test_takes_envpools_option() -> None:
    spec = parallel_pool.make_spec("MetaWorld/Reach-v3", partially_observable=True)
    assert spec.config["observe_goal"] is False
    with pytest.raises(TypeError, match="partially_observable is another name of observe_goal"):
        parallel_pool.make_spec("reach-v3", partially_observable=True, observe_goal=True)


def test_ends_at_success() -> None:
    expert = reference.expert("reach-v3")
    with parallel_pool.make("reach-v3", num_envs=1, terminate_on_success=True) as pool:
        obs, _ = pool.reset()
        for _ in range(500):
            action = expert.get_action(obs[0]).astype(np.float32)
            obs, _, terminated, truncated, info = pool.step(action[None])
            assert terminated[0] == (info["success"][0] == 1)
            if terminated[0]:
                break
        assert terminated[0] and info["success_once"][0] == 1 and not truncated[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward_function_version": "v1"}, "only rewards of version 2"),
        ({"task_select": "rand"}, "did you mean random"),
        ({"task_index": 3}, "task_index is 3; it must be below num_tasks, 1"),
        ({"goal_share": (2, 2)}, r"goal_share is \(2, 2\); it must be two integers"),
        ({"goal_share": (0.5, 2)}, r"goal_share is \(0.5, 2\); it must be two integers"),
        ({"goals_after": ["reach"]}, "MetaWorld has no task reach"),
        ({"rand_vec": [1, 2, 3]}, "rand_vec has 3 numbers; it must have 6 for reach-v3"),
    ],
)
def test_refuses_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parallel_pool.make("reach-v3", num_envs=1, **options)


def test_refuses_benchmarks() -> None:
    with pytest.raises(ValueError, match="did you mean MetaWorld/MT10"):
        parallel_pool.make("MetaWorld/MT11")
    with pytest.raises(ValueError, match="num_envs is 3; there are 10 tasks"):
        parallel_pool.make("MetaWorld/MT10", num_envs=3)
    with pytest.raises(ValueError, match=r"seed is -1; .* from 0 to 2\*\*32 - 1"):
        parallel_pool.make("MetaWorld/MT10", seed=-1)
    with pytest.raises(TypeError, match="seed must be an int"):
        parallel_pool.make("MetaWorld/MT10", seed=1.5)  # type: ignore[call-overload]
