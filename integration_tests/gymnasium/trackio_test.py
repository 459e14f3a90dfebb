"""trackio stores the scalars that a plain loop computes."""

import pathlib
from collections.abc import Callable

import pytest
from comparison import episodes_of_recipes

import parallel_pool


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets the folder of trackio, which it reads once, when it is imported."""
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_the_recipe(snippet: Callable[..., str]) -> None:
    snippet("trackio", "recipes.md", "py")
    import trackio

    (run,) = trackio.Api().runs("first")
    stored = trackio.SQLiteStorage.get_logs("first", run.name)
    found = {}
    for row in stored:
        assert row.pop("timestamp")
        found[row.pop("step")] = row
    wanted = episodes_of_recipes()
    assert found == wanted
    assert len(wanted) == 10


def test_without_episodes_a_count_is_stored() -> None:
    import trackio

    pool = parallel_pool.make(["CartPole-v1"] * 2, num_envs=2, record_episode_statistics=True)
    trackio.init("empty", name="one", embed=False)
    episodes = parallel_pool.EpisodeScalars(pool)
    episodes.add(pool.reset()[1])
    trackio.log(episodes.scalars())
    trackio.finish()
    (row,) = trackio.SQLiteStorage.get_logs("empty", "one")
    assert row["episode/CartPole-v1_0/count"] == row["episode/CartPole-v1_1/count"] == 0
    assert len(row) == 4  # and the step and the time
