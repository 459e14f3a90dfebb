"""Pools of Python envs give the results of gymnasium.vector.SyncVectorEnv, bit for bit."""

import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import parallel_pool
from parallel_pool.testing.python_env import FINE, Nested, Trouble, Unusual

FEW = 0 if sys.platform == "win32" else 2  # workers

MODES = list(AutoresetMode)
ENGINE_INFO = ("env_id", "elapsed_step", "players")


def same(ours: Any, theirs: Any, where: str = "") -> None:
    """Asserts equality, bit for bit, of nested dicts, tuples and arrays."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), where
        for key in theirs:
            same(ours[key], theirs[key], f"{where}[{key!r}]")
    elif isinstance(theirs, tuple):
        assert isinstance(ours, tuple), where
        assert len(ours) == len(theirs), where
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            same(a, b, f"{where}[{i}]")
    elif isinstance(theirs, str):
        assert ours == theirs, where
    else:
        assert ours.dtype == theirs.dtype, where
        assert ours.shape == theirs.shape, where
        if ours.dtype == object:
            for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
                if isinstance(b, np.ndarray | dict | tuple):
                    same(np.asarray(a), np.asarray(b), f"{where}[{i}]")
                else:
                    assert a == b, f"{where}[{i}]"
        else:
            assert ours.tobytes() == theirs.tobytes(), where


def row_of(tree: Any, i: Any) -> Any:
    if isinstance(tree, dict):
        return {key: row_of(value, i) for key, value in tree.items()}
    if isinstance(tree, tuple):
        return tree[i] if isinstance(tree[0], str) else tuple(row_of(value, i) for value in tree)
    return np.asarray(tree[i])


def arrays(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: arrays(value) for key, value in tree.items()}
    if isinstance(tree, tuple):
        return tuple(arrays(value) for value in tree)
    return tree if isinstance(tree, str) else np.asarray(tree)


def check_info(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """The same infos; final observations are objects there and arrays of the batch here."""
    ours = {key: value for key, value in ours.items() if key not in ENGINE_INFO}
    theirs = dict(theirs)
    if "_final_obs" in ours:
        mask = theirs.pop("_final_obs", np.zeros(len(ours["_final_obs"]), bool))
        theirs.pop("_final_info", None)
        finals, final_info = theirs.pop("final_obs", None), theirs.pop("final_info", {})
        assert (ours.pop("_final_obs") == mask).all()
        assert (ours.pop("_final_info") == mask).all()
        own = ours.pop("final_obs")
        for i in np.flatnonzero(mask):
            same(row_of(own, i), arrays(finals[i]))
        info = ours.pop("final_info")
        info.pop("elapsed_step")
        same(info, final_info)
    same(ours, theirs)


def play(
    make: Callable[[], Any],
    pool: Any,
    mode: AutoresetMode,
    steps: int = 60,
    seed: int | list[int] | None = None,
) -> None:
    """Steps a pool and a SyncVectorEnv with the same random actions."""
    n = pool.num_envs
    with pool:
        peer = SyncVectorEnv([make] * n, autoreset_mode=mode)
        first: Any = seed if seed is not None else 42
        peer.action_space.seed(1)
        obs, info = peer.reset(seed=first)
        own_obs, own_info = pool.reset(seed=seed)
        same(own_obs, obs)
        check_info(own_info, info)
        for step in range(steps):
            action = peer.action_space.sample()
            if isinstance(peer.single_action_space, gymnasium.spaces.Discrete) and (
                peer.single_action_space.n == 16
            ):
                action = np.full(n, FINE)
            theirs, ours = peer.step(action), pool.step(action)
            for a, b in zip(ours[:4], theirs[:4], strict=True):
                same(a, b, f"step {step}")
            check_info(ours[4], theirs[4])
            over = theirs[2] | theirs[3]
            if mode == AutoresetMode.DISABLED and over.any():
                options: Any = {"reset_mask": over}
                obs, info = peer.reset(options={"reset_mask": over})
                own_obs, own_info = pool.reset(options=options)
                same(own_obs, obs)
                # Gymnasium shows no infos of the rows that it does not reset.
                shown = {k: v for k, v in own_info.items() if k not in ENGINE_INFO}
                for key, mask in info.items():
                    if key.startswith("_"):
                        assert (shown[key][over] == mask[over]).all()
        peer.close()


MAKERS: dict[str, Callable[[], Any]] = {
    "CartPole-v1": lambda: gymnasium.make("CartPole-v1"),
    "Pendulum-v1": lambda: gymnasium.make("Pendulum-v1", max_episode_steps=9),
    "Taxi-v4": lambda: gymnasium.make("Taxi-v4"),
    "Trouble": lambda: Trouble(length=7),
    "Nested": Nested,
    "Unusual": Unusual,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("workers", [0] if FEW == 0 else [0, 1, 3])
def test_a_pool_equals_sync_vector_env(name: str, mode: AutoresetMode, workers: int) -> None:
    pool = parallel_pool.make_python(
        MAKERS[name], 5, num_workers=workers, autoreset_mode=mode, reward_dtype="float64"
    )
    play(MAKERS[name], pool, mode)


class Reusing(gymnasium.Env[Any, Any]):
    """Shows 100 times the episode plus the step, always in the same array; three steps a time."""

    observation_space = gymnasium.spaces.Box(0, 1000, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self) -> None:
        self.shown, self.episodes, self.steps = np.zeros(1, np.float32), 0, 0

    def _obs(self) -> Any:
        self.shown[0] = 100 * self.episodes + self.steps
        return self.shown

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.episodes, self.steps = self.episodes + 1, 0
        return self._obs(), {"shown": self.shown}

    def step(self, action: Any) -> Any:
        self.steps += 1
        return self._obs(), 0.0, self.steps == 3, False, {"shown": self.shown}


def finals(envs: Any) -> tuple[list[float], list[float]]:
    """The observations of the row that ends the first episode, and its last observations."""
    envs.reset()
    for _ in range(3):
        obs, *_, info = envs.step(np.zeros(2, int))
    return obs[:, 0].tolist(), [float(row[0]) for row in info["final_obs"]]


@pytest.mark.parametrize("workers", [0] if FEW == 0 else [0, 1, 2])
def test_the_last_observation_of_an_env_that_reuses_its_array(workers: int) -> None:
    """The documentation names it: SyncVectorEnv has that of the next episode, which it may not."""
    with parallel_pool.make_python(
        Reusing, 2, num_workers=workers, autoreset_mode="same_step"
    ) as pool:
        assert finals(pool) == ([200, 200], [103, 103])
        pool.reset()
        for _ in range(3):
            info = pool.step([0, 0])[4]
        assert info["final_info"]["shown"].tolist() == [[303], [303]]
    peer = SyncVectorEnv([Reusing] * 2, autoreset_mode=AutoresetMode.SAME_STEP)
    assert finals(peer) == ([200, 200], [200, 200])
    peer.close()


def test_seeds_are_those_of_sync_vector_env() -> None:
    for seed in (7, [3, 1, 4]):
        pool = parallel_pool.make_python(
            "CartPole-v1", 3, num_workers=FEW, seed=0, reward_dtype="float64"
        )
        play(MAKERS["CartPole-v1"], pool, AutoresetMode.NEXT_STEP, seed=seed)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no worker processes")
def test_all_start_methods_give_the_same() -> None:
    for method in ("spawn", "fork"):
        pool = parallel_pool.make_python(
            MAKERS["Nested"], 3, num_workers=FEW, start_method=method, reward_dtype="float64"
        )
        play(MAKERS["Nested"], pool, AutoresetMode.NEXT_STEP, steps=10)


def test_async_pools_give_each_env_the_results_of_its_own_actions() -> None:
    peers = [gymnasium.make("CartPole-v1") for _ in range(6)]
    over = [False] * 6
    with parallel_pool.make_python(
        "CartPole-v1", 6, 2, num_workers=FEW, reward_dtype="float64"
    ) as pool:
        random = np.random.default_rng(0)
        pool.async_reset()
        first = [True] * 6
        sent = [0] * 6
        for _ in range(400):
            obs, reward, terminated, truncated, info = pool.recv()
            for row, env in enumerate(info["env_id"]):
                if first[env]:
                    expected, _ = peers[env].reset(seed=42 + int(env))
                    first[env] = False
                elif over[env]:
                    expected, _ = peers[env].reset()
                    over[env] = False
                else:
                    expected, r, te, tr, _ = peers[env].step(sent[env])
                    assert (reward[row], terminated[row], truncated[row]) == (r, te, tr)
                    over[env] = te or tr
                assert obs[row].tobytes() == expected.tobytes()
                sent[env] = int(random.integers(2))
            pool.send(np.array([sent[e] for e in info["env_id"]]), info["env_id"])


def test_time_limits_are_the_engines_or_the_ids() -> None:
    with parallel_pool.make_python("CartPole-v1", 2, max_episode_steps=3) as pool:
        pool.reset()
        cut = [pool.step([0, 1])[3].tolist() for _ in range(3)]
        assert cut == [[False, False], [False, False], [True, True]]
    with parallel_pool.make_python("Pendulum-v1", 1, max_episode_steps=205) as pool:
        pool.reset()
        cut = [bool(pool.step([[0]])[3][0]) for _ in range(205)]
        assert cut == [False] * 204 + [True]  # the id's own limit is 200
    with parallel_pool.make_python(
        lambda: Trouble(length=99), 2, per_env={"max_episode_steps": [2, 3]}
    ) as pool:
        pool.reset()
        assert [pool.step([0, 0])[3].tolist() for _ in range(3)] == [
            [False, False],
            [True, False],
            [False, True],
        ]


def test_reset_gives_the_envs_its_options() -> None:
    with parallel_pool.make_python(Trouble, 3, num_workers=FEW) as pool:
        obs, info = pool.reset(options={"begin": 2})
        assert obs[:, 1].tolist() == [2, 2, 2]
        assert info["seen"]["begin"].tolist() == [2, 2, 2]
        obs, _ = pool.reset([1], options={"begin": 3, "other": print})
        assert obs[:, 1].tolist() == [3]
        obs, info = pool.reset()
        assert obs[:, 1].tolist() == [0, 0, 0]
        assert "seen" not in info


@pytest.mark.parametrize("make", [lambda: gymnasium.make("CartPole-v1"), Nested, Trouble])
def test_a_saved_env_goes_on(make: Callable[[], Any]) -> None:
    with parallel_pool.make_python(make, 4, num_workers=FEW) as pool:
        pool.action_space.seed(3)
        n = pool.num_envs
        actions = [gymnasium.vector.utils.batch_space(pool.action_space, n).sample()] * 8
        if make is Trouble:
            actions = [np.full(n, FINE)] * 8
        pool.reset()
        for action in actions[:3]:
            pool.step(action)
        data = pool.save()
        first = [pool.step(action) for action in actions]
        pool.load(data)
        again = [pool.step(action) for action in actions]
        for a, b in zip(first, again, strict=True):
            for x, y in zip(a[:4], b[:4], strict=True):
                same(x, y)
        part = pool.save([1, 3])
        expected = pool.step(actions[0])
        pool.load(part, [1, 3])
        mine = pool.step(row_of_rows(actions[0], [1, 3]), [1, 3])
        same(row_of_rows(mine[0], [0, 1]), row_of_rows(expected[0], [1, 3]))


def row_of_rows(tree: Any, rows: list[int]) -> Any:
    if isinstance(tree, dict):
        return {key: row_of_rows(value, rows) for key, value in tree.items()}
    if isinstance(tree, tuple):
        return tuple(row_of_rows(value, rows) for value in tree)
    return tree[rows]


def test_a_loaded_env_shows_the_observation_of_its_state() -> None:
    with parallel_pool.make_python(Trouble, 2, num_workers=FEW) as pool:
        pool.reset()
        seen, *_, seen_info = pool.step([0, 0])
        data = pool.save()
        pool.step([0, 0])
        pool.load(data)
        obs, info = pool.reset(options={"reset_mask": np.array([True, False])})
        assert obs[1].tolist() == seen[1].tolist()
        assert obs[0].tolist() != seen[0].tolist()
        assert info["steps"][1] == seen_info["steps"][1] == 1
        assert info["_steps"].tolist() == [False, True]


def test_a_seed_that_waits_for_a_reset_is_saved() -> None:
    with (
        parallel_pool.make_python(Trouble, 2, seed=5) as pool,
        parallel_pool.make_python(Trouble, 2, seed=9) as other,
    ):
        other.load(pool.save())  # no env was ever reset
        assert other.reset()[0].tolist() == pool.reset()[0].tolist()


def test_pictures_are_the_envs() -> None:
    with parallel_pool.make_python(Trouble, 3, num_workers=FEW, render_mode="rgb_array") as pool:
        pool.reset()
        pool.step([0, 0, 0])
        pool.step([0], [1])
        frames = pool.render()
        assert frames.shape == (3, 4, 6, 3)
        assert frames[:, 0, 0, 0].tolist() == [1, 2, 1]
        assert pool.render([1])[0, 0, 0, 0] == 2
    with parallel_pool.make_python(Trouble, 2, render_mode="ansi") as pool:
        pool.reset()
        assert pool.render() == ("step 0", "step 0")
