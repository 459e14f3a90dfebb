"""Pools with a preset equal Gymnasium's wrappers and ale_py's vector env, by ==, step for step."""

from typing import Any

import ale_py
import gymnasium
import numpy as np
import pytest
from ale_py.env import AtariEnv
from ale_py.vector_env import AtariVectorEnv
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation, TimeLimit

import parallel_pool
from parallel_pool.testing.form import by_form, some
from parallel_pool.testing.played import played

ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)

# Lives, FIRE, paddles, more than 210 lines, frames that end early, random numbers at resets.
GAMES = {
    "Pong": "pong",
    "Breakout": "breakout",
    "MsPacman": "ms_pacman",
    "Qbert": "qbert",
    "SpaceInvaders": "space_invaders",
    "Seaquest": "seaquest",
    "Berzerk": "berzerk",
    "Adventure": "adventure",
}
NUM_ENVS = 2
STEPS = by_form(500, 2000)
OPTION_STEPS = by_form(100, 250)
Options = dict[str, Any]


def gymnasiums(rom: str, options: Options, mode: AutoresetMode) -> Any:
    """The envs of `ALE/<game>-v5` with the usual wrappers."""

    def make() -> gymnasium.Env[Any, Any]:
        env: gymnasium.Env[Any, Any] = AtariEnv(
            rom,
            frameskip=1,
            repeat_action_probability=options.get("repeat_action_probability", 0.25),
            full_action_space=options.get("full_action_space", False),
            mode=options.get("mode"),
            difficulty=options.get("difficulty"),
        )
        env = AtariPreprocessing(
            env,
            noop_max=options.get("noop_max", 30),
            frame_skip=options.get("frame_skip", 4),
            screen_size=(options.get("img_width", 84), options.get("img_height", 84)),
            terminal_on_life_loss=options.get("episodic_life", False),
            grayscale_obs=options.get("gray_scale", True),
        )
        env = FrameStackObservation(env, options.get("stack_num", 4))
        return TimeLimit(env, options.get("max_episode_steps", 27000))

    return SyncVectorEnv([make] * NUM_ENVS, autoreset_mode=mode)


def ale_vectors(rom: str, options: Options, mode: AutoresetMode) -> Any:
    """ale_py's vector env; its time limit counts frames."""
    names = {
        "frame_skip": "frameskip",
        "reward_clip": "reward_clipping",
        "gray_scale": "grayscale",
    }
    steps = options.get("max_episode_steps", 27000)
    theirs = {names.get(k, k): v for k, v in options.items() if k != "max_episode_steps"}
    frames = steps * options.get("frame_skip", 4)
    return AtariVectorEnv(
        rom, NUM_ENVS, max_num_frames_per_episode=frames, autoreset_mode=mode, **theirs
    )


THEIRS = {"gymnasium": gymnasiums, "ale_vector": ale_vectors}


def check_obs(mine: Any, wanted: Any, where: str) -> None:
    """Compares; in color, theirs is (stack, height, width, 3), ours has channels before rows."""
    if wanted.ndim == 4:
        wanted = wanted.transpose(0, 3, 1, 2).reshape(mine.shape)
    assert np.array_equal(mine, wanted), f"{where}: obs"


def compare(
    task: str, preset: str, steps: int, seed: int, options: Options, mode: str = "next_step"
) -> int:
    """Plays both with random actions; returns the number of episodes that ended."""
    theirs = THEIRS[preset](GAMES[task], options, AutoresetMode[mode.upper()])
    ours = parallel_pool.make(
        f"{task}-v5", num_envs=NUM_ENVS, seed=0, preset=preset, autoreset_mode=mode, **options
    )
    wanted, wanted_info = theirs.reset(seed=seed)
    obs, info = ours.reset(seed=seed)
    where = f"{preset} {task} {options} reset"
    ends = 0
    rng = np.random.default_rng(seed)
    for step in range(steps):
        for i in range(NUM_ENVS):
            check_obs(obs[i], np.asarray(wanted[i]), f"{where}, env {i}")
        assert info["lives"].tolist() == wanted_info["lives"].tolist(), where
        actions: Any = rng.integers(getattr(ours.action_space, "n", 1), size=NUM_ENVS)
        if options.get("continuous"):
            low, high = [0, -np.pi, 0], [1, np.pi, 1]
            actions = rng.uniform(low, high, (NUM_ENVS, 3)).astype(np.float32)
        where = f"{preset} {task} {options} step {step}"
        wanted, *wanted_rest, wanted_info = theirs.step(actions)
        obs, *rest, info = ours.step(actions)
        for name, mine, their in zip(("reward", "term", "trunc"), rest, wanted_rest, strict=True):
            assert mine.tolist() == their.tolist(), f"{where}: {name}"
        ended = rest[1] | rest[2]
        if mode == "same_step":
            for row in np.flatnonzero(ended):
                final = np.asarray(wanted_info["final_obs"][row])
                check_obs(info["final_obs"][row], final, f"{where}, end of env {row}")
        ends += int(np.count_nonzero(ended))
    ours.close()
    theirs.close()
    played(f"{task}-v5", seed, steps, NUM_ENVS)
    return ends


@pytest.mark.parametrize("task", some(GAMES, 3))
@pytest.mark.parametrize("preset", THEIRS)
def test_long(preset: str, task: str) -> None:
    ends = compare(task, preset, STEPS, 7, {})
    assert ends > 0 or task in ("Pong", "Adventure", "Seaquest")


# The other options, with their effects at the end of an episode; on games in turn.
BOTH: list[Options] = [
    {"episodic_life": True},
    {"episodic_life": True, "frame_skip": 7},
    {"frame_skip": 1},
    {"frame_skip": 2},
    {"noop_max": 0},
    {"noop_max": 1},
    {"stack_num": 1},
    {"stack_num": 3, "max_episode_steps": 25},
    {"max_episode_steps": 20, "frame_skip": 3},
    {"max_episode_steps": 20, "frame_skip": 1},
    {"img_height": 110, "img_width": 80},
    {"gray_scale": False, "episodic_life": True},
    {"full_action_space": True},
    {"repeat_action_probability": 0.5},
]
GYMNASIUM: list[Options] = [
    {"repeat_action_probability": 0.0, "episodic_life": True},
    {"mode": 4, "difficulty": 1},
]
ALE_VECTOR: list[Options] = [
    {"life_loss_info": True},
    {"life_loss_info": True, "episodic_life": True},
    {"reward_clip": False},
    {"use_fire_reset": False},
    {"use_fire_reset": False, "noop_max": 7},
    {"continuous": True},
    {"continuous": True, "continuous_action_threshold": 0.2, "repeat_action_probability": 0.25},
]
CASES = [
    *((preset, options) for preset in THEIRS for options in BOTH),
    *(("gymnasium", options) for options in GYMNASIUM),
    *(("ale_vector", options) for options in ALE_VECTOR),
]


@pytest.mark.parametrize(("preset", "options"), some(CASES, 2), ids=str)
def test_options(preset: str, options: Options) -> None:
    games = ["Breakout", "Qbert", "SpaceInvaders"]
    game = games[0] if "mode" in options else games[CASES.index((preset, options)) % 3]
    compare(game, preset, OPTION_STEPS, 3, options)


@pytest.mark.parametrize("preset", THEIRS)
@pytest.mark.parametrize("task", ["Breakout", "Berzerk"])
def test_same_step(preset: str, task: str) -> None:
    options = {"episodic_life": True}
    assert compare(task, preset, 400, 5, options, mode="same_step") > 3


def test_viewers_see_it_as_fast_as_ale_pys() -> None:
    assert parallel_pool.make_spec("Pong-v5").render_fps == AtariEnv.metadata["render_fps"]


def test_many_seeds() -> None:
    """Both draw the same numbers of no-ops, for any seed, over many episodes."""
    for preset in THEIRS:
        for seed in (0, 1, 2**16, 2**31 - 3):
            compare("Breakout", preset, 8, seed, {"max_episode_steps": 1})


def test_continuous_equals_ale_py() -> None:
    """One env without wrappers, with sticks at the threshold, too. frameskip is 1, because ale_py's
    env draws random numbers for all frames of a step, also after the end of the game."""
    options: Options = {"continuous": True, "obs_type": "ram"}
    theirs = AtariEnv("breakout", frameskip=1, repeat_action_probability=0.25, **options)
    with parallel_pool.make(
        "Breakout-v5", preset="gymnasium", noop_max=0, frame_skip=1, stack_num=1, **options
    ) as ours:
        wanted, _ = theirs.reset(seed=5)
        obs, _ = ours.reset(seed=5)
        rng = np.random.default_rng(0)
        for step in range(2000):
            assert np.array_equal(obs[0, 0], wanted), step
            radius = rng.choice([0.0, 0.5, 1.0, rng.random()])
            angle = rng.choice([0.0, np.pi / 2, -np.pi, np.pi / 4, rng.uniform(-np.pi, np.pi)])
            action = np.array([radius, angle, rng.choice([0.0, 0.5, 1.0])], np.float32)
            wanted, reward, terminated, _, _ = theirs.step(action)
            obs, *rest, _ = ours.step(action[None])
            assert (rest[0][0], rest[1][0]) == (reward, terminated)
            if terminated:
                wanted, _ = theirs.reset()
                obs, *_ = ours.step(action[None])
    theirs.close()


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("preset", ["gymnasium", "ale_vector"])
def test_each_life_is_an_episode_with_the_presets(preset: str, mode: str) -> None:
    """A lost life ends their games: the next episode is of another one."""
    options: Options = {"episodic_life": True, "record_episode_statistics": True}
    with parallel_pool.make(
        "Breakout-v5", num_envs=4, preset=preset, autoreset_mode=mode, **options
    ) as pool:
        pool.reset()
        rng = np.random.default_rng(0)
        ends = 0
        for _ in range(300):
            _, _, terminated, _, info = pool.step(rng.integers(0, 4, 4))
            np.testing.assert_array_equal(info.get("_episode", np.zeros(4, bool)), terminated)
            final = info.get("final_info", info)
            np.testing.assert_array_equal(final["terminated"] == 1, terminated)
            ends += int(terminated.sum())
        assert ends > 8
