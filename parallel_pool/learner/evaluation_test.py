"""evaluate(), its scores, and `verify`."""

import dataclasses
import json
import pathlib
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.command_line.parser import main
from parallel_pool.learner import scores


def lean(obs: Any) -> Any:
    """Pushes CartPole to the side to which the pole falls."""
    return (obs[:, 2] + obs[:, 3] > 0).astype(np.int64)


def by_hand(envs: int, episodes: int, seed: int) -> list[tuple[float, int]]:
    """(return, length) of the first `episodes` episodes of each env of CartPole, one by one."""
    found = []
    for env in range(envs):
        with parallel_pool.make("CartPole-v1", num_envs=1, seed=seed + env) as pool:
            for _ in range(episodes):
                (obs, _), total, steps, done = pool.reset(), 0.0, 0, False
                while not done:
                    obs, reward, terminated, truncated, _ = pool.step(lean(obs))
                    total, steps = total + float(reward[0]), steps + 1
                    done = bool(terminated[0] or truncated[0])
                found.append((total, steps))
    return found


def test_plays_the_first_episodes_of_each_env() -> None:
    result = parallel_pool.evaluate(lean, "CartPole-v1", 6, seed=3, num_envs=2)
    expected = by_hand(2, 3, seed=3)
    assert list(zip(result.returns.tolist(), result.lengths.tolist(), strict=True)) == expected
    assert result.env.tolist() == [0, 0, 0, 1, 1, 1]
    assert result.mean == np.mean([total for total, _ in expected])


def test_shares_out_what_is_left_over() -> None:
    result = parallel_pool.evaluate(lean, "CartPole-v1", 5, num_envs=3, num_threads=2)
    assert result.env.tolist() == [0, 0, 1, 1, 2]


def test_has_a_seed_of_its_own() -> None:
    result = parallel_pool.evaluate(lean, "CartPole-v1", 20)
    assert result.seed == 2**31 and len(set(result.env.tolist())) == 16
    again = parallel_pool.evaluate(lean, "CartPole-v1", 20)
    assert again.digest == result.digest
    assert parallel_pool.evaluate(lean, "CartPole-v1", 20, seed=1).digest != result.digest


def test_plays_several_tasks() -> None:
    result = parallel_pool.evaluate(lean, ["CartPole-v1", ("CartPole-v0", {})], 3, num_envs=[2, 1])
    assert result.task.tolist() == [0, 0, 0, 1, 1, 1] and result.env.tolist() == [0, 0, 1, 2, 2, 2]
    assert result.tasks == ("CartPole-v1", "CartPole-v0")
    assert result.of_task(1).lengths.max() <= 200
    assert [line.split(":")[0] for line in str(result).splitlines()] == list(result.tasks)


def test_keeps_infos_of_the_end() -> None:
    stay = lambda obs: np.zeros((len(obs["observation"]), 2), np.float32)  # noqa: E731
    result = parallel_pool.evaluate(stay, "PointMaze_UMaze-v3", 2, infos=["success"])
    assert result.infos["success"].tolist() == [0, 0]
    assert result.score("mean", "success") == 0
    with pytest.raises(ValueError, match="'succes'; those that were kept are success"):
        result.score("mean", "succes")


def test_statistics_stay_as_they_are() -> None:
    options: Any = {"normalize_observation": True, "normalize_reward": True}
    with parallel_pool.make("CartPole-v1", num_envs=4, **options) as pool:
        pool.reset()
        for _ in range(50):
            pool.step(np.zeros(4, int))
        statistics = pool.statistics()
    result = parallel_pool.evaluate(lean, "CartPole-v1", 4, statistics=statistics, **options)
    assert (result.returns == result.lengths).all(), "rewards are counted before normalizing"
    plain = parallel_pool.evaluate(lean, "CartPole-v1", 4)
    assert plain.digest != result.digest
    with pytest.raises(ValueError, match=r"give statistics=pool.statistics\(\)"):
        parallel_pool.evaluate(lean, "CartPole-v1", 4, **options)


def same(result: scores.Evaluation, expected: scores.Evaluation) -> bool:
    arrays = zip(result.returns, result.lengths, result.env, strict=True)
    wanted = zip(expected.returns, expected.lengths, expected.env, strict=True)
    return list(arrays) == list(wanted) and result.digest == expected.digest


def test_takes_specs(agent: Any, capsys: pytest.CaptureFixture[str]) -> None:
    options: Any = {"num_envs": 3, "max_episode_steps": 30}
    expected = parallel_pool.evaluate(agent.act, "CartPole-v1", 6, **options)
    spec = parallel_pool.make_spec("CartPole-v1", **options, seed=1, autoreset_mode="disabled")
    result = parallel_pool.evaluate(agent.act, spec, 6)
    assert same(result, expected) and result.seed == 2**31
    result.save("score.json")
    assert main(["verify", "score.json"]) == 0
    single = parallel_pool.make_spec("CartPole-v1", num_envs=None, max_episode_steps=30)
    expected = parallel_pool.evaluate(agent.act, "CartPole-v1", 6, max_episode_steps=30)
    assert same(parallel_pool.evaluate(agent.act, single, 6), expected)
    several = parallel_pool.make_spec(["CartPole-v1", "CartPole-v0"], num_envs=[2, 1], seed=1)
    result = parallel_pool.evaluate(agent.act, several, 4)
    expected = parallel_pool.evaluate(
        agent.act, ["CartPole-v1", "CartPole-v0"], 4, num_envs=[2, 1], action_padding=False
    )
    assert same(result, expected)
    result.save("score.json")
    assert main(["verify", "score.json"]) == 0


def test_takes_envs_in_python(tmp_path: pathlib.Path) -> None:
    spec = parallel_pool.make_python_spec("CartPole-v1", num_envs=3, num_workers=0)
    result = parallel_pool.evaluate(lean, spec, 6)
    native = parallel_pool.evaluate(lean, "CartPole-v1", 6, num_envs=3)
    assert (result.returns == native.returns).all()
    with pytest.raises(TypeError, match="envs in Python cannot be saved"):
        result.save(str(tmp_path / "score.json"))


def test_keeps_infos_that_envs_in_python_have_at_the_end() -> None:
    class Counter(gymnasium.Env[Any, Any]):
        observation_space = gymnasium.spaces.Box(0, 1, (1,))
        action_space = gymnasium.spaces.Discrete(2)

        def reset(self, **kwargs: Any) -> Any:
            super().reset(**kwargs)
            self.steps = 0
            return np.zeros(1, np.float32), {}

        def step(self, action: Any) -> Any:
            self.steps += 1
            info = {"is_success": True} if self.steps == 3 else {}
            return np.zeros(1, np.float32), 1.0, self.steps == 3, False, info

    spec = parallel_pool.make_python_spec(Counter, num_envs=2, num_workers=0)
    stay = lambda obs: np.zeros(len(obs), int)  # noqa: E731
    result = parallel_pool.evaluate(stay, spec, 2, infos=["is_success"])
    assert result.infos["is_success"].tolist() == [1, 1]


def test_takes_names_of_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"Short": lambda kwargs: ("CartPole-v1", {**kwargs, "max_episode_steps": 5})}
    for module in ("learner.evaluation", "python.specs.registry"):
        monkeypatch.setattr(f"parallel_pool.{module}.names", lambda: names)
    result = parallel_pool.evaluate(lean, "Short", 4)
    assert result.env.tolist() == [0, 1, 2, 3], "a name of one task has the envs of a task"
    assert result.lengths.tolist() == [5] * 4 and result.tasks == ("CartPole-v1",)


def test_options_of_trainings_that_mean_nothing_here() -> None:
    expected = parallel_pool.evaluate(lean, "CartPole-v1", 6, num_envs=3)
    with parallel_pool.make("CartPole-v1", num_envs=3) as pool:
        options = pool.config
    training = {"batch_size": 1, "autoreset_mode": "same_step", "env_type": "gym"}
    training |= {"gym_reset_return_info": False, "update_statistics": True, "seed": 2**31}
    result = parallel_pool.evaluate(lean, "CartPole-v1", 6, **options | training)
    assert same(result, expected)
    single = parallel_pool.evaluate(lean, "CartPole-v1", 6, num_envs=None)
    assert same(single, parallel_pool.evaluate(lean, "CartPole-v1", 6))


def masked(obs: Any, action_mask: Any) -> Any:
    """The first legal action."""
    assert action_mask.dtype == bool and action_mask.any(1).all()
    return action_mask.argmax(1)


def test_policies_see_where_episodes_start() -> None:
    seen = []

    def recurrent(obs: Any, episode_start: Any = None) -> Any:
        seen.append(episode_start.copy())
        return lean(obs)

    result = parallel_pool.evaluate(recurrent, "CartPole-v1", 4, num_envs=2, max_episode_steps=20)
    assert same(result, parallel_pool.evaluate(lean, "CartPole-v1", 4, **dict(result.options)))
    starts = np.flatnonzero(np.array(seen)[:, 0])
    assert starts.tolist() == [0, int(result.lengths[0]) + 1], "after the last observation"


def test_policies_see_masks() -> None:
    calls = []

    class Policy:
        def __call__(self, obs: Any, *, action_mask: Any, episode_start: Any) -> Any:
            calls.append((action_mask, episode_start))
            return masked(obs, action_mask)

    result = parallel_pool.evaluate(Policy(), "Taxi-v3", 2, num_envs=2, max_episode_steps=5)
    assert result.lengths.tolist() == [5, 5]
    assert calls[0][0].shape == (2, 6) and calls[0][1].tolist() == [True, True]
    optional = lambda obs, action_mask=None: lean(obs)  # noqa: E731
    parallel_pool.evaluate(optional, "CartPole-v1", 1)


def result_of(returns: list[float], task: list[int]) -> scores.Evaluation:
    values, of = np.array(returns), np.array(task)
    return scores.Evaluation(
        task_id="CartPole-v1",
        episodes=len(returns),
        seed=1,
        options={},
        statistics=None,
        policy="",
        tasks=tuple(f"Task{k}" for k in range(max(task) + 1)),
        returns=values,
        lengths=values.astype(int),
        env=of,
        task=of,
        infos={},
        digest="",
    )


def test_scores_are_those_of_the_definitions() -> None:
    result = result_of([0, 1, 2, 3, 4, 5, 6, 100], [0] * 8)
    assert (result.mean, result.median, result.iqm) == (121 / 8, 3.5, 3.5)
    low, high = result.interval("iqm")
    assert 0 < low < 3.5 < high < 100
    assert result.interval("iqm") == (low, high)
    wide = result.interval("iqm", confidence=0.99)
    assert wide[0] <= low and high <= wide[1]
    with pytest.raises(ValueError, match="kind is 'mode'"):
        result.score("mode")  # type: ignore[arg-type]


def test_tasks_are_drawn_apart() -> None:
    result = result_of([1, 1, 1, 9], [0, 0, 0, 1])
    assert result.interval("mean") == (3, 3), "each draw has three episodes of the first task"


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (TypeError, "policy must be a function", {"policy": 3}),
        (ValueError, "episodes is 0", {"episodes": 0}),
        (TypeError, "episodes must be an int", {"episodes": 1.5}),
        (ValueError, "no info 'wins'; there are", {"infos": ["wins"]}),
        (ValueError, "tasks of one player", {"task_id": "SimpleSpread-v3"}),
        (ValueError, "did you mean CartPole-v1", {"task_id": "CartPole-v11"}),
        (ValueError, "parameter 'action_mask', and the task has no", {"policy": masked}),
        (
            TypeError,
            r"the spec has all options already; give num_envs to make_spec\(\)",
            {"task_id": parallel_pool.make_spec("CartPole-v1"), "num_envs": 2},
        ),
    ],
)
def test_refuses(error: type[Exception], message: str, call: dict[str, Any]) -> None:
    with pytest.raises(error, match=message):
        parallel_pool.evaluate(**{"policy": lean, "task_id": "CartPole-v1", "episodes": 1, **call})


AGENT = """
def act(obs):
    return (obs[:, 2] + obs[:, 3] > 0).astype(int)

def still(obs):
    import numpy as np
    return np.zeros((len(obs), 8), np.float32)

def other(obs):
    return (obs[:, 2] > 0).astype(int)
"""


@pytest.fixture
def agent(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of a file of the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    monkeypatch.delitem(sys.modules, "agent_of_a_test", raising=False)
    pathlib.Path("agent_of_a_test.py").write_text(AGENT)
    return __import__("agent_of_a_test")


def test_a_score_is_verified(agent: Any, capsys: pytest.CaptureFixture[str]) -> None:
    options: Any = {"num_envs": 2, "max_episode_steps": np.int64(100)}
    parallel_pool.evaluate(agent.act, "CartPole-v1", 4, **options).save("score.json")
    assert main(["verify", "score.json"]) == 0
    assert "score.json holds:\nCartPole-v1: 4 episodes; return 100 " in capsys.readouterr().out
    assert main(["verify", "score.json", "--policy", "agent_of_a_test:other"]) == 1
    out = capsys.readouterr().out
    assert "does not hold: episode 0, of env 0 of CartPole-v1, has a return of" in out


def test_a_changed_score_does_not_hold(agent: Any, capsys: pytest.CaptureFixture[str]) -> None:
    parallel_pool.evaluate(agent.act, "CartPole-v1", 4).save("score.json")
    fields = json.loads(pathlib.Path("score.json").read_text())
    changed = fields | {"returns": [*fields["returns"][:3], 499.0], "version": "0.0.1"}
    pathlib.Path("score.json").write_text(json.dumps(changed))
    assert main(["verify", "score.json"]) == 1
    out = capsys.readouterr().out
    assert "the file is of ParallelPool 0.0.1" in out
    assert "episode 3, of env 3 of CartPole-v1" in out and "the file has 499 in 500 steps" in out
    pathlib.Path("score.json").write_text(json.dumps(fields | {"digest": "0"}))
    assert main(["verify", "score.json"]) == 1
    assert "all returns are equal" in capsys.readouterr().out


def test_what_cannot_be_verified(agent: Any, capsys: pytest.CaptureFixture[str]) -> None:
    parallel_pool.evaluate(lambda obs: agent.act(obs), "CartPole-v1", 1).save("score.json")
    assert main(["verify", "score.json"]) == 2
    assert "names no policy: give --policy" in capsys.readouterr().err
    pathlib.Path("other.json").write_text("{}")
    assert main(["verify", "other.json"]) == 2
    assert "other.json is no score of this version" in capsys.readouterr().err


def test_scores_and_options_that_are_not_finite(
    agent: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are strict JSON, and verify reads them."""
    options: Any = {"num_envs": 1, "max_episode_steps": 2, "healthy_z_range": (0.2, np.inf)}
    result = parallel_pool.evaluate(agent.still, "Ant-v5", 1, **options)
    result.save("score.json")
    fields = json.loads(pathlib.Path("score.json").read_text(), parse_constant=pytest.fail)
    assert fields["options"]["healthy_z_range"] == [0.2, {"float": "inf"}]
    assert main(["verify", "score.json"]) == 0
    bad = dataclasses.replace(result, returns=np.array([np.nan]))
    bad.save("score.json")
    json.loads(pathlib.Path("score.json").read_text(), parse_constant=pytest.fail)
    np.testing.assert_array_equal(scores.load("score.json").returns, [np.nan])


def test_keys_of_options_are_no_texts(agent: Any) -> None:
    result = parallel_pool.evaluate(agent.act, "CartPole-v1", 1)
    dataclasses.replace(result, options={"slots": {3: 1.5}}).save("score.json")
    assert scores.load("score.json").options == {"slots": {3: 1.5}}


def test_statistics_are_saved(agent: Any, capsys: pytest.CaptureFixture[str]) -> None:
    options: Any = {"normalize_observation": True}
    with parallel_pool.make("CartPole-v1", num_envs=4, **options) as pool:
        pool.reset()
        statistics = pool.statistics()
    parallel_pool.evaluate(agent.act, "CartPole-v1", 2, statistics=statistics, **options).save(
        "score.json"
    )
    assert main(["verify", "score.json"]) == 0
