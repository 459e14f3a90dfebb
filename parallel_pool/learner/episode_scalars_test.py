"""EpisodeScalars has the means that a plain loop over the infos computes."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool import EpisodeScalars

RECORD: dict[str, Any] = {"record_episode_statistics": True}


def same(found: dict[str, float], values: dict[str, list[float]], counts: dict[str, int]) -> None:
    """The means of `values` and the counts, all under "episode/"."""
    wanted = {f"episode/{name}": float(np.mean(own)) for name, own in values.items()}
    wanted |= {f"episode/{name}": float(count) for name, count in counts.items()}
    assert found == wanted
    assert all(type(value) is float for value in found.values())


@pytest.mark.parametrize("env_type", ["gymnasium", "gym"])
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_means_since_the_last_call(env_type: Any, mode: Any) -> None:
    pool: Any = parallel_pool.make(
        "CartPole-v1", env_type, num_envs=5, autoreset_mode=mode, **RECORD
    )
    episodes = EpisodeScalars(pool)
    pool.reset()
    sums, steps = np.zeros(5), np.zeros(5, int)
    began = np.zeros(5, bool)
    for _ in range(6):
        returns: list[float] = []
        lengths: list[float] = []
        for _ in range(40):
            _, reward, terminated, truncated, info = pool.step(pool.sample_actions())
            episodes.add(info)
            ended = terminated | truncated
            sums, steps = sums + reward * ~began, steps + ~began
            returns += sums[ended].tolist()
            lengths += steps[ended].tolist()
            sums, steps = sums * ~ended, steps * ~ended
            began = ended & (mode == "next_step")
        assert len(returns) > 2
        same(episodes.scalars(), {"return": returns, "length": lengths}, {"count": len(returns)})
    assert episodes.scalars("eval/") == {"eval/count": 0}


@pytest.mark.parametrize("batch_size", [0, 4])
def test_each_task_has_its_own(batch_size: int) -> None:
    tasks: list[Any] = ["CartPole-v1", "Acrobot-v1", ("CartPole-v1", {"max_episode_steps": 7})]
    names = ["CartPole-v1_0/", "Acrobot-v1/", "CartPole-v1_2/"]
    options: dict[str, Any] = {"action_padding": True, "observation_padding": True, **RECORD}
    with parallel_pool.make(tasks, num_envs=[2, 3, 4], batch_size=batch_size, **options) as pool:
        episodes = EpisodeScalars(pool)
        pool.async_reset()
        values: dict[str, list[float]] = {}
        counts = {f"{name}count": 0 for name in names}
        for _ in range(200):
            *_, info = pool.recv()
            pool.send(pool.sample_actions(info), info["env_id"])
            episodes.add(info)
            for row in np.flatnonzero(info.get("_episode", False)):
                name = names[info["task_id"][row]]
                counts[f"{name}count"] += 1
                values.setdefault(f"{name}return", []).append(info["episode"]["r"][row])
                values.setdefault(f"{name}length", []).append(info["episode"]["l"][row])
    assert counts["CartPole-v1_0/count"] > 0 and counts["CartPole-v1_2/count"] > 0
    assert counts["Acrobot-v1/count"] == 0, "a task without episodes has a count only"
    same(episodes.scalars(), values, counts)


@pytest.mark.parametrize("task_id", ["SimpleTag-v3", "TicTacToe-v0"])
def test_each_player_has_its_return(task_id: str) -> None:
    with parallel_pool.make(task_id, num_envs=3, **RECORD) as pool:
        episodes = EpisodeScalars(pool)
        values: dict[str, list[float]] = {"length": []}
        _, info = pool.reset(seed=3)
        for _ in range(80):
            *_, info = pool.step(pool.sample_actions(info))
            episodes.add(info)
            if "episode" not in info:
                continue
            values["length"] += info["episode"]["l"][info["_episode"]].tolist()
            players = info["players"]
            for row, env in enumerate(players["env_id"]):
                if info["_episode"][env]:
                    name = pool.spec.players[players["agent"][row]].name
                    values.setdefault(f"return/{name}", []).append(info["episode"]["r"][row])
        assert len(values) == 1 + len(pool.spec.players)
        same(episodes.scalars(), values, {"count": len(values["length"])})


@pytest.mark.parametrize("env_type", ["gymnasium", "gym"])
def test_a_single_env(env_type: Any) -> None:
    env: Any = parallel_pool.make(
        "CartPole-v1", env_type, num_envs=None, max_episode_steps=5, **RECORD
    )
    episodes = EpisodeScalars(env)
    for _ in range(3):
        env.reset()
        for step in range(5):
            *_, info = env.step(step % 2)
            episodes.add(info)
    same(episodes.scalars(), {"return": [5.0], "length": [5]}, {"count": 3})


def test_envs_in_python() -> None:
    def make() -> Any:
        return gymnasium.make("CartPole-v1", max_episode_steps=6)

    with parallel_pool.make_python(make, num_envs=2, num_workers=0, **RECORD) as pool:
        episodes = EpisodeScalars(pool)
        pool.reset()
        for step in range(6):
            *_, info = pool.step(np.full(2, step % 2))
            episodes.add(info)
    same(episodes.scalars(), {"return": [6.0], "length": [6]}, {"count": 2})


def test_a_rollout_gives_the_infos() -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=4, **RECORD)
    episodes, rollout = EpisodeScalars(pool), parallel_pool.Rollout(pool, 64)
    for _ in rollout:
        episodes.add(rollout.act(pool.sample_actions()))
    found = episodes.scalars()
    assert found["episode/return"] == np.mean(rollout.episode_returns)
    assert found["episode/count"] == len(rollout.episode_returns)


def test_what_is_refused() -> None:
    pool = parallel_pool.make("CartPole-v1", num_envs=2)
    with pytest.raises(ValueError, match=r"CartPole-v1: record_episode_statistics is False; Epis"):
        EpisodeScalars(pool)
    with pytest.raises(TypeError, match=r"needs a pool of env_type='gymnasium' or 'gym', not Pool"):
        EpisodeScalars(parallel_pool.make_dm("CartPole-v1", num_envs=2, **RECORD))
    with pytest.raises(TypeError, match="not list"):
        EpisodeScalars([])
    episodes = EpisodeScalars(parallel_pool.make("CartPole-v1", num_envs=2, **RECORD))
    with pytest.raises(TypeError, match="info must be a dict of infos, not tuple"):
        episodes.add(pool.reset())  # type: ignore[arg-type]
