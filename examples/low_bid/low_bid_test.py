"""LowBid-v0 and the script that plays it."""

import pathlib
import runpy
import textwrap

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

import parallel_pool
from parallel_pool.integrations.pettingzoo import aec_env, parallel_env, vector_env

HERE = pathlib.Path(__file__).parent
assert parallel_pool.load(HERE / "_family.so") == ["LowBid-v0"]


def test_play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(parallel_pool, "load", lambda name: None)  # the build named it _family.so
    runpy.run_path(str(HERE / "play.py"))
    page = (HERE.parent.parent / "docs/env_api.md").read_text()
    assert textwrap.indent(capsys.readouterr().out, "    ") in page


def test_conforms() -> None:
    parallel_pool.check("LowBid-v0")
    parallel_pool.check("LowBid-v0", max_num_players=2)


def test_the_lowest_bid_has_to_leave() -> None:
    with parallel_pool.make("LowBid-v0", num_envs=3, max_num_players=5) as env:
        rng = np.random.default_rng(0)
        _, info = env.reset()
        for left in (5, 4, 3, 2):
            bids = np.array([rng.permutation(100)[:left] for _ in range(3)])
            obs, reward, terminated, _, info = env.step(bids.reshape(-1))
            stay = bids > bids.min(axis=1, keepdims=True)
            np.testing.assert_array_equal(obs[:, 0], bids[stay])
            np.testing.assert_array_equal(obs[:, 1], left - 1)
            assert reward.tolist() == [1] * 3 * (left - 1)
            assert terminated.tolist() == [left == 2] * 3
            assert info["players"]["env_id"].tolist() == np.repeat([0, 1, 2], left - 1).tolist()
        obs, reward, *_ = env.step([0, 0, 0])
        assert (obs.shape, reward.tolist()) == ((15, 2), [0] * 15)


@pytest.mark.filterwarnings("ignore:.*leaves out the option 'options'")
def test_players_leave_an_env_of_pettingzoo() -> None:
    env = parallel_env("LowBid-v0", max_num_players=3)
    parallel_api_test(env, num_cycles=20)
    env.reset()
    obs, rewards, terminations, _, infos = env.step({"player_0": 7, "player_1": 3, "player_2": 9})
    assert env.agents == ["player_0", "player_2"]
    assert {name: row.tolist() for name, row in obs.items()} == {
        "player_0": [7, 2],
        "player_2": [9, 2],
        "player_1": [0, 3],  # it left, and this is what it observed last
    }
    assert rewards == {"player_0": 1, "player_2": 1, "player_1": 0}
    assert infos == {
        "player_0": {"elapsed_step": 1},
        "player_2": {"elapsed_step": 1},
        "player_1": {},
    }
    assert terminations == {"player_0": False, "player_2": False, "player_1": True}
    with pytest.raises(ValueError, match="'player_1' is no player who acts now"):
        env.step({"player_0": 7, "player_1": 3, "player_2": 9})
    _, rewards, terminations, _, _ = env.step({"player_0": 7, "player_2": 1})
    assert rewards == {"player_0": 1, "player_2": 0}
    assert terminations == {"player_0": True, "player_2": True}
    assert env.agents == []


def test_as_other_envs_of_pettingzoo() -> None:
    with pytest.raises(ValueError, match="LowBid-v0: its players come and go"):
        vector_env("LowBid-v0", 2)
    api_test(aec_env("LowBid-v0"), num_cycles=50)
