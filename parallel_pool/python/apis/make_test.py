"""make() with a Spec, and the data that pools of one Spec share."""

import ctypes
import os
import pathlib
import pickle
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.apis.gymnasium_api import Pool
from parallel_pool.python.backend import Backend
from parallel_pool.python.pools.base import open_envs
from parallel_pool.testing import testing_family  # noqa: F401

_IN_OPEN, _IN_CLOSE_NOWRITE = 0x20, 0x10  # event masks of inotify(7)
_MODEL = pathlib.Path(parallel_pool.__file__).parent / "envs/mujoco/models/gym/humanoid.xml"


def opens(file: pathlib.Path, call: Callable[[], Any]) -> int:
    """How often the process opens the file during the call.

    Closing is watched, too: inotify merges equal events that follow each other.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    assert watch >= 0, os.strerror(ctypes.get_errno())
    try:
        events = _IN_OPEN | _IN_CLOSE_NOWRITE
        assert libc.inotify_add_watch(watch, os.fsencode(file.resolve()), events) >= 0
        call()
        found = b""
        while True:
            try:
                found += os.read(watch, 4096)
            except BlockingIOError:
                break
    finally:
        os.close(watch)
    count, rest = 0, found
    while rest:
        _, mask, _, length = struct.unpack_from("iIII", rest)
        count += bool(mask & _IN_OPEN)
        rest = rest[16 + length :]
    return count


@pytest.fixture
def model(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "humanoid.xml"
    file.write_bytes(_MODEL.read_bytes())
    return file


def test_opens_are_counted(model: pathlib.Path) -> None:
    assert opens(model, lambda: None) == 0
    assert opens(model, lambda: [model.read_bytes() for _ in range(3)]) == 3


def test_a_model_is_read_once(model: pathlib.Path) -> None:
    def make_spec() -> None:
        parallel_pool.make_spec("Humanoid-v5", xml_file=str(model))

    def make_pool() -> None:
        with parallel_pool.make("Humanoid-v5", xml_file=str(model), num_envs=3) as pool:
            pool.reset()
            str(pool.spec)

    assert opens(model, make_spec) == 1
    assert opens(model, make_pool) == 1


def test_pools_of_one_spec_share_its_model(model: pathlib.Path) -> None:
    spec = parallel_pool.make_spec("Humanoid-v5", xml_file=str(model), num_envs=2)
    model.write_text("this is no model any more")

    def play(env_type: Any) -> np.ndarray[Any, Any]:
        with parallel_pool.make(spec, env_type) as pool:
            result = pool.reset()
            obs = {"gym": lambda r: r[0], "gymnasium": lambda r: r[0], "dm": lambda r: r[3].obs}
            found: np.ndarray[Any, Any] = obs[env_type](result)
            return found

    assert opens(model, lambda: play("gym")) == 0
    np.testing.assert_array_equal(play("gym"), play("gymnasium"))
    np.testing.assert_array_equal(play("gym"), play("dm"))
    with pytest.raises(ValueError, match=r"this is no model|XML"):
        parallel_pool.make_spec("Humanoid-v5", xml_file=str(model))


def test_pools_of_one_spec_are_independent() -> None:
    spec = parallel_pool.make_spec("CartPole-v1", num_envs=2, seed=3)
    with parallel_pool.make(spec) as one, parallel_pool.make(spec) as other:
        first, _ = one.reset()
        one.step([0, 1])
        np.testing.assert_array_equal(other.reset()[0], first)
        assert one.config == other.config == spec.config


@pytest.mark.parametrize("make", ["make", "make_gymnasium", "make_gym", "make_dm"])
def test_a_spec_has_all_options(make: str) -> None:
    spec = parallel_pool.make_spec("CartPole-v1")
    with pytest.raises(TypeError, match=r"CartPole-v1: the spec has all options already; .*seed"):
        getattr(parallel_pool, make)(spec, seed=3)


def test_a_pool_of_a_spec_pickles() -> None:
    spec = parallel_pool.make_spec("Trouble-v0", lives=3, num_envs=2)
    with (
        parallel_pool.make(spec) as pool,
        pickle.loads(pickle.dumps(pool)) as other,
    ):
        assert other.config == pool.config
        np.testing.assert_array_equal(other.reset()[0], pool.reset()[0])


@pytest.mark.parametrize(
    "name",
    [
        "python.base make_again",
        "python.base spec_again",
        "python.dm_api Pool",
        "python.dm_single Env",
        "python.gym_api Pool",
        "python.gym_env _make_again",
        "python.gymnasium_api Pool",
        "python.gymnasium_env Env",
        "python.gymnasium_vec VectorEnv",
        "python.registry spec_again",
        "python_envs.envs Description",
        "python_envs.pool VectorEnv",
    ],
)
def test_names_in_older_pickles_are_found(name: str) -> None:
    module, _, attribute = name.partition(" ")
    assert callable(pickle.loads(f"cparallel_pool.{module}\n{attribute}\n.".encode()))


def test_older_pickles_of_pools_can_be_read() -> None:
    data = b"""cparallel_pool.python.base
make_again
(cparallel_pool.python.gymnasium_api
Pool
cparallel_pool.python.base
spec_again
((dVCartPole-v1
Ns(dVnum_envs
I2
st(dtR."""
    with pickle.loads(data) as pool:
        assert pool.spec.task_id == "CartPole-v1" and pool.num_envs == 2


class Recorder:
    """A backend that records the names of the calls and passes them on to the engine."""

    def __init__(self, backend: Backend) -> None:
        self.calls: list[str] = []
        self._backend = backend

    def __getattr__(self, name: str) -> Any:
        self.calls.append(name)
        return getattr(self._backend, name)


def test_a_pool_runs_on_any_backend() -> None:
    spec = parallel_pool.make_spec("CartPole-v1", num_envs=2, render_mode="rgb_array")
    recorder = Recorder(spec.source.open(spec, Pool))
    with Pool(spec, recorder) as pool, open_envs(Pool, spec) as usual:
        np.testing.assert_array_equal(pool.reset(seed=1)[0], usual.reset(seed=1)[0])
        for ours, theirs in zip(pool.step([0, 1]), usual.step([0, 1]), strict=True):
            if not isinstance(ours, dict):
                np.testing.assert_array_equal(ours, theirs)
        pool.send([1, 1])
        pool.recv()
        pool.async_reset()
        pool.recv()
        np.testing.assert_array_equal(pool.render(), pool.render([0, 1]))
        usual.load(pool.save())
    wanted = "reset step send recv send_reset recv render render save save_queued close"
    assert recorder.calls == wanted.split()
