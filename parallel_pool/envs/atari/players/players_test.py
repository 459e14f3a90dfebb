"""PettingZoo's APIs with these tasks; their seeds, states, options and errors."""

import importlib
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

import parallel_pool
from parallel_pool.envs.atari.players.reference import TASKS, module_of, raw_env
from parallel_pool.integrations.pettingzoo import parallel_env, vector_env
from parallel_pool.python.specs.registry import registry
from parallel_pool.testing.any_order import assert_same_in_any_order
from parallel_pool.testing.results import same


@pytest.mark.parametrize("task_id", TASKS)
def test_players_are_those_of_pettingzoo(task_id: str) -> None:
    spec = parallel_pool.make_spec(task_id)
    env = raw_env(task_id)
    assert [player.name for player in spec.players] == env.possible_agents
    for player in spec.players:
        assert player.observation_space == env.observation_space(player.name)
        own: Any = player.action_space
        assert own.n == env.action_space(player.name).n
    assert spec.max_episode_steps == env.max_cycles
    assert registry().suite(task_id) == "pettingzoo"


def test_the_adapter_equals_the_parallel_env_until_players_are_out() -> None:
    roms = raw_env("maze_craze-v3").rom_path
    module = importlib.import_module(f"pettingzoo.atari.{module_of('maze_craze-v3')}")
    other = module.parallel_env(auto_rom_install_path=roms[: roms.rindex("/")], obs_type="ram")
    env = parallel_env("maze_craze-v3", obs_type="ram")
    random = np.random.default_rng(0)
    left_alone = 0
    for episode in range(3):
        seed = 3 if episode == 0 else None
        same(env.reset(seed=seed)[0], other.reset(seed=seed)[0])
        held = dict.fromkeys(env.agents, 0)
        while env.agents:
            held = {a: int(random.integers(18)) if random.random() < 0.1 else held[a] for a in held}
            actions = {name: held[name] for name in env.agents}
            mine, theirs = env.step(actions), other.step(actions)
            same(mine[0], theirs[0])
            assert mine[1] == {name: int(value) for name, value in theirs[1].items()}
            assert mine[2:4] == theirs[2:4]
            assert env.agents == other.agents
            left_alone += len(env.agents) == 1
    assert left_alone > 0, "no player was out before the other one"


@pytest.mark.parametrize("task_id", ["pong-v3", "warlords-v3"])
def test_passes_the_tests_of_pettingzoo(task_id: str) -> None:
    parallel_api_test(parallel_env(task_id, render_mode="rgb_array"), num_cycles=30)


def test_a_vector_env_has_a_row_for_each_player() -> None:
    env = vector_env("quadrapong-v4", num_envs=2, obs_type="ram")
    obs, info = env.reset(seed=0)
    assert obs.shape == (8, 128)
    assert info["agent"].tolist() == [0, 1, 2, 3] * 2
    env.close()


def play(pool: Any, steps: int, seed: int) -> list[Any]:
    """All results for random actions, which are held for some steps."""
    random = np.random.default_rng(seed)
    results = []
    held = random.integers(18, size=(pool.num_envs, 4))
    rows = len(pool.spec.players) * pool.num_envs
    for _ in range(steps):
        held = np.where(random.random(held.shape) < 0.1, random.integers(18, size=held.shape), held)
        results.append(pool.step(held.ravel()[:rows].astype(np.int32)))
    return results


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("double_dunk-v3", {"frame_skip": 4, "stack_num": 4, "obs_type": "grayscale_image"}),
        ("tennis-v3", {"repeat_action_probability": 0.5}),
        ("pong-v3", {"full_action_space": True, "frame_skip": 3, "max_episode_steps": 70}),
    ],
)
def test_a_saved_pool_goes_on(task_id: str, options: dict[str, Any]) -> None:
    def make(seed: int) -> Any:
        own = {"full_action_space": True} | options
        return parallel_pool.make(task_id, num_envs=2, seed=seed, **own)

    with make(0) as pool, make(9) as other, make(5) as new:
        pool.reset()
        play(pool, 60, 0)
        state = pool.save()
        wanted = play(pool, 60, 1)
        other.reset()
        play(other, 20, 2)
        for one in (pool, other, new):
            one.load(state)
            assert one.save() == state
            same(play(one, 60, 1), wanted)


def test_async_pools_play_the_same() -> None:
    assert_same_in_any_order("space_war-v2", 40, obs_type="ram")


def test_every_seed_repeats() -> None:
    # PettingZoo takes the time where the seed is 0.
    first = []
    for seed in (0, 0, 1):
        with parallel_pool.make("maze_craze-v3", num_envs=1, seed=seed, obs_type="ram") as pool:
            first.append(pool.reset()[0])
    assert (first[0] == first[1]).all()
    assert (first[0] != first[2]).any()


@pytest.mark.parametrize(
    ("task_id", "options", "words"),
    [
        ("pong-v3", {"num_players": 3}, "num_players=3: allowed are 2 and 4"),
        ("pong-v3", {"game_version": "quadrapong"}, "needs num_players=4, not 2"),
        ("pong-v3", {"game_version": "basketbal"}, "basketball"),
        ("maze_craze-v3", {"visibilty_level": 4}, "visibilty_level"),
        ("boxing-v2", {"stack_num": 1000, "img_height": 4096, "img_width": 4096}, "allowed are"),
    ],
)
def test_bad_options_are_refused(task_id: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parallel_pool.make(task_id, num_envs=1, **options)
