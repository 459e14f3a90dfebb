"""vector_env() compared with parallel envs, one after another, that are reset at once."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import parallel_pool.testing.testing_family  # noqa: F401
from parallel_pool.integrations.pettingzoo import parallel_env, vector_env

ENVS = 3


def padded(rows: dict[str, Any], width: int) -> Any:
    """The rows of all players, with zeros behind each."""
    return [np.pad(row, (0, width - len(row))) for row in rows.values()]


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("task_id", ["SimpleSpeakerListener-v4", "SimpleWorldComm-v3"])
def test_equals_parallel_envs(task_id: str, continuous: bool) -> None:
    options: dict[str, Any] = {"continuous_actions": continuous, "max_episode_steps": 7}
    vector = vector_env(task_id, ENVS, reward_dtype="float64", **options)
    envs = [parallel_env(task_id, **options) for _ in range(ENVS)]
    names = envs[0].possible_agents
    assert vector.num_envs == ENVS * len(names)
    obs, _ = vector.reset(seed=9)
    width = obs.shape[1]
    first = [padded(env.reset(seed=9 + i)[0], width) for i, env in enumerate(envs)]
    np.testing.assert_array_equal(obs, np.concatenate(first), strict=True)
    vector.action_space.seed(0)
    for step in range(30):
        action = vector.action_space.sample()
        own: list[list[Any]] = []
        for i, env in enumerate(envs):
            rows = action[i * len(names) : (i + 1) * len(names)]
            spaces = [env.action_space(name) for name in names]
            given = {
                name: row[: space.sample().size] if continuous else int(row) if row in space else 0
                for name, row, space in zip(names, rows, spaces, strict=True)
            }
            result = list(env.step(given))
            last = padded(result[0], width)
            if not env.agents:
                result[0] = env.reset()[0]
            flags = [list(part.values()) for part in result[1:4]]
            own.append([padded(result[0], width), *flags, last])
        parts = [np.concatenate(part) for part in zip(*own, strict=True)]
        obs, reward, terminated, truncated, info = vector.step(action)
        for mine, reference in zip((obs, reward, terminated, truncated), parts, strict=False):
            np.testing.assert_array_equal(mine, reference, strict=True)
        assert ("final_obs" in info) == truncated.any() == (step % 7 == 6)
        if "final_obs" in info:
            np.testing.assert_array_equal(info["final_obs"], parts[-1], strict=True)
            assert info["_final_obs"].all()
            assert info["final_info"]["elapsed_step"].tolist() == [7] * vector.num_envs
            assert info["elapsed_step"].tolist() == [0] * vector.num_envs
    vector.close()


def test_without_a_seed_the_system_draws_one() -> None:
    def start(**seed: Any) -> tuple[Any, Any]:
        vector = vector_env("SimpleSpread-v3", 1, **seed).reset()[0]
        one = parallel_env("SimpleSpread-v3", **seed).reset()[0]
        return vector.tobytes(), one["agent_0"].tobytes()

    for first, second in zip(start(), start(), strict=True):
        assert first != second
    assert start(seed=4) == start(seed=4)


def test_some_envs_end_before_others() -> None:
    vector = vector_env("SimpleSpread-v3", 8, N=1, terminate_on_success=True, seed=2)
    obs, _ = vector.reset()
    ends = 0
    for _ in range(300):
        action = vector.action_space.sample()
        obs, reward, terminated, truncated, info = vector.step(action)
        ended = terminated | truncated
        if "final_obs" not in info:
            assert not ended.any()
            continue
        assert info["_final_obs"].tolist() == info["_final_info"].tolist() == ended.tolist()
        same = (info["final_obs"] == obs).all(-1)
        assert same.tolist() == (~ended).tolist()
        assert (info["elapsed_step"][ended] == 0).all()
        assert (info["final_info"]["elapsed_step"] > 0).all()
        ends += bool(ended.any() and not ended.all())
    assert ends > 0


def test_wrappers_of_gymnasium_take_it() -> None:
    vector = vector_env("SimpleTag-v3", 2, render_mode="rgb_array")
    assert vector.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(vector)
    obs, info = env.reset(seed=0)
    assert obs in env.observation_space
    assert info["agent"].tolist() == [0, 1, 2, 3] * 2
    assert info["env_id"].tolist() == [0] * 4 + [1] * 4
    for _ in range(25):
        _, _, _, truncated, info = env.step(np.zeros(8, int))
    assert vector.render().shape == (2, 700, 700, 3)
    assert truncated.all()
    assert info["episode"]["l"].tolist() == [25] * 8


def test_surplus_actions_are_the_first_and_others_are_refused() -> None:
    vector, other = (vector_env("SimpleSpeakerListener-v4", 2, seed=1) for _ in range(2))
    vector.reset()
    other.reset()
    obs = vector.step([4, 1, 2, 1])[0]
    np.testing.assert_array_equal(obs, other.step(np.array([0, 1, 2, 1]))[0])
    with pytest.raises(ValueError, match=r"action\[1\] of listener_0 is 5; allowed are"):
        vector.step([0, 5, 0, 0])
    with pytest.raises(ValueError, match=r"action has shape \(3,\); it must be \(4,\)"):
        vector.step([0, 0, 0])


def test_observations_and_actions_may_be_dicts() -> None:
    vector = vector_env("Lesson-v0", 2, max_episode_steps=2)
    obs, _ = vector.reset()
    assert obs["force"].shape == (4, 3)
    action = {
        "word": np.array([6, 0, 1, 2]),  # pupils have 1 and 2
        "marks": np.zeros((4, 2), int),
        "force": np.full((4, 3), 0.5),
    }
    obs, reward, _, _, info = vector.step(action)
    np.testing.assert_allclose(reward, [6.1, 12.2, 1.2, 2.4], rtol=1e-6)  # of 6, 1 and 1, 2
    assert obs["force"].tolist() == [[0.5, 0.5, 0.5], [0.5, 0.5, 0]] * 2
    assert "final_obs" not in info
    obs, _, _, truncated, info = vector.step(action)
    assert truncated.all()
    assert not obs["force"].any()
    assert info["final_obs"]["force"].tolist() == [[0.5, 0.5, 0.5], [0.5, 0.5, 0]] * 2


@pytest.mark.parametrize(
    ("task_id", "options", "error", "words"),
    [
        ("TicTacToe-v0", {}, ValueError, "come and go, so their number is not constant"),
        ("CartPole-v1", {}, ValueError, "has one player"),
        ("SimpleTag-v3", {"batch_size": 1}, TypeError, "vector_env sets batch_size itself"),
    ],
)
def test_other_tasks_are_refused(
    task_id: str, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=f"^{task_id}.*{words}"):
        vector_env(task_id, 2, **options)
