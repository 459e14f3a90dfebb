"""evaluate(), its scores, and `verify`."""

import json
import pathlib
import sys
from typing import Any

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
        (ValueError, "evaluate sets batch_size itself", {"batch_size": 1}),
        (ValueError, "no info 'wins'; there are", {"infos": ["wins"]}),
        (ValueError, "tasks of one player", {"task_id": "SimpleSpread-v3"}),
        (ValueError, "did you mean CartPole-v1", {"task_id": "CartPole-v11"}),
    ],
)
def test_refuses(error: type[Exception], message: str, call: dict[str, Any]) -> None:
    with pytest.raises(error, match=message):
        parallel_pool.evaluate(**{"policy": lean, "task_id": "CartPole-v1", "episodes": 1, **call})


AGENT = """
def act(obs):
    return (obs[:, 2] + obs[:, 3] > 0).astype(int)

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


def test_statistics_are_saved(agent: Any, capsys: pytest.CaptureFixture[str]) -> None:
    options: Any = {"normalize_observation": True}
    with parallel_pool.make("CartPole-v1", num_envs=4, **options) as pool:
        pool.reset()
        statistics = pool.statistics()
    parallel_pool.evaluate(agent.act, "CartPole-v1", 2, statistics=statistics, **options).save(
        "score.json"
    )
    assert main(["verify", "score.json"]) == 0
