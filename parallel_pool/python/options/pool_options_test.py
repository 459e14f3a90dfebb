"""A new option of all pools is an entry of one table: everything else follows."""

import dataclasses
import pickle
from typing import Any

import pytest

import parallel_pool
from parallel_pool.core import _core
from parallel_pool.python.options import pool_options
from parallel_pool.python.options.option import Option
from parallel_pool.python.options.pool_options import OPTIONS, PoolOption

NEW = PoolOption(Option("zeal", "how eager the envs are", 3, 0, 9))


@pytest.fixture(autouse=True)
def _added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_options, "OPTIONS", (*OPTIONS, NEW))


def replace(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    changed = dataclasses.replace(NEW, **changes)
    monkeypatch.setattr(pool_options, "OPTIONS", (*OPTIONS, changed))


def test_make_has_it() -> None:
    with parallel_pool.make("CartPole-v1", zeal=5) as pool:
        assert pool.config["zeal"] == 5
        assert pool.get_attr("zeal") == (5,)
        again = pickle.loads(pickle.dumps(pool))
        assert again.config["zeal"] == 5
        again.close()
    with parallel_pool.make_dm("CartPole-v1") as pool:
        assert pool.config["zeal"] == 3
    spec = parallel_pool.make_spec("CartPole-v1", zeal=4)
    assert "zeal=4" in str(spec)
    assert "how eager the envs are" in str(spec)
    assert "zeal" in {option.name for option in spec.options}
    assert "\n- zeal=3: how eager the envs are." in pool_options.documented("")


def test_its_errors() -> None:
    with pytest.raises(ValueError, match="CartPole-v1: zeal is 10; it must be between 0 and 9"):
        parallel_pool.make("CartPole-v1", zeal=10)
    with pytest.raises(TypeError, match="zeal must be an int, not 'much'"):
        parallel_pool.make("CartPole-v1", zeal="much")
    with pytest.raises(TypeError, match="no option 'zeel'; did you mean zeal"):
        parallel_pool.make("CartPole-v1", zeel=1)
    with pytest.raises(ValueError, match="'zeal' is an option of the whole pool"):
        parallel_pool.make("CartPole-v1", per_env={"zeal": [1]})


def test_single_envs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parallel_pool.make("CartPole-v1", num_envs=None, zeal=1).config["zeal"] == 1
    replace(monkeypatch, single_default=7)
    assert parallel_pool.make("CartPole-v1", num_envs=None).config["zeal"] == 7
    replace(monkeypatch, single=0)
    with pytest.raises(TypeError, match="zeal has no meaning for a single env"):
        parallel_pool.make("CartPole-v1", num_envs=None, zeal=1)
    assert "zeal" not in parallel_pool.make_spec("CartPole-v1", num_envs=None).config


def test_several_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = ["CartPole-v0", "CartPole-v1"]
    spec = parallel_pool.make_spec(tasks, zeal=5)
    assert spec.config["zeal"] == 5
    assert all("zeal" not in options for _, options in spec.config["tasks"])
    with pytest.raises(TypeError, match="'zeal' is an option of the whole pool, not of one"):
        parallel_pool.make([("CartPole-v1", {"zeal": 2})])
    replace(monkeypatch, of_each_task=True)
    spec = parallel_pool.make_spec(["CartPole-v0", ("CartPole-v1", {"zeal": 2})])
    assert "zeal" not in spec.config
    assert [options["zeal"] for _, options in spec.config["tasks"]] == [3, 2]


def test_envs_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    with parallel_pool.make_python("CartPole-v1", 2, num_workers=0, zeal=6) as pool:
        assert pool.config["zeal"] == 6
    with pytest.raises(ValueError, match="zeal is -1"):
        parallel_pool.make_python("CartPole-v1", num_workers=0, zeal=-1)
    replace(monkeypatch, in_python=False)
    with pytest.raises(TypeError, match="no option 'zeal'"):
        parallel_pool.make_python("CartPole-v1", num_workers=0, zeal=1)
    assert "zeal" not in parallel_pool.make_python_spec("CartPole-v1", num_workers=0).config


def test_what_a_task_has_itself_hides_it(monkeypatch: pytest.MonkeyPatch) -> None:
    replace(monkeypatch, option=Option("g", "", 3, 0, 9))
    assert parallel_pool.make_spec("Pendulum-v1").config["g"] == 10.0
    assert parallel_pool.make_spec("CartPole-v1").config["g"] == 3


def test_every_option_says_what_it_is() -> None:
    for entry in OPTIONS:
        assert entry.option.doc
        assert (entry.option.kind == "other") == bool(entry.type_text), entry.name


# The options that Python has made something of before the engine reads the others.
IN_PYTHON = {
    *("channel_last", "clip_action", "flatten_observation", "obs_dtype", "rescale_action"),
    *("render_env_id", "render_height", "render_mode", "render_width", "reward_threshold"),
    *("max_num_players", "per_env", "seed", "stack_num"),
}


def test_the_engine_reads_all_others() -> None:
    read = _core.pool_option_names()
    assert len(read) == len(set(read))
    assert {entry.name for entry in OPTIONS} == set(read) | IN_PYTHON
    assert not set(read) & IN_PYTHON
