"""install_as_envpool(): members that programs written for EnvPool use.

Each test runs in a process of its own, because modules stay installed.
"""

from parallel_pool.testing.processes import output_of

BEGIN = """
import warnings
import gymnasium
import numpy as np
import parallel_pool
from parallel_pool._build_info import FAMILIES
parallel_pool.install_as_envpool()
import envpool
from envpool.python.protocol import ArraySpec
"""


def run(code: str) -> None:
    """Runs the code in a process of its own, after BEGIN."""
    output_of(BEGIN + code, "-W", "error")


def test_every_family_has_its_modules() -> None:
    run("""
import importlib
for family in FAMILIES:
    importlib.import_module(f"envpool.{family}.registration")
import envpool.mujoco.gym.registration, envpool.mujoco.dmc.registration
from envpool.atari.registration import atari_game_list
names = {"".join(part.capitalize() for part in game.split("_")) + "-v5" for game in atari_game_list}
known = set(envpool.list_all_envs())
assert names <= known and len(names) > 100
assert {"pong", "ms_pacman", "tic_tac_toe_3d", "atlantis2"} <= set(atari_game_list)
""")


def test_all_names_are_there() -> None:
    run("""
assert {"make", "register", "list_all_envs", "EnvPool", "EnvSpec"} <= set(envpool.__all__)
assert all(hasattr(envpool, name) for name in envpool.__all__)
from typing import get_type_hints
assert get_type_hints(envpool.make_spec)["return"] is envpool.EnvSpec
assert get_type_hints(envpool.make_dm)["return"] is envpool.DMEnvPool
assert get_type_hints(envpool.make_gym)["return"] is envpool.GymnasiumEnvPool
""")


def test_modules_of_python_have_their_classes() -> None:
    run("""
from envpool.python.api import py_env
from envpool.python.dm_envpool import DMEnvPoolMeta, DMEnvPoolMixin
from envpool.python.env_spec import EnvSpecMeta, EnvSpecMixin
from envpool.python.gymnasium_envpool import GymnasiumEnvPoolMeta, GymnasiumEnvPoolMixin
from envpool.python.lax import XlaMixin
from envpool.python.xla_template import make_xla
with envpool.make_gymnasium("CartPole-v1") as pool:
    assert isinstance(pool, GymnasiumEnvPoolMixin) and isinstance(pool, XlaMixin)
    assert isinstance(type(pool), GymnasiumEnvPoolMeta) and not isinstance(pool, DMEnvPoolMixin)
    assert isinstance(pool.spec, EnvSpecMixin) and isinstance(type(pool.spec), EnvSpecMeta)
    class Mine(type(pool)):
        pass
with envpool.make_dm("CartPole-v1") as pool:
    assert isinstance(pool, DMEnvPoolMixin) and isinstance(type(pool), DMEnvPoolMeta)
class Native:
    pass
for make, words in (
    (lambda: py_env(Native, Native), "py_env() is for native classes of EnvPool, which"),
    (lambda: GymnasiumEnvPoolMeta("Own", (Native,), {}), "parallel_pool.load(), then make()"),
    (lambda: make_xla(pool), "pool.xla() returns handle, recv, send and step"),
):
    try:
        make()
    except NotImplementedError as error:
        assert words in str(error), error
    else:
        raise SystemExit("not refused")
""")


def test_functions_for_arrays_and_names() -> None:
    """Where EnvPool 1.2.7 has no error, such as for the key "is", its results are the same."""
    run("""
import dm_env
from gymnasium import spaces
from envpool.python.data import (
    dm_spec_transform, gym_spec_transform, to_namedtuple, to_nested_dict)
from envpool.python.utils import check_key_duplication
pong, cart = (envpool.make_spec(task) for task in ("Pong-v5", "CartPole-v1"))
action, obs = pong.action_array_spec["action"], pong.state_array_spec["obs"]
assert gym_spec_transform("action", action, "act") == spaces.Discrete(6)
assert gym_spec_transform("obs", obs, "obs") == pong.observation_space
walls = cart.state_array_spec["obs"]
assert gym_spec_transform("obs", walls, "obs") == cart.observation_space
assert gym_spec_transform("done", cart.state_array_spec["done"], "obs") == spaces.MultiBinary([])
found = dm_spec_transform("action", action, "act")
assert isinstance(found, dm_env.specs.DiscreteArray) and found.num_values == 6
found = dm_spec_transform("obs", walls, "obs")
assert isinstance(found, dm_env.specs.BoundedArray) and found.shape == (4,)
nested = to_nested_dict({"a.b": 1, "a.c": 2, "d": 3})
assert nested == {"a": {"b": 1, "c": 2}, "d": 3}
row = to_namedtuple("State", nested | {"is": 4, "x y": 5, "x_y": 6})
assert (row.a.c, row.d, row.n_is, row.x_y, row.x_y_1) == (2, 3, 4, 5, 6)
two = to_nested_dict({"a.b": spaces.Discrete(2), "a.c": spaces.Discrete(3)}, spaces.Dict)
assert isinstance(two, spaces.Dict) and two["a"]["c"].n == 3
check_key_duplication("Own", "state", ["a", "b"])
try:
    check_key_duplication("Own", "state", ["a", "b", "a"])
except SystemError as error:
    assert "the state keys a are there twice" in str(error)
else:
    raise SystemExit("not refused")
""")


def test_specs_have_arrays_by_envpools_names() -> None:
    run("""
spec = envpool.make_spec("Pong-v5", num_envs=3)
assert list(spec.action_array_spec) == ["env_id", "players.env_id", "action"]
action = spec.action_array_spec["action"]
assert isinstance(action, ArraySpec)
assert (action.dtype, action.shape, action.minimum, action.maximum) == (np.int32, [], 0, 5)
assert action.is_discrete and spec.action_array_spec["players.env_id"].shape == [-1]
state = spec.state_array_spec
obs = state["obs"]
assert (obs.dtype, obs.shape, obs.maximum) == (np.uint8, [4, 84, 84], 255)
assert state["info:ram"].shape == [128] and state["reward"].minimum == -np.inf
assert {"done", "trunc", "discount", "step_type", "elapsed_step", "info:env_id"} <= set(state)
walls = envpool.make_spec("CartPole-v1").state_array_spec["obs"].maximum
assert walls.shape == (4,) and np.isinf(walls[1])
assert envpool.make_spec("SimpleTag-v3").state_array_spec["obs"].shape == [-1, 16]
assert (spec.config.num_envs, spec.config.mode, spec.config["seed"]) == (3, -1, 42)
assert spec.gymnasium_observation_space == spec.observation_space
assert spec.gymnasium_action_space == spec.action_space
try:
    spec.config.num_env
except AttributeError as error:
    assert "no option 'num_env'" in str(error)
""")


def test_pools_have_envpools_members() -> None:
    run("""
import copy
for env_type in ("gym", "gymnasium", "dm"):
    env = envpool.make("CartPole-v1", env_type=env_type, num_envs=2, seed=3)
    assert env.spec.config.num_envs == 2 and isinstance(env.spec, envpool.EnvSpec)
    env.spec.id = "My-v1"
    assert env.spec.id == "My-v1" and "CartPole-v1" in str(env)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert env.seed(1) is None
    assert "reset(seed=...)" in str(seen[0].message)
    other = copy.deepcopy(env)
    assert other.spec.config.seed == 3 and len(other.spec.action_array_spec) == 3
    ids = np.arange(2, dtype=np.int32)
    env.async_reset()
    first = env.recv(reset=True)
    other.async_reset()
    obs = (first.observation.obs, other.recv(20).observation.obs) if env_type == "dm" else (
        first[0], other.recv(True, False))
    assert np.array_equal(*obs)
    env.send({"env_id": ids, "players": {"env_id": ids}, "action": np.ones(2, np.int32)})
    batch = env.recv(20)
    assert env_type == "dm" or len(batch) == 5
    env.close()
    other.close()
""")


def test_gym_pools_are_vector_envs_with_infos() -> None:
    """Without infos they have gym's form."""
    run("""
env = envpool.make("CartPole-v1", env_type="gym", num_envs=2)
obs, info = env.reset()
assert isinstance(env.observation_space, gymnasium.spaces.Box)
wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
obs, info = wrapped.reset()
assert wrapped.step(np.zeros(2, int))[1].shape == (2,)
old = envpool.make("CartPole-v1", env_type="gym", num_envs=2, gym_reset_return_info=False)
assert old.reset().shape == (2, 4) and old.spec.config.num_envs == 2
old.async_reset()
assert old.recv(reset=True, return_info=False).shape == (2, 4)
""")


def test_gymnasiums_wrappers_of_one_env_take_pools() -> None:
    run("""
class Sum(gymnasium.Wrapper):
    def step(self, action):
        obs, reward, *rest = super().step(action)
        return obs, reward + 1, *rest

for make in (envpool.make_gym, envpool.make_gymnasium):
    pool = make("CartPole-v1", num_envs=3)
    assert isinstance(pool, gymnasium.Env) and isinstance(pool, gymnasium.vector.VectorEnv)
    assert pool.is_vector_env
    env = Sum(pool)
    assert env.reset(seed=1)[0].shape == (3, 4)
    assert env.step(np.zeros(3, int))[1].tolist() == [2, 2, 2]
    assert env.unwrapped is pool and env.get_wrapper_attr("num_envs") == 3
    assert env.action_space == pool.single_action_space
    env.close()
""")


def test_old_programs_have_them_too() -> None:
    run("""
parallel_pool.install_as_envpool(legacy_gym=True)
import envpool
env = envpool.make("CartPole-v1", env_type="gym", num_envs=2)
assert env.reset().shape == (2, 4) and len(env.step(np.zeros(2, int))) == 4
assert env.spec.config.num_envs == 2
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    env.seed(3)
""")


def test_specs_and_lists_of_tasks() -> None:
    run("""
for env_type in ("gym", "gymnasium", "dm"):
    spec = envpool.make_spec("CartPole-v1", num_envs=2)
    with envpool.make(spec, env_type=env_type) as env:
        assert env.num_envs == 2 and env.spec.config.num_envs == 2
    with envpool.make(["CartPole-v1", "CartPole-v0"], env_type=env_type, num_envs=4) as env:
        assert len(env) == 4 and len(env.tasks) == 2
    env = envpool.make("CartPole-v1", env_type=env_type, num_envs=None)
    env.reset()
    env.close()
""")


def test_register_takes_classes_of_the_program() -> None:
    run("""
import sys, types
class Spec:
    gen_config = staticmethod(lambda **options: options)
    def __init__(self, config):
        self.config = config
class Pool:
    def __init__(self, spec):
        self.spec = spec
sys.modules["own"] = types.SimpleNamespace(OwnSpec=Spec, OwnPool=Pool, OwnDm=Pool)
own = dict(import_path="own", spec_cls="OwnSpec", dm_cls="OwnDm", gymnasium_cls="OwnPool")
envpool.register("Own-v0", **own, aliases=["Mine-v0"], size=3)
assert {"Own-v0", "Mine-v0"} <= set(envpool.list_all_envs())
for make in (envpool.make_gym, envpool.make_gymnasium, envpool.make_dm):
    assert make("Mine-v0", num_envs=2).spec.config == {"size": 3, "num_envs": 2}
assert envpool.make_spec("Own-v0").config == {"size": 3}
try:
    envpool.register("CartPole-v1", **own)
except ValueError as error:
    assert "there is a task 'CartPole-v1' already" in str(error)
else:
    raise SystemExit("not refused")
""")


def test_observed_pictures_are_pixels() -> None:
    run("""
size = dict(from_pixels=True, frame_stack=3, render_width=20, render_height=10)
for task in ("Reacher-v5", "CheetahRun-v1"):
    spec = envpool.make_spec(task, **size)
    assert spec.observation_space.shape == (9, 10, 20)
    assert spec.observation_spec().pixels.shape == (9, 10, 20)
    assert spec.state_array_spec["obs:pixels"].shape == [9, 10, 20]
    with envpool.make_dm(task, num_envs=2, **size) as env:
        assert env.reset().observation.pixels.shape == (2, 9, 10, 20)
        assert env.observation_spec().pixels.shape == (9, 10, 20)
    with envpool.make_gym(task, num_envs=2, **size) as env:
        assert env.reset()[0].shape == (2, 9, 10, 20) == (2, *env.observation_space.shape)
""")


def test_a_single_array_is_no_dict() -> None:
    run("""
options = dict(num_envs=2, flat_observation=True)
for env in (envpool.make_gymnasium("CheetahRun-v1", **options),
            envpool.make_gym("CheetahRun-v1", **options)):
    assert env.observation_space.shape == env.single_observation_space.shape == (17,)
    assert env.reset()[0].shape == (2, 17)
    assert env.step(np.zeros((2, 6)))[0].shape == (2, 17)
    env.send(np.zeros((2, 6)))
    assert env.recv()[0].shape == (2, 17)
    env.close()
with envpool.make_gym("CheetahRun-v1", gym_reset_return_info=False, **options) as env:
    assert env.reset().shape == (2, 17)
with envpool.make_gym("CheetahRun-v1", num_envs=2) as env:
    assert set(env.reset()[0]) == set(env.observation_space.spaces) == {"position", "velocity"}
""")
