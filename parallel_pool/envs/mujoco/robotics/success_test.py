"""Players that reach the goals of arms and hands, where random actions do not, see what the
reference sees: rewards, infos and ends."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import parallel_pool
from parallel_pool.testing import robotics
from parallel_pool.testing.form import by_form

Array = Any

ABOVE = np.array([0.0, 0.0, 0.08])  # m


def push(obs: dict[str, Array]) -> Array:
    """Goes behind the puck, as seen from the goal, and moves it there."""
    grip, puck = obs["observation"][:3], obs["achieved_goal"]
    way = (obs["desired_goal"] - puck)[:2]
    distance = float(np.linalg.norm(way))
    way = way / distance
    offset = (grip - puck)[:2]
    along = offset @ way
    sideways = offset - along * way
    height = grip[2] - puck[2]
    behind = puck[:2] - 0.08 * way - grip[:2]
    if height < 0.03 and along < -0.03 and np.linalg.norm(sideways) < 0.03:
        return [*(6 * min(distance, 0.1) * way - 10 * sideways), -10 * height, 0]
    if np.linalg.norm(behind) < 0.03:
        return [*(10 * behind), -10 * height, 0]
    return [*(10 * behind * (height >= 0.03)), 10 * (0.1 - height), 0]


def pick_and_place(obs: dict[str, Array]) -> Array:
    """Grips the box from above and carries it to the goal."""
    grip, box = obs["observation"][:3], obs["achieved_goal"]
    way, fingers = box - grip, obs["observation"][9:11].sum()
    if np.linalg.norm(way) < 0.02:
        held = fingers < 0.06
        return [*(10 * held * (obs["desired_goal"] - grip)), -1]
    over = np.linalg.norm(way[:2]) < 0.015
    return [*(10 * (way if over else way + ABOVE)), 1]


@pytest.mark.parametrize(
    ("task", "policy", "least"),
    [
        ("FetchPush-v4", push, 20),
        ("FetchPushDense-v4", push, 20),
        ("FetchPickAndPlace-v4", pick_and_place, 20),
        ("FetchSlide-v4", push, 1),
    ],
)
def test_players_of_fetch(task: str, policy: Any, least: int) -> None:
    """At least so many steps of an episode end at the goal; of FetchSlide, of all."""
    seeds = (15,) if task == "FetchSlide-v4" else by_form((0,), range(10))
    successes = 0
    for seed in seeds:
        ours = parallel_pool.make_gymnasium(task, num_envs=None, reward_dtype="float64")
        theirs = robotics.make(task)
        obs, wanted = ours.reset(seed=seed)[0], theirs.reset(seed=seed)[0]
        truncated: Any = False
        while not truncated:
            action = np.float32(np.clip(policy(obs), -1, 1))
            obs, reward, terminated, truncated, info = ours.step(action)
            wanted, *results, wanted_info = theirs.step(action)
            assert all(np.array_equal(obs[key], wanted[key]) for key in wanted)
            assert [reward, terminated, truncated] == results
            assert info["is_success"] == wanted_info["is_success"]
            successes += bool(info["is_success"])
    assert successes >= least * len(seeds)


def open_door(state: dict[str, Array], _: Any) -> None:
    state["qpos"][28] = 1.5  # rad, of the hinge


def drive_nail(state: dict[str, Array], _: Any) -> None:
    state["qpos"][26] = 0.09  # m


def aim_at_the_pen(state: dict[str, Array], reference: Any) -> None:
    state["desired_orien"][:] = reference.model.body("Object").quat


def aim_at_the_ball(state: dict[str, Array], _: Any) -> None:
    state["target_pos"][:] = state["obj_pos"] + [0, 0, 0.05]


@pytest.mark.parametrize("kind", ["", "Sparse"])
@pytest.mark.parametrize(
    ("hand", "succeed"),
    [
        ("Door", open_door),
        ("Hammer", drive_nail),
        ("Pen", aim_at_the_pen),
        ("Relocate", aim_at_the_ball),
    ],
)
def test_hands_that_begin_at_their_goals(hand: str, succeed: Any, kind: str) -> None:
    task = f"AdroitHand{hand}{kind}-v1"
    theirs: gymnasium.Env[Any, Any] = robotics.make(task)
    ours = parallel_pool.make_gymnasium(task, num_envs=None, env_state=True, reward_dtype="float64")
    theirs.reset(seed=1)
    state = {key: np.array(value) for key, value in ours.reset(seed=1)[1]["env_state"].items()}
    succeed(state, theirs.unwrapped)
    options = {"initial_state_dict": state}
    obs = [env.reset(options=options)[0] for env in (ours, theirs)]
    np.testing.assert_array_equal(*obs)
    random, successes = np.random.default_rng(0), 0
    for _ in range(20):
        action = (0.1 * random.normal(size=theirs.action_space.shape)).astype(np.float32)
        obs, *results, info = ours.step(action)
        wanted, *wanted_results, wanted_info = theirs.step(action)
        np.testing.assert_array_equal(obs, wanted)
        assert results == wanted_results
        assert info["success"] == wanted_info["success"]
        successes += bool(info["success"])
    assert successes >= 5
