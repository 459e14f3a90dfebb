"""rl_games trains on its own wrapper of EnvPool."""

import pathlib
from collections.abc import Callable

import pytest
from rl_games.envs.envpool import Envpool


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The folder of rl_games' logs and checkpoints."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_its_wrapper() -> None:
    env = Envpool("", 4, env_name="Breakout-v5", has_lives=True, episodic_life=True)
    assert type(env.env).__module__.startswith("parallel_pool.")
    assert env.reset().shape == (4, 4, 84, 84)
    obs, reward, done, info = env.step([1, 1, 1, 1])
    assert obs.shape == (4, 4, 84, 84)
    assert info["scores"].shape == info["lives"].shape == info["time_outs"].shape == (4,)


def test_trains(snippet: Callable[[str], str], folder: pathlib.Path) -> None:
    out = snippet("rl_games")
    assert "MAX EPOCHS NUM!" in out
    assert list(folder.glob("runs/*/nn/*.pth"))
