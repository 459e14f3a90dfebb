"""Games of several players: spaces, frames, rewards, infos, episodes, faults."""

import os
import pathlib
import signal
import subprocess
from typing import Any

import cv2
import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.vizdoom.reference import (
    MATCHES,
    PACKAGE,
    engines,
    leftovers,
    nothing_is_left,
)
from parallel_pool.testing.form import by_form

TASK = "VizdoomCig-v0"
BUTTONS = {
    "ATTACK": 0,
    "USE": 1,
    "TURN_LEFT": 2,
    "TURN_RIGHT": 3,
    "MOVE_RIGHT": 4,
    "MOVE_LEFT": 5,
    "MOVE_FORWARD": 6,
    "MOVE_BACKWARD": 7,
}
INFOS = {"ammo", "armor", "damage", "dead", "deaths", "frags", "health", "hits", "weapon"}


def press(rows: int, *names: str) -> dict[str, Any]:
    """An action of `rows` players, who all press these buttons."""
    binary = np.zeros((rows, len(BUTTONS)), np.int8)
    binary[:, [BUTTONS[name] for name in names]] = 1
    return {"binary": binary, "continuous": np.zeros((rows, 2), np.float32)}


def at_random(rows: int, random: np.random.Generator) -> dict[str, Any]:
    """A random action of `rows` players, who often attack."""
    binary = random.integers(2, size=(rows, len(BUTTONS))).astype(np.int8)
    continuous = random.normal(0, 3, (rows, 2)).astype(np.float32)
    return {"binary": binary, "continuous": continuous}


def resized(screen: Any) -> Any:
    """A screen as a frame of the observation, (3, 84, 84)."""
    return cv2.resize(screen, (84, 84), interpolation=cv2.INTER_AREA).transpose(2, 0, 1)


def test_cpp() -> None:
    """Facts that only C++ can see: tics, ports, labels, single engines."""
    subprocess.run(
        [pathlib.Path(__file__).parent / "match_test"],
        env={**os.environ, "VIZDOOM_PACKAGE": str(PACKAGE)},
        check=True,
    )


def test_there_are_matches() -> None:
    assert MATCHES == ["VizdoomCig-v0", "VizdoomDeathmatch-v0"]


def test_spaces() -> None:
    spec = parallel_pool.make_spec(TASK, engine_path=str(PACKAGE), max_num_players=3)
    assert spec.observation_space.shape == (12, 84, 84)
    shapes = {array.name: array.shape for array in spec.action_arrays}
    assert shapes == {"binary": (8,), "continuous": (2,)}
    assert spec.config["max_episode_steps"] == 525
    assert all(array.players == 3 for array in (*spec.action_arrays, *spec.state_arrays))
    small = parallel_pool.make_spec(
        TASK,
        engine_path=str(PACKAGE),
        screen_format="GRAY8",
        stack_num=2,
        img_height=60,
        img_width=80,
    )
    assert small.observation_space.shape == (2, 60, 80)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_num_players": 1}, "max_num_players is 1; it must be between 2 and 8"),
        ({"max_num_players": 9}, "max_num_players is 9; it must be between 2 and 8"),
        ({"num_bots": 9}, "num_bots is 9; it must be between 0 and 8"),
        ({"doom_map": "map07"}, "doom_map is 'map07': there is no such map"),
    ],
)
def test_wrong_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parallel_pool.make(TASK, num_envs=1, **options)


def test_frames_are_the_screens_of_the_players_the_oldest_first() -> None:
    with parallel_pool.make(TASK, num_envs=1, max_num_players=3, render_mode="rgb_array") as env:
        random = np.random.default_rng(0)
        obs, _ = env.reset()
        stack = np.repeat(obs[:, None, :3], 4, axis=1)  # players, frames, channels, rows, columns
        for _ in range(by_form(10, 100)):
            screens = np.split(env.render()[0], 3, axis=1)
            assert screens[0].shape == (120, 160, 3)
            stack[:, -1] = [resized(screen) for screen in screens]
            assert np.array_equal(obs.reshape(stack.shape), stack)
            assert all(screen.std() > 1 for screen in screens)
            assert not np.array_equal(screens[0], screens[1])
            obs = env.step(at_random(3, random))[0]
            stack = np.roll(stack, -1, axis=1)


def test_gray_frames() -> None:
    options: dict[str, Any] = {"screen_format": "GRAY8", "render_mode": "rgb_array", "stack_num": 1}
    with parallel_pool.make(TASK, num_envs=1, **options) as env:
        obs, _ = env.reset()
        (picture,) = env.render()
        assert np.array_equal(picture[..., :1].repeat(3, -1), picture)
        frames = [resized(screen)[:1] for screen in np.split(picture, 2, axis=1)]
        assert np.array_equal(obs, frames)


def test_each_player_gets_its_own_action() -> None:
    with parallel_pool.make(TASK, num_envs=1, max_num_players=3, stack_num=2) as env:
        env.reset()
        for _ in range(5):
            obs, _, _, _, info = env.step(press(3))
        ammo = info["players"]["ammo"]
        action = press(3)
        action["binary"][1, BUTTONS["ATTACK"]] = 1
        action["continuous"][2] = [10, 0]
        for _ in range(8):
            obs, _, _, _, info = env.step(action)
        spent = ammo - info["players"]["ammo"]
        assert spent[1] > 0
        assert spent[[0, 2]].tolist() == [0, 0]
        moves = (obs[:, :3] != obs[:, 3:]).mean((1, 2, 3))
        assert moves[2] > 10 * moves[0]  # it turns, the other one stands


@pytest.mark.parametrize("task_id", by_form([TASK], MATCHES))
@pytest.mark.parametrize("death_penalty", by_form([0.5], [0.0, 0.5]))
def test_rewards_are_frags_gained(task_id: str, death_penalty: float) -> None:
    """Bots attack; random players of the first map kill themselves by rockets."""
    random = np.random.default_rng(1)
    options: dict[str, Any] = {"num_bots": 4, "death_penalty": death_penalty, "img_height": 20}
    deaths = 0
    with parallel_pool.make(task_id, num_envs=1, max_episode_steps=9999, **options) as env:
        _, info = env.reset()
        last = info["players"]
        assert not last["frags"].any()
        assert not last["deaths"].any()
        assert (last["health"] == 100).all()
        for _ in range(by_form(150, 2000)):
            _, reward, terminated, truncated, info = env.step(at_random(2, random))
            now = info["players"]
            assert set(now) == {*INFOS, "env_id"}
            assert now["env_id"].tolist() == [0, 0]
            gained, died = now["frags"] - last["frags"], now["deaths"] - last["deaths"]
            assert reward.dtype == np.float32
            assert reward.tolist() == (gained - death_penalty * died).tolist()
            assert (died >= 0).all()
            assert ((now["health"] == 0) >= now["dead"]).all()
            assert not (terminated | truncated).any()
            deaths += died.sum()
            last = now
    assert deaths > 0


def test_episodes_end_at_the_time_limit_and_others_follow() -> None:
    limit = 7
    random = np.random.default_rng(2)
    with parallel_pool.make(TASK, num_envs=2, max_episode_steps=limit, seed=[3, 4]) as env:
        obs, _ = env.reset()
        begin = obs
        for step in range(1, 3 * (limit + 1)):
            obs, reward, terminated, truncated, info = env.step(at_random(4, random))
            elapsed = step % (limit + 1)
            assert info["elapsed_step"].tolist() == [elapsed] * 2
            assert truncated.tolist() == [elapsed == limit] * 2
            assert not terminated.any()
            if elapsed == 0:
                assert not reward.any()
                assert not info["players"]["frags"].any()
                frames = obs.reshape(4, 4, 3, 84, 84)
                assert (frames == frames[:, :1]).all()
                assert not np.array_equal(obs, begin)
        assert len(engines()) == 4


def test_an_episode_begins_without_the_deaths_of_the_last_one() -> None:
    random = np.random.default_rng(1)
    with parallel_pool.make(TASK, num_envs=1, num_bots=6, img_height=20) as env:
        env.reset()
        for _ in range(500):
            _, _, _, _, info = env.step(at_random(2, random))
            if info["players"]["deaths"].any():
                break
        assert info["players"]["deaths"].any()
        env.reset()
        _, _, _, _, info = env.step(press(2))
        for name in ("deaths", "frags", "hits", "damage"):
            assert info["players"][name].tolist() == [0, 0]


def test_a_reset_of_some_envs() -> None:
    with parallel_pool.make(TASK, num_envs=2) as env:
        env.reset()
        for _ in range(3):
            env.step(press(4))
        before = engines()
        _, info = env.reset([1])
        assert info["players"]["env_id"].tolist() == [1, 1]
        _, _, _, _, info = env.step(press(4))
        assert info["elapsed_step"].tolist() == [4, 1]
        assert engines() == before


def test_async() -> None:
    random = np.random.default_rng(3)
    with parallel_pool.make(TASK, num_envs=3, batch_size=2, num_threads=2) as env:
        env.async_reset()
        steps = np.zeros(3, int)
        for _ in range(30):
            _, _, _, _, info = env.recv()
            ids = info["env_id"]
            assert info["players"]["env_id"].tolist() == ids.repeat(2).tolist()
            assert info["elapsed_step"].tolist() == steps[ids].tolist()
            steps[ids] += 1
            env.send(at_random(4, random), ids)
        assert steps.sum() == 60


def test_gym_and_dm() -> None:
    options: dict[str, Any] = {"engine_path": str(PACKAGE), "num_envs": 1}
    with parallel_pool.make_gym(TASK, **options) as gym:
        obs, _ = gym.reset()
        assert obs.shape == (2, 12, 84, 84)
        obs, reward, *_ = gym.step(press(2))
        assert (obs.shape, reward.shape) == ((2, 12, 84, 84), (2,))
    with parallel_pool.make_dm(TASK, **options) as dm:
        dm.reset()
        step = dm.step(press(2))
        assert step.reward.shape == (2,)
        assert step.observation.obs.shape == (2, 12, 84, 84)
        assert step.observation.players.frags.tolist() == [0, 0]


@pytest.mark.parametrize("task_id", by_form([TASK], MATCHES))
def test_conforms(task_id: str) -> None:
    parallel_pool.check(
        task_id, reproducible=False, engine_path=str(PACKAGE), img_height=24, img_width=32
    )


@pytest.mark.parametrize("victim", by_form([1], [0, 1, 2]))
def test_a_killed_engine_is_an_error_of_its_env_only(victim: int) -> None:
    before = leftovers()
    options: dict[str, Any] = {"num_envs": 2, "max_num_players": 3, "render_mode": "rgb_array"}
    with parallel_pool.make(TASK, **options, num_threads=1) as env:
        env.reset([0])
        first = engines()
        env.reset([1])
        others = sorted(set(engines()) - set(first))
        assert (len(first), len(others)) == (3, 3)
        os.kill(first[victim], signal.SIGKILL)
        words = rf"player {victim}: the ViZDoom engine has stopped: it was killed by signal 9"
        with pytest.raises(parallel_pool.EnvError, match=words) as error:
            env.step(press(6))
        assert error.value.env_ids == [0]
        assert engines() == others
        _, _, _, truncated, info = error.value.result
        assert truncated.tolist() == [True, False]
        assert info["elapsed_step"].tolist()[1] == 1
        assert not env.render([0])[0].any()
        _, _, _, _, info = env.step(press(len(info["players"]["env_id"])))
        assert info["elapsed_step"].tolist() == [0, 2]
        assert info["players"]["env_id"].tolist() == [0, 0, 0, 1, 1, 1]
        assert len(engines()) == 6
        assert nothing_is_left(before)
    assert engines() == []
    assert nothing_is_left(before)
