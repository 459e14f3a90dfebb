"""Rows of async pools and of players: each time line is that of an env stepped alone."""

from typing import Any, ClassVar

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv

import parallel_pool
from parallel_pool.testing.testing_family import FINE, THROW

GAMMA, LAMBDA = 0.9, 0.8


def value_of(obs: Any) -> Any:
    """Some number of each observation."""
    return obs[:, 0] * np.float32(3) + obs[:, 2] + np.float32(1)


def action_of(obs: Any) -> Any:
    """Some action of each observation."""
    return (np.abs(obs[:, 1] * 1000).astype(int) // 7) % 2


def make(num_envs: int, **options: Any) -> Any:
    return parallel_pool.make(
        "CartPole-v1", num_envs=num_envs, seed=6, max_episode_steps=18, **options
    )


def steps_alone(num_envs: int, steps: int) -> list[list[tuple[Any, ...]]]:
    """The first steps of each env: (obs, reward, terminated, truncated, next obs)."""
    with make(num_envs) as pool:
        found: list[list[tuple[Any, ...]]] = [[] for _ in range(num_envs)]
        obs, _ = pool.reset()
        ended = np.zeros(num_envs, bool)
        while min(map(len, found)) < steps:
            after, reward, terminated, truncated, _ = pool.step(action_of(obs))
            for env in np.flatnonzero(~ended):
                of = (part[env] for part in (obs, reward, terminated, truncated, after))
                found[env].append(tuple(of))
            obs, ended = after, terminated | truncated
        return found


def advantages(steps: list[tuple[Any, ...]]) -> list[Any]:
    """GAE in plain Python over one line's steps of a loop."""
    found, after = [], np.float32(0)
    gamma, decay = np.float32(GAMMA), np.float32(GAMMA * LAMBDA)
    for obs, reward, terminated, truncated, next_obs in reversed(steps):
        value, next_value = value_of(obs[None])[0], value_of(next_obs[None])[0]
        if terminated:
            next_value = np.float32(0)
        advantage = np.float32(reward) + gamma * next_value - value
        if not terminated and not truncated:
            advantage = advantage + decay * after
        found.append(advantage)
        after = advantage
    return found[::-1]


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("options", [{"batch_size": 3, "num_threads": 2}, {"num_threads": 1}])
def test_each_line_is_an_env_stepped_alone(mode: str, options: dict[str, Any]) -> None:
    envs, steps, loops = 8, 24, 4
    alone = steps_alone(envs, 8 * steps * loops)
    used = [0] * envs
    with make(envs, autoreset_mode=mode, **options) as pool:
        trajectories = parallel_pool.Trajectories(pool, steps)
        for _ in range(loops):
            for obs in trajectories:
                trajectories.act(action_of(obs), value=value_of(obs), row=obs[:, 0])
            final = trajectories.final_obs
            assert (final is None) == (mode == "next_step")
            trajectories.finish(
                None if final is None else value_of(final), gamma=GAMMA, gae_lambda=LAMBDA
            )
            batch = trajectories.batch()
            np.testing.assert_array_equal(batch["row"], batch["obs"][:, 0])
            np.testing.assert_array_equal(batch["target"], batch["advantage"] + batch["value"])
            for env in range(envs):
                mine = batch["env_id"] == env
                of_loop = alone[env][used[env] : used[env] + mine.sum()]
                used[env] += mine.sum()
                names = ("obs", "reward", "terminated", "truncated")
                for name, theirs in zip(names, zip(*of_loop, strict=True), strict=False):
                    np.testing.assert_array_equal(batch[name][mine], theirs, name)
                np.testing.assert_array_equal(batch["advantage"][mine], advantages(of_loop))
            assert (batch["truncated"] & ~batch["terminated"]).any()
            assert batch["terminated"].any()
    # All but the rows that wait, and those that only reset.
    rows = loops * len(range(0, steps * envs, options.get("batch_size", envs)))
    assert sum(used) <= rows * options.get("batch_size", envs)
    assert sum(used) > 0.85 * loops * steps * envs


def test_both_players_of_a_game_learn_its_result() -> None:
    with parallel_pool.make("TicTacToe-v0", num_envs=4, batch_size=2, seed=3) as pool:
        trajectories = parallel_pool.Trajectories(pool, 100)
        for obs in trajectories:
            action = pool.sample_actions(trajectories.info)
            value = np.zeros(len(action))
            trajectories.act(action, value=value, cells=obs["observation"].sum(axis=(1, 2, 3)))
        trajectories.finish(gamma=1.0, gae_lambda=1.0)
        batch = trajectories.batch()
        assert batch["obs"]["observation"].shape == (len(batch["reward"]), 3, 3, 2)
        games = 0
        for env in range(4):
            last: dict[int, list[Any]] = {0: [], 1: []}  # the targets of a player's open game
            results = []
            for row in np.flatnonzero(batch["env_id"] == env):
                player = int(batch["player"][row])
                assert batch["cells"][row] % 2 == player  # who moves
                last[player].append(batch["target"][row])
                if batch["terminated"][row]:
                    assert set(last[player]) == {batch["reward"][row]}
                    results.append(batch["reward"][row])
                    last[player] = []
            pairs = np.reshape(results[: len(results) // 2 * 2], (-1, 2))
            assert (pairs.sum(axis=1) == 0).all()
            games += len(pairs)
        assert games > 25


class Leaving(ParallelEnv):  # type: ignore[misc]
    """Player k observes the time and leaves after k + 2 steps; the last one is cut at 5."""

    metadata: ClassVar[dict[str, Any]] = {"name": "leaving_v0"}
    possible_agents: ClassVar[list[str]] = ["a", "b", "c"]

    def observation_space(self, agent: str) -> Any:
        return spaces.Box(0, 9, (2,), np.float32)

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(9)

    def _obs(self, agents: list[str]) -> dict[str, Any]:
        return {a: np.array([self.at, self.possible_agents.index(a)], np.float32) for a in agents}

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self.at = list(self.possible_agents), 0
        return self._obs(self.agents), {a: {} for a in self.agents}

    def step(self, actions: dict[str, Any]) -> Any:
        self.at += 1
        before = self.agents
        done = {a: a != "c" and self.at >= self.possible_agents.index(a) + 2 for a in before}
        cut = {a: a == "c" and self.at == 5 for a in before}
        self.agents = [a for a in before if not done[a] and not cut[a]]
        reward = {a: 10.0 * self.possible_agents.index(a) + self.at for a in before}
        return self._obs(before), reward, done, cut, {a: {} for a in before}


def test_players_that_leave_end_by_themselves() -> None:
    with parallel_pool.make_python([Leaving] * 3, num_workers=0) as pool:
        trajectories = parallel_pool.Trajectories(pool, 30)
        for obs in trajectories:
            trajectories.act(np.zeros(len(obs), int), value=obs[:, 0])
        trajectories.finish(gamma=1.0, gae_lambda=1.0)
        batch = trajectories.batch()
        for env in range(3):
            for player, length in enumerate((2, 3, 5)):
                mine = (batch["env_id"] == env) & (batch["player"] == player)
                whole = mine.sum() // length * length
                assert whole >= 4 * length
                time = np.tile(np.arange(length), whole // length)
                np.testing.assert_array_equal(batch["obs"][mine][:whole, 0], time)
                np.testing.assert_array_equal(batch["obs"][mine][:, 1], player)
                np.testing.assert_array_equal(batch["reward"][mine][:whole], 10 * player + time + 1)
                ends = time == length - 1
                np.testing.assert_array_equal(
                    batch["terminated"][mine][:whole], ends & (player < 2)
                )
                np.testing.assert_array_equal(
                    batch["truncated"][mine][:whole], ends & (player == 2)
                )
                # The rest of the episode; after one that was cut also the value of its end, 5.
                rest = [sum(range(t + 1, length + 1)) + 10 * player * (length - t) for t in time]
                cut = 5 if player == 2 else 0
                np.testing.assert_array_equal(batch["target"][mine][:whole], np.add(rest, cut))


def test_players_that_are_not_shown_at_the_end() -> None:
    """Turns-v0 shows one of two players, and is cut when the other one has moved last."""
    with parallel_pool.make("Turns-v0", num_envs=2, max_episode_steps=4) as pool:
        trajectories = parallel_pool.Trajectories(pool, 20)
        for step, obs in enumerate(trajectories):
            trajectories.act(np.full(len(obs), step % 3), value=np.full(len(obs), step, "float64"))
        trajectories.finish(gamma=1.0, gae_lambda=1.0)
        batch = trajectories.batch()
        # White moves in steps 0 and 2 of each episode, black in 1 and 3; step 4 resets. Black's
        # last move has no result. So the move before it goes on with the value of this one.
        mine = batch["env_id"] == 0
        episode, step = np.divmod(batch["value"][mine].astype(int), 5)
        np.testing.assert_array_equal(step, np.tile([0, 1, 2], 4)[: len(step)])
        np.testing.assert_array_equal(batch["player"][mine], step % 2)
        np.testing.assert_array_equal(batch["truncated"][mine], step == 2)
        wanted = 5 * episode + np.where(step == 1, 3, 4)
        np.testing.assert_array_equal(batch["target"][mine], wanted)


def test_an_env_that_throws() -> None:
    with parallel_pool.make("Trouble-v0", num_envs=3) as pool:
        trajectories = parallel_pool.Trajectories(pool, 6)
        with pytest.raises(parallel_pool.EnvError, match="env 1"):
            for step, _ in enumerate(trajectories):
                trajectories.act(np.array([FINE, THROW if step == 1 else FINE, FINE]))
        for _ in trajectories:  # the loop goes on
            trajectories.act(np.full(3, FINE))
        batch = trajectories.batch()
        assert batch["truncated"].nonzero()[0].tolist() == [4]
        assert batch["env_id"].tolist() == [0, 1, 2, 0, 1, 2, 0, 2, 0, 1, 2, 0, 1, 2]


def test_wrong_calls() -> None:
    with make(4, batch_size=2) as pool:
        trajectories = parallel_pool.Trajectories(pool, 3)
        assert repr(trajectories).endswith(", steps=3)")
        with pytest.raises(RuntimeError, match=r"act\(\) belongs into a loop"):
            trajectories.act(np.zeros(2, int))
        with pytest.raises(RuntimeError, match=r"act\(\) was not called in step 0 of 6"):
            list(trajectories)
        for step, _ in enumerate(trajectories):
            if step == 1:
                with pytest.raises(ValueError, match=r"given action; .* was action, value"):
                    trajectories.act(np.zeros(2, int))
                with pytest.raises(ValueError, match=r"value has shape \(3,\); .* have 2 rows"):
                    trajectories.act(np.zeros(2, int), value=np.zeros(3))
                with pytest.raises(ValueError, match="cannot have the name 'reward'"):
                    trajectories.act(np.zeros(2, int), reward=np.zeros(2))
                with pytest.raises(ValueError, match="CartPole-v1"):
                    trajectories.act(np.full(2, 7), value=np.zeros(2))
                with pytest.raises(RuntimeError, match="was called 1 of 6 times"):
                    trajectories.batch()
            trajectories.act(np.zeros(2, int), value=np.zeros(2))
            with pytest.raises(RuntimeError, match="once for each step"):
                trajectories.act(np.zeros(2, int), value=np.zeros(2))
    with make(4, autoreset_mode="same_step") as pool:
        trajectories = parallel_pool.Trajectories(pool, 40)
        for obs in trajectories:
            trajectories.act(action_of(obs), value=value_of(obs))
        with pytest.raises(ValueError, match="final_value has 0 numbers; final_obs has"):
            trajectories.finish()
    with make(4) as pool:
        trajectories = parallel_pool.Trajectories(pool, 2)
        for _ in trajectories:
            trajectories.act(np.zeros(4, int))
        with pytest.raises(RuntimeError, match=r"finish\(\) needs the values"):
            trajectories.finish()


@pytest.mark.parametrize(
    ("task_id", "options", "error", "text"),
    [
        ("CartPole-v1", {"autoreset_mode": "disabled"}, ValueError, "Trajectories needs autoreset"),
        ("CartPole-v1", {"env_type": "dm"}, TypeError, "Trajectories needs a pool of env_type"),
        ("Crowd-v0", {}, ValueError, r"no info\['players'\]\['agent'\] says whose a row is"),
    ],
)
def test_refused(task_id: str, options: dict[str, Any], error: type[Exception], text: str) -> None:
    with (
        parallel_pool.make(task_id, num_envs=4, **options) as pool,
        pytest.raises(error, match=text),
    ):
        parallel_pool.Trajectories(pool, 3)
