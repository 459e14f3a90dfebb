"""parallel_pool.integrations.sb3 with every kind of space that a task can have."""

import functools
import pathlib
import shlex
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from stable_baselines3 import DQN, PPO, SAC
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecNormalize

import parallel_pool
from parallel_pool.integrations.sb3 import VecEnv

ENVS, LIMIT, SIZE = 3, 10, 36
TASK = "Lights-v0"  # lights.cc


@pytest.fixture(autouse=True, scope="module")
def load_task(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Builds lights.cc as an env author does; the task stays registered in this process."""
    library = tmp_path_factory.mktemp("lights") / "lights.so"
    flags = [sys.executable, "-I", "-m", "parallel_pool", "--cflags"]
    out = subprocess.run(flags, stdout=subprocess.PIPE, text=True, check=True).stdout
    source = str(pathlib.Path(__file__).with_name("lights.cc"))
    subprocess.run(["g++", *shlex.split(out), source, "-o", str(library)], check=True)
    assert parallel_pool.load(library) == [TASK]


class Lights(gymnasium.Env[dict[str, Any], Any]):
    """The env of lights.cc in Python."""

    action_space = spaces.Discrete(3)
    observation_space = spaces.Dict(
        {
            "picture": spaces.Box(0, 255, (1, SIZE, SIZE), np.uint8),
            "place": spaces.Box(np.zeros(2, np.float32), np.array([1, 2], np.float32)),
            "room": spaces.Discrete(3),
            "light": spaces.Box(0, 1, (1,)),
        }
    )

    def obs(self) -> dict[str, Any]:
        picture = np.zeros((1, SIZE, SIZE), np.uint8)
        picture[0, :, min(int(self.place * SIZE), SIZE - 1)] = 255
        place = np.array([self.place, self.room], np.float32)
        return {"picture": picture, "place": place, "room": self.room, "light": place[:1]}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], Any]:
        super().reset(seed=seed)
        self.room = int(self.np_random.integers(3))
        self.place = self.np_random.uniform(0, 1)
        return self.obs(), {}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, Any]:
        self.room = (self.room + int(action)) % 3
        self.place = 0.5 * self.place + 0.25 * self.room
        return self.obs(), self.place, self.place > 0.4 and self.room == 0, False, {}


def theirs() -> DummyVecEnv:
    def one() -> Any:
        return Monitor(gymnasium.wrappers.TimeLimit(Lights(), LIMIT))

    return DummyVecEnv([one] * ENVS)


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert set(one) == set(other) == {"picture", "place", "room", "light"}
    for name in one:
        a, b = np.asarray(one[name]), np.asarray(other[name])
        assert (a.dtype.kind, a.shape) == (b.dtype.kind, b.shape), name
        np.testing.assert_array_equal(a, b, name)


def test_dicts_equal_dummy_vec_env() -> None:
    one, other = VecEnv(TASK, num_envs=ENVS), theirs()
    assert one.observation_space == other.observation_space
    one.seed(5)
    other.seed(5)
    assert_same(one.reset(), other.reset())
    rng = np.random.default_rng(1)
    kinds = set()
    for _ in range(200):
        actions = rng.integers(3, size=ENVS)
        obs, reward, done, infos = one.step(actions)
        their_obs, their_reward, their_done, their_infos = other.step(actions)
        assert_same(obs, their_obs)
        np.testing.assert_array_equal(reward, their_reward)
        np.testing.assert_array_equal(done, their_done)
        for a, b in zip(infos, their_infos, strict=True):
            assert a.get("TimeLimit.truncated", False) == b["TimeLimit.truncated"]
            assert ("episode" in a) == ("episode" in b) == ("terminal_observation" in a)
            if "episode" in a:
                last = a["terminal_observation"]
                assert_same(last, b["terminal_observation"])
                assert last["place"].base is not obs["place"]
                assert a["episode"]["l"] == b["episode"]["l"]
                kinds.add(a["TimeLimit.truncated"])
    assert kinds == {False, True}


@pytest.mark.parametrize("algorithm", ["PPO", "DQN"])
def test_dicts_train_as_dummy_vec_env(algorithm: str) -> None:
    make: Any = {
        "PPO": functools.partial(PPO, n_steps=16, batch_size=24, n_epochs=2),
        "DQN": functools.partial(DQN, learning_starts=20, buffer_size=99, target_update_interval=9),
    }[algorithm]
    nets = []
    for env in (VecEnv(TASK, num_envs=ENVS), theirs()):
        model = make("MultiInputPolicy", env, seed=3).learn(96)
        nets.append([p.detach().numpy() for p in model.policy.parameters()])
        action, _ = model.predict(env.reset(), deterministic=True)
        env.step(action)
    assert len(nets[0]) > 8
    for a, b in zip(*nets, strict=True):
        np.testing.assert_array_equal(a, b)


def test_wrappers_of_dicts() -> None:
    env = VecNormalize(VecEnv(TASK, num_envs=ENVS), norm_obs_keys=["place"])
    PPO("MultiInputPolicy", env, n_steps=8, batch_size=8, n_epochs=1).learn(24)
    assert env.obs_rms["place"].mean.shape == (2,)
    (obs, info), *_ = env.env_method("reset", indices=[2, 0])
    assert obs["picture"].shape == (1, SIZE, SIZE)
    assert info["env_id"] == 2


@pytest.mark.parametrize("action", ["box", "double"])
def test_dicts_with_continuous_actions(action: str) -> None:
    env = VecEnv(TASK, num_envs=ENVS, action=action)
    PPO("MultiInputPolicy", env, n_steps=8, batch_size=8, n_epochs=1).learn(24)
    SAC("MultiInputPolicy", env, learning_starts=6, buffer_size=50, batch_size=4).learn(12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"observation": "nested"}, "observation 'obs:lamp.light' is Box.* no dict in a dict: let"),
        ({"observation": "from_one"}, r"observation 'obs' is Discrete\(3, start=1\); .* from 0"),
        ({"observation": "number"}, r"observation 'obs' is Box\(0.*\(\), float32\); .* an axis"),
        ({"action": "from_one"}, r"action is Discrete\(3, start=1\); .* counts from 0"),
        ({"action": "two"}, r"action is Dict\('action': Discrete\(3\), 'push': .* one array"),
        ({"action": "integers"}, r"action is Box\(0, 2, \(2,\), int32\); .* float, or Discrete"),
    ],
)
def test_spaces_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"Lights-v0: the {message}"):
        VecEnv(TASK, **options)


def test_players_are_refused() -> None:
    with pytest.raises(ValueError, match="per player; Stable-Baselines3 has one agent"):
        VecEnv(TASK, observation="players")


@pytest.mark.parametrize(
    ("task_id", "policy", "options"),
    [
        ("Pong-v5", "CnnPolicy", {"obs_type": "rgb", "continuous": True}),
        ("Pong-v5", "MlpPolicy", {"obs_type": "ram", "sound_obs": True}),
        ("Blackjack-v1", "MlpPolicy", {}),
        ("Catch-v0", "MlpPolicy", {}),
        ("FrozenLake-v1", "MlpPolicy", {}),
        ("Hopper-v5", "MlpPolicy", {}),
        ("MuJoCo-v0", "MlpPolicy", {"obs": ["qpos", "qvel", "ctrl"], "max_episode_steps": 3}),
    ],
)
def test_spaces_of_tasks(task_id: str, policy: str, options: dict[str, Any]) -> None:
    env = VecEnv(task_id, num_envs=2, **options)
    model = PPO(policy, env, n_steps=8, batch_size=8, n_epochs=1).learn(16)
    assert model.num_timesteps == 16


class Grip(gymnasium.Env[Any, Any]):
    """An env whose observations and actions are tuples, or dicts; each shows its last action."""

    def __init__(self, kind: str) -> None:
        parts = {"hand": spaces.Box(-1, 1, (2,)), "tool": spaces.Discrete(3)}
        both = {"dict": spaces.Dict(parts), "tuple": spaces.Tuple(list(parts.values()))}
        self.observation_space = self.action_space = both[kind]

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.steps = 0
        self.shown = (self.np_random.uniform(-1, 1, 2).astype(np.float32), 0)
        return self.obs(), {}

    def obs(self) -> Any:
        if isinstance(self.observation_space, spaces.Tuple):
            return self.shown
        return dict(zip(("hand", "tool"), self.shown, strict=True))

    def step(self, action: Any) -> Any:
        self.steps += 1
        is_dict = isinstance(action, dict)
        self.shown = tuple(action.values()) if is_dict else action
        return self.obs(), float(self.shown[0].sum()), self.steps == 3, False, {}


def parts_of(obs: Any) -> list[Any]:
    assert isinstance(obs, dict | tuple)
    return list(obs.values()) if isinstance(obs, dict) else list(obs)


@pytest.mark.parametrize("kind", ["dict", "tuple"])
def test_tuples_and_dicts_as_in_subproc_vec_env(kind: str) -> None:
    make = functools.partial(Grip, kind)
    ours = VecEnv(parallel_pool.make_python_spec(make, num_envs=ENVS, num_workers=2))
    other = SubprocVecEnv([make] * ENVS)
    assert ours.observation_space == other.observation_space
    assert ours.action_space == other.action_space
    ours.seed(3)
    other.seed(3)
    seen = ours.reset(), other.reset()
    ours.action_space.seed(1)
    ends = 0
    for _ in range(8):
        for a, b in zip(*map(parts_of, seen), strict=True):
            np.testing.assert_array_equal(a, b)
        actions = [ours.action_space.sample() for _ in range(ENVS)]
        mine, theirs = ours.step(actions), other.step(actions)
        assert mine[2].tolist() == theirs[2].tolist()
        np.testing.assert_allclose(mine[1], theirs[1], rtol=1e-6)
        for a, b in zip(mine[3], theirs[3], strict=True):
            assert ("terminal_observation" in a) == ("terminal_observation" in b)
            if "terminal_observation" not in a:
                continue
            ends += 1
            last = a["terminal_observation"], b["terminal_observation"]
            for x, y in zip(*map(parts_of, last), strict=True):
                np.testing.assert_array_equal(x, y)
        seen = mine[0], theirs[0]
    assert ends == 2 * ENVS
    (obs, _), *_ = ours.env_method("reset", indices=[-1])
    assert [np.shape(part) for part in parts_of(obs)] == [(2,), ()]
    ours.close()
    other.close()
