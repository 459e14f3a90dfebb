"""make_python(): what it takes, what it refuses, and what its pools offer."""

import copy
import os
import pickle
import sys
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.classic_control import CartPoleEnv
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import parallel_pool
from parallel_pool.testing.processes import output_of
from parallel_pool.testing.python_env import Nested, Trouble, with_spaces

FEW = 0 if sys.platform == "win32" else 2  # workers
needs_workers = pytest.mark.skipif(FEW == 0, reason="Windows has no worker processes")


class Named(gymnasium.Env[Any, Any]):
    """An env with a name, a time and a list."""

    observation_space = spaces.Discrete(9)
    action_space = spaces.Box(-1, 1, (2,))

    def __init__(self, name: str = "", render_mode: str | None = None) -> None:
        self.name, self.render_mode = name, render_mode

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return 1, {"name": self.name}

    def step(self, action: Any) -> Any:
        return int(np.abs(action).sum() > 0), 0.5, False, False, {}


class CallableEnv(Named):
    """An env that looks like a function."""

    def __call__(self) -> Any:
        return self


SOURCES: dict[str, Any] = {
    "id": "CartPole-v1",
    "module:id": "json:CartPole-v1",
    "spec": gymnasium.spec("CartPole-v1"),
    "class": CartPoleEnv,
    "lambda": lambda: gymnasium.make("CartPole-v1"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_sources(name: str) -> None:
    with parallel_pool.make_python(SOURCES[name], 2) as pool:
        assert pool.num_envs == 2
        assert isinstance(pool, gymnasium.vector.VectorEnv)
        obs, _ = pool.reset()
        assert (
            obs.tobytes()
            == np.stack(
                [gymnasium.make("CartPole-v1").reset(seed=seed)[0] for seed in (42, 43)]
            ).tobytes()
        )
        assert pool.single_action_space == spaces.Discrete(2)
        assert pool.spec is not None
        assert pool.spec.id == ("CartPole-v1" if name != "class" else "CartPoleEnv")


def test_each_env_may_have_a_source_and_keywords_of_its_own() -> None:
    makers = [lambda: Named("a"), lambda: Named("b"), Named]
    with parallel_pool.make_python(makers, num_workers=FEW) as pool:
        assert pool.num_envs == 3
        assert list(pool.reset()[1]["name"]) == ["a", "b", ""]
    kwargs = [{"name": "x"}, {"name": "y"}]
    with parallel_pool.make_python(Named, 2, env_kwargs=kwargs) as pool:
        assert list(pool.reset()[1]["name"]) == ["x", "y"]
    with parallel_pool.make_python(Named, 2, env_kwargs={"name": "z"}) as pool:
        assert list(pool.reset()[1]["name"]) == ["z", "z"]
    with parallel_pool.make_python("FrozenLake-v1", env_kwargs={"map_name": "8x8"}) as pool:
        assert pool.single_observation_space.n == 64


REFUSED: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    ("CartPole-v7", {}, ValueError, r"env is 'CartPole-v7': .*`v0`, `v1`"),
    ("NoSuch-v0", {}, ValueError, r"env is 'NoSuch-v0'"),
    ("no_such_module:A-v0", {}, ValueError, r"env is .*: No module named 'no_such_module'"),
    (Named(), {}, TypeError, r"it is an env already: give the class or function that makes it"),
    (CallableEnv(), {}, TypeError, r"it is an env already: give the class or function that makes"),
    (3, {}, TypeError, r"env must be a Gymnasium id, a class or a function .*, not 3"),
    (
        [Named] * 2,
        {"num_envs": 3},
        ValueError,
        r"env has 2 entries; it must have one for each of 3",
    ),
    (Named, {"env_kwargs": [{}], "num_envs": 2}, ValueError, r"env_kwargs has 1 entries; .* of 2"),
    (Named, {"env_kwargs": "x"}, TypeError, r"env_kwargs must be a dict, or a list of dicts"),
    (Named, {"env_kwargs": {"nam": 1}}, ValueError, r"env 0: TypeError: .*unexpected keyword"),
    (Named, {"num_envs": 0}, ValueError, r"num_envs is 0"),
    (Named, {"num_envs": "two"}, TypeError, r"num_envs must be an int"),
    (Named, {"num_workers": -1}, ValueError, r"num_workers is -1; it must be between 0 and 4096"),
    (Named, {"num_workers": 0, "step_timeout": 2}, ValueError, r"num_workers=0; .* need workers"),
    (
        Named,
        {"num_worker": 1},
        TypeError,
        r"Named has no option 'num_worker'; did you mean num_workers",
    ),
    (Named, {"num_threads": 2}, TypeError, r"no option 'num_threads'; did you mean num_workers"),
    (Named, {"start_method": "forks"}, ValueError, r"'forkserver', 'spawn', 'fork'; did you mean"),
    (Named, {"step_timeout": -1}, ValueError, r"step_timeout is -1"),
    (Named, {"step_timeout": "1"}, TypeError, r"step_timeout must be a number"),
    (Named, {"info_bytes": 1}, ValueError, r"info_bytes is 1"),
    (Named, {"restart": 1.5}, TypeError, r"restart must be True or False"),
    (Named, {"gym_reset_return_info": True}, TypeError, r"no option 'gym_reset_return_info'"),
    (Named, {"batch_size": 2}, ValueError, r"Named: batch_size is 2; it must be between 0 and num"),
    (Named, {"seed": -1}, ValueError, r"seed is -1"),
    (Named, {"seed": [1, 2]}, ValueError, r"seed has 2 values; it must have one for each of 1"),
    (Named, {"autoreset_mode": "never"}, ValueError, r"autoreset_mode is 'never'"),
    (Named, {"render_mode": "rgb_array"}, ValueError, r"NotImplementedError"),
    (
        Trouble,
        {"render_mode": "rgb"},
        ValueError,
        r"render_mode is 'rgb'; allowed are 'rgb_array',",
    ),
    (Named, {"max_episode_steps": 0}, ValueError, r"max_episode_steps is 0"),
    (Named, {"per_env": {"name": ["a"]}}, ValueError, r"per_env"),
    (
        Named,
        {"env_type": "gymnasim"},
        ValueError,
        r"env_type is 'gymnasim'; allowed are 'gymnasium'",
    ),
]


@pytest.mark.parametrize(("env", "kwargs", "error", "message"), REFUSED)
def test_what_is_refused(
    env: Any, kwargs: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        parallel_pool.make_python(env, **kwargs)


@needs_workers
def test_the_config_has_all_options() -> None:
    with parallel_pool.make_python(
        Trouble, 4, 2, 3, seed=5, step_timeout=2, max_episode_steps=9
    ) as p:
        shown = {
            "num_envs": 4,
            "batch_size": 2,
            "num_workers": 3,
            "seed": 5,
            "step_timeout": 2.0,
            "start_method": "forkserver",
            "close_timeout": 60.0,
            "child_timeout": 1.0,
            "restart": True,
            "info_bytes": 4096,
            "max_episode_steps": 9,
            "autoreset_mode": "next_step",
        }
        assert shown.items() <= p.config.items()
        assert repr(p) == "make_python('Trouble', num_envs=4, batch_size=2, num_workers=3, seed=5)"
        assert "option       step_timeout=2 " in str(p.spec)
        assert "python" not in str(p.spec)
        assert p.is_async
    assert repr(p).endswith("(closed)")


def test_the_reward_threshold_is_the_ids() -> None:
    with parallel_pool.make_python("CartPole-v1") as pool:
        assert pool.reward_threshold == 475
    with parallel_pool.make_python("CartPole-v1", reward_threshold=3) as pool:
        assert pool.reward_threshold == 3


def test_pools_are_pickled_and_copied_with_their_envs() -> None:
    with parallel_pool.make_python(lambda: Trouble(9), 3, num_workers=FEW, seed=3) as pool:
        obs = pool.reset()[0]
        for again in (copy.deepcopy(pool), copy.copy(pool)):
            with again:
                assert type(again) is type(pool)
                assert again.config == pool.config
                assert again.reset()[0].tobytes() == obs.tobytes()
        with pickle.loads(cloudpickle.dumps(pool)) as again:
            assert again.reset()[0].tobytes() == obs.tobytes()


def test_a_spec_makes_pools() -> None:
    spec = parallel_pool.make_python_spec(Nested, 2, seed=9)
    assert spec.observation_space == Nested.observation_space
    assert spec.config["seed"] == 9
    with parallel_pool.make_python(spec) as a, parallel_pool.make(spec) as b:
        assert a.reset()[0]["camera"].tobytes() == b.reset()[0]["camera"].tobytes()
        assert type(a) is type(b)
    with pytest.raises(TypeError, match="give num_envs to make_python_spec"):
        parallel_pool.make_python(spec, 3)
    with pytest.raises(TypeError, match="give env_kwargs to make_python_spec"):
        parallel_pool.make_python(spec, env_kwargs={"length": 3})


def test_the_other_apis() -> None:
    with parallel_pool.make_python(Trouble, 2, env_type="dm") as pool:
        first = pool.reset()
        assert first.step_type.tolist() == [0, 0]
        assert first.observation.obs.shape == (2, 3)
        assert pool.step(np.zeros(2, int)).step_type.tolist() == [1, 1]
        assert pool.action_spec().num_values == 16
    with pytest.raises(ValueError, match="has a name that dm_env cannot have"):
        parallel_pool.make_python(
            with_spaces(spaces.Dict({"a-b": spaces.Discrete(2)})), env_type="dm"
        )
    gym = pytest.importorskip("gym")
    with parallel_pool.make_python(Nested, 2, env_type="gym") as pool:
        obs, info = pool.reset()
        assert obs["pair"]["item_0"].shape == (2,)
        assert info["began"].tolist() == [True, True]
        assert isinstance(pool.observation_space, gym.spaces.Dict)


def test_out_takes_arrays() -> None:
    with parallel_pool.make_python("CartPole-v1", 2) as pool:
        pool.reset()
        out = {"obs": np.zeros((2, 4), np.float32), "reward": np.zeros(2, np.float32)}
        obs = pool.step([0, 1], out=out)[0]
        assert np.shares_memory(obs, out["obs"])
        assert out["reward"].tolist() == [1, 1]
    with parallel_pool.make_python(with_spaces(spaces.Tuple((spaces.Discrete(2),))), 2) as pool:
        pool.reset()
        with pytest.raises(ValueError, match=r"out has 'obs', .* tuples"):
            pool.step([0, 1], out={"obs": {"item_0": np.zeros(2, np.int64)}})


def test_statistics_of_episodes() -> None:
    with parallel_pool.make_python(Trouble, 2, record_episode_statistics=True) as pool:
        pool.reset()
        for _ in range(5):
            *_, info = pool.step([0, 0])
        assert info["episode"]["l"].tolist() == [5, 5]


def test_gymnasium_make_vec() -> None:
    envs = gymnasium.make_vec(
        "parallel_pool/python",
        num_envs=3,
        env="CartPole-v1",
        num_workers=FEW,
        reward_dtype="float64",
    )
    peer = SyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * 3)
    assert envs.action_space == peer.action_space
    assert envs.observation_space == peer.observation_space
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert envs.reset(seed=4)[0].tobytes() == peer.reset(seed=4)[0].tobytes()
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    wrapped.reset(seed=1)
    for _ in range(30):
        action = peer.action_space.sample()
        wrapped.step(action)
    wrapped.close()
    with pytest.raises(ValueError, match="batch_size is 1; Gymnasium's vector envs step all"):
        gymnasium.make_vec("parallel_pool/python", num_envs=2, env="CartPole-v1", batch_size=1)


def test_envs_that_cannot_be_saved_say_why() -> None:
    class Frozen(Trouble, gymnasium.utils.EzPickle):
        def __init__(self) -> None:
            gymnasium.utils.EzPickle.__init__(self)
            Trouble.__init__(self)

    class Stated(Frozen):
        def get_state(self) -> Any:
            return self.number, self.steps

        def set_state(self, state: Any) -> None:
            self.number, self.steps = state

    with parallel_pool.make_python(Frozen, 2) as pool:
        pool.reset()
        with pytest.raises(ValueError, match=r"Frozen env 0: .*pickles only its constructor's"):
            pool.save()
        pool.step([0, 0])
    with parallel_pool.make_python(
        lambda: gymnasium.wrappers.TimeLimit(Stated(), 4), 2, num_workers=FEW
    ) as pool:
        pool.reset()
        pool.step([0, 0])
        data = pool.save()
        rows = [pool.step([0, 0])[0][:, 1].tolist() for _ in range(3)]
        pool.load(data)
        assert [pool.step([0, 0])[0][:, 1].tolist() for _ in range(3)] == rows
        assert rows[2] == [4, 4]
        with pytest.raises(ValueError, match="damaged"):
            pool.load(data[:-9] + b"x" + data[-8:])


@needs_workers
def test_workers_have_the_environment_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def variable(name: str) -> Any:
        def make() -> Any:
            return Named(os.environ.get(name, "none"))

        with parallel_pool.make_python(make) as pool:
            return pool.get_attr("name")[0]

    assert variable("OMP_NUM_THREADS") == "1"  # the neighbors have the other cores
    assert "OMP_NUM_THREADS" not in os.environ
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert variable("OMP_NUM_THREADS") == "3"
    monkeypatch.setenv("A_VARIABLE", "set after the fork server had started")
    assert variable("A_VARIABLE") == "set after the fork server had started"


def test_an_info_may_be_as_large_as_there_is_room() -> None:
    class Large(Named):
        def step(self, action: Any) -> Any:
            return 1, 0.0, False, False, {"picture": np.arange(100_000)}

    with parallel_pool.make_python(Large, 2, info_bytes=2**20) as pool:
        pool.reset()
        picture = pool.step(np.zeros((2, 2)))[4]["picture"]
        assert picture.tobytes() == np.stack([np.arange(100_000)] * 2).tobytes()


def test_importing_the_package_is_cheap() -> None:
    program = (
        "import sys, parallel_pool; "
        "late = 'multiprocessing.forkserver', 'parallel_pool.python_envs.worker_group'; "
        "print([m for m in late if m in sys.modules])"
    )
    assert output_of(program) == "[]\n"
