"""Each task of the arm, also with options, equals OGBench's on the same MuJoCo, step for step."""

import functools
from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.envs.mujoco.ogbench import reference
from parallel_pool.testing.form import by_form, some
from parallel_pool.testing.gymnasium_parity import assert_same_spaces, compare

TASKS = reference.arms()
SCENES = [task for task in TASKS if "singletask" not in task]
KINDS = ["cube-double-v0", "puzzle-3x3-v0", "scene-v0"]
SOME = by_form(KINDS, SCENES)
# The short form's player plays these.
PLAYED = by_form(["cube-triple-v0", "puzzle-4x5-v0", "scene-v0"], SCENES)
NUM_ENVS = by_form(1, 2)
REFERENCES = reference.References()
MIDDLE = np.array([0.425, 0, 0])  # m
# Short plays have a time limit of their own, to see the ends of episodes.
LIMIT: dict[str, Any] = by_form({"max_episode_steps": 12}, {})


@functools.cache
def infos_of(task: str) -> tuple[str, ...]:
    """The names of infos, of which a reset of the reference has all but one."""
    return (*unwrapped(task).compute_ob_info(), "goal", "success")


def unwrapped(task: str) -> Any:
    """The reference itself, after a reset."""
    REFERENCES.begin()
    env = REFERENCES.make(task)
    env.reset(seed=0)
    return env.unwrapped


def play(task: str, seed: int, steps: int, **options: Any) -> Any:
    given = {name: options.pop(name) for name in ("first_reset", "policy") if name in options}
    num_envs, infos = options.pop("num_envs", NUM_ENVS), infos_of(task)
    REFERENCES.begin()
    theirs = functools.partial(REFERENCES.make, task, **options)
    return compare(
        task, theirs, seed, steps=steps, num_envs=num_envs, infos=infos, **given, **options
    )


class Player:
    """Presses buttons, or lifts a cube and drops it, by what it observes."""

    def __init__(self, task: str) -> None:
        self.step = 0
        env = unwrapped(task)
        names = [env.model.site(i).name for i in range(env.model.nsite)]
        places = zip(names, env.data.site_xpos.copy(), strict=True)
        self.buttons = [place for name, place in places if name.startswith("btntop_")]
        self.has_cubes = not task.startswith("puzzle")

    def __call__(self, random: np.random.Generator, obs: Any) -> Any:
        self.step += 1
        hand = obs[:, 12:15] / 10 + MIDDLE
        actions = random.uniform(-0.2, 0.2, (len(obs), 5))
        if self.buttons and (not self.has_cubes or self.step > 30):
            phase, button = self.step % 15, self.buttons[self.step // 15 % len(self.buttons)]
            above = 0.06 if phase < 7 else -0.06 if phase < 12 else 0.08
            target, grip = button + np.array([0, 0, above]), 1.0
        else:
            phase, cube = self.step % 40, obs[:, 19:22] / 10 + MIDDLE
            if phase < 17:
                target, grip = cube + np.array([0, 0, 0.1 if phase < 10 else 0]), -1.0
            else:
                target = hand + np.array([0, 0, 0.1 if 21 < phase < 28 else 0])
                grip = 1.0 if phase < 32 else -1.0
        actions[:, :3] += (target - hand) / 0.05
        actions[:, 4] += grip
        return actions.astype(np.float32)


def at_goal(task: str) -> dict[str, Any]:
    """Options of a reset with which an episode begins at its goal."""
    wanted = unwrapped(task).task_infos[0]
    parts = (
        wanted["goal"]
        if "goal" in wanted
        else {
            name.removeprefix("goal_"): part
            for name, part in wanted.items()
            if name.startswith("goal_")
        }
    )
    halves = ("init", "goal")
    return {
        "task_info": {
            f"{half}_{name}": np.atleast_1d(parts[name]) for half in halves for name in parts
        }
    }


def test_all_are_there() -> None:
    ours = [
        t for t in parallel_pool.list_all_envs() if t.startswith(("cube-", "puzzle-", "scene-"))
    ]
    assert sorted(ours) == TASKS


@pytest.mark.parametrize("task", some(TASKS, 6))
@pytest.mark.parametrize("seed", by_form((7,), (0, 42, 2**40 + 3)))
def test_equals_the_reference(task: str, seed: int) -> None:
    whole = 2 * (parallel_pool.make_spec(task).max_episode_steps + 1)
    assert play(task, seed, by_form(30, whole), **LIMIT)["truncated"] > 0


@pytest.mark.parametrize(
    "options",
    [
        {"use_oracle_rep": True},
        {"terminate_at_goal": False, "success_timing": "pre"},
        {"permute_blocks": False},
        {"reward_task_id": 3},
        {"physics_timestep": 0.001, "control_timestep": 0.02},
    ],
)
@pytest.mark.parametrize("task", SOME)
def test_options_equal_the_references(task: str, options: dict[str, Any]) -> None:
    if "permute_blocks" not in options or not task.startswith("puzzle"):
        play(task, 3, by_form(14, 100), max_episode_steps=6, **options)


@pytest.mark.parametrize("task", SOME)
def test_a_reset_chooses_the_task(task: str) -> None:
    play(task, 5, 4, first_reset={"task_id": 4})


@pytest.mark.parametrize("task", PLAYED)
def test_a_player_moves_things(task: str) -> None:
    player, steps = Player(task), by_form(60, 400)
    play(task, 9, steps, policy=player, num_envs=2)
    with parallel_pool.make(task, num_envs=1, seed=9) as pool:
        obs = pool.reset()[0]
        player, random, first = Player(task), np.random.default_rng(9), None
        presses, most = 0, 0.0
        for _ in range(steps):
            obs, _, _, _, info = pool.step(player(random, obs))
            if player.buttons:
                first = info["button_states"] if first is None else first
                presses += bool((info["button_states"] != info["prev_button_states"]).any())
            if player.has_cubes:
                most = max(most, float(info["privileged/block_0_pos"][0, 2]))
        assert not player.buttons or presses > 0, "a press must be compared"
        assert not player.has_cubes or most > 0.08, "a lifted cube must be compared"


@pytest.mark.parametrize("terminates", [True, False])
@pytest.mark.parametrize("timing", ["post", "pre"])
@pytest.mark.parametrize("task", KINDS)
def test_success_equals_the_references(task: str, timing: str, terminates: bool) -> None:
    options: Any = {"success_timing": timing, "terminate_at_goal": terminates}
    found = play(task, 1, 3, first_reset=at_goal(task), **options)
    assert (found["terminated"] > 0) == terminates
    with parallel_pool.make(task, num_envs=NUM_ENVS, seed=1, **options) as pool:
        pool.reset(options=at_goal(task))
        steps = [pool.step(pool.sample_actions())[1:5:3] for _ in range(2)]
        assert any(reward.max() == 1 and info["success"].any() for reward, info in steps)


@pytest.mark.parametrize("task", SOME)
def test_task_facts(task: str) -> None:
    env = gymnasium.make(task, disable_env_checker=True)
    env.metadata["render_fps"] = 20  # the reference names none; 0.05 s are a step
    assert_same_spaces(task, env)


def test_errors_name_what_is_allowed() -> None:
    with parallel_pool.make("puzzle-3x3-v0", num_envs=1) as pool:
        states = np.zeros(9)
        for options, message in (
            ({"task_id": 6}, "task_id"),
            (
                {"task_info": {"init_button_states": states}},
                "needs 'goal_button_states', 9 numbers",
            ),
            (
                {"task_info": {"init_button_states": states, "goal_button_states": states + 2}},
                "a button's state is 0 or 1",
            ),
        ):
            with pytest.raises((ValueError, parallel_pool.EnvError), match=message):
                pool.reset(options=options)
        assert not pool.reset(options={"task_id": 5})[1]["success"]
    with pytest.raises(ValueError, match="no multiple of physics_timestep"):
        parallel_pool.make("scene-v0", num_envs=1, control_timestep=0.033)
