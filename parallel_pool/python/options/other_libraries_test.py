"""Names of other libraries: options that make() takes, and errors that say what to write here."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.python.options.other_libraries import FOREIGN, own_options

# A task of each kind of options.
SOME_TASKS = ("CartPole-v1", "Pong-v5", "Ant-v5", "CheetahRun-v1", "highway-fast-v0")


@pytest.mark.parametrize(
    ("task_id", "theirs", "ours"),
    [
        ("Ant-v4", {"healthy_z_min": 0.3}, {"healthy_z_range": (0.3, 1.0)}),
        (
            "Ant-v5",
            {"contact_force_max": 2, "contact_force_min": -2.0},
            {"contact_force_range": (-2.0, 2.0)},
        ),
        ("Ant-v4", {"use_contact_force": True}, {"use_contact_forces": True}),
        ("Walker2d-v5", {"healthy_angle_max": 0.5}, {"healthy_angle_range": (-1.0, 0.5)}),
        ("Hopper-v4", {"healthy_state_min": -9}, {"healthy_state_range": (-9.0, 100.0)}),
        ("Humanoid-v5", {"contact_cost_max": 5}, {"contact_cost_range": (-np.inf, 5.0)}),
        ("HumanoidStandup-v4", {"contact_cost_max": 5}, {"impact_cost_range": (-np.inf, 5.0)}),
        ("HumanoidStandup-v4", {"contact_cost_weight": 2.0}, {"impact_cost_weight": 2.0}),
        ("HumanoidStandup-v5", {"forward_reward_weight": 2.0}, {"uph_cost_weight": 2.0}),
        ("Reacher-v4", {"dist_cost_weight": 2.0}, {"reward_dist_weight": 2.0}),
        ("Pusher-v5", {"ctrl_cost_weight": 3.0}, {"reward_control_weight": 3.0}),
        ("Pusher-v5", {"near_cost_weight": 3.0}, {"reward_near_weight": 3.0}),
        ("HalfCheetah-v5", {"ctrl_cost_weight": 3.0}, {"ctrl_cost_weight": 3.0}),
        ("CartPole-v1", {"num_envs": 2, "env_seed": [5, 3]}, {"seed": [5, 3]}),
        ("CartPole-v1", {"env_seed": []}, {"seed": 42}),
        ("MiniGrid-Fetch-5x5-N2-v0", {"numObjs": 4}, {"num_objs": 4}),
        ("MiniGrid-MultiRoom-N6-v0", {"maxRoomSize": 9}, {"max_room_size": 9}),
    ],
)
def test_options_by_envpools_names(
    task_id: str, theirs: dict[str, Any], ours: dict[str, Any]
) -> None:
    config = parallel_pool.make_spec(task_id, **theirs).config
    assert {name: config[name] for name in ours} == ours
    default = parallel_pool.make_spec(task_id, num_envs=config["num_envs"]).config
    assert {name for name in config if config[name] != default[name]} <= {*ours, *theirs}


def test_a_tasks_own_option_is_never_renamed() -> None:
    defaults = {
        "near_cost_weight": 1.0,
        "reward_near_weight": 2.0,
        "env_seed": 3,
        "z_range": (0, 1),
    }
    given = {"near_cost_weight": 5.0, "env_seed": 6, "z_min": -1, "z_range_min": 2, "_min": 1}
    assert own_options("T-v0", given, defaults) == {
        "near_cost_weight": 5.0,
        "env_seed": 6,
        "z_range": (-1, 1),
        "z_range_min": 2,
        "_min": 1,
    }


def test_both_names_are_refused() -> None:
    with pytest.raises(TypeError, match="healthy_z_min is another name of healthy_z_range: give"):
        parallel_pool.make("Ant-v5", healthy_z_range=(0, 1), healthy_z_min=0.1)
    with pytest.raises(TypeError, match=r"Ant-v5: healthy_z_range\[0\] must be a number"):
        parallel_pool.make("Ant-v5", healthy_z_min="low")
    with pytest.raises(TypeError, match="CartPole-v1 has no option 'healthy_z_min'"):
        parallel_pool.make("CartPole-v1", healthy_z_min=0.1)


def test_arguments_of_dm_control_are_explained() -> None:
    with pytest.raises(TypeError, match="'environment_kwargs'; give its entries as options"):
        parallel_pool.make("CartPole-v1", environment_kwargs={"time_limit": 1})


@pytest.mark.parametrize(
    ("task_id", "name", "words"),
    [
        ("CheetahRun-v1", "frame_skip", "n_sub_steps are the steps of the model for which"),
        ("CheetahRun-v1", "height", "it is render_height here"),
        ("Pong-v5", "terminal_on_life_loss", "it is episodic_life here"),
        ("Pong-v5", "frame_stack", "it is stack_num here"),
        ("Pong-v5", "screen_size", "give img_height and img_width"),
        ("Pong-v5", "sticky_actions", "give repeat_action_probability=0.25"),
        ("Pong-v5", "grayscale_obs", "it is gray_scale here"),
        ("Pong-v5", "scale_obs", "observations stay uint8: divide them by 255"),
        ("Pong-v5", "max_num_frames_per_episode", "max_episode_steps is in steps, each of frame_"),
        ("Pong-v5", "frameskip", "it is frame_skip here"),
        ("Ant-v5", "num_stack", "it is frame_stack here"),
        ("CartPole-v1", "n_envs", "it is num_envs here"),
        ("CartPole-v1", "terminal_on_life_loss", "there are action_repeat, "),
    ],
)
def test_options_of_other_libraries(task_id: str, name: str, words: str) -> None:
    given: dict[str, Any] = {name: 1}
    with pytest.raises(TypeError, match=f"^{task_id} has no option '{name}'; {words}"):
        parallel_pool.make(task_id, **given)


def test_the_table_of_other_libraries_options_is_true() -> None:
    """Each of its options exists in some task, and one that has the foreign name, too, has both."""
    names = {task_id: set(parallel_pool.make_spec(task_id).config) for task_id in SOME_TASKS}
    for theirs, here, _ in FOREIGN:
        tasks = [task_id for task_id in SOME_TASKS if not here or here in names[task_id]]
        assert tasks, f"no task has {here!r}"
        for name in theirs.split():
            assert any(name not in names[task_id] for task_id in tasks), f"{name!r} is known"


@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "dm"])
def test_an_unknown_option_is_an_unexpected_argument(env_type: Any) -> None:
    """Libraries that leave out an argument, such as torchrl, look for Python's words."""
    for make in (
        lambda **kwargs: parallel_pool.make("CartPole-v1", env_type, **kwargs),
        lambda **kwargs: parallel_pool.make("CartPole-v1", env_type, num_envs=None, **kwargs),
        lambda **kwargs: parallel_pool.make(["CartPole-v1", "Acrobot-v1"], env_type, **kwargs),
        lambda **kwargs: gymnasium.make("parallel_pool/CartPole-v1", **kwargs),
        lambda **kwargs: gymnasium.make_vec("parallel_pool/CartPole-v1", **kwargs),
    ):
        for name in ("frameskip", "xyzzy"):
            with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
                make(**{name: 4})


@pytest.mark.parametrize(
    ("theirs", "here"),
    [
        (
            "PongNoFrameskip-v4",
            'make("Pong-v5", preset="gymnasium", repeat_action_probability=0.0)',
        ),
        ("PongNoFrameskip-v0", 'make("Pong-v5", preset="gymnasium")'),
        ("MontezumaRevengeDeterministic-v4", 'make("MontezumaRevenge-v5")'),
        ("PongDeterministic-v0", 'make("Pong-v5", repeat_action_probability=0.25)'),
        ("ALE/Pong-v5", 'make("Pong-v5", preset="gymnasium")'),
        ("Pong-ram-v5", 'make("Pong-v5", obs_type="ram")'),
        ("ALE/Pong-ram-v5", 'make("Pong-v5", obs_type="ram")'),
        ("parallel_pool/CartPole-v1", 'make("CartPole-v1")'),
    ],
)
def test_ids_of_other_libraries(theirs: str, here: str) -> None:
    with pytest.raises(ValueError) as error:
        parallel_pool.make(theirs)
    assert str(error.value) == f"there is no task {theirs!r}; it is {here} here"
    eval(here, {"make": parallel_pool.make_spec})


def test_an_unknown_game_is_not_promised() -> None:
    with pytest.raises(ValueError, match="there is no task 'FooNoFrameskip-v4'; parallel_pool"):
        parallel_pool.make("FooNoFrameskip-v4")


@pytest.mark.parametrize("env_type", ["gymnasium", "gym", "dm"])
def test_methods_that_pools_lack(env_type: Any) -> None:
    with parallel_pool.make("CartPole-v1", env_type) as pool:
        for name, hint in (
            ("seed", r"give the seed to reset\(seed=...\) or to make\(seed=...\)"),
            ("envs", "its envs are no Python objects"),
            ("step_async", r"call send\(action, env_id\)"),
        ):
            with pytest.raises(
                AttributeError, match=f"CartPole-v1: .* no attribute '{name}': {hint}"
            ):
                getattr(pool, name)
        with pytest.raises(AttributeError, match=r"no attribute 'rest'; did you mean reset\?"):
            _ = pool.rest
        with pytest.raises(AttributeError, match="'Pool' object has no attribute '_hidden'"):
            _ = pool._hidden
        if env_type == "dm":
            with pytest.raises(AttributeError, match="'unwrapped': it has no wrappers"):
                _ = pool.unwrapped
        else:
            assert pool.unwrapped is pool


def test_the_sample_of_one_envs_space() -> None:
    for task_id in ("CartPole-v1", "Pendulum-v1"):
        with parallel_pool.make(task_id, num_envs=4) as pool:
            pool.reset()
            with pytest.raises(
                ValueError, match=r"one row for each env; a pool's spaces are those of"
            ):
                pool.step(pool.action_space.sample())


def test_async_calls_without_env_id_name_the_idle_envs() -> None:
    with parallel_pool.make("CartPole-v1", num_envs=20, batch_size=2, num_threads=1) as pool:
        pool.async_reset()
        ids = sorted(pool.recv()[4]["env_id"].tolist())
        missing = rf"env_id is not given, .*; idle are \[{ids[0]}, {ids[1]}\]"
        for action in ([0, 1], np.zeros(20, int)):
            with pytest.raises(ValueError, match=missing):
                pool.send(action)
            with pytest.raises(ValueError, match=missing):
                pool.step(action)
        pool.send([0, 1], ids)
        with pytest.raises(ValueError, match="no env is idle now"):
            pool.send(np.zeros(20, int))
        for _ in range(10):
            pool.recv()
        with pytest.raises(ValueError, match=r"idle are \[0, 1, 2, 3, 4, 5, 6, 7, \.\.\.\]"):
            pool.send([0])
