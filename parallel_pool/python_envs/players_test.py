"""PettingZoo's parallel envs in pools: the same rows as PettingZoo's own dicts."""

import sys
from typing import Any, ClassVar

import mpe2.simple_speaker_listener_v4
import mpe2.simple_spread_v3
import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.classic import tictactoe_v3

import parallel_pool


class Leaving(ParallelEnv):  # type: ignore[misc]
    """Three players, of whom player k leaves after k + 2 steps; nested spaces and infos."""

    metadata: ClassVar[dict[str, Any]] = {"name": "leaving_v0", "render_modes": ["rgb_array"]}

    def __init__(self, render_mode: str | None = None) -> None:
        self.possible_agents = ["a_0", "a_1", "b_0"]
        self.render_mode = render_mode

    def observation_space(self, agent: str) -> Any:
        size = 2 if agent == "b_0" else 3
        return spaces.Dict({"x": spaces.Box(-1, 9, (size,), np.float32), "n": spaces.Discrete(9)})

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2 if agent == "b_0" else 4)

    def _obs(self, agents: list[str]) -> dict[str, Any]:
        return {
            agent: {
                "x": np.full(self.observation_space(agent)["x"].shape, self.at, np.float32),
                "n": self.last[agent],
            }
            for agent in agents
        }

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self.at = list(self.possible_agents), 0
        self.last = dict.fromkeys(self.agents, 0)
        return self._obs(self.agents), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> Any:
        assert list(actions) == self.agents
        self.at += 1
        for agent, action in actions.items():
            assert self.action_space(agent).contains(action), (agent, action)
            self.last[agent] = int(action)
        before = self.agents
        done = {a: self.at >= self.possible_agents.index(a) + 2 for a in before}
        self.agents = [a for a in before if not done[a]]
        return (
            self._obs(before),
            {a: float(self.last[a]) / 3 for a in before},
            done,
            dict.fromkeys(before, False),
            {a: {"at": self.at} if a == "a_1" else {} for a in before},
        )

    def render(self) -> Any:
        return np.full((2, 2, 3), self.at, np.uint8)


def expected_rows(peer: Any, result: Any) -> list[tuple[str, Any, float, bool, bool]]:
    """(agent, observation, reward, terminated, truncated) in the order of possible_agents."""
    obs, *rest = result
    rewards, terminated, truncated = rest[:3] if len(rest) > 1 else ({}, {}, {})
    return [
        (
            agent,
            obs[agent],
            float(rewards.get(agent, 0)),
            bool(terminated.get(agent, False)),
            bool(truncated.get(agent, False)),
        )
        for agent in peer.possible_agents
        if agent in obs
    ]


def rows_of(pool: Any, result: Any, env: int) -> list[tuple[str, Any, float, bool, bool]]:
    obs, *rest, info = result
    mine = info["players"]["env_id"] == env
    reward = rest[0][mine] if rest else np.zeros(mine.sum())
    rows = []
    for i, k in enumerate(np.flatnonzero(mine)):
        player = pool.spec.players[info["players"]["agent"][k]]
        rows.append(
            (
                player.name,
                own_part(obs, player, k),
                float(reward[i]),
                bool(info["players"]["terminated"][k]),
                bool(info["players"]["truncated"][k]),
            )
        )
    return rows


def own_part(obs: Any, player: Any, k: Any) -> Any:
    if isinstance(obs, dict):
        return {
            name: value[k][tuple(map(slice, player.arrays[f"obs:{name}"].shape))]
            for name, value in obs.items()
        }
    return obs[k][tuple(map(slice, player.arrays["obs"].shape))]


def assert_same(ours: Any, theirs: Any) -> None:
    assert [row[0] for row in ours] == [row[0] for row in theirs]
    for a, b in zip(ours, theirs, strict=True):
        assert a[2:] == b[2:]
        if isinstance(b[1], dict):
            for name, value in b[1].items():
                assert np.asarray(a[1][name]).tolist() == np.asarray(value).tolist()
        else:
            assert a[1].tobytes() == b[1].tobytes()


MAKERS = {
    "Leaving": Leaving,
    "spread": lambda: mpe2.simple_spread_v3.parallel_env(max_cycles=6, continuous_actions=True),
    "speaker": lambda: mpe2.simple_speaker_listener_v4.parallel_env(max_cycles=5),
}


@pytest.mark.parametrize("workers", [0] if sys.platform == "win32" else [0, 1, 3])
@pytest.mark.parametrize("name", MAKERS)
def test_rows_are_pettingzoos(name: str, workers: int) -> None:
    make: Any = MAKERS[name]
    n = 3
    peers = [make() for _ in range(n)]
    random = np.random.default_rng(1)
    with parallel_pool.make_python(make, n, num_workers=workers, reward_dtype="float64") as pool:
        assert [p.name for p in pool.spec.players] == peers[0].possible_agents
        result: Any = pool.reset()
        theirs = [expected_rows(p, p.reset(seed=42 + i)) for i, p in enumerate(peers)]
        over = [False] * n
        for _ in range(30):
            for env in range(n):
                assert_same(rows_of(pool, result, env), theirs[env])
            actions: list[Any] = []
            for env in range(n):
                own = {}
                for agent, *_ in theirs[env]:
                    space = peers[env].action_space(agent)
                    value: Any = (
                        int(random.integers(space.n))
                        if isinstance(space, spaces.Discrete)
                        else random.uniform(0, 1, space.shape).astype(space.dtype)
                    )
                    own[agent] = value
                    actions.append(value)
                if over[env]:
                    theirs[env] = expected_rows(peers[env], peers[env].reset())
                    over[env] = False
                    continue
                alive = {agent: own[agent] for agent in peers[env].agents}
                step = peers[env].step(alive)
                theirs[env] = expected_rows(peers[env], step)
                over[env] = not peers[env].agents
            result = pool.step(np.array(actions))
            # Time limits truncate; the players of Leaving are terminated.
            ended, other = (result[2], result[3]) if name == "Leaving" else (result[3], result[2])
            assert ended.tolist() == over
            assert not other.any()


def test_infos_of_players() -> None:
    with parallel_pool.make_python(Leaving, 2) as pool:
        pool.reset()
        info = pool.step(np.zeros(6, int))[4]
        assert info["a_1"]["at"].tolist() == [1, 1]
        assert info["_a_1"].tolist() == [True, True]
        assert "b_0" not in info


def test_actions_of_a_player_with_fewer_are_the_envs_to_refuse() -> None:
    with parallel_pool.make_python(Leaving, 1) as pool:
        pool.reset()
        with pytest.raises(parallel_pool.EnvError, match=r"AssertionError: .*b_0"):
            pool.step([0, 0, 3])


def test_pictures_states_and_time_limits() -> None:
    with parallel_pool.make_python(
        Leaving, 2, render_mode="rgb_array", max_episode_steps=1
    ) as pool:
        pool.reset()
        data = pool.save()
        assert pool.step(np.ones(6, int))[3].tolist() == [True, True]
        assert pool.render()[:, 0, 0, 0].tolist() == [1, 1]
        pool.load(data)
        assert pool.render()[:, 0, 0, 0].tolist() == [0, 0]


def test_action_spaces_are_seeded() -> None:
    class Sampling(Leaving):
        def __init__(self) -> None:
            super().__init__()
            self.spaces = {agent: spaces.Discrete(1000) for agent in self.possible_agents}

        def action_space(self, agent: str) -> Any:
            return self.spaces[agent]

        def _obs(self, agents: list[str]) -> dict[str, Any]:
            samples = {agent: int(self.spaces[agent].sample()) for agent in agents}
            return {a: {"x": np.full((3,), samples[a], np.float32), "n": 0} for a in agents}

        def observation_space(self, agent: str) -> Any:
            return Leaving.observation_space(self, "a_0")

    def numbers(seed: int) -> Any:
        with parallel_pool.make_python(Sampling, 2, seed=seed) as pool:
            return pool.reset()[0]["x"][:, 0].tolist()

    assert numbers(1) == numbers(1)
    assert numbers(1) != numbers(2)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="aec_to_parallel"):
        parallel_pool.make_python(tictactoe_v3.env)
    with pytest.raises(ValueError, match=r"Leaving|leaving_v0: autoreset_mode is 'same_step'"):
        parallel_pool.make_python(Leaving, autoreset_mode="same_step")

    class Different(Leaving):
        def action_space(self, agent: str) -> Any:
            return spaces.Box(-1, 1, (2,)) if agent == "b_0" else spaces.Discrete(2)

    with pytest.raises(ValueError, match="the spaces of 'a_0' and 'b_0' differ in more than their"):
        parallel_pool.make_python(Different)


def test_dm_env_has_the_players_too() -> None:
    with parallel_pool.make_python(Leaving, 2, env_type="dm") as pool:
        step = pool.reset()
        assert step.observation.players.agent.tolist() == [0, 1, 2] * 2
