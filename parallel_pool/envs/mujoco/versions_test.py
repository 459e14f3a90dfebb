"""The choice of a MuJoCo: by an option, for a process, and in what a program saves."""

import importlib
import importlib.metadata
import json
import pathlib
import pickle
import zlib
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.command_line import verify
from parallel_pool.compat.envpool import install_as_envpool
from parallel_pool.envs.mujoco.versions import VERSIONS
from parallel_pool.python.pools import states
from parallel_pool.python.specs import registry
from parallel_pool.python.specs.registry import spec_again
from parallel_pool.replays.replay import replay

OLD, NEW = VERSIONS.libraries
# Ant differs in the first step, the double pendulum after about 400, the simple one never.
MOVED, SAME = "Ant-v5", "InvertedPendulum-v5"


def version(spec: Any) -> Any:
    return spec.config["mujoco_version"]


def played(task_id: str, **options: Any) -> Any:
    """The last observations of some steps."""
    with parallel_pool.make_gymnasium(task_id, num_envs=3, seed=1, **options) as pool:
        pool.reset()
        action = np.full((3, *pool.action_space.shape), 0.2, np.float32)
        for _ in range(20):
            obs, *_ = pool.step(action)
        return obs


def still(obs: Any) -> Any:
    """A policy, for evaluate()."""
    return np.zeros((len(obs), 8), np.float32)


@pytest.fixture
def default(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the version of the process."""
    return lambda value: monkeypatch.setenv("PARALLEL_POOL_MUJOCO", value)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lets pip have these packages, and no others."""

    def install(**packages: str) -> None:
        def find(name: str) -> str:
            if name not in packages:
                raise importlib.metadata.PackageNotFoundError(name)
            return packages[name]

        monkeypatch.setattr(importlib.metadata, "version", find)

    return install


def test_the_libraries_are_those_of_the_versions() -> None:
    for name, library in VERSIONS.libraries.items():
        assert (pathlib.Path(__file__).parent / library).exists()
        assert version(parallel_pool.make_spec(MOVED, mujoco_version=name)) == name


def test_pools_of_both_versions_live_side_by_side() -> None:
    first, second = (parallel_pool.make_gymnasium(MOVED, mujoco_version=v) for v in (OLD, NEW))
    old, new = played(MOVED, mujoco_version=OLD), played(MOVED, mujoco_version=NEW)
    assert (old != new).any()
    np.testing.assert_allclose(old, new, atol=0.1)
    assert (played(MOVED) == old).all()
    assert (played(SAME, mujoco_version=OLD) == played(SAME, mujoco_version=NEW)).all()
    first.close()
    second.close()


def test_a_pool_may_hold_both() -> None:
    tasks: Any = [(MOVED, {"mujoco_version": NEW, "num_envs": 3}), (MOVED, {"num_envs": 3})]
    seeds = [1, 2, 3]
    with parallel_pool.make_gymnasium(tasks, seed=seeds + seeds) as pool:
        pool.reset()
        for _ in range(20):
            obs, *_ = pool.step(np.full((6, 8), 0.2, np.float32))
        again = pickle.loads(pickle.dumps(pool))
    assert (obs[:3] == played(MOVED, mujoco_version=NEW)).all()
    assert (obs[3:] == played(MOVED)).all()
    assert [version(task) for task in again.spec.tasks] == [NEW, OLD]
    again.close()


@pytest.mark.parametrize("task", ["MuJoCo-v0", "CheetahRun-v1", "FetchPush-v4", "MetaWorld/MT10"])
def test_every_kind_of_task_has_it(task: str) -> None:
    for part in parallel_pool.make_spec(task, mujoco_version=NEW).tasks:
        assert version(part) == NEW


def test_single_envs_and_envpools_names_have_it() -> None:
    single: Any = parallel_pool.make_gymnasium(MOVED, num_envs=None, mujoco_version=NEW)
    with single as env:
        assert version(env.unwrapped._pool_spec) == NEW
    install_as_envpool()
    envpool: Any = importlib.import_module("envpool")
    with envpool.make_gymnasium(MOVED, mujoco_version=NEW) as pool:
        assert pool.spec.config.mujoco_version == NEW


def test_the_process_has_a_default(default: Any) -> None:
    default(NEW)
    assert version(parallel_pool.make_spec(MOVED)) == NEW
    assert version(parallel_pool.make_spec(MOVED, mujoco_version=OLD)) == OLD
    assert "mujoco_version" not in parallel_pool.make_spec("CartPole-v1").config
    default("5.0")
    with pytest.raises(ValueError, match=r"PARALLEL_POOL_MUJOCO is '5.0'; allowed are '3.17.0', "):
        parallel_pool.make_spec(MOVED)


@pytest.mark.parametrize(
    ("packages", "wanted"),
    [
        ({"mujoco": "3.17.0"}, OLD),
        ({"mujoco": "4.0.0", "mujoco-core": "4.0.0"}, NEW),
        ({"mujoco-core": "4.0.1"}, NEW),
    ],
)
def test_installed(installed: Any, packages: dict[str, str], wanted: str) -> None:
    installed(**packages)
    assert version(parallel_pool.make_spec(MOVED, mujoco_version="installed")) == wanted


@pytest.mark.parametrize(
    ("packages", "message"),
    [
        ({"mujoco": "3.3.0"}, r"'installed', but mujoco 3.3.0 is installed; allowed are '3.17.0'"),
        ({}, r"'installed', but pip has no mujoco-core and no mujoco; allowed are '3.17.0'"),
    ],
)
def test_installed_is_unknown(installed: Any, packages: dict[str, str], message: str) -> None:
    installed(**packages)
    with pytest.raises(ValueError, match=message):
        parallel_pool.make_spec(MOVED, mujoco_version="installed")


def test_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"Ant-v5: mujoco_version is '4.0.2'.*did you mean 4.0.1"):
        parallel_pool.make(MOVED, mujoco_version="4.0.2")
    wrong: Any = 4.0
    with pytest.raises(TypeError, match=r"must be a str such as '3.17.0', not 4.0"):
        parallel_pool.make(MOVED, mujoco_version=wrong)
    with pytest.raises(ValueError, match="makes the steps of this pool: make a pool for each"):
        parallel_pool.make(MOVED, num_envs=2, per_env={"mujoco_version": [OLD, NEW]})
    with pytest.raises(TypeError, match="CartPole-v1 has no option 'mujoco_version'"):
        parallel_pool.make("CartPole-v1", mujoco_version=NEW)
    without = {OLD: "_family.so", NEW: "_family_5.so"}
    monkeypatch.setitem(vars(VERSIONS), "libraries", without)
    with pytest.raises(ValueError, match=r"is '4.0.1', which this wheel is without; it has '3.17"):
        parallel_pool.make(MOVED, mujoco_version=NEW)


def test_a_state_is_of_one_version() -> None:
    with parallel_pool.make_gymnasium(MOVED, mujoco_version=NEW) as new:
        new.reset()
        state = new.save()
    with (
        parallel_pool.make_gymnasium(MOVED) as old,
        pytest.raises(ValueError, match=r"of mujoco_version='4.0.1'; this pool has '3.17.0'. A po"),
    ):
        old.load(state)


def without_version(state: bytes) -> bytes:
    """The same saved state as a program wrote it before there was a choice."""
    begin = len(states._MAGIC) + states._UINT32.size
    end = begin + states._UINT32.unpack_from(state, len(states._MAGIC))[0]
    header = json.loads(state[begin:end])
    for task in header["tasks"]:
        del task["options"]["mujoco_version"]
    text = json.dumps(header).encode()
    body = states._MAGIC + states._UINT32.pack(len(text)) + text + state[end:-4]
    return body + states._UINT32.pack(zlib.crc32(body))


def test_a_state_without_a_version_is_of_the_first() -> None:
    with parallel_pool.make_gymnasium(MOVED) as pool:
        pool.reset()
        state = without_version(pool.save())
        pool.load(state)
    with (
        parallel_pool.make_gymnasium(MOVED, mujoco_version=NEW) as new,
        pytest.raises(ValueError, match=r"of mujoco_version='3.17.0'; this pool has '4.0.1'"),
    ):
        new.load(state)


def test_a_recording_plays_in_its_version(tmp_path: pathlib.Path, default: Any) -> None:
    for name in (OLD, NEW):
        path = tmp_path / f"{name}.ppr"
        with parallel_pool.make_gymnasium(MOVED, num_envs=2, mujoco_version=name) as pool:
            pool.record(path)
            pool.reset()
            for _ in range(5):
                pool.step(np.zeros((2, 8), np.float32))
        default(NEW)
        with replay(path) as run:
            assert version(run.pool.spec) == name
            assert sum(1 for _ in run) > 0


def test_what_has_no_version_is_of_the_first(default: Any) -> None:
    config = dict(parallel_pool.make_spec(MOVED).config)
    del config["mujoco_version"]
    default(NEW)
    assert version(spec_again({MOVED: None}, config)) == OLD


def test_a_score_names_its_version(tmp_path: pathlib.Path, default: Any, capsys: Any) -> None:
    short: Any = {"episodes": 1, "max_episode_steps": 5}
    default(NEW)
    new = parallel_pool.evaluate(still, MOVED, **short)
    assert new.options["mujoco_version"] == NEW
    several = parallel_pool.evaluate(still, [MOVED, (MOVED, {"mujoco_version": OLD})], **short)
    assert [own["mujoco_version"] for _, own in several.task_id] == [NEW, OLD]
    new.save(str(tmp_path / "score.json"))
    default(OLD)
    policy = f"{__name__}:still"
    assert verify.run(str(tmp_path / "score.json"), policy) == 0, capsys.readouterr()


def test_the_registry_keeps_one_build_of_each() -> None:
    parallel_pool.make_spec(MOVED, mujoco_version=NEW)
    parallel_pool.make_spec(SAME, mujoco_version=NEW)
    assert [path.name for path in registry.registry()._builds] == ["_family_4.so"]
